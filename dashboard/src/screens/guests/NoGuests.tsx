import { Anchor, Button, List } from '@mantine/core';
import { IconSearchOff, IconUsers } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useAccount, useHasRole } from '../../session/session.ts';
import { TextLink } from '../../ui/Page.tsx';
import { EmptyState } from '../../ui/States.tsx';

const route = getRouteApi('/guard/accounts/$accountId/guests');

/** The empty state of an account without guests. */
export function NoGuests() {
  const { id } = useAccount();
  const isOwner = useHasRole('owner');
  return (
    <EmptyState title="No guests yet" icon={<IconUsers size={28} stroke={1.5} />}>
      Guests appear here within a second when a till, a booking system, the wifi or a website sends them to Regulars.
      For what they can send, see the{' '}
      <Anchor href="/docs#tag/contacts" target="_blank" underline="always">
        API reference
      </Anchor>
      {isOwner && (
        <>
          . Create a token for each of them under{' '}
          <TextLink to="/accounts/$accountId/developers" params={{ accountId: id }} underline="always">
            Developers
          </TextLink>
        </>
      )}
      .
    </EmptyState>
  );
}

/** The empty state of a search without results. */
export function NoGuestsFound() {
  const { search, definition, unit_id, group_id, consent, page } = route.useSearch();
  const navigate = route.useNavigate();
  const isFiltered = (unit_id ?? group_id ?? consent) !== undefined;
  if (page !== undefined)
    return (
      <EmptyState
        title="There are no more guests"
        action={
          <Button variant="default" onClick={() => void navigate({ search: (now) => ({ ...now, page: undefined }) })}>
            Go to the first page
          </Button>
        }
      />
    );
  return (
    <EmptyState
      title={search ? `No guests found for “${search}”` : 'No guests match the filters'}
      icon={<IconSearchOff size={28} stroke={1.5} />}
      action={
        isFiltered && (
          <Button
            variant="default"
            onClick={() => void navigate({ search: (now) => ({ search: now.search, definition: now.definition }) })}
          >
            {search ? 'Search all guests' : definition ? 'Clear the other filters' : 'Show all guests'}
          </Button>
        )
      }
    >
      {search ? (
        <List size="sm" ta="start" spacing={2}>
          <List.Item>
            The search finds the start of a name, e-mail, number, membership or card. Try fewer letters.
          </List.Item>
          <List.Item>Two names can be in either order: “ana si” and “silva an” both find Ana Silva.</List.Item>
          <List.Item>A mobile number can be with or without +44, spaces or the first 0.</List.Item>
          {isFiltered && <List.Item>The search covers only guests that match the filters.</List.Item>}
        </List>
      ) : (
        'Try fewer filters.'
      )}
    </EmptyState>
  );
}
