import { Drawer, Group, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Delivery, DeliveryState, WebhookStatus } from '#service/features/exchange/webhooks/schema.ts';
import { useAccount } from '../../../session/session.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { EmptyState } from '../../../ui/States.tsx';
import { Missing, Num, RelativeTime } from '../../../ui/Values.tsx';
import { eventName } from '../events/event-types.ts';
import { AnswerBadge } from './AnswerBadge.tsx';
import { DeliveryBadge } from './DeliveryBadge.tsx';
import { DeliveryView } from './DeliveryView.tsx';
import { NextAttempt } from './NextAttempt.tsx';
import { deliveriesQuery, live } from './paths.ts';
import { deliveryStateNames, deliveryWords } from './states.ts';
import classes from './Webhooks.module.css';

const route = getRouteApi('/guard/accounts/$accountId/developers/webhooks/$webhookId');

interface DeliveriesProps {
  webhookId: number;
  status: WebhookStatus | undefined;
}

/** The deliveries of a webhook. Each row opens its attempts. */
export function Deliveries({ webhookId, status }: DeliveriesProps) {
  const account = useAccount();
  const { state, page, delivery } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({ ...deliveriesQuery(account, webhookId, state, page), ...live });
  const show = (search: { state?: DeliveryState | undefined; page?: number | undefined }) =>
    void navigate({ search, resetScroll: false });
  return (
    <Panel title="Deliveries" lead="The last 7 days, newest first. The list is always current." flush>
      <div className={classes.filter}>
        <SegmentedControl
          aria-label="State"
          size="sm"
          value={state ?? 'all'}
          onChange={(chosen) => show({ state: deliveryStateNames.find((name) => name === chosen) })}
          data={[
            { value: 'all', label: 'All' },
            ...deliveryStateNames.map((name) => ({ value: name, label: deliveryWords[name].text })),
          ]}
        />
      </div>
      <DataTable
        label="Deliveries"
        rows={list.data?.data}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '.', search: { state, page, delivery: id }, resetScroll: false })}
        error={list.error}
        onRetry={list.refetch}
        stale={list.isPlaceholderData}
        empty={
          state || page ? (
            <EmptyState title="None of these" />
          ) : (
            <EmptyState title="No deliveries in the last 7 days">
              An event that the webhook gets appears here when it is sent.
            </EmptyState>
          )
        }
        columns={[
          { title: 'Event', render: ({ type }) => eventName(type) },
          { title: 'State', render: (row) => <DeliveryBadge state={row.state} /> },
          { title: 'Attempts', align: 'end', render: ({ attempts }) => <Num value={attempts.length} /> },
          { title: 'Last attempt', render: (row) => <LastAttempt of={row} /> },
          { title: 'Next attempt', render: (row) => <NextAttempt of={row} status={status} /> },
        ]}
      />
      <Pager of={list.data} onPage={(to) => show({ state, page: to === 1 ? undefined : to })} />
      <Drawer
        opened={delivery !== undefined}
        onClose={() => show({ state, page })}
        position="right"
        size="xl"
        title="Delivery"
      >
        {delivery && <DeliveryView key={delivery} webhookId={webhookId} id={delivery} status={status} />}
      </Drawer>
    </Panel>
  );
}

function LastAttempt({ of: { attempts } }: { of: Delivery }) {
  const { time_zone } = useAccount();
  const last = attempts.at(-1);
  if (!last) return <Missing />;
  return (
    <Group gap={6} wrap="nowrap" component="span">
      <RelativeTime at={last.at} timeZone={time_zone} />
      <AnswerBadge status={last.status_code} />
    </Group>
  );
}
