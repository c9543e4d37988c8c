import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { LogPage } from '#service/features/access/requests/schema.ts';
import { api } from '../../api/client.ts';

const refetchMs = 2000;
/** The most entries in memory. Older ones load again on request. */
const maxEntries = 2000;

/** The loaded part of the log. New entries are added before it, older ones after it. */
export function useRequestLog(path: string, isPaused: boolean) {
  const queries = useQueryClient();
  const queryKey = [...path.split('/').filter(Boolean), 'live'];
  const read = useQuery<LogPage>({
    queryKey,
    queryFn: async ({ signal }) => {
      const newest = await api.get<LogPage>(path, {}, { signal });
      return mergePages(newest, queries.getQueryData<LogPage>(queryKey));
    },
    // React Query pauses this while the tab is hidden.
    refetchInterval: isPaused ? false : refetchMs,
    refetchOnMount: 'always',
  });
  const more = useMutation({
    mutationFn: async () => {
      const older = await api.get<LogPage>(path, { before: read.data?.next_before });
      queries.setQueryData<LogPage>(queryKey, (known) =>
        known ? { data: union(known.data, older.data), next_before: older.next_before } : older,
      );
    },
  });
  return { read, more };
}

function mergePages(newest: LogPage, known: LogPage | undefined): LogPage {
  if (!known) return newest;
  const ids = new Set(known.data.map(({ id }) => id));
  const overlaps = newest.next_before === null || newest.data.some(({ id }) => ids.has(id));
  // There is a gap between the two parts, so the known part is dropped. It can be loaded again.
  if (!overlaps) return newest;
  const data = union(newest.data, known.data);
  if (data.length <= maxEntries) return { data, next_before: known.next_before };
  const kept = data.slice(0, maxEntries);
  return { data: kept, next_before: kept.at(-1)?.id ?? null };
}

/** Both without repeats, the newest first. */
function union(some: LogPage['data'], others: LogPage['data']): LogPage['data'] {
  const byId = new Map([...others, ...some].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((one, other) => other.id - one.id);
}
