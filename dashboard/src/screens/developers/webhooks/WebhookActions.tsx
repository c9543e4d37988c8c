import { Button, Menu, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconDots,
  IconHistory,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { api } from '../../../api/client.ts';
import { useAccount, useHasRole } from '../../../session/session.ts';
import { notify } from '../../../ui/notify.ts';
import { DeleteWebhook } from './DeleteWebhook.tsx';
import { refreshWebhooks, webhookPath } from './paths.ts';
import { ReplayEvents } from './ReplayEvents.tsx';
import { RotateSecret } from './RotateSecret.tsx';
import { TestWebhook } from './TestWebhook.tsx';
import { WebhookForm } from './WebhookForm.tsx';

/** Staff test a webhook and send events again. Owners change it. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const mayAct = useHasRole('staff');
  const isOwner = useHasRole('owner');
  const [editing, edit] = useDisclosure();
  const [replaying, replay] = useDisclosure();
  const [rotating, rotate] = useDisclosure();
  const [deleting, remove] = useDisclosure();
  if (!mayAct) return null;
  return (
    <>
      <TestWebhook webhook={webhook} />
      {isOwner && <Switch webhook={webhook} />}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label="More">
            <IconDots size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconHistory size={16} aria-hidden />} onClick={replay.open}>
            Send earlier events again
          </Menu.Item>
          {isOwner && (
            <>
              <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={edit.open}>
                Edit
              </Menu.Item>
              <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={rotate.open}>
                New secret
              </Menu.Item>
              <Menu.Item c="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={remove.open}>
                Delete
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <ReplayEvents webhook={webhook} opened={replaying} onClose={replay.close} />
      <Modal opened={editing} onClose={edit.close} title="Edit the webhook" size="lg">
        <WebhookForm of={webhook} onDone={edit.close} onCancel={edit.close} />
      </Modal>
      <RotateSecret webhook={webhook} opened={rotating} onClose={rotate.close} />
      <DeleteWebhook webhook={webhook} opened={deleting} onClose={remove.close} />
    </>
  );
}

/** Pauses, resumes or enables the webhook. */
function Switch({ webhook: { id, status } }: { webhook: Webhook }) {
  const account = useAccount();
  const isActive = status === 'active';
  const change = useMutation({
    mutationFn: () => api.patch(webhookPath(account, id), { status: isActive ? 'paused' : 'active' }),
    onSuccess: async () => {
      await refreshWebhooks(account);
      notify.success(isActive ? 'The webhook is paused.' : 'The webhook sends again.');
    },
  });
  const Icon = isActive ? IconPlayerPause : IconPlayerPlay;
  return (
    <Button
      variant="default"
      leftSection={<Icon size={16} aria-hidden />}
      loading={change.isPending}
      onClick={() => change.mutate()}
    >
      {isActive ? 'Pause' : status === 'paused' ? 'Resume' : 'Enable'}
    </Button>
  );
}
