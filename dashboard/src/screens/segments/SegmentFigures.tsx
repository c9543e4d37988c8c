import type { Counts } from '#service/features/insight/segments/schema.ts';
import { formatNumber, formatPercent } from '../../ui/format.ts';
import { Stat, Stats } from '../../ui/Stat.tsx';
import { Missing } from '../../ui/Values.tsx';
import { shownChannels } from '../guests/guest.ts';
import { reachWords } from './words.ts';

/** The number of guests, and how many of them each channel reaches. Null: counting takes too long. */
export function SegmentFigures({ of }: { of: { [Name in keyof Counts]: Counts[Name] | null } | undefined }) {
  const loading = !of;
  const count = of?.count ?? null;
  return (
    <Stats>
      <Stat
        label="Guests"
        value={count === null ? <Missing /> : formatNumber(count)}
        note={of && count === null ? 'counting takes too long' : 'in the segment now'}
        loading={loading}
      />
      {shownChannels.map(({ channel }) => {
        const reached = of?.contactable?.[channel];
        return (
          <Stat
            key={channel}
            label={reachWords[channel]}
            value={reached === undefined ? <Missing /> : formatNumber(reached)}
            note={count && reached !== undefined ? `${formatPercent(reached / count)} of them` : 'may be contacted'}
            loading={loading}
          />
        );
      })}
    </Stats>
  );
}
