import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FoundContact, FoundContacts } from '#service/contacts/schema.ts';
import { getList } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';

interface GuestPickerProps {
  onPick: (guest: FoundContact | null) => void;
  error?: string | null;
}

const nameOf = ({ id, first_name, last_name, email, mobile_number }: FoundContact) =>
  `${first_name} ${last_name}`.trim() || email || mobile_number || `Guest ${id}`;
const more = ({ email, mobile_number, membership_number }: FoundContact) =>
  [email, mobile_number, membership_number].filter(Boolean).join(' · ');

/** A guest, found as one types. */
export function GuestPicker({ onPick, error }: GuestPickerProps) {
  const account = useAccount();
  const [picked, setPicked] = useState<FoundContact | null>(null);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 150);
  // What stands in the field once somebody is picked is no search.
  const asked = picked && typed === nameOf(picked) ? '' : search.trim();
  const found = useQuery(getList<FoundContacts>(`${account.path}/contacts/search`, { search: asked }));
  const guests = new Map((found.data?.data ?? []).slice(0, 20).map((guest) => [String(guest.id), guest]));
  if (picked) guests.set(String(picked.id), picked);
  return (
    <Select
      label="Guest"
      placeholder="Name, e-mail, number or membership"
      data={[...guests].map(([value, guest]) => ({ value, label: nameOf(guest) }))}
      // The service has looked already, and in more than the names.
      filter={({ options }) => options}
      renderOption={({ option }) => {
        const guest = guests.get(option.value);
        return (
          <div>
            <Text>{option.label}</Text>
            <Text size="xs" c="dimmed">
              {guest && more(guest)}
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
