import { type Database, enterAccount } from '../../../platform/db/database.ts';
import type { Account } from './schema.ts';
import { type AccountSize, countOfAccount, getAccount, nextAccountIds } from './store.ts';

export type LargeAccount = Pick<Account, 'id' | 'name'> & AccountSize;

const pageSize = 100;

/**
 * The accounts with the most contacts and purchases. Row-level security shows one account at a time, so all of them are
 * counted one by one. After `longestMs` the rest is left out; `counted` is the number of accounts before that.
 */
export async function largestAccounts(
  db: Database,
  { most, longestMs }: { most: number; longestMs: number },
): Promise<{ accounts: LargeAccount[]; counted: number; complete: boolean }> {
  const end = Date.now() + longestMs;
  let sizes: (AccountSize & { id: number })[] = [];
  let [counted, after] = [0, 0];
  for (;;) {
    const ids = await db.transaction((tx) => nextAccountIds(tx, after, pageSize));
    const last = ids.at(-1);
    const complete = last === undefined;
    if (complete || Date.now() > end) return { accounts: await withNames(db, sizes), counted, complete };
    const counts = await db.transaction((tx) =>
      tx.each(ids, async (id) => {
        const { size } = await tx.inOrder({ scope: () => enterAccount(tx, id), size: () => countOfAccount(tx, id) });
        return { id, ...size };
      }),
    );
    const rows = ({ contacts, purchases }: AccountSize) => contacts + purchases;
    sizes = [...sizes, ...counts].sort((one, other) => rows(other) - rows(one)).slice(0, most);
    [counted, after] = [counted + ids.length, last];
  }
}

function withNames(db: Database, sizes: (AccountSize & { id: number })[]): Promise<LargeAccount[]> {
  return db.transaction((tx) =>
    tx.each(sizes, async ({ id, contacts, purchases }) => {
      const { name } = await getAccount(tx, id);
      return { id, name, contacts, purchases };
    }),
  );
}
