import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Session } from '#service/features/access/sign-in/schema.ts';
import { mayActAs, type Role } from '#service/shared/roles.ts';
import { api } from '../api/client.ts';
import { lastAccount } from './last-account.ts';

export const sessionQuery = queryOptions<Session>({
  queryKey: ['session'],
  queryFn: ({ signal }) => api.get<Session>('/session', {}, { signal }),
  staleTime: 5 * 60_000,
  // Pages below the guard always need the session.
  gcTime: Number.POSITIVE_INFINITY,
});

/** The session of the signed-in user. Use it only below the guard. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('There is no session.');
  return data;
}

/** Whether to show the buttons of that role. The service enforces the permission. */
export function useHasRole(role: Role): boolean {
  return mayActAs(useSession().user.role, role);
}

/** The account of the menu: the one in the URL, or else the last opened one. */
export function useMenuAccount() {
  const { accounts } = useSession();
  const { accountId = lastAccount.read() } = useParams({ strict: false });
  return accounts.find(({ id }) => id === accountId) ?? accounts[0];
}

/** The account in the URL, with its path in the admin API. */
export function useAccount() {
  const { accounts } = useSession();
  const { accountId } = useParams({ strict: false });
  const account = accounts.find(({ id }) => id === accountId);
  if (!account) throw new Error('There is no account in the URL.');
  return { ...account, path: `/accounts/${account.id}` };
}
