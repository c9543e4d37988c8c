import type { Delivery, DeliveryDetails, DeliveryState, Webhook } from '#service/features/exchange/webhooks/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { get, getList, queryClient, refresh } from '../../../api/queries.ts';

interface Account {
  path: string;
}

const webhooksPath = (account: Account) => `${account.path}/webhooks`;
export const webhookPath = (account: Account, id: number) => `${webhooksPath(account)}/${id}`;
export const deliveryPath = (account: Account, id: number, delivery: number) =>
  `${webhookPath(account, id)}/deliveries/${delivery}`;

export const webhooksQuery = (account: Account, page?: number) =>
  getList<Paged<Webhook>>(webhooksPath(account), { page });
export const webhookQuery = (account: Account, id: number) => get<Webhook>(webhookPath(account, id));
export const deliveriesQuery = (account: Account, id: number, state?: DeliveryState, page?: number) =>
  getList<Paged<Delivery>>(`${webhookPath(account, id)}/deliveries`, { state, page });
export const deliveryQuery = (account: Account, id: number, delivery: number) =>
  get<DeliveryDetails>(deliveryPath(account, id, delivery));

/** Keeps an open page current. React Query pauses this while the tab is hidden. Relative times are shown anew each time. */
export const live = { refetchInterval: 3000, notifyOnChangeProps: 'all' } as const;

export const refreshWebhooks = (account: Account) => refresh(webhooksPath(account));

/** Preloads the webhook's page while the pointer is over the link. */
export function prefetchWebhook(account: Account, id: number): void {
  void queryClient.prefetchQuery(webhookQuery(account, id));
  void queryClient.prefetchQuery(deliveriesQuery(account, id));
}
