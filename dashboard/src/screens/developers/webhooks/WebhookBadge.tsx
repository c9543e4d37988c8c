import { Badge, Group } from '@mantine/core';
import type { Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { statusWords } from './states.ts';

/** Whether the webhook sends, and whether its attempts fail. */
export function WebhookBadge({ of: { status, failing_since } }: { of: Pick<Webhook, 'status' | 'failing_since'> }) {
  const { text, color } = statusWords[status];
  return (
    <Group gap={4} component="span">
      <Badge color={color}>{text}</Badge>
      {status !== 'disabled' && failing_since && <Badge color="yellow">Failing</Badge>}
    </Group>
  );
}
