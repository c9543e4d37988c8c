import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SegmentHistory } from '#service/features/insight/segments/schema.ts';
import { get } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { useDeferred } from '../../ui/deferred.ts';
import { formatDays, withCount } from '../../ui/format.ts';
import { Panel } from '../../ui/Panel.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { TimeChart } from '../../ui/TimeChart.tsx';
import { segmentPath } from './paths.ts';

/** The number of guests in a segment over the last days, and how many entered and left. Nothing before the second day. */
export function SegmentTrend({ segmentId }: { segmentId: number }) {
  const account = useAccount();
  const { data, error, refetch } = useQuery(get<SegmentHistory>(`${segmentPath(account, segmentId)}/history`));
  const points = useMemo(() => data?.data.map(({ day, count }) => ({ at: day, count })), [data]);
  const drawn = useDeferred(points);
  if (points && points.length < 2) return null;
  const [first, last] = [points?.[0]?.at, points?.at(-1)?.at];
  const sum = (of: 'entered' | 'left') => data?.data.reduce((total, day) => total + day[of], 0) ?? 0;
  const lead =
    first && last
      ? `${withCount(sum('entered'), 'guest')} entered and ${withCount(sum('left'), 'guest')} left, ${formatDays(first, last)}`
      : '\u00a0';
  return (
    <Panel title="Over time" lead={lead} flush>
      {error && !data ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <TimeChart
          label="Guests in the segment"
          kind="area"
          points={drawn}
          bucket="day"
          to={last ?? ''}
          series={[{ key: 'count', label: 'Guests', color: 'var(--series-1)' }]}
          empty="There were no guests on any of these days."
        />
      )}
    </Panel>
  );
}
