import { Button, Group, SegmentedControl, Skeleton, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Statistics } from '#service/vouchers/schema.ts';
import { getList } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { counted, formatDay, formatNumber, today } from '../ui/format.ts';
import { Panel } from '../ui/Panel.tsx';
import { EmptyState, ErrorState } from '../ui/States.tsx';
import { Num, WallClock } from '../ui/Values.tsx';
import { groupPath } from './paths.ts';
import classes from './Redemptions.module.css';
import { barsOf, daysBefore } from './redemption-days.ts';

const RedemptionChart = lazy(() => import('./RedemptionChart.tsx'));
const route = getRouteApi('/guard/accounts/$accountId/vouchers/$groupId');

const ranges = {
  month: { label: '30 days', days: 30, step: 1 },
  quarter: { label: '90 days', days: 90, step: 1 },
  year: { label: '1 year', days: 364, step: 7 },
} as const;
type Range = keyof typeof ranges;

/** When, and where, the codes of a group were redeemed. */
export function Redemptions({ groupId }: { groupId: number }) {
  const account = useAccount();
  const { period: range = 'quarter' } = route.useSearch();
  const navigate = route.useNavigate();
  const [asTable, table] = useDisclosure();
  const { days, step } = ranges[range];
  const end = today(account.time_zone);
  const start = daysBefore(end, days - 1);
  // What the service tells unasked is the figures above, too: then both are one request.
  const asked = range === 'quarter' ? {} : { start_date: start, end_date: end };
  const statistics = useQuery(getList<Statistics>(`${groupPath(account, groupId)}/statistics`, asked));
  const bars = barsOf(statistics.data?.by_day ?? [], end, days, step);
  const total = bars.reduce((sum, { redeemed }) => sum + redeemed, 0);
  const best = bars.reduce((most, bar) => (bar.redeemed > most.redeemed ? bar : most), bars[0] as (typeof bars)[0]);
  const isByWeek = step > 1;
  const label = `${counted(total, 'code')} redeemed from ${formatDay(start)} to ${formatDay(end)}, the most on ${isByWeek ? 'the week from ' : ''}${formatDay(best.date)}: ${formatNumber(best.redeemed)}.`;
  return (
    <Panel
      title="Redemptions"
      lead={statistics.data && `${counted(total, 'code')} in this time`}
      flush
      actions={
        <Group gap="xs">
          {total > 0 && (
            <Button variant="default" onClick={table.toggle}>
              {asTable ? 'Show as chart' : 'Show as table'}
            </Button>
          )}
          <SegmentedControl
            aria-label="Time"
            size="sm"
            value={range}
            onChange={(value) =>
              void navigate({
                search: (search) => ({ ...search, period: value === 'quarter' ? undefined : (value as 'month') }),
                replace: true,
                resetScroll: false,
              })
            }
            data={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: ranges[value].label }))}
          />
        </Group>
      }
    >
      {statistics.error && !statistics.data ? (
        <ErrorState error={statistics.error} onRetry={statistics.refetch} />
      ) : (
        <div className={classes.columns} aria-busy={statistics.isPending || statistics.isPlaceholderData}>
          <div className={classes.chart}>
            {!statistics.data && <Skeleton height={220} />}
            {statistics.data && total === 0 && (
              <EmptyState title="Nothing was redeemed in this time">
                {statistics.data.redeemed === 0
                  ? 'A till redeems a code through the API; from then on it shows here.'
                  : `${counted(statistics.data.redeemed, 'code was', 'codes were')} redeemed before.`}
              </EmptyState>
            )}
            {total > 0 && !asTable && (
              <Suspense fallback={<Skeleton height={220} />}>
                <RedemptionChart bars={bars} label={label} isByWeek={isByWeek} />
              </Suspense>
            )}
            {total > 0 && asTable && (
              <DataTable
                label="Redemptions"
                rows={bars.filter(({ redeemed }) => redeemed > 0).toReversed()}
                rowKey={({ date }) => date}
                empty={null}
                columns={[
                  { title: isByWeek ? 'Week from' : 'Day', render: ({ date }) => <WallClock at={date} dayOnly /> },
                  { title: 'Redeemed', align: 'end', render: ({ redeemed }) => <Num value={redeemed} /> },
                ]}
              />
            )}
          </div>
          <Places by_unit={statistics.data?.by_unit} />
        </div>
      )}
    </Panel>
  );
}

function Places({ by_unit }: { by_unit: Statistics['by_unit'] | undefined }) {
  return (
    <div>
      <Title order={3} mb="xs">
        Where, in all
      </Title>
      {!by_unit && <Skeleton height="5rem" />}
      {by_unit?.length === 0 && <Text c="dimmed">Nowhere yet.</Text>}
      <ul className={classes.places}>
        {by_unit?.map(({ unit_id, unit_name, redeemed }) => (
          <li key={unit_id}>
            <span>{unit_name}</span>
            <Num value={redeemed} />
          </li>
        ))}
      </ul>
    </div>
  );
}
