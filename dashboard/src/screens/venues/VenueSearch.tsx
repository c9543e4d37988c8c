import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

interface VenueSearchProps {
  value: string | undefined;
  onChange: (text: string) => void;
}

/** Searches venues, folders and groups while the user types. */
export function VenueSearch({ value = '', onChange }: VenueSearchProps) {
  const [typed, type] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const changeDebounced = useDebouncedCallback((text: string) => onChange(text.trim()), 200);
  // Take over the URL after navigation, but not while the user types.
  useEffect(() => {
    if (document.activeElement !== input.current) type(value);
  }, [value]);
  function change(text: string) {
    type(text);
    changeDebounced(text);
  }
  return (
    <TextInput
      ref={input}
      type="search"
      aria-label="Find a venue, folder or group"
      placeholder="Find a venue, folder or group"
      mb="md"
      maw="24rem"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={typed !== '' && <CloseButton size="sm" aria-label="Show all" onClick={() => change('')} />}
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
