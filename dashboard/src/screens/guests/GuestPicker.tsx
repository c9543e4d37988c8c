import { ScrollArea, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useAccount } from '../../session/session.ts';
import classes from './GuestPicker.module.css';
import { guestDetails, guestName } from './guest.ts';
import { guestsFound } from './queries.ts';
import { useSearchHint } from './search-hint.ts';

const debounceMs = 120;

/** Searches for a guest to choose. Arrow keys move through the results. */
export function GuestPicker({ except, onPick }: { except: number; onPick: (id: number) => void }) {
  const { path } = useAccount();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), debounceMs);
  const found = useQuery({ ...guestsFound(path, { search }), enabled: search !== '' });
  const guests = search === '' ? [] : found.data?.data.filter(({ id }) => id !== except);
  const area = useRef<HTMLDivElement>(null);

  const moveFocus = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [...(area.current?.querySelectorAll<HTMLElement>('input, button') ?? [])];
    stops[stops.indexOf(document.activeElement as HTMLElement) + step]?.focus();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only handles keys that its controls ignore
    <div ref={area} onKeyDown={moveFocus}>
      <Stack gap="xs">
        <TextInput
          label="Who is the same guest?"
          placeholder={useSearchHint()}
          autoComplete="off"
          maxLength={255}
          data-autofocus
          leftSection={<IconSearch size={16} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ScrollArea.Autosize mah="20rem" mih="12rem">
          <ul className={classes.found} aria-label="Guests found">
            {guests?.map((guest) => (
              <li key={guest.id}>
                <UnstyledButton className={classes.guest} onClick={() => onPick(guest.id)}>
                  <span>{guestName(guest)}</span>
                  <Text component="span" size="sm" c="dimmed">
                    {guestDetails(guest)}
                  </Text>
                </UnstyledButton>
              </li>
            ))}
          </ul>
          <Text c="dimmed" role="status">
            {search === '' && 'You can compare both before you merge.'}
            {search !== '' && guests?.length === 0 && `No other guest found for “${search}”.`}
            {found.error?.message}
          </Text>
        </ScrollArea.Autosize>
      </Stack>
    </div>
  );
}
