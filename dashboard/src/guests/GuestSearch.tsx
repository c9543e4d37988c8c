import { CloseButton, Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback, useMergedRef } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type KeyboardEvent, type Ref, useEffect, useRef, useState } from 'react';
import { queryClient } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { guestsFound } from './queries.ts';
import { useSearchHint } from './search-hint.ts';

const route = getRouteApi('/guard/accounts/$accountId/guests');

const pauseMs = 120;

/** Searches as one types. Arrow down leads into the list, Enter to the first who is found. */
export function GuestSearch({ ref, onDown }: { ref: Ref<HTMLInputElement>; onDown: () => void }) {
  const { id: accountId, path } = useAccount();
  const now = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(now.search ?? '');
  const field = useRef<HTMLInputElement>(null);
  /** What this field last put into the address, so that only another's change of it is taken over. */
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
  const sendSoon = useDebouncedCallback(send, pauseMs);
  const type = (text: string) => {
    setTyped(text);
    sendSoon(text);
  };

  const openFirst = async (text: string) => {
    const wanted = { ...now, search: text.trim() || undefined };
    const { data } = await queryClient.fetchQuery(guestsFound(path, wanted));
    // Whoever typed on meanwhile has somebody else in mind.
    if (!data[0] || field.current?.value !== text) return;
    // So that the way back leads to this search.
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
    // What fails here, the list says.
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
