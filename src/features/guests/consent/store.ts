import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
import { listing } from '../../../platform/db/listing.ts';
import { raw, type Sql, sql } from '../../../platform/db/sql.ts';
import type { Channel } from '../../../shared/codes.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { ConsentEntry, StaffConsentEntry } from './schema.ts';

export type NewConsentEntry = Omit<ConsentEntry, 'id' | 'at'> & {
  /** The user and the reason. Null for a partner's request. */
  actor?: string | null;
  reason?: string;
};

/** Inserts in the given order, so that the ids are in that order. */
export async function appendToLedger(tx: Tx, accountId: number, entries: NewConsentEntry[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'consent_ledger',
    columns: {
      ...{ contact_id: 'bigint', channel: 'text', from_given: 'boolean', to_given: 'boolean', applied: 'boolean' },
      ...{ rule: 'text', source_id: 'bigint', token_id: 'bigint', actor: 'text', reason: 'text' },
    },
    rows: entries.map(({ from, to, ...entry }) => ({ ...entry, from_given: from, to_given: to })),
    computed: { at: () => tx.now },
  });
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

/** Deleted sources and tokens have no name. */
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

export interface Withdrawal {
  contact_id: number;
  channel: Channel;
  /** Whether a contact merged into this one withdrew it. */
  inherited: boolean;
}

/**
 * The consents that these contacts, or contacts merged into them, withdrew. An entry of an undo is not a withdrawal by
 * the guest.
 */
export function selectWithdrawals(tx: Tx, accountId: number, contactIds: number[]): Promise<Withdrawal[]> {
  return tx<Withdrawal>`
    select distinct person.id as contact_id, latest.channel, member.id <> person.id as inherited
    from unnest(${contactIds}::bigint[]) as person (id)
    cross join lateral (
      select person.id
      union all
      select id from contacts where account_id = ${accountId} and merged_into = person.id) as member (id)
    cross join lateral (
      select distinct on (channel) channel, to_given from consent_ledger
      where account_id = ${accountId} and contact_id = member.id and applied and rule is distinct from 'undo'
      order by channel, id desc) as latest
    where not latest.to_given`;
}

/** The channels whose flag was last set by a merge. */
export async function selectGivenByMerge(tx: Tx, accountId: number, contactId: number): Promise<Channel[]> {
  const rows = await tx<{ channel: Channel }>`
    select channel from (
      select distinct on (channel) channel, to_given, rule from consent_ledger
      where account_id = ${accountId} and contact_id = ${contactId} and applied order by channel, id desc) as latest
    where to_given and rule = 'merge'`;
  return rows.map(({ channel }) => channel);
}
