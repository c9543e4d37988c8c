import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import type { MergeReason } from '../../../shared/codes.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { NotFound } from '../../../shared/problem.ts';
import type { Claim, Identity, Taken } from './schema.ts';

/*
 * These statements look up rows one by one (`lateral … offset 0`) instead of joining a list. A join is planned by table
 * statistics, and a plan from nearly empty tables reads them completely later.
 */

export interface Owner {
  /** The contact that owns the identity, and its survivor after merges. */
  contact: number | null;
  owner: number | null;
  /** An id for a new contact, if one is probably needed and can be taken here. */
  fresh_id: number | null;
}

export interface OwnerQuery extends Identity {
  /** If it has no owner, a new contact is created. */
  makesNew: boolean;
}

/**
 * The owners of these identities, in order. A single server also takes the ids of new contacts here, which saves a round
 * trip. A distributed one runs this on the node of the shard, without the sequence of the coordinator. The sequence is
 * named directly, because a catalogue look-up per contact is slow.
 */
export function findOwners(tx: Tx, accountId: number, queries: OwnerQuery[]): Promise<Owner[]> {
  const freshId = tx.isOneServer
    ? sql`case when makes_new and identity.contact_id is null then nextval('contacts_id_seq') end`
    : sql`null::bigint`;
  return tx<Owner>`
    select identity.contact_id as contact, contact.owner, ${freshId} as fresh_id
    from unnest(${queries.map(({ kind }) => kind)}::text[], ${queries.map(({ value }) => value)}::text[],
      ${queries.map(({ makesNew }) => makesNew)}::boolean[]) with ordinality as query (kind, value, makes_new, place)
    left join lateral (
      select contact_id from identities
      where account_id = ${accountId} and kind = query.kind and value = query.value offset 0) as identity on true
    left join lateral (
      select coalesce(merged_into, id) as owner from contacts
      where account_id = ${accountId} and id = identity.contact_id offset 0) as contact on true
    order by place`;
}

/** The contact of an identity, after merges. */
export async function findOwner(tx: Tx, accountId: number, { kind, value }: Identity): Promise<number | undefined> {
  const [row] = await tx<{ id: number }>`
    select coalesce(c.merged_into, c.id) as id
    from identities i join contacts c on c.account_id = i.account_id and c.id = i.contact_id
    where i.account_id = ${accountId} and i.kind = ${kind} and i.value = ${value}`;
  return row?.id;
}

/**
 * The ids of the survivor and of all contacts merged into it, by the id of any of them. Throws if there is no such
 * contact.
 */
export async function lineage(tx: Tx, accountId: number, contactId: number): Promise<number[]> {
  const ids = (await lineages(tx, accountId, [contactId])).get(contactId);
  if (!ids) throw new NotFound('There is no such contact.');
  return ids;
}

/** The same for many ids. Each list starts with the survivor. Unknown ids are missing from the result. */
export async function lineages(tx: Tx, accountId: number, contactIds: number[]): Promise<Map<number, number[]>> {
  const rows = await tx<{ id: number; survivor: number; merged: number[] }>`
    select sent.id, survivor.id as survivor,
      array(select c.id from contacts c where c.account_id = ${accountId} and c.merged_into = survivor.id) as merged
    from unnest(${contactIds}::bigint[]) as sent (id)
    cross join lateral (
      select coalesce(merged_into, id) as id from contacts where account_id = ${accountId} and id = sent.id offset 0) as survivor`;
  return new Map(rows.map(({ id, survivor, merged }) => [id, [survivor, ...merged]]));
}

/** The survivor of each id. */
export async function survivorsOf(tx: Tx, accountId: number, contactIds: number[]): Promise<Map<number, number>> {
  if (contactIds.length === 0) return new Map();
  const rows = await tx<{ id: number; survivor: number }>`
    select id, coalesce(merged_into, id) as survivor from contacts where account_id = ${accountId} and id = any(${contactIds})`;
  return new Map(rows.map(({ id, survivor }) => [id, survivor]));
}

/** Locks those of the contacts that are not merged, in the order of their ids. Returns their number. */
export async function lockUnmerged(tx: Tx, accountId: number, contactIds: number[]): Promise<number> {
  const rows = await tx`
    select from contacts where account_id = ${accountId} and id = any(${contactIds}) and merged_into is null
    order by id for no key update`;
  return rows.length;
}

/** All identities of these contacts. */
export function selectIdentities(tx: Tx, accountId: number, contactIds: number[]): Promise<Identity[]> {
  return tx<Identity>`
    select kind, value from identities where account_id = ${accountId} and contact_id = any(${contactIds})`;
}

/** The identities that belong to no other contact. A card can have moved to another contact. */
export function withoutOtherOwners(
  tx: Tx,
  accountId: number,
  identities: Identity[],
  contactIds: number[],
): Promise<Identity[]> {
  return tx<Identity>`
    select kind, value from unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[])
      as own (kind, value)
    where not exists (
      select from identities other where other.account_id = ${accountId} and other.kind = own.kind
        and other.value = own.value and other.contact_id <> all(${contactIds}))`;
}

