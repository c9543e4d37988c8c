import { Anchor, Button, List } from '@mantine/core';
import { IconSearchOff, IconUsers } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useAccount, useMay } from '../session/session.ts';
import { TextLink } from '../ui/Page.tsx';
import { EmptyState } from '../ui/States.tsx';

const route = getRouteApi('/guard/accounts/$accountId/guests');

/** An account that nobody has written to yet. */
export function NoGuests() {
  const { id } = useAccount();
  const isOwner = useMay('owner');
  return (
    <EmptyState title="No guests yet" icon={<IconUsers size={28} stroke={1.5} />}>
      Guests arrive by themselves: whenever a till, a booking system, the wifi or a website tells Regulars of somebody,
      that guest is here within a second. What they may send is in the{' '}
      <Anchor href="/docs#tag/contacts" target="_blank" underline="always">
        API reference
      </Anchor>
      {isOwner && (
        <>
          ; a token for them is made under{' '}
          <TextLink to="/accounts/$accountId/developers" params={{ accountId: id }} underline="always">
            Developers
          </TextLink>
        </>
      )}
      .
    </EmptyState>
  );
}

/** Nobody is like that, and what else to try. */
export function NobodyFound() {
  const { search, unit_id, group_id, consent, page } = route.useSearch();
  const navigate = route.useNavigate();
  const isFiltered = (unit_id ?? group_id ?? consent) !== undefined;
  if (page !== undefined)
    return (
      <EmptyState
        title="There are no more guests"
        action={
          <Button variant="default" onClick={() => void navigate({ search: (now) => ({ ...now, page: undefined }) })}>
            To the first page
          </Button>
        }
      />
    );
  return (
    <EmptyState
      title={search ? `Nobody found for “${search}”` : 'No guest is like that'}
      icon={<IconSearchOff size={28} stroke={1.5} />}
      action={
        isFiltered && (
          <Button variant="default" onClick={() => void navigate({ search: search ? { search } : {} })}>
            {search ? 'Search all guests' : 'Show all guests'}
          </Button>
        )
      }
    >
      {search ? (
        <List size="sm" ta="start" spacing={2}>
          <List.Item>
            Only what a name, e-mail, number, membership or card begins with is found: try less of it.
          </List.Item>
          <List.Item>Two names may stand in either order: “ana si” and “silva an” both find Ana Silva.</List.Item>
          <List.Item>A mobile is found with and without +44, spaces or the first 0.</List.Item>
          {isFiltered && <List.Item>Only guests that match the filters are searched.</List.Item>}
        </List>
      ) : (
        'Nobody matches all of the filters. Try fewer.'
      )}
    </EmptyState>
  );
}
