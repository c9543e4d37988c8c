import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queryClient } from '../api/queries.ts';
import { prefetchSegment, presetsQuery, segmentQuery, segmentsQuery } from '../screens/segments/paths.ts';
import { id, searchOf, text } from '../search.ts';
import { account, idParam } from './account.tsx';

const accountOf = ({ accountId }: { accountId: number }) => ({ path: `/accounts/${accountId}` });
const segmentId = {
  parse: (params: { segmentId: string }) => ({ segmentId: idParam(params.segmentId) }),
  stringify: (params: { segmentId: number }) => ({ segmentId: String(params.segmentId) }),
};
const pageSearch = searchOf({ page: id });
/** What a new segment starts from: a ready-made segment, or an existing one. */
const newSearch = searchOf({ preset: text, copy_of: id });

export const segmentRoutes = [
  createRoute({
    getParentRoute: () => account,
    path: 'segments',
    validateSearch: pageSearch,
    loaderDeps: ({ search }) => search,
    loader: ({ params, deps }) => void queryClient.prefetchQuery(segmentsQuery(accountOf(params), deps.page)),
    component: lazyRouteComponent(() => import('../screens/segments/SegmentsPage.tsx'), 'SegmentsPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'segments/new',
    validateSearch: newSearch,
    loader: ({ params }) => void queryClient.prefetchQuery(presetsQuery(accountOf(params))),
    component: lazyRouteComponent(() => import('../screens/segments/NewSegmentPage.tsx'), 'NewSegmentPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'segments/$segmentId',
    params: segmentId,
    validateSearch: pageSearch,
    loader: ({ params }) => prefetchSegment(accountOf(params), params.segmentId),
    remountDeps: ({ params }) => params.segmentId,
    component: lazyRouteComponent(() => import('../screens/segments/SegmentPage.tsx'), 'SegmentPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'segments/$segmentId/edit',
    params: segmentId,
    loader: ({ params }) => void queryClient.prefetchQuery(segmentQuery(accountOf(params), params.segmentId)),
    remountDeps: ({ params }) => params.segmentId,
    component: lazyRouteComponent(() => import('../screens/segments/EditSegmentPage.tsx'), 'EditSegmentPage'),
  }),
] as const;
