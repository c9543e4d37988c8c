import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { channels, npsParts, timelineKinds } from '#service/shared/codes.ts';
import { onSignedOut } from './api/client.ts';
import { queryClient } from './api/queries.ts';
import { account, guard, idParam, profile, root, signIn, start, unknownPath } from './routes/account.tsx';
import { developers, developersParts } from './routes/developers.ts';
import { segmentRoutes } from './routes/segments.ts';
import { settings, settingsParts } from './routes/settings.ts';
import { guestsFound, prefetchGuest } from './screens/guests/queries.ts';
import { shownKinds } from './screens/home/activity/activity.ts';
import { overviewQuery } from './screens/home/overview.ts';
import { rangeNames } from './screens/home/range.ts';
import { NotFoundPage } from './screens/pages/NotFoundPage.tsx';
import { unitsQuery } from './screens/venues/units.ts';
import { venuesQuery } from './screens/venues/venues.ts';
import { prefetchGroup, prefetchGroups } from './screens/vouchers/paths.ts';
import { day, id, json, oneOf, parseSearch, searchOf, stringifySearch, text } from './search.ts';
import { onSignOut } from './session/sign-out.ts';
import { RouteError } from './shell/RouteError.tsx';

// The search is not read in the route itself, because TypeScript then loses its type in the loader.
const homeFilters = { range: oneOf(...rangeNames), from: day, to: day, unit_id: id };
const homeSearch = searchOf(homeFilters);

const home = createRoute({
  getParentRoute: () => account,
  path: '/',
  validateSearch: homeSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient, session }, params, deps }) => {
    const account = session.accounts.find(({ id }) => id === params.accountId);
    if (account) void queryClient.prefetchQuery(overviewQuery(account, deps));
    void queryClient.prefetchQuery(unitsQuery({ id: params.accountId }));
  },
  component: lazyRouteComponent(() => import('./screens/home/HomePage.tsx'), 'HomePage'),
});

const activitySearch = searchOf({ ...homeFilters, kind: oneOf(...shownKinds), nps: oneOf(...npsParts) });

const activity = createRoute({
  getParentRoute: () => account,
  path: 'activity',
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => import('./screens/home/activity/ActivityPage.tsx'), 'ActivityPage'),
});

const guestsSearch = searchOf({
  search: text,
  unit_id: id,
  group_id: id,
  consent: oneOf(...channels),
  definition: json,
  page: id,
});

const guests = createRoute({
  getParentRoute: () => account,
  path: 'guests',
  validateSearch: guestsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(guestsFound(`/accounts/${params.accountId}`, deps)),
  component: lazyRouteComponent(() => import('./screens/guests/GuestsPage.tsx'), 'GuestsPage'),
});

const guestSearch = searchOf({ kind: oneOf(...timelineKinds) });

const guest = createRoute({
  getParentRoute: () => account,
  path: 'guests/$contactId',
  params: {
    parse: ({ contactId }) => ({ contactId: idParam(contactId) }),
    stringify: ({ contactId }) => ({ contactId: String(contactId) }),
  },
  validateSearch: guestSearch,
  loader: ({ params }) => prefetchGuest(`/accounts/${params.accountId}`, params.contactId),
  // Remount for another guest, so that typed text and open windows do not carry over.
  remountDeps: ({ params }) => params.contactId,
  component: lazyRouteComponent(() => import('./screens/guests/GuestPage.tsx'), 'GuestPage'),
});

const duplicates = createRoute({
  getParentRoute: () => account,
  path: 'duplicates',
  validateSearch: searchOf({ page: id }),
  component: lazyRouteComponent(() => import('./screens/guests/DuplicatesPage.tsx'), 'DuplicatesPage'),
});

const venuesSearch = searchOf({ search: text, page: id });

const venues = createRoute({
  getParentRoute: () => account,
  path: 'venues',
  validateSearch: venuesSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params, deps }) => {
    void queryClient.prefetchQuery(venuesQuery({ id: params.accountId }, deps));
  },
  component: lazyRouteComponent(() => import('./screens/venues/VenuesPage.tsx'), 'VenuesPage'),
});

const vouchers = createRoute({
  getParentRoute: () => account,
  path: 'vouchers',
  validateSearch: searchOf({ code: text, page: id }),
  loader: ({ params }) => prefetchGroups({ path: `/accounts/${params.accountId}` }),
  component: lazyRouteComponent(() => import('./screens/vouchers/VouchersPage.tsx'), 'VouchersPage'),
});

const voucherGroup = createRoute({
  getParentRoute: () => account,
  path: 'vouchers/$groupId',
  params: {
    parse: ({ groupId }) => ({ groupId: idParam(groupId) }),
    stringify: ({ groupId }) => ({ groupId: String(groupId) }),
  },
  validateSearch: searchOf({
    period: oneOf('month', 'year'),
    show: oneOf('free', 'assigned', 'redeemed'),
    code: text,
    page: id,
  }),
  loader: ({ params }) => prefetchGroup({ path: `/accounts/${params.accountId}` }, params.groupId),
  component: lazyRouteComponent(() => import('./screens/vouchers/VoucherGroupPage.tsx'), 'VoucherGroupPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    guard.addChildren([
      start,
      unknownPath,
      profile,
      account.addChildren([
        home,
        activity,
        guests,
        guest,
        duplicates,
        ...segmentRoutes,
        venues,
        vouchers,
        voucherGroup,
        developers.addChildren(developersParts),
        settings.addChildren(settingsParts),
      ]),
    ]),
  ]),
  context: { queryClient },
  defaultPreload: 'intent',
  // React Query decides what is fresh.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** Goes to the sign-in page, which returns here. Cached data is removed once no page shows it. */
async function goToSignIn({ back = false } = {}): Promise<void> {
  const { pathname, href } = router.latestLocation;
  if (pathname === '/sign-in') return;
  await router.navigate({ to: '/sign-in', search: back ? { next: href } : {} });
  queryClient.clear();
}

onSignedOut(() => void goToSignIn({ back: true }));
onSignOut(goToSignIn);
