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
import { notify } from '../ui/notify.ts';
import { type ApiError, api, type Params } from './client.ts';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError;
    mutationMeta: {
      /** Whether a component shows the error, so that no notification is needed. See `useShownHere`. */
      shown?: () => boolean;
    };
  }
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 10 * 60_000,
      // A 4xx does not change on a retry. Other failures can be temporary.
      retry: (failures, error) => failures < 2 && !(error.status >= 400 && error.status < 500),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => {
      // A 401 leads to the sign-in page, so no notification is needed.
      if (!mutation.meta?.shown?.() && error.status !== 401) notify.error(error);
    },
  }),
});

/**
 * For the `meta` of a mutation whose component shows the error. Once the component is closed, a notification shows it.
 */
export function useShowsError() {
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

/** A GET request: `useQuery(get<Paged<Unit>>(`${account.path}/units`, { page }))`, or in a route's loader. */
export function get<T>(path: string, params: Params = {}) {
  return queryOptions<T>({
    queryKey: [...keyOf(path), params],
    queryFn: ({ signal }) => api.get<T>(path, params, { signal }),
  });
}

/**
 * A GET request of a list. The old rows stay visible while another page or filter loads; `isPlaceholderData` is then
 * true.
 */
export function getList<T>(path: string, params: Params = {}) {
  const own = JSON.stringify(keyOf(path));
  return {
    ...get<T>(path, params),
    placeholderData: (previous: T | undefined, query: { queryKey: readonly unknown[] } | undefined) =>
      JSON.stringify(query?.queryKey.slice(0, -1)) === own ? previous : undefined,
  };
}

/** All pages of a short list, such as units or sources, to choose from or to look up names. */
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

/** A list that grows page by page: `useInfiniteQuery(getPages<Note>(…))`. */
export function getPages<T>(path: string, params: Params = {}) {
  return infiniteQueryOptions<Paged<T>, ApiError, InfiniteData<Paged<T>>, QueryKey, number>({
    queryKey: [...keyOf(path), 'pages', params],
    queryFn: ({ signal, pageParam }) => api.get<Paged<T>>(path, { ...params, page: pageParam }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ current_page, last_page }) => (current_page < last_page ? current_page + 1 : undefined),
  });
}

/** Reloads everything at or below these paths. Await it before closing a form. */
export async function refresh(...paths: string[]): Promise<void> {
  await Promise.all(paths.map((path) => queryClient.invalidateQueries({ queryKey: keyOf(path) })));
}

/** Removes everything at or below this path from the cache. Call it when no page shows it any more. */
export function removeFromCache(path: string): void {
  queryClient.removeQueries({ queryKey: keyOf(path) });
}

/** Removes the entries at or below this path that no page shows. */
export function removeHiddenFromCache(path: string): void {
  queryClient.removeQueries({ queryKey: keyOf(path), type: 'inactive' });
}
