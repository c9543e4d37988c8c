import type { Tx } from '../../../platform/db/database.ts';
import { NotFound } from '../../../shared/problem.ts';
import { findToken } from '../tokens/store.ts';
import type { LogPage } from './schema.ts';
import { selectRequests } from './store.ts';

const perPage = 100;

/** Uses a cursor instead of page numbers, because the log grows while it is read and counting it is slow. */
export async function readRequests(
  tx: Tx,
  accountId: number,
  tokenId: number,
  before: number | undefined,
): Promise<LogPage> {
  if (!(await findToken(tx, accountId, tokenId))) throw new NotFound('There is no such token.');
  const rows = await selectRequests(tx, accountId, tokenId, before ?? null, perPage + 1);
  const data = rows.slice(0, perPage);
  return { data, next_before: rows.length > perPage ? (data.at(-1)?.id ?? null) : null };
}
