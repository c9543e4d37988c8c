import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { LogPage } from '#service/features/access/requests/schema.ts';
import { api } from '../api/client.ts';

const everyMs = 2000;
/** More than anybody scrolls through; whoever wants older ones asks for them again. */
const mostKept = 2000;

/** The log as far as it is known: what is new is put before it, and older parts behind it. */
export function useRequestLog(path: string, isPaused: boolean) {
  const queries = useQueryClient();
  const queryKey = [...path.split('/').filter(Boolean), 'live'];
  const read = useQuery<LogPage>({
    queryKey,
    queryFn: async ({ signal }) => {
      const newest = await api.get<LogPage>(path, {}, { signal });
      return joined(newest, queries.getQueryData<LogPage>(queryKey));
    },
    // Not while the tab is behind others.
    refetchInterval: isPaused ? false : everyMs,
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

function joined(newest: LogPage, known: LogPage | undefined): LogPage {
  if (!known) return newest;
  const ids = new Set(known.data.map(({ id }) => id));
  const meets = newest.next_before === null || newest.data.some(({ id }) => ids.has(id));
  // So much happened meanwhile that some of it is in neither: what is older can be asked for again.
  if (!meets) return newest;
  const data = union(newest.data, known.data);
  if (data.length <= mostKept) return { data, next_before: known.next_before };
  const kept = data.slice(0, mostKept);
  return { data: kept, next_before: kept.at(-1)?.id ?? null };
}

/** Each once, the newest first. */
function union(some: LogPage['data'], others: LogPage['data']): LogPage['data'] {
  const byId = new Map([...others, ...some].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((one, other) => other.id - one.id);
}
