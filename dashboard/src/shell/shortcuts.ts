import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMenuAccount } from '../session/session.ts';
import { sections } from './sections.ts';

/** The time between g and its letter. */
const timeoutMs = 1000;

/** `/` focuses the guest search; g and a letter open a section. Both are off while the user types. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  const accountId = useMenuAccount()?.id;
  useEffect(() => {
    let gAt = Number.NEGATIVE_INFINITY;
    const onKey = async (event: KeyboardEvent) => {
      if (accountId === undefined || event.ctrlKey || event.metaKey || event.altKey || isHandledElsewhere(event.target))
        return;
      const params = { accountId };
      if (event.key === '/') {
        event.preventDefault();
        if (!focusSearch()) {
          await navigate({ to: '/accounts/$accountId/guests', params });
          focusSearch();
        }
        return;
      }
      const section = event.timeStamp - gAt < timeoutMs && sections.find(({ letter }) => letter === event.key);
      gAt = !section && event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (section) await navigate({ to: section.to, params });
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate, accountId]);
}

/** Marks the field of the guest search. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('input[data-guest-search]');
  field?.focus();
  field?.select();
  return field !== null;
}

/** Whether the key belongs to a field or to an open window. */
function isHandledElsewhere(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=menu]') !== null
  );
}
