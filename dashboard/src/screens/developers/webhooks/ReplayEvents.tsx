import { Modal, Stack, Text, TextInput } from '@mantine/core';
import type { ReplayStarted, Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { api } from '../../../api/client.ts';
import { useAccount } from '../../../session/session.ts';
import { FormEnd, useServerForm } from '../../../ui/form.tsx';
import { formatInstant } from '../../../ui/format.ts';
import { notify } from '../../../ui/notify.ts';
import { refreshWebhooks, webhookPath } from './paths.ts';

interface ReplayEventsProps {
  webhook: Webhook;
  opened: boolean;
  onClose: () => void;
}

/** Sends all events since a time again. */
export function ReplayEvents({ opened, ...form }: ReplayEventsProps) {
  return (
    <Modal opened={opened} onClose={form.onClose} title="Send earlier events again">
      <ReplayForm {...form} />
    </Modal>
  );
}

function ReplayForm({ webhook: { id, status }, onClose }: Omit<ReplayEventsProps, 'opened'>) {
  const account = useAccount();
  const form = useServerForm({
    initialValues: { since: '' },
    // In the account's time zone. The field has no seconds.
    send: ({ since }) =>
      api.post<ReplayStarted>(`${webhookPath(account, id)}/replay`, {
        since: `${since.replace('T', ' ').slice(0, 16)}:00`,
      }),
    onDone: async ({ since }) => {
      await refreshWebhooks(account);
      notify.success(`Events since ${formatInstant(since, account.time_zone)} are sent again.`);
      onClose();
    },
  });
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <Text>
          All events since this time are sent again, in the order in which they happened. Newer events follow. Their ids
          stay the same, so the other system can skip the events that it has.
        </Text>
        <TextInput
          label="Since"
          description={`In ${account.time_zone}. Events are kept for 30 days.`}
          type="datetime-local"
          required
          data-autofocus
          {...form.getInputProps('since')}
        />
        {status !== 'active' && <Text size="sm">The webhook is {status}. Sending starts when it is active again.</Text>}
        <FormEnd form={form} onCancel={onClose}>
          Send again
        </FormEnd>
      </Stack>
    </form>
  );
}
