import { type ApiError, api } from '../api/client.ts';
import { say } from '../ui/say.ts';
import { drafts } from './drafts.ts';
import { tellOtherTabs } from './other-tabs.ts';

let leave = async () => {};
/** Where one goes afterwards; the router says so, which knows of this and not the other way round. */
export function whenLeaving(act: () => Promise<void>): void {
  leave = act;
}

/** Here, or in every browser where one is signed in. */
export async function signOut({ everywhere = false } = {}): Promise<void> {
  try {
    await api.delete(everywhere ? '/sessions' : '/session');
    tellOtherTabs(null);
    drafts.clear();
    await leave();
  } catch (error) {
    // Who is no longer signed in is on the way out already.
    if ((error as ApiError).status !== 401) say.failed(error as Error);
  }
}
