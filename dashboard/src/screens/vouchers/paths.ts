import { get, queryClient, refresh } from '../../api/queries.ts';

/** The paths of the voucher groups and of one group. */
export const groupsPath = (account: { path: string }) => `${account.path}/unique_code_groups`;
export const groupPath = (account: { path: string }, groupId: number) => `${groupsPath(account)}/${groupId}`;
/** All groups with their counts. */
export const countedGroupsPath = (account: { path: string }) => `${groupsPath(account)}/statistics`;

/** Call this after any change to groups or codes. Guest pages also show codes. */
export const refreshVouchers = (account: { path: string }) =>
  refresh(groupsPath(account), `${account.path}/unique_codes`, `${account.path}/contacts`);

/** Preloads the list or a group's page while the pointer is over the link. */
export function prefetchGroups(account: { path: string }): void {
  for (const path of [groupsPath(account), countedGroupsPath(account)]) void queryClient.prefetchQuery(get(path));
}
export function prefetchGroup(account: { path: string }, groupId: number): void {
  const path = groupPath(account, groupId);
  for (const part of [path, `${path}/statistics`, `${path}/codes`]) void queryClient.prefetchQuery(get(part));
}
