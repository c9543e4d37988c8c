import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconKey, IconPlayerPause } from '@tabler/icons-react';
import type { Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { useHasRole } from '../../../session/session.ts';
import { DateTime } from '../../../ui/Values.tsx';

/** What staff must know about the state of a webhook. */
export function WebhookAlerts({
  of: { status, disabled_reason, failing_since, previous_secret_until },
}: {
  of: Webhook;
}) {
  const isOwner = useHasRole('owner');
  return (
    <>
      {status === 'disabled' && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="The service stopped sending">
          {disabled_reason} {isOwner ? 'Enable the webhook' : 'Ask an owner to enable the webhook'} when the other
          system works again. Sending goes on where it stopped.
        </Alert>
      )}
      {status === 'paused' && (
        <Alert color="gray" icon={<IconPlayerPause aria-hidden />} title="Paused">
          Nothing is sent. Events wait, and are sent in order when {isOwner ? 'you resume' : 'an owner resumes'} the
          webhook.
        </Alert>
      )}
      {status !== 'disabled' && failing_since && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="All attempts fail">
          No attempt has succeeded since <DateTime at={failing_since} />. The service tries again by itself. After 5
          days without a success, it disables the webhook.
        </Alert>
      )}
      {previous_secret_until && (
        <Alert color="gray" icon={<IconKey aria-hidden />} title="Two secrets sign">
          The old secret signs too until <DateTime at={previous_secret_until} />. Put the new one into the other system
          before then.
        </Alert>
      )}
    </>
  );
}
