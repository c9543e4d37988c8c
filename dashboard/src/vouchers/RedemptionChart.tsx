import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { formatCompact, formatDay, formatNumber } from '../ui/format.ts';
import type { Bar } from './redemption-days.ts';

interface RedemptionChartProps {
  bars: Bar[];
  /** What it shows, in a sentence. */
  label: string;
  isByWeek: boolean;
}

/** Loaded when it is needed: charts weigh more than all the rest of a page. */
export default function RedemptionChart({ bars, label, isByWeek }: RedemptionChartProps) {
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={220}
        data={bars}
        dataKey="date"
        series={[{ name: 'redeemed', label: 'Redeemed', color: 'accent.6' }]}
        gridAxis="x"
        tickLine="none"
        valueFormatter={formatNumber}
        xAxisProps={{ tickFormatter: shortDay, minTickGap: 32, tickMargin: 8 }}
        yAxisProps={{ allowDecimals: false, width: 40, tickFormatter: formatCompact }}
        tooltipProps={{ labelFormatter: (date) => tooltipLabel(date, isByWeek) }}
        barProps={{ radius: [3, 3, 0, 0], isAnimationActive: false }}
        // It is one picture with one sentence; the numbers are in the table.
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}

/** "1 Mar", without the year. */
const short = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const shortDay = (day: string) => short.format(new Date(`${day}T00:00:00Z`));

/** Asked also where nothing is pointed at. */
function tooltipLabel(date: unknown, isByWeek: boolean): string {
  if (typeof date !== 'string') return '';
  return isByWeek ? `Week from ${formatDay(date)}` : formatDay(date);
}
