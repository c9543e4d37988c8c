import type { Database } from '../db/database.ts';
import type { EmailDomains } from '../domains/check.ts';
import { lookAgain } from '../domains/look-again.ts';
import { type LookAgain, lookAgainTask } from '../domains/schema.ts';

/** What can be put off, by the name under which it is enqueued. */
export type Tasks = Record<string, (payload: unknown) => Promise<void>>;

export function tasks(db: Database, domains: EmailDomains): Tasks {
  return {
    [lookAgainTask]: (payload) => lookAgain(db, domains, payload as LookAgain),
  };
}
