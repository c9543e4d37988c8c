import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { NewWebhook as Created } from '#service/features/exchange/webhooks/schema.ts';
import { useAccount } from '../../../session/session.ts';
import { ShownSecret } from './ShownSecret.tsx';
import { WebhookForm } from './WebhookForm.tsx';
import { nameOf } from './words.ts';

interface NewWebhookProps {
  opened: boolean;
  onClose: () => void;
}

/** Creates a webhook, shows its secret once, and then opens its page. */
export function NewWebhook({ opened, onClose }: NewWebhookProps) {
  const { id: accountId } = useAccount();
  const navigate = useNavigate();
  const [created, setCreated] = useState<Created | null>(null);
  const isPhone = useMediaQuery('(max-width: 48em)');
  function close() {
    onClose();
    if (created)
      void navigate({
        to: '/accounts/$accountId/developers/webhooks/$webhookId',
        params: { accountId, webhookId: created.id },
      });
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created ? `The secret of ${nameOf(created)}` : 'New webhook'}
      size="lg"
      fullScreen={isPhone}
      // The secret is never shown again, so a stray click must not close the window.
      closeOnClickOutside={created === null}
      closeOnEscape={created === null}
      onExitTransitionEnd={() => setCreated(null)}
    >
      {created ? (
        <ShownSecret secret={created.secret} onClose={close} />
      ) : (
        <WebhookForm onDone={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}
