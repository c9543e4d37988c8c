import type { GuestsSearch } from './queries.ts';

const searches = new Map<string, GuestsSearch>();
const keyOf = (userId: number, accountId: number) => `${userId} ${accountId}`;

/** The last search for guests in each account. It is only in memory, because it can be a guest's name. */
export const lastSearch = {
  read: (userId: number, accountId: number): GuestsSearch => searches.get(keyOf(userId, accountId)) ?? {},
  keep: (userId: number, accountId: number, search: GuestsSearch) => {
    searches.set(keyOf(userId, accountId), search);
  },
};
