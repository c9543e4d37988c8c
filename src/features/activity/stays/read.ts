import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { lineage } from '../../identity/identities/store.ts';
import type { Stay } from './schema.ts';
import { selectStays } from './store.ts';

/** The stays of the contact and of its merged contacts. */
export async function listStays(tx: Tx, accountId: number, contactId: number, slice: Slice): Promise<Rows<Stay>> {
  return selectStays(tx, accountId, await lineage(tx, accountId, contactId), slice);
}
