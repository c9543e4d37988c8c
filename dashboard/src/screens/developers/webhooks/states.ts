import type { DeliveryState, WebhookStatus } from '#service/features/exchange/webhooks/schema.ts';

interface StateWords {
  text: string;
  color: 'green' | 'gray' | 'yellow' | 'red';
}

export const statusWords: Record<WebhookStatus, StateWords> = {
  active: { text: 'Active', color: 'green' },
  paused: { text: 'Paused', color: 'gray' },
  disabled: { text: 'Disabled', color: 'red' },
};

export const deliveryWords: Record<DeliveryState, StateWords> = {
  pending: { text: 'Waiting', color: 'yellow' },
  delivered: { text: 'Delivered', color: 'green' },
  failed: { text: 'Failed', color: 'red' },
};
export const deliveryStateNames = Object.keys(deliveryWords) as DeliveryState[];
