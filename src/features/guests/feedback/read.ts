import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { lineage } from '../../identity/identities/store.ts';
import type { Feedback } from './schema.ts';
import { selectFeedback } from './store.ts';

/** The feedback of a contact and of the contacts merged into it. */
export async function listFeedback(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<Feedback>> {
  return selectFeedback(tx, accountId, await lineage(tx, accountId, contactId), slice);
}
