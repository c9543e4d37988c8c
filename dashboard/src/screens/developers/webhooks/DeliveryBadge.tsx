import { Badge } from '@mantine/core';
import type { DeliveryState } from '#service/features/exchange/webhooks/schema.ts';
import { deliveryWords } from './states.ts';

export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const { text, color } = deliveryWords[state];
  return <Badge color={color}>{text}</Badge>;
}
