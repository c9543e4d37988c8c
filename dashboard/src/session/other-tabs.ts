import type { Session } from '#service/features/access/sign-in/schema.ts';
import { queryClient } from '../api/queries.ts';
import { drafts } from './drafts.ts';
import { sessionQuery } from './session.ts';

/** All tabs share one cookie. After a sign-in or sign-out in one tab, tabs of another user reload. */
const tabs = new BroadcastChannel('regulars.session');

tabs.onmessage = ({ data: userId }: MessageEvent<number | null>) => {
  const shown = queryClient.getQueryData<Session>(sessionQuery.queryKey);
  if (!shown || shown.user.id === userId) return;
  drafts.clear();
  location.reload();
};

/** Sends the id of the signed-in user to the other tabs, or null after a sign-out. */
export const notifyOtherTabs = (userId: number | null) => tabs.postMessage(userId);
