import { get, queryClient, refresh } from '../api/queries.ts';

/** Where the voucher groups of an account are, and one of them. */
export const groupsPath = (account: { path: string }) => `${account.path}/unique_code_groups`;
export const groupPath = (account: { path: string }, groupId: number) => `${groupsPath(account)}/${groupId}`;
/** Every group with what became of its codes. */
export const countedGroupsPath = (account: { path: string }) => `${groupsPath(account)}/statistics`;

/** After any change to groups or codes. Guests' pages show theirs. */
export const refreshVouchers = (account: { path: string }) =>
  refresh(groupsPath(account), `${account.path}/unique_codes`, `${account.path}/contacts`);

/** What the list shows first, and what a group's page does: asked for as soon as somebody points at the link. */
export function prefetchGroups(account: { path: string }): void {
  for (const path of [groupsPath(account), countedGroupsPath(account)]) void queryClient.prefetchQuery(get(path));
}
export function prefetchGroup(account: { path: string }, groupId: number): void {
  const path = groupPath(account, groupId);
  for (const part of [path, `${path}/statistics`, `${path}/codes`]) void queryClient.prefetchQuery(get(part));
}
