import { daysLater, formatDays, formatMonth } from './format.ts';

export type Bucket = 'day' | 'week' | 'month';

/** A series of a chart: the key of its value in each point, its name and its colour. */
export interface Series {
  key: string;
  label: string;
  /** `var(--series-1)` and so on. */
  color: string;
}

export interface Point {
  /** The first day of the bucket. */
  at: string;
}

export interface TimeChartProps<P extends Point> {
  /** The accessible name of the chart. */
  label: string;
  /** Undefined while loading. */
  points: readonly P[] | undefined;
  bucket: Bucket;
  /** The last day of the range. The last bucket can be shorter than the others. */
  to: string;
  series: Series[];
  /** Areas for one series, lines for several, bars for parts of a total. */
  kind?: 'area' | 'lines' | 'bars';
  format?: (value: number) => string;
  /** An extra line in the tooltip, computed from the values. */
  more?: { label: string; of: (point: P) => string };
  /** The text if there is no data. */
  empty: string;
  /** Hides the legend, if the series are named elsewhere. */
  withoutLegend?: boolean;
  height?: number;
}

/** The value of a series at a point. */
export const valueAt = (point: Point, key: string) => Number((point as unknown as Record<string, unknown>)[key]);

/** The days of a bucket that are in the range. A whole month is shown by its name. */
export function bucketName(
  { points, bucket, to }: Pick<TimeChartProps<Point>, 'bucket' | 'to'> & { points: readonly Point[] },
  index: number,
): string {
  const { at } = points[index] as Point;
  const next = points[index + 1]?.at ?? daysLater(to, 1);
  if (bucket === 'month' && at.endsWith('-01') && next.endsWith('-01')) return formatMonth(at);
  return formatDays(at, daysLater(next, -1));
}
