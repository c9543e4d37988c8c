import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queryClient } from '../api/queries.ts';
import { prefetchWebhook, webhooksQuery } from '../screens/developers/webhooks/paths.ts';
import { deliveryStateNames } from '../screens/developers/webhooks/states.ts';
import { id, oneOf, searchOf, text } from '../search.ts';
import { account, idParam } from './account.tsx';

const accountOf = ({ accountId }: { accountId: number }) => ({ path: `/accounts/${accountId}` });
// Not in the routes themselves, because TypeScript then loses the type of the search.
const pageSearch = searchOf({ page: id });
const webhookSearch = searchOf({ state: oneOf(...deliveryStateNames), page: id, delivery: id });
/** `types` is a list with commas. */
const eventsSearch = searchOf({ types: text, contact_id: id });

export const developers = createRoute({
  getParentRoute: () => account,
  path: 'developers',
  component: lazyRouteComponent(() => import('../screens/developers/DevelopersSection.tsx'), 'DevelopersSection'),
});

export const developersParts = [
  createRoute({
    getParentRoute: () => developers,
    path: '/',
    validateSearch: pageSearch,
    component: lazyRouteComponent(() => import('../screens/developers/DevelopersPage.tsx'), 'DevelopersPage'),
  }),
  createRoute({
    getParentRoute: () => developers,
    path: 'tokens/$tokenId',
    params: {
      parse: ({ tokenId }) => ({ tokenId: idParam(tokenId) }),
      stringify: ({ tokenId }) => ({ tokenId: String(tokenId) }),
    },
    component: lazyRouteComponent(() => import('../screens/developers/TokenPage.tsx'), 'TokenPage'),
  }),
  createRoute({
    getParentRoute: () => developers,
    path: 'webhooks',
    validateSearch: pageSearch,
    loaderDeps: ({ search }) => search,
    loader: ({ params, deps }) => void queryClient.prefetchQuery(webhooksQuery(accountOf(params), deps.page)),
    component: lazyRouteComponent(() => import('../screens/developers/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => developers,
    path: 'webhooks/$webhookId',
    params: {
      parse: ({ webhookId }) => ({ webhookId: idParam(webhookId) }),
      stringify: ({ webhookId }) => ({ webhookId: String(webhookId) }),
    },
    validateSearch: webhookSearch,
    loader: ({ params }) => prefetchWebhook(accountOf(params), params.webhookId),
    // Remount for another webhook, so that open windows and secrets do not carry over.
    remountDeps: ({ params }) => params.webhookId,
    component: lazyRouteComponent(() => import('../screens/developers/webhooks/WebhookPage.tsx'), 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: () => developers,
    path: 'events',
    validateSearch: eventsSearch,
    component: lazyRouteComponent(() => import('../screens/developers/events/EventsPage.tsx'), 'EventsPage'),
  }),
] as const;