/** Deletes identities of exactly these contacts. Those of merged contacts stay. */
export async function releaseIdentities(tx: Tx, accountId: number, claims: Claim[]): Promise<void> {
  await tx`
    delete from identities i using jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) as gone (kind text, value text, contact_id bigint)
    where i.account_id = ${accountId} and i.kind = gone.kind and i.value = gone.value and i.contact_id = gone.contact_id`;
}

/**
 * A membership or card moves to the contact that sent it last. An e-mail or mobile was checked under its lock to have
 * no owner.
 */
export async function claimIdentities(tx: Tx, accountId: number, claims: Claim[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'identities',
    columns: { kind: 'text', value: 'text', contact_id: 'bigint' },
    // All transactions lock the rows in one order.
    rows: claims.toSorted((one, other) => (`${one.kind} ${one.value}` < `${other.kind} ${other.value}` ? -1 : 1)),
    clauses: sql`
      on conflict (account_id, kind, value) do update
        set contact_id = case when identities.kind in ('membership', 'card') then excluded.contact_id else raced(identities.contact_id) end`,
  });
}

export interface NewMerge {
  contact_id: number;
  into_contact_id: number;
  reason: MergeReason;
  actor: string;
  taken: Taken;
  /** The id of the merge that this entry undoes. */
  undoes?: number;
}

export interface MergeRow extends Omit<NewMerge, 'undoes'> {
  id: number;
  at: string;
  undone_at: string | null;
  undone_by: string | null;
  contact: { first_name: string; last_name: string; email: string; mobile_number: string };
}

/** Inserts in the given order, so that the ids are in that order. */
export async function appendMerges(tx: Tx, accountId: number, merges: NewMerge[]): Promise<number[]> {
  const rows = await insertRows<{ id: number }>(tx, accountId, {
    table: 'merges',
    columns: {
      ...{ contact_id: 'bigint', into_contact_id: 'bigint', reason: 'text', actor: 'text', taken: 'jsonb' },
      undoes: 'bigint',
    },
    rows: merges,
    computed: { at: () => tx.now },
    clauses: sql`returning id`,
  });
  return rows.map((row) => row.id);
}

const mergeColumns = (
  accountId: number,
) => sql`m.id, m.contact_id, m.into_contact_id, m.reason, m.actor, m.taken, m.at, undo.at as undone_at, undo.actor as undone_by,
  (select jsonb_build_object('first_name', coalesce(first_name, ''), 'last_name', coalesce(last_name, ''), 'email', coalesce(email, ''),
    'mobile_number', coalesce(mobile_number, '')) from contacts c where c.account_id = ${accountId} and c.id = m.contact_id) as contact`;
const mergesWithUndo = (accountId: number) => sql`merges m
  left join lateral (select at, actor from merges where account_id = ${accountId} and undoes = m.id offset 0) as undo on true`;

export async function findMerge(tx: Tx, accountId: number, id: number): Promise<MergeRow | undefined> {
  const [row] = await tx<MergeRow>`
    select ${mergeColumns(accountId)} from ${mergesWithUndo(accountId)} where m.account_id = ${accountId} and m.id = ${id} and m.undoes is null`;
  return row;
}

/** The last merge of this contact into another one. */
export async function latestMerge(tx: Tx, accountId: number, contactId: number): Promise<MergeRow> {
  const rows = await tx<MergeRow>`
    select ${mergeColumns(accountId)} from ${mergesWithUndo(accountId)}
    where m.account_id = ${accountId} and m.contact_id = ${contactId} and m.undoes is null order by m.id desc limit 1`;
  return only(rows);
}

/** All merges, or those of these contacts. */
export function selectMerges(
  tx: Tx,
  accountId: number,
  contactIds: number[] | undefined,
  slice: Slice,
): Promise<Rows<MergeRow>> {
  const theirs = sql`and (m.contact_id = any(${contactIds}) or m.into_contact_id = any(${contactIds}))`;
  const from = sql`${mergesWithUndo(accountId)} where m.account_id = ${accountId} and m.undoes is null ${contactIds ? theirs : sql``}`;
  return listing(tx, { columns: mergeColumns(accountId), from, orderBy: sql`m.id desc` }, slice);
}

