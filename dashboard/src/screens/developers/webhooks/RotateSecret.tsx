import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { RotatedSecret, Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { api } from '../../../api/client.ts';
import { useShowsError } from '../../../api/queries.ts';
import { useAccount } from '../../../session/session.ts';
import { refreshWebhooks, webhookPath } from './paths.ts';
import { ShownSecret } from './ShownSecret.tsx';
import { nameOf } from './words.ts';

interface RotateSecretProps {
  webhook: Webhook;
  opened: boolean;
  onClose: () => void;
}

/** Makes a new secret, then shows it once. */
export function RotateSecret({ webhook, opened, onClose }: RotateSecretProps) {
  const account = useAccount();
  const isPhone = useMediaQuery('(max-width: 48em)');
  const rotating = useMutation({
    mutationFn: () => api.post<RotatedSecret>(`${webhookPath(account, webhook.id)}/rotate_secret`),
    meta: useShowsError(),
    onSuccess: () => refreshWebhooks(account),
  });
  const secret = rotating.data?.secret;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={secret ? `The new secret of ${nameOf(webhook)}` : 'Make a new secret?'}
      size={secret ? 'lg' : 'md'}
      fullScreen={secret !== undefined && isPhone}
      // The secret is never shown again, so a stray click must not close the window.
      closeOnClickOutside={secret === undefined}
      closeOnEscape={secret === undefined}
      onExitTransitionEnd={rotating.reset}
    >
      {secret ? (
        <ShownSecret secret={secret} onClose={onClose} />
      ) : (
        <Stack>
          <Text>
            For 24 hours, each request is signed with the old secret and the new one, and the other system accepts
            either. Replace the secret there within this time. After it, only the new one signs.
          </Text>
          {webhook.previous_secret_until && (
            <Text>A secret is being replaced already. The one before it stops at once.</Text>
          )}
          {rotating.error && <Alert color="red">{rotating.error.message}</Alert>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button loading={rotating.isPending} onClick={() => rotating.mutate()}>
              Make new secret
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
