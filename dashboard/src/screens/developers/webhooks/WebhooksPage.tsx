import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { useAccount, useHasRole } from '../../../session/session.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Page } from '../../../ui/Page.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { EmptyState } from '../../../ui/States.tsx';
import { Num, RelativeTime } from '../../../ui/Values.tsx';
import { NewWebhook } from './NewWebhook.tsx';
import { live, webhooksQuery } from './paths.ts';
import { WebhookBadge } from './WebhookBadge.tsx';
import classes from './Webhooks.module.css';
import { phrasesOf, rateText, typesText } from './words.ts';

const route = getRouteApi('/guard/accounts/$accountId/developers/webhooks');

export function WebhooksPage() {
  const account = useAccount();
  const isOwner = useHasRole('owner');
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  const webhooks = useQuery({ ...webhooksQuery(account, page), ...live });
  const [creating, create] = useDisclosure();
  const newButton = isOwner && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={create.open}>
      New webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead="A webhook sends events to another system as soon as they happen."
      // The empty list has the button itself.
      actions={webhooks.data && webhooks.data.total > 0 && newButton}
    >
      <Panel flush>
        <DataTable
          label="Webhooks"
          rows={webhooks.data?.data}
          error={webhooks.error}
          onRetry={webhooks.refetch}
          stale={webhooks.isPlaceholderData}
          rowKey={({ id }) => id}
          rowLink={({ id }) => ({
            to: '/accounts/$accountId/developers/webhooks/$webhookId',
            params: { accountId: account.id, webhookId: id },
          })}
          empty={
            page === undefined ? (
              <EmptyState
                title="No webhooks yet"
                icon={<IconWebhook size={28} stroke={1.5} />}
                action={newButton || <Text>Ask an owner to create one.</Text>}
              >
                With a webhook, another system such as a newsletter tool or a CRM learns of new guests, bookings and
                redeemed vouchers within seconds. Events are sent to its URL, signed, and again if it does not answer.
              </EmptyState>
            ) : (
              <EmptyState title="There are no more webhooks" />
            )
          }
          columns={[
            { title: 'Webhook', width: '45%', render: (webhook) => <Address of={webhook} /> },
            { title: 'Status', render: (webhook) => <Status of={webhook} /> },
            { title: 'Last 24 hours', render: (webhook) => <Health of={webhook} /> },
            { title: 'Waiting', align: 'end', render: ({ health }) => <Num value={health.pending} /> },
          ]}
        />
        <Pager
          of={webhooks.data}
          onPage={(to) => void navigate({ search: { page: to === 1 ? undefined : to }, resetScroll: false })}
        />
      </Panel>
      <NewWebhook opened={creating} onClose={create.close} />
    </Page>
  );
}

function Address({ of: { url, description, types } }: { of: Webhook }) {
  return (
    <span className={classes.address}>
      {url}
      <Text component="span" size="sm" c="dimmed">
        {[description, typesText(types)].filter(Boolean).join(' · ')}
      </Text>
    </span>
  );
}

function Status({ of: webhook }: { of: Webhook }) {
  const { status, disabled_reason, failing_since } = webhook;
  return (
    <div className={classes.lines}>
      <WebhookBadge of={webhook} />
      {status === 'disabled' ? (
        <Text component="span" size="sm" c="dimmed">
          {disabled_reason}
        </Text>
      ) : (
        failing_since && (
          <Text component="span" size="sm" c="dimmed">
            since <RelativeTime at={failing_since} />
          </Text>
        )
      )}
    </div>
  );
}

function Health({ of: { health } }: { of: Webhook }) {
  if (health.success_rate === null)
    return (
      <Text component="span" c="dimmed">
        No attempts
      </Text>
    );
  return (
    <div className={classes.lines}>
      <span className={classes.phrase}>{rateText(health.success_rate)} succeeded</span>
      {phrasesOf(health).map((phrase) => (
        <Text key={phrase} component="span" size="sm" c="dimmed" className={classes.phrase}>
          {phrase}
        </Text>
      ))}
    </div>
  );
}
