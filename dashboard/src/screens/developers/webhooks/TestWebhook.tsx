import { Alert, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { TestResult, Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { api } from '../../../api/client.ts';
import { useShowsError } from '../../../api/queries.ts';
import { useAccount } from '../../../session/session.ts';
import { CodeBlock } from '../CodeBlock.tsx';
import { AnswerBadge } from './AnswerBadge.tsx';
import { readable } from './json.ts';
import { webhookPath } from './paths.ts';
import { formatMs } from './words.ts';

/** Sends a test event and shows the answer. */
export function TestWebhook({ webhook }: { webhook: Webhook }) {
  const account = useAccount();
  const [opened, { open, close }] = useDisclosure();
  const sending = useMutation({
    mutationFn: () => api.post<TestResult>(`${webhookPath(account, webhook.id)}/test`),
    meta: useShowsError(),
  });
  return (
    <>
      <Button
        leftSection={<IconSend size={16} aria-hidden />}
        onClick={() => {
          open();
          sending.mutate();
        }}
      >
        Send test event
      </Button>
      <Modal opened={opened} onClose={close} title="Test event" size="lg">
        <Stack>
          <Text>
            A signed event of the type webhook.test is sent to {webhook.url}. It is not in the event log, and not in the
            deliveries.
          </Text>
          <div role="status">
            {sending.isPending && (
              <Group gap="xs">
                <Loader size="xs" />
                <Text c="dimmed">Waits for the answer, for at most 15 seconds.</Text>
              </Group>
            )}
            {sending.data && !sending.isPending && <Result of={sending.data} />}
          </div>
          {sending.error && (
            <Alert color="red" role="alert">
              {sending.error.message}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
              Send again
            </Button>
            <Button onClick={close}>Close</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function Result({ of: { delivered, status_code, duration_ms, error, response } }: { of: TestResult }) {
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <AnswerBadge status={status_code} />
        <Text size="sm" c="dimmed">
          {formatMs(duration_ms)}
        </Text>
      </Group>
      <Text>{delivered ? 'The other system accepted the event.' : error}</Text>
      {response && (
        <CodeBlock what="answer" wrap>
          {readable(response)}
        </CodeBlock>
      )}
    </Stack>
  );
}
