import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { matchKeys } from '#service/shared/codes.ts';
import { get, queryClient } from '../api/queries.ts';
import { id, oneOf, searchOf } from '../search.ts';
import { account } from './account.tsx';

export const settings = createRoute({
  getParentRoute: () => account,
  path: 'settings',
  component: lazyRouteComponent(() => import('../screens/settings/SettingsPage.tsx'), 'SettingsPage'),
});

/** Preloads the first page of a list while the pointer is over the link. */
const preloadList = (list: string) => (to: { params: { accountId: number } }) =>
  void queryClient.prefetchQuery(get(`/accounts/${to.params.accountId}/${list}`));

export const settingsParts = [
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
    component: lazyRouteComponent(() => import('../screens/settings/AccountSettings.tsx'), 'AccountSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'users',
    validateSearch: searchOf({ page: id }),
    component: lazyRouteComponent(() => import('../screens/settings/UserSettings.tsx'), 'UserSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'udfs',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('udfs'),
    component: lazyRouteComponent(() => import('../screens/settings/UdfSettings.tsx'), 'UdfSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'sources',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('sources'),
    component: lazyRouteComponent(() => import('../screens/settings/SourceSettings.tsx'), 'SourceSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'providers',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('providers'),
    component: lazyRouteComponent(() => import('../screens/settings/ProviderSettings.tsx'), 'ProviderSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'feedback-categories',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('feedback_categories'),
    component: lazyRouteComponent(
      () => import('../screens/settings/FeedbackCategorySettings.tsx'),
      'FeedbackCategorySettings',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'booking-sources',
    validateSearch: searchOf({ page: id }),
    loader: preloadList('booking_sources'),
    component: lazyRouteComponent(
      () => import('../screens/settings/BookingSourceSettings.tsx'),
      'BookingSourceSettings',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'waiting-purchases',
    validateSearch: searchOf({
      key: oneOf(...matchKeys),
      unit_id: id,
      page: id,
      purchase_id: id,
    }),
    component: lazyRouteComponent(() => import('../screens/settings/WaitingPurchases.tsx'), 'WaitingPurchases'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'email-domains',
    validateSearch: searchOf({ page: id }),
    component: lazyRouteComponent(() => import('../screens/settings/EmailDomains.tsx'), 'EmailDomains'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'audit',
    validateSearch: searchOf({ user_id: id, account_id: id, page: id }),
    component: lazyRouteComponent(() => import('../screens/settings/AuditTrail.tsx'), 'AuditTrail'),
  }),
] as const;
