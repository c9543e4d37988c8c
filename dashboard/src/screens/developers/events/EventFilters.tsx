import { CloseButton, MultiSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconUser } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import classes from './EventLog.module.css';
import { eventGroups } from './event-types.ts';

const route = getRouteApi('/guard/accounts/$accountId/developers/events');

const debounceMs = 300;

interface EventFiltersProps {
  types: readonly string[];
  contactId: number | undefined;
  search: string;
  onSearch: (search: string) => void;
}

/** The types and the guest are in the URL, and the service filters by them. The search looks at the loaded events. */
export function EventFilters({ types, contactId, search, onSearch }: EventFiltersProps) {
  const navigate = route.useNavigate();
  return (
    <div className={classes.filters}>
      <MultiSelect
        className={classes.types}
        aria-label="Types"
        placeholder={types.length === 0 ? 'All types' : undefined}
        data={eventGroups.map(({ name, types }) => ({
          group: name,
          items: types.map(({ type, name }) => ({ value: type, label: name })),
        }))}
        value={[...types]}
        onChange={(chosen) =>
          void navigate({
            search: (old) => ({ ...old, types: chosen.length > 0 ? chosen.join() : undefined }),
            replace: true,
            resetScroll: false,
          })
        }
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All types' }}
        nothingFoundMessage="No such type"
      />
      <GuestFilter contactId={contactId} />
      <TextInput
        type="search"
        role="searchbox"
        aria-label="Search the loaded events"
        placeholder="Search the loaded events"
        autoComplete="off"
        spellCheck={false}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={search && <CloseButton size="sm" aria-label="Clear the search" onClick={() => onSearch('')} />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onSearch('')}
      />
    </div>
  );
}

function GuestFilter({ contactId }: { contactId: number | undefined }) {
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(contactId === undefined ? '' : String(contactId));
  /** The last id that this field wrote to the URL. Only a change from elsewhere replaces the typed text. */
  const sent = useRef(contactId);
  useEffect(() => {
    if (contactId === sent.current) return;
    sent.current = contactId;
    setTyped(contactId === undefined ? '' : String(contactId));
  }, [contactId]);
  const send = useDebouncedCallback((text: string) => {
    sent.current = text === '' ? undefined : Number(text);
    void navigate({
      search: (old) => ({ ...old, contact_id: sent.current }),
      replace: true,
      resetScroll: false,
    });
  }, debounceMs);
  const type = (text: string) => {
    // An id has only digits.
    const digits = text.replaceAll(/\D/g, '').replace(/^0+/, '').slice(0, 15);
    setTyped(digits);
    send(digits);
  };
  return (
    <TextInput
      aria-label="Guest id"
      placeholder="Any guest id"
      inputMode="numeric"
      autoComplete="off"
      leftSection={<IconUser size={16} aria-hidden />}
      rightSection={typed && <CloseButton size="sm" aria-label="Any guest" onClick={() => type('')} />}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}
