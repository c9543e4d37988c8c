import { refresh } from '../api/queries.ts';

/** Where the voucher groups of an account are, and one of them. */
export const groupsPath = (account: { path: string }) => `${account.path}/unique_code_groups`;
export const groupPath = (account: { path: string }, groupId: number) => `${groupsPath(account)}/${groupId}`;
/** Every group with what became of its codes. */
export const countedGroupsPath = (account: { path: string }) => `${groupsPath(account)}/statistics`;

/** After any change to groups or codes. */
export const refreshVouchers = (account: { path: string }) =>
  refresh(groupsPath(account), `${account.path}/unique_codes`);
