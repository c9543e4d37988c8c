import { CloseButton, Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback, useMergedRef } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type KeyboardEvent, type Ref, useEffect, useRef, useState } from 'react';
import { queryClient } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { guestsFound } from './queries.ts';
import { useSearchHint } from './search-hint.ts';

const route = getRouteApi('/guard/accounts/$accountId/guests');

const debounceMs = 120;

/** Searches while the user types. Arrow down moves to the list, Enter opens the first result. */
export function GuestSearch({ ref, onDown }: { ref: Ref<HTMLInputElement>; onDown: () => void }) {
  const { id: accountId, path } = useAccount();
  const now = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(now.search ?? '');
  const field = useRef<HTMLInputElement>(null);
  /** The last search that this field wrote to the URL. Only a change from elsewhere replaces the typed text. */
  const sent = useRef(now.search);

  useEffect(() => {
    if (now.search === sent.current) return;
    sent.current = now.search;
    setTyped(now.search ?? '');
  }, [now.search]);

  const send = async (text: string) => {
    const search = text.trim() || undefined;
    if (search === sent.current) return;
    sent.current = search;
    await navigate({ search: (old) => ({ ...old, search, page: undefined }), replace: true, resetScroll: false });
  };
  const sendDebounced = useDebouncedCallback(send, debounceMs);
  const type = (text: string) => {
    setTyped(text);
    sendDebounced(text);
  };

  const openFirst = async (text: string) => {
    const wanted = { ...now, search: text.trim() || undefined };
    const { data } = await queryClient.fetchQuery(guestsFound(path, wanted));
    // The text changed while the search ran, so its first result is not wanted.
    if (!data[0] || field.current?.value !== text) return;
    // Store the search in the URL, so that Back leads to it.
    await send(text);
    await navigate({
      to: '/accounts/$accountId/guests/$contactId',
      params: { accountId, contactId: data[0].id },
      search: {},
    });
  };
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      onDown();
    }
    // The list shows the error.
    if (event.key === 'Enter') void openFirst(event.currentTarget.value).catch(() => {});
    if (event.key === 'Escape') type('');
  };

  return (
    <TextInput
      ref={useMergedRef(ref, field)}
      data-guest-search
      type="search"
      role="searchbox"
      aria-label="Search guests"
      aria-keyshortcuts="/"
      placeholder={useSearchHint()}
      autoComplete="off"
      spellCheck={false}
      maxLength={255}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        typed ? (
          <CloseButton
            size="sm"
            aria-label="Clear the search"
            onClick={() => {
              type('');
              field.current?.focus();
            }}
          />
        ) : (
          <Kbd size="xs" visibleFrom="sm" aria-hidden>
            /
          </Kbd>
        )
      }
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={onKey}
    />
  );
}
