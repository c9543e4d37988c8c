import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { channels, matchKeys, timelineKinds } from '#service/shared/codes.ts';
import { ApiError, onSignedOut } from './api/client.ts';
import { get, queryClient } from './api/queries.ts';
import { guestsFound, prefetchGuest } from './screens/guests/queries.ts';
import { overviewQuery } from './screens/home/overview.ts';
import { rangeNames } from './screens/home/range.ts';
import { NoAccountPage } from './screens/pages/NoAccountPage.tsx';
import { NotFoundPage } from './screens/pages/NotFoundPage.tsx';
import { unitsQuery } from './screens/venues/units.ts';
import { venuesQuery } from './screens/venues/venues.ts';
import { prefetchGroup, prefetchGroups } from './screens/vouchers/paths.ts';
import { day, id, oneOf, parseSearch, searchOf, stringifySearch, text } from './search.ts';
import { lastAccount } from './session/last-account.ts';
import { sessionQuery } from './session/session.ts';
import { onSignOut } from './session/sign-out.ts';
import { RouteError } from './shell/RouteError.tsx';
import { Shell } from './shell/Shell.tsx';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: searchOf({ next: text }),
  component: lazyRouteComponent(() => import('./session/SignInPage.tsx'), 'SignInPage'),
});

/** All routes below require a session. */
const guard = createRoute({
  getParentRoute: () => root,
  id: 'guard',
  beforeLoad: async ({ context, location }) => {
    try {
      return { session: await context.queryClient.ensureQueryData(sessionQuery) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : { next: location.href } });
      throw error;
    }
  },
  component: Shell,
  errorComponent: (props) => (
    <main>
      <RouteError {...props} />
    </main>
  ),
});

const unknownPath = createRoute({ getParentRoute: () => guard, path: '$', component: NotFoundPage });

const start = createRoute({
  getParentRoute: () => guard,
  path: '/',
  beforeLoad: ({ context: { session } }) => {
    const account = session.accounts.find(({ id }) => id === lastAccount.read()) ?? session.accounts[0];
    if (account) throw redirect({ to: '/accounts/$accountId', params: { accountId: account.id }, replace: true });
  },
  component: NoAccountPage,
});

const profile = createRoute({
  getParentRoute: () => guard,
  path: 'profile',
  component: lazyRouteComponent(() => import('./screens/profile/ProfilePage.tsx'), 'ProfilePage'),
});

/** Parses an id in a path. Other values lead to the not-found page. */
const idParam = (raw: string) => (/^[1-9]\d{0,14}$/.test(raw) ? Number(raw) : 0);

const account = createRoute({
  getParentRoute: () => guard,
  path: 'accounts/$accountId',
  params: {
    parse: ({ accountId }) => ({ accountId: idParam(accountId) }),
    stringify: ({ accountId }) => ({ accountId: String(accountId) }),
  },
  // Check the account before the page's data is loaded.
  beforeLoad: ({ context: { session }, params }) => {
    if (!session.accounts.some(({ id }) => id === params.accountId)) throw notFound();
    lastAccount.store(params.accountId);
  },
  notFoundComponent: NotFoundPage,
  // Remount on another account, so that no page shows data of the previous one while it loads.
  remountDeps: ({ params }) => params.accountId,
  component: Outlet,
});

// The search is not read in the route itself, because TypeScript then loses its type in the loader.
const homeSearch = searchOf({ range: oneOf(...rangeNames), from: day, to: day, unit_id: id });

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

const guestsSearch = searchOf({
  search: text,
  unit_id: id,
  group_id: id,
  consent: oneOf(...channels),
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

const developers = createRoute({
  getParentRoute: () => account,
  path: 'developers',
  validateSearch: searchOf({ page: id }),
  component: lazyRouteComponent(() => import('./screens/developers/DevelopersPage.tsx'), 'DevelopersPage'),
});

const token = createRoute({
  getParentRoute: () => account,
  path: 'developers/tokens/$tokenId',
  params: {
    parse: ({ tokenId }) => ({ tokenId: idParam(tokenId) }),
    stringify: ({ tokenId }) => ({ tokenId: String(tokenId) }),
  },
  component: lazyRouteComponent(() => import('./screens/developers/TokenPage.tsx'), 'TokenPage'),
});

const settings = createRoute({
  getParentRoute: () => account,
  path: 'settings',
  component: lazyRouteComponent(() => import('./screens/settings/SettingsPage.tsx'), 'SettingsPage'),
});

/** Preloads the first page of a list while the pointer is over the link. */
const preloadList = (list: string) => (to: { params: { accountId: number } }) =>
  void queryClient.prefetchQuery(get(`/accounts/${to.params.accountId}/${list}`));

const settingsParts = [
  createRoute({
    getParentRoute: () => settings,
    path: '/',
    beforeLoad: ({ params }) => {
      throw redirect({ to: '/accounts/$accountId/settings/account', params, replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'account',
    component: lazyRouteComponent(() => import('./screens/settings/AccountSettings.tsx'), 'AccountSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'users',
    validateSearch: searchOf({ page: id }),
    component: lazyRouteComponent(() => import('./screens/settings/UserSettings.tsx'), 'UserSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'udfs',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('udfs'),
    component: lazyRouteComponent(() => import('./screens/settings/UdfSettings.tsx'), 'UdfSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'sources',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('sources'),
    component: lazyRouteComponent(() => import('./screens/settings/SourceSettings.tsx'), 'SourceSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'providers',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('providers'),
    component: lazyRouteComponent(() => import('./screens/settings/ProviderSettings.tsx'), 'ProviderSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'feedback-categories',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('feedback_categories'),
    component: lazyRouteComponent(
      () => import('./screens/settings/FeedbackCategorySettings.tsx'),
      'FeedbackCategorySettings',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'booking-sources',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('booking_sources'),
    component: lazyRouteComponent(
      () => import('./screens/settings/BookingSourceSettings.tsx'),
      'BookingSourceSettings',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'waiting-purchases',
    validateSearch: searchOf({
      key: oneOf(...matchKeys),
      page: id,
      purchase_id: id,
    }),
    component: lazyRouteComponent(() => import('./screens/settings/WaitingPurchases.tsx'), 'WaitingPurchases'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'email-domains',
    validateSearch: searchOf({ page: id }),
    component: lazyRouteComponent(() => import('./screens/settings/EmailDomains.tsx'), 'EmailDomains'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'audit',
    validateSearch: searchOf({ user_id: id, account_id: id, page: id }),
    component: lazyRouteComponent(() => import('./screens/settings/AuditTrail.tsx'), 'AuditTrail'),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    guard.addChildren([
      start,
      unknownPath,
      profile,
      account.addChildren([
        home,
        guests,
        guest,
        duplicates,
        venues,
        vouchers,
        voucherGroup,
        developers,
        token,
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
