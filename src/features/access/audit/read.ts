import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { AuditEntry, AuditQuery } from './schema.ts';
import { selectAudit } from './store.ts';

export function readAudit(tx: Tx, query: AuditQuery, slice: Slice): Promise<Rows<AuditEntry>> {
  return selectAudit(tx, query, slice);
}
