import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FoundContact } from '#service/features/guests/contacts/schema.ts';
import { useAccount } from '../../session/session.ts';
import { guestDetails, guestName } from './guest.ts';
import { guestsFound } from './queries.ts';
import { useSearchHint } from './search-hint.ts';

interface GuestSelectProps {
  onPick: (guest: FoundContact | null) => void;
  error?: string | null;
}

/** A form field that searches for a guest. */
export function GuestSelect({ onPick, error }: GuestSelectProps) {
  const { path } = useAccount();
  const [picked, setPicked] = useState<FoundContact | null>(null);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 150);
  // After a guest is picked, the text is the guest's label and not a search.
  const searched = picked && typed === guestName(picked) ? '' : search.trim();
  const found = useQuery(guestsFound(path, { search: searched }));
  const guests = new Map((found.data?.data ?? []).slice(0, 20).map((guest) => [String(guest.id), guest]));
  if (picked) guests.set(String(picked.id), picked);
  return (
    <Select
      label="Guest"
      placeholder={useSearchHint()}
      data={[...guests].map(([value, guest]) => ({ value, label: guestName(guest) }))}
      // The service filters, by more fields than the label.
      filter={({ options }) => options}
      renderOption={({ option }) => {
        const guest = guests.get(option.value);
        return (
          <div>
            <Text>{option.label}</Text>
            <Text size="xs" c="dimmed">
              {guest && guestDetails(guest)}
            </Text>
          </div>
        );
      }}
      searchable
      openOnFocus={false}
      clearable
      clearButtonProps={{ 'aria-label': 'Clear' }}
      nothingFoundMessage={found.isFetching ? 'Looking…' : 'No such guest'}
      value={picked ? String(picked.id) : null}
      searchValue={typed}
      onSearchChange={setTyped}
      error={error}
      data-autofocus
      onChange={(value) => {
        const guest = value === null ? null : (guests.get(value) ?? null);
        setPicked(guest);
        onPick(guest);
      }}
    />
  );
}
