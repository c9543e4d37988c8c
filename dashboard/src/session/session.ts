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
  // Behind the guard there always is one.
  gcTime: Number.POSITIVE_INFINITY,
});

/** Who works here. Only below the guard, which has seen to it that there is somebody. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('Nobody is signed in.');
  return data;
}

/** Whether the buttons of that role are worth showing. The service decides by itself whether they work. */
export function useMay(role: Role): boolean {
  return mayActAs(useSession().user.role, role);
}

/** The account that the menu is about: the one in the address, or, on a page of none, the one before it. */
export function useShownAccount() {
  const { accounts } = useSession();
  const { accountId = lastAccount.read() } = useParams({ strict: false });
  return accounts.find(({ id }) => id === accountId) ?? accounts[0];
}

/** The account in the address: its id, name, time zone, and where it is in the admin API. */
export function useAccount() {
  const { accounts } = useSession();
  const { accountId } = useParams({ strict: false });
  const account = accounts.find(({ id }) => id === accountId);
  if (!account) throw new Error('This page belongs to no account.');
  return { ...account, path: `/accounts/${account.id}` };
}
