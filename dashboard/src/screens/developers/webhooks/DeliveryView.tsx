import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Attempt, Delivery, DeliveryDetails, WebhookStatus } from '#service/features/exchange/webhooks/schema.ts';
import { api } from '../../../api/client.ts';
import { refresh } from '../../../api/queries.ts';
import { useAccount, useHasRole } from '../../../session/session.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { Details } from '../../../ui/Details.tsx';
import { notify } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/States.tsx';
import { DateTime, ExactTime } from '../../../ui/Values.tsx';
import { CodeBlock } from '../CodeBlock.tsx';
import { EventGuest } from '../events/EventGuest.tsx';
import { eventName } from '../events/event-types.ts';
import { AnswerBadge } from './AnswerBadge.tsx';
import { DeliveryBadge } from './DeliveryBadge.tsx';
import { readable } from './json.ts';
import { NextAttempt } from './NextAttempt.tsx';
import { deliveryPath, deliveryQuery, live, webhookPath } from './paths.ts';
import classes from './Webhooks.module.css';
import { formatMs } from './words.ts';

interface DeliveryViewProps {
  webhookId: number;
  id: number;
  status: WebhookStatus | undefined;
}

/** A delivery with its attempts and what is sent. */
export function DeliveryView({ webhookId, id, status }: DeliveryViewProps) {
  const account = useAccount();
  const delivery = useQuery({ ...deliveryQuery(account, webhookId, id), ...live });
  if (delivery.error && !delivery.data) return <ErrorState error={delivery.error} onRetry={delivery.refetch} />;
  if (!delivery.data)
    return (
      <Stack gap="sm" aria-busy>
        <Skeleton height="0.75rem" width="60%" />
        <Skeleton height="0.75rem" width="40%" />
        <Skeleton height="8rem" />
      </Stack>
    );
  const { event_id, type, state, attempts, created_at, request } = delivery.data;
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Title order={2}>{eventName(type)}</Title>
          <DeliveryBadge state={state} />
        </Group>
        <Resend webhookId={webhookId} of={delivery.data} />
      </Group>
      <Details
        rows={[
          ['Guest', request && <EventGuest event={parsed(request.body)} />],
          ['Type', type],
          [
            'Event id',
            <Group key="id" gap={4}>
              {event_id}
              <CopyButton value={event_id} what="id" size="compact-xs" variant="subtle" />
            </Group>,
          ],
          ['First sent', <DateTime key="first" at={created_at} />],
          ['Next attempt', state === 'pending' && <NextAttempt of={delivery.data} status={status} />],
        ]}
      />
      <Attempts of={attempts} />
      <Request of={request} />
    </Stack>
  );
}

function parsed(body: string): { type: string; data: Record<string, unknown> } | null {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function Resend({ webhookId, of: { id, request } }: { webhookId: number; of: DeliveryDetails }) {
  const account = useAccount();
  const maySend = useHasRole('staff');
  const resend = useMutation({
    mutationFn: () => api.post<Delivery>(`${deliveryPath(account, webhookId, id)}/resend`),
    onSuccess: async () => {
      await refresh(webhookPath(account, webhookId));
      notify.success('The event is sent again.');
    },
  });
  // An expired event can't be sent.
  if (!maySend || request === null) return null;
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconRefresh size={14} aria-hidden />}
      loading={resend.isPending}
      onClick={() => resend.mutate()}
    >
      Send again
    </Button>
  );
}

function Attempts({ of: attempts }: { of: Attempt[] }) {
  return (
    <div>
      <Title order={3} mb="xs">
        Attempts
      </Title>
      {attempts.length === 0 && <Text c="dimmed">None yet.</Text>}
      <ol className={classes.attempts} aria-label="Attempts, newest first">
        {attempts.toReversed().map(({ at, status_code, duration_ms, error, response }) => (
          <li key={at} className={classes.attempt}>
            <Group gap="xs">
              <AnswerBadge status={status_code} />
              <ExactTime at={at} />
              <Text size="sm" c="dimmed">
                {formatMs(duration_ms)}
              </Text>
            </Group>
            {error && <Text size="sm">{error}</Text>}
            {response && (
              <CodeBlock what="answer" wrap>
                {readable(response)}
              </CodeBlock>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Request({ of: request }: { of: DeliveryDetails['request'] }) {
  return (
    <div>
      <Title order={3} mb="xs">
        Request
      </Title>
      {request === null ? (
        <Text c="dimmed">The event is older than 30 days and was deleted, so it can’t be sent again.</Text>
      ) : (
        <Stack gap="sm">
          <CodeBlock what="headers" wrap>
            {Object.entries(request.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </CodeBlock>
          <Text size="sm" c="dimmed">
            Each attempt also has webhook-timestamp and webhook-signature.
          </Text>
          <CodeBlock what="body" wrap>
            {readable(request.body)}
          </CodeBlock>
        </Stack>
      )}
    </div>
  );
}