/** A merged contact, and the contacts that had been merged into it. Undone merges do not count. */
export async function mergeSubtree(tx: Tx, accountId: number, contactId: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    with recursive line (id) as (
      select ${contactId}::bigint
      union
      select m.contact_id from line join merges m on m.account_id = ${accountId} and m.into_contact_id = line.id
      where m.undoes is null and not exists (
        select from merges undo where undo.account_id = ${accountId} and undo.undoes = m.id))
    select id from line`;
  return rows.map((row) => row.id);
}

export interface Pair {
  contact_id: number;
  other_contact_id: number;
  reason: MergeReason;
}

/** Stores possible duplicates, each pair once. The caller puts the lower id first. */
export async function insertPairs(tx: Tx, accountId: number, pairs: Pair[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'possible_duplicates',
    columns: { contact_id: 'bigint', other_contact_id: 'bigint', reason: 'text' },
    rows: pairs.toSorted(
      (one, other) => one.contact_id - other.contact_id || one.other_contact_id - other.other_contact_id,
    ),
    computed: { created_at: () => tx.now },
    clauses: sql`on conflict do nothing`,
  });
}

/** The pairs of these contacts that staff marked as different people. */
export function selectKeptApart(
  tx: Tx,
  accountId: number,
  ids: number[],
): Promise<Pick<Pair, 'contact_id' | 'other_contact_id'>[]> {
  return tx<Pick<Pair, 'contact_id' | 'other_contact_id'>>`
    select contact_id, other_contact_id from possible_duplicates
    where account_id = ${accountId} and contact_id = any(${ids}) and other_contact_id = any(${ids}) and kept_apart_at is not null`;
}

/** Marks two contacts as different people, also if they were not listed as possible duplicates. */
export async function keepApart(tx: Tx, accountId: number, pair: Pair, actor: string): Promise<void> {
  await tx`
    insert into possible_duplicates (account_id, contact_id, other_contact_id, reason, created_at, kept_apart_at, kept_apart_by)
    values (${accountId}, ${pair.contact_id}, ${pair.other_contact_id}, ${pair.reason}, ${tx.now}, ${tx.now}, ${actor})
    on conflict (account_id, contact_id, other_contact_id) do update
      set kept_apart_at = excluded.kept_apart_at, kept_apart_by = excluded.kept_apart_by`;
}

export interface PairRow {
  id: number;
  reason: MergeReason;
  created_at: string;
  low: number;
  high: number;
}

/** The possible duplicates after merges, each pair once. Excludes merged pairs and pairs marked as different people. */
const openPairs = (accountId: number) => sql`(
    select distinct on (low, high) d.id, d.reason, d.created_at, low, high
    from possible_duplicates d
    join contacts x on x.account_id = d.account_id and x.id = d.contact_id
    join contacts y on y.account_id = d.account_id and y.id = d.other_contact_id
    cross join lateral (select coalesce(x.merged_into, x.id) as one, coalesce(y.merged_into, y.id) as other) as survivor
    cross join lateral (select least(one, other) as low, greatest(one, other) as high) as pair
    where d.account_id = ${accountId} and d.kept_apart_at is null and low <> high and not exists (
      select from possible_duplicates k
      where k.account_id = ${accountId} and k.contact_id = low and k.other_contact_id = high and k.kept_apart_at is not null)
    order by low, high, d.id) as d`;

export function selectPairs(tx: Tx, accountId: number, slice: Slice): Promise<Rows<PairRow>> {
  return listing(
    tx,
    { columns: sql`id, reason, created_at, low, high`, from: openPairs(accountId), orderBy: sql`id desc` },
    slice,
  );
}

export async function findPair(tx: Tx, accountId: number, id: number): Promise<Pair | undefined> {
  const [row] = await tx<Pair>`
    select contact_id, other_contact_id, reason from possible_duplicates where account_id = ${accountId} and id = ${id}`;
  return row;
}

/** The times in which other contacts had the data of these, because they were merged into them and separated again. */
export function selectMergedPeriods(
  tx: Tx,
  accountId: number,
  ids: number[],
): Promise<{ contact_id: number; since: Date; until: Date }[]> {
  const merges = sql`merges m left join merges undo on undo.account_id = ${accountId} and undo.undoes = m.id`;
  return tx<{ contact_id: number; since: Date; until: Date }>`
    with recursive lent (contact_id, since, until) as (
      select m.into_contact_id, m.at, coalesce(undo.at, now()) from ${merges}
      where m.account_id = ${accountId} and m.undoes is null and m.contact_id = any(${ids})
      union
      select m.into_contact_id, greatest(m.at, lent.since), least(coalesce(undo.at, now()), lent.until)
      from lent cross join ${merges}
      where m.account_id = ${accountId} and m.undoes is null and m.contact_id = lent.contact_id
        and m.at < lent.until and coalesce(undo.at, now()) > lent.since)
    select * from lent where contact_id <> all(${ids})`;
}

/** Sets or clears the survivor of these contacts. */
export async function setSurvivor(tx: Tx, accountId: number, ids: number[], survivor: number | null): Promise<void> {
  await tx`
    update contacts set merged_into = ${survivor}, updated_at = ${tx.now} where account_id = ${accountId} and id = any(${ids})`;
}

export { insertPairs as notePairs, mergeSubtree as descent, setSurvivor as pointAt };
