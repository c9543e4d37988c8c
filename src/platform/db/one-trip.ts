import type { Database, Tx } from './database.ts';

/**
 * A transaction of one account whose statements and commit share one round trip. The statements are sent without waiting
 * for the results of others.
 */
export async function inOneTrip<T>(db: Database, accountId: number, statements: (tx: Tx) => Promise<T>): Promise<T> {
  // In an object, because the result of the work would be awaited before the commit.
  const { sent } = await db.tenant(accountId, async (tx, last) => {
    const sent = statements(tx);
    last(sent);
    return { sent };
  });
  return sent;
}
