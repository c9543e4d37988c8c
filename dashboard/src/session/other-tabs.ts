import type { Session } from '#service/features/access/sign-in/schema.ts';
import { queryClient } from '../api/queries.ts';
import { drafts } from './drafts.ts';
import { sessionQuery } from './session.ts';

/** All tabs share one cookie: who signs in or out in one of them does so in all, and none goes on as somebody else. */
const tabs = new BroadcastChannel('regulars.session');

tabs.onmessage = ({ data: userId }: MessageEvent<number | null>) => {
  const shown = queryClient.getQueryData<Session>(sessionQuery.queryKey);
  if (!shown || shown.user.id === userId) return;
  drafts.clear();
  location.reload();
};

/** Who works in this browser from now on, or nobody. */
export const tellOtherTabs = (userId: number | null) => tabs.postMessage(userId);
