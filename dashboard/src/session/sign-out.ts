import { type ApiError, api } from '../api/client.ts';
import { say } from '../ui/say.ts';
import { drafts } from './drafts.ts';
import { tellOtherTabs } from './other-tabs.ts';

let leave = async () => {};
/** Registers the navigation after a sign-out. The router imports this file, so this file cannot import the router. */
export function whenLeaving(act: () => Promise<void>): void {
  leave = act;
}

/** Signs out here, or in every browser. */
export async function signOut({ everywhere = false } = {}): Promise<void> {
  try {
    await api.delete(everywhere ? '/sessions' : '/session');
    tellOtherTabs(null);
    drafts.clear();
    await leave();
  } catch (error) {
    // A 401 already leads to the sign-in page.
    if ((error as ApiError).status !== 401) say.failed(error as Error);
  }
}
