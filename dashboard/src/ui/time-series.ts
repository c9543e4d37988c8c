import { daysLater, formatDays, formatMonth } from './format.ts';

export type Bucket = 'day' | 'week' | 'month';

/** One of the things that are counted: the key of its value in each point, its name, and its colour. */
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
  /** What it shows, for those who can't see what stands around it. */
  label: string;
  /** Undefined while nothing is known yet. */
  points: readonly P[] | undefined;
  bucket: Bucket;
  /** The last day of the range, which may cut the last bucket short. */
  to: string;
  series: Series[];
  /** Areas for one thing that goes on, lines for several, bars for what is made of parts. */
  kind?: 'area' | 'lines' | 'bars';
  format?: (value: number) => string;
  /** One more line about a point: what follows from its values. */
  more?: { label: string; of: (point: P) => string };
  /** Said where there is nothing to draw. */
  empty: string;
  /** The series are named beside it already. */
  withoutLegend?: boolean;
  height?: number;
}

/** What a point says of a thing. */
export const valueAt = (point: Point, key: string) => Number((point as unknown as Record<string, unknown>)[key]);

/** The days of a bucket, as far as they are in the range; a whole month by its name. */
export function bucketName(
  { points, bucket, to }: Pick<TimeChartProps<Point>, 'bucket' | 'to'> & { points: readonly Point[] },
  index: number,
): string {
  const { at } = points[index] as Point;
  const next = points[index + 1]?.at ?? daysLater(to, 1);
  if (bucket === 'month' && at.endsWith('-01') && next.endsWith('-01')) return formatMonth(at);
  return formatDays(at, daysLater(next, -1));
}
