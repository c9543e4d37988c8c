import '@mantine/charts/styles.layer.css';
import { AreaChart, BarChart, LineChart } from '@mantine/charts';
import { Skeleton } from '@mantine/core';
import { formatCompact, formatDayOfYear, formatMonth, formatNumber } from './format.ts';
import { Swatch } from './Swatch.tsx';
import classes from './TimeChart.module.css';
import { bucketName, type Point, type TimeChartProps, valueAt } from './time-series.ts';

/** The chart itself, in a separate chunk with the chart library. */
export default function TimeChartDrawing(props: TimeChartProps<Point>) {
  const { points, bucket, series, kind = 'area', label, withoutLegend } = props;
  if (!points) return <Skeleton height="100%" />;
  const noAnimation = { isAnimationActive: false };
  const chartProps = {
    margin: { top: 8, right: 8 },
    role: 'application',
    'aria-label': `${label}. Use the arrow keys to move through it.`,
  };
  const common = {
    h: '100%',
    data: points as Point[],
    dataKey: 'at',
    series: series.map(({ key, label, color }) => ({ name: key, label, color })),
    gridColor: 'var(--line)',
    strokeDasharray: '0',
    tickLine: 'none',
    withLegend: series.length > 1 && !withoutLegend,
    legendProps: { verticalAlign: 'bottom', height: 28 },
    xAxisProps: {
      tickFormatter: bucket === 'month' ? formatMonth : formatDayOfYear,
      minTickGap: 28,
      interval: 'equidistantPreserveStart',
    },
    yAxisProps: { tickFormatter: formatCompact, allowDecimals: false, niceTicks: 'snap125', width: 40, tickMargin: 6 },
    tooltipProps: {
      isAnimationActive: false,
      content: ({ active, label }: { active?: boolean; label?: unknown }) =>
        active ? <PointTooltip {...props} points={points} index={points.findIndex(({ at }) => at === label)} /> : null,
    },
  } as const;
  const marks = {
    curveType: 'linear',
    strokeWidth: 2,
    dotProps: { r: 0 },
    activeDotProps: { r: 4, strokeWidth: 0 },
  } as const;
  if (kind === 'bars')
    return <BarChart {...common} type="stacked" maxBarWidth={28} barProps={noAnimation} barChartProps={chartProps} />;
  if (kind === 'lines') return <LineChart {...common} {...marks} lineProps={noAnimation} lineChartProps={chartProps} />;
  return <AreaChart {...common} {...marks} fillOpacity={0.14} areaProps={noAnimation} areaChartProps={chartProps} />;
}

/** The tooltip of a point. */
function PointTooltip({ index, ...props }: TimeChartProps<Point> & { points: readonly Point[]; index: number }) {
  const { points, series, format = formatNumber, more } = props;
  const point = points[index];
  if (!point) return null;
  return (
    <div className={classes.tooltip}>
      <p>{bucketName(props, index)}</p>
      {series.map(({ key, label, color }) => (
        <div key={key}>
          <Swatch color={color} />
          {label}
          <b>{format(valueAt(point, key))}</b>
        </div>
      ))}
      {more && (
        <div>
          {more.label}
          <b>{more.of(point)}</b>
        </div>
      )}
    </div>
  );
}
