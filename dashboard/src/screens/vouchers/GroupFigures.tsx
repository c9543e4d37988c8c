import type { Statistics } from '#service/features/vouchers/group-schema.ts';
import { formatNumber, formatPercent, withCount } from '../../ui/format.ts';
import { Stat, Stats } from '../../ui/Stat.tsx';
import { Missing } from '../../ui/Values.tsx';

/** The main figures of a group. */
export function GroupFigures({ statistics }: { statistics: Statistics | undefined }) {
  const { made = 0, assigned = 0, redeemed = 0, by_unit = [] } = statistics ?? {};
  const loading = !statistics;
  return (
    <Stats>
      <Stat label="Made" value={formatNumber(made)} note="codes in the group" loading={loading} />
      <Stat
        label="Assigned"
        value={formatNumber(assigned)}
        note={made === 0 ? 'no codes yet' : `${formatPercent(assigned / made)} of all`}
        loading={loading}
      />
      <Stat
        label="Redeemed"
        value={formatNumber(redeemed)}
        note={redeemed === 0 ? 'none yet' : `at ${withCount(by_unit.length, 'venue')}`}
        loading={loading}
      />
      <Stat
        label="Redemption rate"
        value={made === 0 ? <Missing /> : formatPercent(redeemed / made)}
        note="of all codes"
        loading={loading}
      />
    </Stats>
  );
}
