import { type ApiError, api } from '../api/client.ts';
import { notify } from '../ui/notify.ts';
import { drafts } from './drafts.ts';
import { notifyOtherTabs } from './other-tabs.ts';

let afterSignOut = async () => {};
/** Registers the navigation after a sign-out. The router imports this file, so this file cannot import the router. */
export function onSignOut(act: () => Promise<void>): void {
  afterSignOut = act;
}

/** Signs out here, or in every browser. */
export async function signOut({ everywhere = false } = {}): Promise<void> {
  try {
    await api.delete(everywhere ? '/sessions' : '/session');
    notifyOtherTabs(null);
    drafts.clear();
    await afterSignOut();
  } catch (error) {
    // A 401 already leads to the sign-in page.
    if ((error as ApiError).status !== 401) notify.error(error as Error);
  }
}
