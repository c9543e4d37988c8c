import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useAccount } from '../../../session/session.ts';
import { Page, TextLink } from '../../../ui/Page.tsx';
import { ErrorState } from '../../../ui/States.tsx';
import { Deliveries } from './Deliveries.tsx';
import { live, webhookQuery } from './paths.ts';
import { WebhookActions } from './WebhookActions.tsx';
import { WebhookAlerts } from './WebhookAlerts.tsx';
import { WebhookBadge } from './WebhookBadge.tsx';
import { WebhookFacts } from './WebhookFacts.tsx';
import { nameOf } from './words.ts';

const route = getRouteApi('/guard/accounts/$accountId/developers/webhooks/$webhookId');

export function WebhookPage() {
  const account = useAccount();
  const { webhookId } = route.useParams();
  const webhook = useQuery({ ...webhookQuery(account, webhookId), ...live });
  const breadcrumbs = [
    <TextLink key="webhooks" to="/accounts/$accountId/developers/webhooks" params={{ accountId: account.id }}>
      Webhooks
    </TextLink>,
  ];
  if (webhook.error && !webhook.data)
    return (
      <Page title="Webhook" breadcrumbs={breadcrumbs}>
        <ErrorState error={webhook.error} onRetry={webhook.refetch} />
      </Page>
    );
  return (
    <Page
      title={webhook.data ? nameOf(webhook.data) : 'Webhook'}
      beside={webhook.data && <WebhookBadge of={webhook.data} />}
      breadcrumbs={breadcrumbs}
      actions={webhook.data && <WebhookActions webhook={webhook.data} />}
    >
      <Stack gap="lg">
        {webhook.data && <WebhookAlerts of={webhook.data} />}
        <WebhookFacts of={webhook.data} />
        <Deliveries webhookId={webhookId} status={webhook.data?.status} />
      </Stack>
    </Page>
  );
}
