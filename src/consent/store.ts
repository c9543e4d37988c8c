import type { Tx } from '../db/database.ts';
import { listing } from '../db/listing.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import type { Channel, ConsentEntry, StaffConsentEntry } from './schema.ts';

export type NewConsentEntry = Omit<ConsentEntry, 'id' | 'at'> & {
  /** Who of the staff it was, and why; none for a partner's request. */
  actor?: string | null;
  reason?: string;
};

/** In the order given, which their ids keep. */
export async function appendToLedger(tx: Tx, accountId: number, entries: NewConsentEntry[]): Promise<void> {
  await tx`
    insert into consent_ledger
      (account_id, contact_id, channel, from_given, to_given, applied, rule, source_id, token_id, actor, reason, at)
    select ${accountId}::bigint, contact_id, channel, "from", "to", applied, rule, source_id, token_id, actor, reason, ${tx.now}
    from rows from (jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as (contact_id bigint, channel text, "from" boolean, "to" boolean,
      applied boolean, rule text, source_id bigint, token_id bigint, actor text, reason text)) with ordinality as entry
      (contact_id, channel, "from", "to", applied, rule, source_id, token_id, actor, reason, place)
    order by place
    on conflict do nothing`;
}

const columns = sql`id, contact_id, channel, from_given as "from", to_given as "to", applied, rule, source_id, token_id, at`;
const ofContacts = (accountId: number, contactIds: number[]) =>
  sql`consent_ledger entry where account_id = ${accountId} and contact_id = any(${contactIds})`;

export function selectLedger(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<ConsentEntry>> {
  return listing(tx, { columns, from: ofContacts(accountId, contactIds), orderBy: sql`id desc` }, slice);
}

/** Sources and tokens that are gone have no name. */
export function selectStaffLedger(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<StaffConsentEntry>> {
  const named = (table: 'sources' | 'tokens', id: Sql) =>
    sql`(select name from ${raw(table)} where account_id = ${accountId} and id = ${id})`;
  const more = sql`${named('sources', sql`entry.source_id`)} as source_name, ${named('tokens', sql`entry.token_id`)} as token_name, actor, reason`;
  const from = ofContacts(accountId, contactIds);
  return listing(tx, { columns: sql`${columns}, ${more}`, from, orderBy: sql`id desc` }, slice);
}

/** Which of these contacts once gave a consent and then took it back, and on which channel. */
export function selectWithdrawals(
  tx: Tx,
  accountId: number,
  contactIds: number[],
): Promise<{ contact_id: number; channel: Channel }[]> {
  return tx<{ contact_id: number; channel: Channel }>`
    select distinct contact_id, channel from consent_ledger
    where account_id = ${accountId} and contact_id = any(${contactIds}) and applied and not to_given`;
}
