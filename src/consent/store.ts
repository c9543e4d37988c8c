import type { Tx } from '../db/database.ts';
import { listing } from '../db/listing.ts';
import { sql } from '../db/sql.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import type { Channel, ConsentEntry } from './schema.ts';

export type NewConsentEntry = Omit<ConsentEntry, 'id' | 'at'>;

/** In the order given, which their ids keep. */
export async function appendToLedger(tx: Tx, accountId: number, entries: NewConsentEntry[]): Promise<void> {
  await tx`
    insert into consent_ledger (account_id, contact_id, channel, from_given, to_given, applied, rule, source_id, token_id, at)
    select ${accountId}::bigint, contact_id, channel, "from", "to", applied, rule, source_id, token_id, ${tx.now}
    from rows from (jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as (contact_id bigint, channel text, "from" boolean, "to" boolean,
      applied boolean, rule text, source_id bigint, token_id bigint)) with ordinality as entry
      (contact_id, channel, "from", "to", applied, rule, source_id, token_id, place)
    order by place
    on conflict do nothing`;
}

export function selectLedger(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<ConsentEntry>> {
  const from = sql`consent_ledger where account_id = ${accountId} and contact_id = any(${contactIds})`;
  const columns = sql`id, contact_id, channel, from_given as "from", to_given as "to", applied, rule, source_id, token_id, at`;
  return listing(tx, { columns, from, orderBy: sql`id desc` }, slice);
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
