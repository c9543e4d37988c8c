import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from '../api/client.ts';
import { NoAccountPage } from '../screens/pages/NoAccountPage.tsx';
import { NotFoundPage } from '../screens/pages/NotFoundPage.tsx';
import { searchOf, text } from '../search.ts';
import { lastAccount } from '../session/last-account.ts';
import { sessionQuery } from '../session/session.ts';
import { RouteError } from '../shell/RouteError.tsx';
import { Shell } from '../shell/Shell.tsx';

export const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

export const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: searchOf({ next: text }),
  component: lazyRouteComponent(() => import('../session/SignInPage.tsx'), 'SignInPage'),
});

/** All routes below require a session. */
export const guard = createRoute({
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

export const unknownPath = createRoute({ getParentRoute: () => guard, path: '$', component: NotFoundPage });

export const start = createRoute({
  getParentRoute: () => guard,
  path: '/',
  beforeLoad: ({ context: { session } }) => {
    const account = session.accounts.find(({ id }) => id === lastAccount.read()) ?? session.accounts[0];
    if (account) throw redirect({ to: '/accounts/$accountId', params: { accountId: account.id }, replace: true });
  },
  component: NoAccountPage,
});

export const profile = createRoute({
  getParentRoute: () => guard,
  path: 'profile',
  component: lazyRouteComponent(() => import('../screens/profile/ProfilePage.tsx'), 'ProfilePage'),
});

/** Parses an id in a path. Other values lead to the not-found page. */
export const idParam = (raw: string) => (/^[1-9]\d{0,14}$/.test(raw) ? Number(raw) : 0);

export const account = createRoute({
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
