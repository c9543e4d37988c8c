import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useShownAccount } from '../session/session.ts';
import { sections } from './sections.ts';

/** How long after g its letter still counts. */
const patienceMs = 1000;

/** `/` is for searching guests; g and then a letter goes to a section. Neither while one is typing. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  const accountId = useShownAccount()?.id;
  useEffect(() => {
    let gAt = Number.NEGATIVE_INFINITY;
    const onKey = async (event: KeyboardEvent) => {
      if (accountId === undefined || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      const params = { accountId };
      if (event.key === '/') {
        event.preventDefault();
        if (!focusSearch()) {
          await navigate({ to: '/accounts/$accountId/guests', params });
          focusSearch();
        }
        return;
      }
      const section = event.timeStamp - gAt < patienceMs && sections.find(({ letter }) => letter === event.key);
      gAt = !section && event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (section) await navigate({ to: section.to, params });
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate, accountId]);
}

/** The guests' search field says that it is the one by this attribute. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('input[data-guest-search]');
  field?.focus();
  field?.select();
  return field !== null;
}

/** Whether the key is meant for a field or for a window that lies over the page. */
function isTaken(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=menu]') !== null
  );
}
