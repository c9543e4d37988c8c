import { Button, SegmentedControl, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Statistics } from '#service/features/vouchers/group-schema.ts';
import { getList } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { useDeferred } from '../../ui/deferred.ts';
import { daysLater, formatDays, formatNumber, today, withCount } from '../../ui/format.ts';
import { Panel } from '../../ui/Panel.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { TimeChart } from '../../ui/TimeChart.tsx';
import { Num } from '../../ui/Values.tsx';
import { groupPath } from './paths.ts';
import classes from './Redemptions.module.css';
import { pointsOf } from './redemption-days.ts';

const route = getRouteApi('/guard/accounts/$accountId/vouchers/$groupId');

const periods = {
  month: { label: '30 days', days: 30, bucket: 'day', step: 1 },
  quarter: { label: '90 days', days: 90, bucket: 'day', step: 1 },
  year: { label: '1 year', days: 364, bucket: 'week', step: 7 },
} as const;
type Period = keyof typeof periods;

/** The redemptions of a group by day and by venue. */
export function Redemptions({ groupId }: { groupId: number }) {
  const account = useAccount();
  const { period = 'quarter' } = route.useSearch();
  const navigate = route.useNavigate();
  const { days, bucket, step } = periods[period];
  const to = today(account.time_zone);
  const from = daysLater(to, 1 - days);
  // The default range needs no parameters. The figures above use the same request.
  const range = period === 'quarter' ? {} : { start_date: from, end_date: to };
  const { data, error, refetch, isPlaceholderData } = useQuery(
    getList<Statistics>(`${groupPath(account, groupId)}/statistics`, range),
  );
  const points = useMemo(() => data && pointsOf(data.by_day, from, to, step), [data, from, to, step]);
  const drawn = useDeferred(points);
  const total = points?.reduce((sum, { redeemed }) => sum + redeemed, 0) ?? 0;
  const emptyText = data?.redeemed
    ? `Before that, ${withCount(data.redeemed, 'code was', 'codes were')} redeemed.`
    : 'Tills redeem codes through the API. Redemptions then appear here.';
  return (
    <Panel
      title="Redemptions"
      lead={points ? `${withCount(total, 'code')}, ${formatDays(from, to)}` : ' '}
      flush
      actions={
        <SegmentedControl
          aria-label="Period"
          value={period}
          onChange={(value) =>
            void navigate({
              search: (search) => ({
                ...search,
                period: value === 'quarter' ? undefined : (value as 'month' | 'year'),
              }),
              replace: true,
              resetScroll: false,
            })
          }
          data={(Object.keys(periods) as Period[]).map((value) => ({ value, label: periods[value].label }))}
        />
      }
    >
      {error && !data ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <div className={classes.columns} aria-busy={!data || isPlaceholderData}>
          <TimeChart
            label="Redemptions"
            kind="bars"
            points={drawn}
            bucket={bucket}
            to={to}
            series={[{ key: 'redeemed', label: 'Redeemed', color: 'var(--series-1)' }]}
            empty={`No redemptions, ${formatDays(from, to)}. ${emptyText}`}
          />
          <Places by_unit={data?.by_unit} />
        </div>
      )}
    </Panel>
  );
}

/** The number of venues that fit beside the chart. */
const shownFirst = 6;

function Places({ by_unit }: { by_unit: Statistics['by_unit'] | undefined }) {
  const [isWhole, setWhole] = useState(false);
  const more = (by_unit?.length ?? 0) > shownFirst + 1 && !isWhole;
  return (
    <div>
      <Title order={3} mb="xs">
        By venue, all time
      </Title>
      {!by_unit && <Skeleton height="5rem" />}
      {by_unit?.length === 0 && <Text c="dimmed">None yet.</Text>}
      <ul className={classes.places}>
        {(more ? by_unit?.slice(0, shownFirst) : by_unit)?.map(({ unit_id, unit_name, redeemed }) => (
          <li key={unit_id}>
            <span>{unit_name}</span>
            <Num value={redeemed} />
          </li>
        ))}
      </ul>
      {more && (
        <Button variant="subtle" size="compact-sm" ml="-0.5rem" onClick={() => setWhole(true)}>
          Show all {formatNumber(by_unit?.length ?? 0)}
        </Button>
      )}
    </div>
  );
}
