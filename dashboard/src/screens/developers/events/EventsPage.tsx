import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import type { Event } from '#service/features/exchange/events/schema.ts';
import { useAccount } from '../../../session/session.ts';
import { formatNumber } from '../../../ui/format.ts';
import { Page } from '../../../ui/Page.tsx';
import { LoadMore } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { EmptyState, ErrorState } from '../../../ui/States.tsx';
import { useStableScroll } from '../stable-scroll.ts';
import { EventFilters } from './EventFilters.tsx';
import classes from './EventLog.module.css';
import { EventRow } from './EventRow.tsx';
import { useEventLog } from './event-log.ts';
import { eventName, knownTypes } from './event-types.ts';

const route = getRouteApi('/guard/accounts/$accountId/developers/events');

/** The events of the account, live. */
export function EventsPage() {
  const { path } = useAccount();
  const { types: named = '', contact_id: contactId } = route.useSearch();
  const types = useMemo(() => named.split(',').filter((type) => knownTypes.includes(type)), [named]);
  const [search, setSearch] = useState('');
  return (
    <Page title="Event log" lead="Every change of guests, activity and vouchers in the last 30 days, newest first.">
      <Panel flush>
        <EventFilters types={types} contactId={contactId} search={search} onSearch={setSearch} />
        {/* Other filters start another log, which is live. */}
        <Log
          key={`${path} ${types.join()} ${contactId}`}
          path={`${path}/events`}
          types={types}
          contactId={contactId}
          search={useDeferredValue(search.trim().toLowerCase())}
        />
      </Panel>
    </Page>
  );
}

interface LogProps {
  path: string;
  types: readonly string[];
  contactId: number | undefined;
  search: string;
}

function Log({ path, types, contactId, search }: LogProps) {
  const { read, more, isPaused, pause, resume } = useEventLog(path, { types, contactId });
  const events = read.data?.events;
  const shown = useMemo(() => events?.filter((event) => textOf(event).includes(search)), [events, search]);
  const scroll = useStableScroll(shown?.[0]?.id);
  const hasOlder = typeof read.data?.nextBefore === 'string';
  const isFiltered = types.length > 0 || contactId !== undefined;
  if (read.error && !events) return <ErrorState error={read.error} onRetry={read.refetch} />;
  if (!events || !shown)
    return (
      <Stack gap="lg" p="md" aria-busy>
        <Skeleton height="0.75rem" width="70%" />
        <Skeleton height="0.75rem" width="55%" />
        <Skeleton height="0.75rem" width="65%" />
      </Stack>
    );
  return (
    <>
      <div className={classes.state}>
        <Text size="sm" c="dimmed" aria-live="polite">
          {isPaused
            ? read.data?.isCut
              ? 'Paused at older events. Resume shows the newest again.'
              : 'Paused. New events appear when you resume.'
            : read.error
              ? 'The last update failed. The next one is in a moment.'
              : 'Live. New events appear by themselves.'}
          {search !== '' && ` ${formatNumber(shown.length)} of ${formatNumber(events.length)} loaded events fit.`}
        </Text>
        <Button
          variant="default"
          size="xs"
          flex="none"
          leftSection={isPaused ? <IconPlayerPlay size={14} aria-hidden /> : <IconPlayerPause size={14} aria-hidden />}
          onClick={isPaused ? resume : pause}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <div ref={scroll} className={classes.scroll} tabIndex={0}>
        {shown.length === 0 ? (
          <NoEvents search={search} isFiltered={isFiltered} hasOlder={hasOlder} />
        ) : (
          <ul className={classes.events} aria-label="Events">
            {shown.map((event) => (
              <EventRow key={event.id} event={event} />
            ))}
          </ul>
        )}
        <LoadMore more={hasOlder} loading={more.isPending} onMore={() => more.mutate()}>
          Load older
        </LoadMore>
      </div>
    </>
  );
}

interface NoEventsProps {
  search: string;
  isFiltered: boolean;
  hasOlder: boolean;
}

function NoEvents({ search, isFiltered, hasOlder }: NoEventsProps) {
  if (search !== '')
    return <EmptyState title="No loaded event fits">The search looks only at the events that are loaded.</EmptyState>;
  if (hasOlder)
    return <EmptyState title="None of the latest events fit">Load older ones to search further.</EmptyState>;
  if (isFiltered) return <EmptyState title="No event fits">Choose other types or another guest.</EmptyState>;
  return (
    <EmptyState title="No events in the last 30 days">
      When a guest, a booking, a purchase or a voucher changes, an event appears here within seconds.
    </EmptyState>
  );
}

const texts = new WeakMap<Event, string>();

/** What the search looks at. */
function textOf(event: Event): string {
  const text = texts.get(event) ?? `${eventName(event.type)} ${JSON.stringify(event)}`.toLowerCase();
  texts.set(event, text);
  return text;
}
