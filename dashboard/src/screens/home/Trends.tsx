import { SimpleGrid } from '@mantine/core';
import { formatDays, formatMoney } from '../../ui/format.ts';
import { Panel } from '../../ui/Panel.tsx';
import { TimeChart } from '../../ui/TimeChart.tsx';
import type { Overview } from './overview.ts';
import type { Range } from './range.ts';

const [first, second, third] = ['var(--series-1)', 'var(--series-2)', 'var(--series-3)'];

/** Charts of the account's activity by day, week or month. */
export function Trends({ overview, range }: { overview: Overview | undefined; range: Range }) {
  const { from, to } = overview ?? range;
  const common = { bucket: overview?.bucket ?? 'day', to } as const;
  const no = (what: string) => `No ${what}, ${formatDays(from, to)}`;
  const someStays = overview && overview.visits.stays > 0;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Panel title="New guests">
        <TimeChart
          {...common}
          label="New guests"
          points={overview?.new_guests.series}
          series={[{ key: 'count', label: 'New guests', color: first }]}
          empty={no('new guests')}
        />
      </Panel>
      <Panel title="Visits">
        <TimeChart
          {...common}
          label="Visits"
          kind="lines"
          points={overview?.visits.series}
          series={[
            { key: 'purchases', label: 'Purchases', color: first },
            { key: 'bookings', label: 'Bookings', color: second },
            ...(someStays ? [{ key: 'stays', label: 'Stays', color: third }] : []),
          ]}
          empty={no('purchases or bookings')}
        />
      </Panel>
      <Panel title="Spend">
        <TimeChart
          {...common}
          label="Spend"
          points={overview?.visits.series}
          series={[{ key: 'spend', label: 'Spend', color: first }]}
          format={formatMoney}
          empty={no('spend')}
        />
      </Panel>
      <Panel title="Vouchers redeemed">
        <TimeChart
          {...common}
          label="Vouchers redeemed"
          kind="bars"
          points={overview?.unique_codes.series}
          series={[{ key: 'count', label: 'Redeemed', color: first }]}
          empty={no('vouchers redeemed')}
        />
      </Panel>
    </SimpleGrid>
  );
}
