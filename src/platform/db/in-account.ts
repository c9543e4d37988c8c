import { type Database, isConflict, type Tx } from './database.ts';

const mostAttempts = 20;

/** A transaction of an account. It is repeated if it conflicts with others, such as a merge. */
export async function inAccount<T>(db: Database, accountId: number, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.tenant(accountId, work);
    } catch (error) {
      if (!isConflict(error) || attempt === mostAttempts) throw error;
    }
  }
}
