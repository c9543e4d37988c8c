import {
  type InfiniteData,
  infiniteQueryOptions,
  MutationCache,
  QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Paged } from '#service/shared/fields.ts';
import { say } from '../ui/say.ts';
import { type ApiError, api, type Params } from './client.ts';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError;
    mutationMeta: {
      /** Whether the error is shown where it arose, so that no notice is needed: see `useShownHere`. */
      shown?: () => boolean;
    };
  }
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 10 * 60_000,
      // What was refused stays refused; what failed may have been a bad moment.
      retry: (failures, error) => failures < 2 && !(error.status >= 400 && error.status < 500),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => {
      // Who is no longer signed in sees the sign-in page, which says it all.
      if (!mutation.meta?.shown?.() && error.status !== 401) say.failed(error);
    },
  }),
});

/** For a mutation's `meta`: what shows its error can be closed while it works, and a notice says it then. */
export function useShownHere() {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return { shown: () => isHere.current };
}

const keyOf = (path: string) => path.split('/').filter(Boolean);

/** What a GET answers: `useQuery(get<Paged<Unit>>(`${account.path}/units`, { page }))`, or in a route's loader. */
export function get<T>(path: string, params: Params = {}) {
  return queryOptions<T>({
    queryKey: [...keyOf(path), params],
    queryFn: ({ signal }) => api.get<T>(path, params, { signal }),
  });
}

/** The same of a list: while another page or filter of it is read, what was there stays, and `isPlaceholderData` says so. */
export function getList<T>(path: string, params: Params = {}) {
  const own = JSON.stringify(keyOf(path));
  return {
    ...get<T>(path, params),
    placeholderData: (previous: T | undefined, query: { queryKey: readonly unknown[] } | undefined) =>
      JSON.stringify(query?.queryKey.slice(0, -1)) === own ? previous : undefined,
  };
}

/** A whole list, for what is short and chosen from or looked up by name: units, sources. */
export function getAll<T>(path: string, params: Params = {}) {
  return queryOptions<T[]>({
    queryKey: [...keyOf(path), 'all', params],
    queryFn: async ({ signal }) => {
      const rows: T[] = [];
      for (let page = 1, last = 1; page <= last; page++) {
        const answer = await api.get<Paged<T>>(path, { ...params, page }, { signal });
        rows.push(...answer.data);
        last = answer.last_page;
      }
      return rows;
    },
  });
}

/** A list whose pages are shown one below the other: `useInfiniteQuery(getPages<Note>(…))`. */
export function getPages<T>(path: string, params: Params = {}) {
  return infiniteQueryOptions<Paged<T>, ApiError, InfiniteData<Paged<T>>, QueryKey, number>({
    queryKey: [...keyOf(path), 'pages', params],
    queryFn: ({ signal, pageParam }) => api.get<Paged<T>>(path, { ...params, page: pageParam }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ current_page, last_page }) => (current_page < last_page ? current_page + 1 : undefined),
  });
}

/** Whatever was read at these paths, or below them, is read again. Await it before closing a form. */
export async function refresh(...paths: string[]): Promise<void> {
  await Promise.all(paths.map((path) => queryClient.invalidateQueries({ queryKey: keyOf(path) })));
}

/** Whatever was read at this path, or below it, is gone there as well. Call it once no page shows it any more. */
export function forget(path: string): void {
  queryClient.removeQueries({ queryKey: keyOf(path) });
}

/** The same of what no page shows at the moment. */
export function forgetUnseen(path: string): void {
  queryClient.removeQueries({ queryKey: keyOf(path), type: 'inactive' });
}
