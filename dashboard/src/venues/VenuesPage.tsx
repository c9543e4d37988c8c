import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useAccount, useMay } from '../session/session.ts';
import { Page } from '../ui/Page.tsx';
import { Pager } from '../ui/Pager.tsx';
import { Panel } from '../ui/Panel.tsx';
import { EmptyState, ErrorState } from '../ui/States.tsx';
import { useWindow } from '../ui/window.ts';
import { DeleteWindow } from './DeleteWindow.tsx';
import { NameWindow } from './NameWindow.tsx';
import { unitsQuery } from './units.ts';
import { VenueSearch } from './VenueSearch.tsx';
import { VenueTree } from './VenueTree.tsx';
import { type NameTask, type Task, type Thing, venuesQuery } from './venues.ts';

const route = getRouteApi('/guard/accounts/$accountId/venues');

/** From so many on, they are easier found than looked for. */
const many = 10;

/** The venues with their folders and groups, and how many guests are in each. */
export function VenuesPage() {
  const account = useAccount();
  const mayChange = useMay('staff');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const venues = useQuery(venuesQuery(account, search));
  const [naming, deleting] = [useWindow<NameTask>(), useWindow<Thing>()];
  const start = (task: Task) => (task.do === 'delete' ? deleting.open(task) : naming.open(task));
  const found = venues.data;
  // Until they are read, what another page has read of them says whether there are many.
  const total = found?.total ?? queries.getQueryData(unitsQuery(account).queryKey)?.length ?? 0;
  return (
    <Page
      title="Venues"
      lead="Guests belong to venues, and within them to groups, which stand in folders."
      actions={mayChange && <Button onClick={() => start({ do: 'create', kind: 'venue' })}>New venue</Button>}
    >
      {(search.search !== undefined || total > many) && (
        <VenueSearch
          value={search.search}
          onChange={(text) => void navigate({ search: text ? { search: text } : {}, replace: true })}
        />
      )}
      <Panel flush>
        {venues.error && !found && <ErrorState error={venues.error} onRetry={venues.refetch} />}
        {found?.data.length === 0 ? (
          <EmptyState title={search.search ? `Nothing is called “${search.search}”` : 'There are no more venues'}>
            {search.search && 'Neither a venue, nor a folder or group on one.'}
          </EmptyState>
        ) : (
          !(venues.error && !found) && (
            <VenueTree
              // What was opened by hand is of the venues that were shown then.
              key={JSON.stringify(search)}
              venues={found?.data}
              search={search.search}
              stale={venues.isPlaceholderData}
              onTask={mayChange ? start : undefined}
            />
          )
        )}
        <Pager of={found} onPage={(page) => void navigate({ search: { ...search, page } })} />
      </Panel>
      {/* Both are there from the start: only so do they know, when they open, where the focus was. */}
      <NameWindow task={naming.subject} opened={naming.opened} onClose={naming.close} />
      <DeleteWindow thing={deleting.subject} opened={deleting.opened} onClose={deleting.close} />
    </Page>
  );
}
