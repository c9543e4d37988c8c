import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useAccount, useHasRole } from '../../session/session.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState, ErrorState } from '../../ui/States.tsx';
import { useWindow } from '../../ui/window.ts';
import { DeleteWindow } from './DeleteWindow.tsx';
import { NameWindow } from './NameWindow.tsx';
import { unitsQuery } from './units.ts';
import { VenueSearch } from './VenueSearch.tsx';
import { VenueTree } from './VenueTree.tsx';
import { type NameTask, type Task, type TreeItem, venuesQuery } from './venues.ts';

const route = getRouteApi('/guard/accounts/$accountId/venues');

/** The search field appears from this number of venues on. */
const minForSearch = 10;

/** The venues with their folders and groups, and their numbers of guests. */
export function VenuesPage() {
  const account = useAccount();
  const mayChange = useHasRole('staff');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const venues = useQuery(venuesQuery(account, search));
  const [naming, deleting] = [useWindow<NameTask>(), useWindow<TreeItem>()];
  const start = (task: Task) => (task.do === 'delete' ? deleting.open(task) : naming.open(task));
  const found = venues.data;
  // While loading, use the count that another page has in the cache.
  const total = found?.total ?? queries.getQueryData(unitsQuery(account).queryKey)?.length ?? 0;
  return (
    <Page
      title="Venues"
      lead="Guests belong to venues, and to groups of a venue. Folders contain groups."
      actions={mayChange && <Button onClick={() => start({ do: 'create', kind: 'venue' })}>New venue</Button>}
    >
      {(search.search !== undefined || total > minForSearch) && (
        <VenueSearch
          value={search.search}
          onChange={(text) => void navigate({ search: text ? { search: text } : {}, replace: true })}
        />
      )}
      <Panel flush>
        {venues.error && !found && <ErrorState error={venues.error} onRetry={venues.refetch} />}
        {found?.data.length === 0 ? (
          <EmptyState title={search.search ? `Nothing found for “${search.search}”` : 'There are no more venues'}>
            {search.search && 'No venue, folder or group has this name.'}
          </EmptyState>
        ) : (
          !(venues.error && !found) && (
            <VenueTree
              // Remount for other rows, because open rows belong to the old ones.
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
      {/* Both are always mounted, because a window stores the focus when it opens. */}
      <NameWindow task={naming.subject} opened={naming.opened} onClose={naming.close} />
      <DeleteWindow thing={deleting.subject} opened={deleting.opened} onClose={deleting.close} />
    </Page>
  );
}
