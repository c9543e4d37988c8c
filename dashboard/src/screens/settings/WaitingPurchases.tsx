import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { StaffPurchase, Waiting } from '#service/features/activity/purchases/schema.ts';
import { matchKeys } from '#service/shared/codes.ts';
import type { Paged } from '#service/shared/fields.ts';
import { get, getList } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { Money, WallClock } from '../../ui/Values.tsx';
import { VenueSelect } from '../venues/VenueSelect.tsx';
import { matchKeyText } from './match-keys.ts';
import { PurchaseExplanation } from './PurchaseExplanation.tsx';
import { totalOf } from './purchase-total.ts';
import { WaitingFilter } from './WaitingFilter.tsx';

const route = getRouteApi('/guard/accounts/$accountId/settings/waiting-purchases');

export function WaitingPurchases() {
  const { path } = useAccount();
  const { key, unit_id, page, purchase_id } = route.useSearch();
  const navigate = route.useNavigate();
  const counts = useQuery(get<Waiting>(`${path}/purchases/waiting/counts`, { unit_id }));
  const list = useQuery(
    getList<Paged<StaffPurchase>>(`${path}/purchases/waiting`, { waiting_for: key, unit_id, page }),
  );
  return (
    <Page
      title="Waiting purchases"
      lead="Purchases without a guest. Each is matched automatically when the missing data arrives."
      actions={<VenueSelect value={unit_id} onChange={(unit) => void navigate({ search: { key, unit_id: unit } })} />}
    >
      <Panel flush>
        <WaitingFilter counts={counts.data} chosen={key} unitId={unit_id} />
        <DataTable
          label="Waiting purchases"
          rows={list.data?.data}
          rowKey={({ id }) => id}
          rowLink={({ id }) => ({ to: '.', search: { key, unit_id, page, purchase_id: id }, resetScroll: false })}
          error={list.error}
          onRetry={list.refetch}
          stale={list.isPlaceholderData}
          empty={
            <EmptyState
              title={
                key ? `No purchase is waiting for a ${matchKeyText[key].name.toLowerCase()}` : 'No waiting purchases'
              }
            >
              Tills can send purchases without a guest. They wait here until they are matched.
            </EmptyState>
          }
          columns={[
            { title: 'Reference', render: ({ transaction_reference }) => transaction_reference },
            { title: 'Venue', render: ({ unit_name }) => unit_name },
            { title: 'When', render: ({ transaction_date }) => <WallClock at={transaction_date} /> },
            { title: 'Waiting for', render: missingKeys },
            { title: 'Total', align: 'end', render: (purchase) => <Money value={totalOf(purchase)} /> },
          ]}
        />
        <Pager of={list.data} onPage={(page) => void navigate({ search: { key, unit_id, page } })} />
      </Panel>
      <Drawer
        opened={purchase_id !== undefined}
        onClose={() => void navigate({ search: { key, unit_id, page }, resetScroll: false })}
        position="right"
        size="lg"
        title="Why there is no guest yet"
      >
        {purchase_id && <PurchaseExplanation key={purchase_id} id={purchase_id} />}
      </Drawer>
    </Page>
  );
}

/** "Table 12, or booking B-1042": the first key with a contact matches the purchase. */
function missingKeys(purchase: StaffPurchase): string {
  const named = matchKeys.filter((key) => purchase[key] !== null);
  const words = named.map((key, index) => {
    const { before } = matchKeyText[key];
    return `${index > 0 ? before.toLowerCase() : before} ${purchase[key]}`;
  });
  return words.join(', or ');
}
