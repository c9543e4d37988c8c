import { Stack, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { FoundContacts } from '#service/features/guests/contacts/schema.ts';
import { flagOf } from '#service/shared/codes.ts';
import { useAccount, useSession } from '../../session/session.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { withCount } from '../../ui/format.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { overviewQuery } from '../home/overview.ts';
import { DuplicatesLink } from './DuplicatesLink.tsx';
import { ConditionsEditor, ConditionsShown, definitionIn, FilterButton } from './GuestConditions.tsx';
import { GuestFilters } from './GuestFilters.tsx';
import { GuestSearch } from './GuestSearch.tsx';
import { guestColumns } from './guest-columns.tsx';
import { lastSearch } from './last-search.ts';
import { NoGuests, NoGuestsFound } from './NoGuests.tsx';
import { type GuestsSearch, guestsFound } from './queries.ts';

const route = getRouteApi('/guard/accounts/$accountId/guests');

export function GuestsPage() {
  const { id: accountId, path } = useAccount();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const found = useQuery(guestsFound(path, search));
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const firstLink = () => list.current?.querySelector<HTMLElement>('tbody a');
  const { user } = useSession();
  useEffect(() => lastSearch.keep(user.id, accountId, search), [user.id, accountId, search]);
  const definition = definitionIn(search);
  const [isEditing, setEditing] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const edit = () => setEditing(true);
  const close = () => {
    setEditing(false);
    setTimeout(() => opener.current?.focus());
  };
  const total = useGuestCount(search);
  const isFiltered = Object.values(search).some((value) => value !== undefined);

  const backToField = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' || document.activeElement !== firstLink()) return;
    event.preventDefault();
    field.current?.focus();
  };

  return (
    <Page title="Guests" lead={total === undefined ? '\u00a0' : withCount(total, 'guest')} actions={<DuplicatesLink />}>
      <Stack gap="sm">
        {isEditing ? (
          <ConditionsEditor onClose={close} />
        ) : definition ? (
          <ConditionsShown ref={opener} definition={definition} count={found.data?.count} onChange={edit} />
        ) : (
          <GuestSearch ref={field} onDown={() => firstLink()?.focus()} />
        )}
        {!isEditing && <GuestFilters more={!definition && <FilterButton ref={opener} onClick={edit} />} />}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it only handles keys that its links ignore */}
        <div ref={list} onKeyDown={backToField} hidden={isEditing}>
          <Panel flush>
            <DataTable
              label="Guests"
              columns={guestColumns}
              rows={found.data?.data}
              rowKey={({ id }) => id}
              rowLink={({ id }) => ({
                to: '/accounts/$accountId/guests/$contactId',
                params: { accountId, contactId: id },
              })}
              error={found.error}
              onRetry={found.refetch}
              stale={found.isPlaceholderData}
              empty={isFiltered ? <NoGuestsFound /> : <NoGuests />}
            />
            <Pager
              of={found.data}
              onPage={(page) => void navigate({ search: (now) => ({ ...now, page: page === 1 ? undefined : page }) })}
            />
          </Panel>
        </div>
        <VisuallyHidden role="status">
          {found.data && !found.isPlaceholderData && resultText(found.data)}
        </VisuallyHidden>
      </Stack>
    </Page>
  );
}

/**
 * The number of guests, where Home has it: of the account or of a venue, with or without a consent. A search is not
 * counted, and conditions show their own number.
 */
function useGuestCount({ search, group_id, definition, unit_id, consent }: GuestsSearch): number | undefined {
  const isCounted = search === undefined && group_id === undefined && definition === undefined;
  const { data, isPlaceholderData } = useQuery({
    ...overviewQuery(useAccount(), { unit_id }),
    enabled: isCounted,
    refetchInterval: false,
  });
  if (!isCounted || !data || isPlaceholderData) return undefined;
  return consent === undefined ? data.guests : data.consent[flagOf[consent]];
}

function resultText({ data, page, more }: FoundContacts): string {
  const shown = data.length === 0 ? 'No guests found' : `${withCount(data.length, 'guest')} shown`;
  return `${shown}${page > 1 ? `, page ${page}` : ''}${more ? ', and there are more' : ''}.`;
}
