import type { SearchContacts } from '#service/features/guests/contacts/schema.ts';

const searches = new Map<string, SearchContacts>();
const keyOf = (userId: number, accountId: number) => `${userId} ${accountId}`;

/** The last search for guests in each account. It is only in memory, because it can be a guest's name. */
export const lastSearch = {
  read: (userId: number, accountId: number): SearchContacts => searches.get(keyOf(userId, accountId)) ?? {},
  keep: (userId: number, accountId: number, search: SearchContacts) => {
    searches.set(keyOf(userId, accountId), search);
  },
};
