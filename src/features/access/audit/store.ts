import { commitInTwoPhases } from '../../../platform/db/citus.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { AuditEvent } from '../../../shared/audit-event.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { AuditEntry, AuditQuery } from './schema.ts';

export async function insertAudit(tx: Tx, event: AuditEvent): Promise<void> {
  await tx.inOrder({
    insert: () => tx`
      insert into audit_trail (at, account_id, user_id, actor, address, action, subject, ids, fields)
      values (${tx.now}, ${event.accountId}, ${event.userId}, ${event.actor}, ${event.address}, ${event.action}, ${event.subject}, ${JSON.stringify(event.ids)},
        ${event.fields})`,
    // The change itself is in an account.
    prepare: () => commitInTwoPhases(tx),
  });
}

export function selectAudit(tx: Tx, { account_id, user_id }: AuditQuery, slice: Slice): Promise<Rows<AuditEntry>> {
  const ofAccount = account_id === undefined ? sql`true` : sql`account_id = ${account_id}`;
  const ofUser = user_id === undefined ? sql`true` : sql`user_id = ${user_id}`;
  return listing(
    tx,
    {
      columns: sql`id, at, account_id, user_id, actor, address, action, subject, ids, fields`,
      from: sql`audit_trail where ${ofAccount} and ${ofUser}`,
      orderBy: sql`id desc`,
    },
    slice,
  );
}
