import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { api } from '../../../api/client.ts';
import { removeFromCache } from '../../../api/queries.ts';
import { useAccount } from '../../../session/session.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { withCount } from '../../../ui/format.ts';
import { notify } from '../../../ui/notify.ts';
import { refreshWebhooks, webhookPath } from './paths.ts';
import { nameOf } from './words.ts';

interface DeleteWebhookProps {
  webhook: Webhook;
  opened: boolean;
  onClose: () => void;
}

export function DeleteWebhook({ webhook, opened, onClose }: DeleteWebhookProps) {
  const account = useAccount();
  const navigate = useNavigate();
  const name = nameOf(webhook);
  const { pending } = webhook.health;
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete webhook"
      danger
      onConfirm={async () => {
        await api.delete(webhookPath(account, webhook.id));
        await navigate({ to: '/accounts/$accountId/developers/webhooks', params: { accountId: account.id } });
        removeFromCache(webhookPath(account, webhook.id));
        await refreshWebhooks(account);
        notify.success(`${name} is deleted.`);
      }}
    >
      <Text>
        {webhook.url} gets no more events.{' '}
        {pending > 0 && `${withCount(pending, 'event')} that ${pending === 1 ? 'waits is' : 'wait are'} not sent. `}
        Its deliveries are deleted too. This can’t be undone. To stop for a while, pause the webhook instead.
      </Text>
    </Confirm>
  );
}
