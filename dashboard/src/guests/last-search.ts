import type { SearchContacts } from '#service/features/guests/contacts/schema.ts';

const searches = new Map<string, SearchContacts>();
const keyOf = (userId: number, accountId: number) => `${userId} ${accountId}`;

/** What one last searched for among an account's guests. In memory alone: it may be a guest's name. */
export const lastSearch = {
  read: (userId: number, accountId: number): SearchContacts => searches.get(keyOf(userId, accountId)) ?? {},
  keep: (userId: number, accountId: number, search: SearchContacts) => {
    searches.set(keyOf(userId, accountId), search);
  },
};
