import { Conflict, type Tx } from '../../../platform/db/database.ts';
import { type ColumnType, insertRows } from '../../../platform/db/insert-rows.ts';
import { listing } from '../../../platform/db/listing.ts';
import { join, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { NotFound } from '../../../shared/problem.ts';
import { keysOf, recordOf } from '../../../shared/record.ts';
import { type ListContacts, type ProfileField, profileFields } from './schema.ts';

export const noSuchContact = () => new NotFound('There is no such contact.');

/** A stored contact. */
export type ContactRow = Record<ProfileField, string | null> & {
  id: number;
  merged_into: number | null;
  email_status: 'unchecked' | 'invalid' | null;
  source_id: number | null;
  allow_sms: boolean;
  allow_email: boolean;
  allow_call: boolean;
  allow_snail_mail: boolean;
};

export interface Named {
  id: number;
  name: string;
}

/** The other data of the full contact object. */
export interface Details {
  id: number;
  units: Named[];
  groups: (Named & { unit_id: number })[];
  udfs: { id: number; data: string }[];
}

const columnTypes = {
  id: 'bigint' as const,
  ...recordOf(profileFields, (name): ColumnType => (name === 'dob' ? 'date' : 'text')),
  merged_into: 'bigint' as const,
  email_status: 'text' as const,
  source_id: 'bigint' as const,
  ...recordOf(['allow_sms', 'allow_email', 'allow_call', 'allow_snail_mail'], (): ColumnType => 'boolean'),
};
const columnNames = keysOf(columnTypes);
const columns = raw(columnNames.join(', '));
const assignments = raw(columnNames.map((name) => `${name} = excluded.${name}`).join(', '));

/**
 * Locks the contacts that own any of these identities, in the order of their ids. The owners may change while the
 * statement waits for a lock, so they must be read again afterwards.
 */
export function lockOwners(tx: Tx, accountId: number, kinds: string[], values: string[]): Promise<ContactRow[]> {
  return tx<ContactRow>`
    select contact.* from (
      select distinct owner.id
      from unnest(${kinds}::text[], ${values}::text[]) as sent (kind, value)
      cross join lateral (
        select contact_id from identities
        where account_id = ${accountId} and kind = sent.kind and value = sent.value offset 0) as identity
      cross join lateral (
        select coalesce(merged_into, id) as id from contacts
        where account_id = ${accountId} and id = identity.contact_id offset 0) as owner
      order by owner.id) as wanted
    cross join lateral (
      select ${columns} from contacts where account_id = ${accountId} and id = wanted.id for no key update) as contact`;
}

/** Locks the contacts, in the order of their ids. */
export function lockContacts(tx: Tx, accountId: number, ids: number[]): Promise<ContactRow[]> {
  return tx<ContactRow>`
    select ${columns} from contacts where account_id = ${accountId} and id = any(${ids}) order by id for no key update`;
}

/** Locks the contact that the id leads to. */
export async function lockSurvivor(tx: Tx, accountId: number, id: number): Promise<ContactRow> {
  const [row] = await tx<ContactRow>`
    select ${columns} from contacts where account_id = ${accountId} and id = (
      select coalesce(merged_into, id) from contacts where account_id = ${accountId} and id = ${id}) for no key update`;
  if (!row) throw noSuchContact();
  // Another transaction merged it before it was locked.
  if (row.merged_into !== null) throw new Conflict();
  return row;
}

export async function findContact(tx: Tx, accountId: number, id: number): Promise<ContactRow | undefined> {
  const [row] = await tx<ContactRow>`select ${columns} from contacts where account_id = ${accountId} and id = ${id}`;
  return row;
}

export function selectContactRows(tx: Tx, accountId: number, ids: number[]): Promise<ContactRow[]> {
  return tx<ContactRow>`select ${columns} from contacts where account_id = ${accountId} and id = any(${ids})`;
}

export async function newContactIds(tx: Tx, count: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select nextval('contacts_id_seq') as id from generate_series(1, ${count}::bigint)`;
  return rows.map((row) => row.id);
}

/** The fields of a row that are not null. Most contacts have few fields, and missing fields are read as null. */
function nonNullFields(row: ContactRow): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of columnNames) {
    const value = row[name];
    if (value !== null) fields[name] = value;
  }
  return fields;
}

/** Upserts complete rows. */
export async function putContacts(tx: Tx, accountId: number, rows: ContactRow[]): Promise<void> {
  await insertRows(tx, accountId, {
    ...{ table: 'contacts', columns: columnTypes, rows: rows.map(nonNullFields) },
    computed: { created_at: () => tx.now, updated_at: () => tx.now },
    clauses: sql`on conflict (account_id, id) do update set ${assignments}, updated_at = excluded.updated_at`,
  });
}

/** The units that still exist, the groups and the values of user-defined fields of these contacts. */
export function selectDetails(tx: Tx, accountId: number, ids: number[]): Promise<Details[]> {
  return tx<Details>`
    select wanted.id,
      (select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'name', u.name)), '[]')
        from contact_units c join units u on u.account_id = c.account_id and u.id = c.unit_id
        where c.account_id = ${accountId} and c.contact_id = wanted.id and u.deleted_at is null) as units,
      (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'unit_id', g.unit_id)), '[]')
        from contact_groups c join groups g on g.account_id = c.account_id and g.id = c.group_id
        where c.account_id = ${accountId} and c.contact_id = wanted.id) as groups,
      (select coalesce(jsonb_agg(jsonb_build_object('id', c.udf_id, 'data', c.data)), '[]')
        from contact_udfs c where c.account_id = ${accountId} and c.contact_id = wanted.id) as udfs
    from unnest(${ids}::bigint[]) as wanted (id)`;
}

/** Points the contacts that were merged into these to the new survivor. */
export async function followMerges(tx: Tx, accountId: number, pairs: { from: number; to: number }[]): Promise<void> {
  await tx`
    update contacts c set merged_into = moved."to"
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as moved ("from" bigint, "to" bigint)
    where c.account_id = ${accountId} and c.merged_into = moved."from"`;
}

export interface StaffRow extends ContactRow {
  created_at: string;
  updated_at: string;
  merged_contact_ids: number[];
}

const staffColumns = (accountId: number) => sql`${columns}, created_at, updated_at, array(
  select m.id from contacts m where m.account_id = ${accountId} and m.merged_into = contacts.id order by 1) as merged_contact_ids`;

export async function findStaffContact(tx: Tx, accountId: number, id: number): Promise<StaffRow | undefined> {
  const [row] = await tx<StaffRow>`
    select ${staffColumns(accountId)} from contacts where account_id = ${accountId} and id = ${id}`;
  return row;
}

export function selectContacts(
  tx: Tx,
  accountId: number,
  /** Filters: one contact id or none (null), and an e-mail status. */
  { id, status }: { id: number | null | undefined; status: ListContacts['email_status'] },
  slice: Slice,
): Promise<Rows<StaffRow>> {
  const narrowed = join(
    [
      sql`account_id = ${accountId} and merged_into is null`,
      ...(id === undefined ? [] : [sql`id = ${id}`]),
      ...(status === undefined ? [] : [sql`email_status = ${status}`]),
    ],
    ' and ',
  );
  const from = sql`contacts where ${narrowed}`;
  return listing(tx, { columns: staffColumns(accountId), from, orderBy: sql`id` }, slice);
}

/** Allows this transaction to delete from the consent ledger and the merges. */
export async function allowErasure(tx: Tx): Promise<void> {
  await tx`set local app.erasing = 'on'`;
}

/** Waits for transactions that add rows to these contacts. Later ones wait until this transaction ends. */
export async function lockForDeletion(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx`select from contacts where account_id = ${accountId} and id = any(${ids}) order by id for update`;
}

export async function deleteContacts(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx`delete from contacts where account_id = ${accountId} and id = any(${ids})`;
}

/** Tables whose names can come from a partner's write. */
const namedTables = ['groups', 'folders', 'sources', 'unique_code_groups'];

/**
 * Renames rows that contain the guest's e-mail or number in their name. Also renames groups and sources with the
 * guest's first and last name that only this guest uses. Nothing is deleted, because staff may have created the row and
 * partners use its id.
 */
export async function eraseNames(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  addresses: string[],
  names: string[],
): Promise<void> {
  const rename = (table: string, condition: Sql) => tx`
    update ${raw(table)} as entry set name = 'Erased ' || entry.id where account_id = ${accountId} and ${condition}`;
  for (const table of namedTables) await rename(table, sql`lower(entry.name) like any (${addresses}::text[])`);
  await rename(
    'groups',
    sql`lower(entry.name) like any (${names}::text[])
      and exists (select from contact_groups own
        where own.account_id = ${accountId} and own.group_id = entry.id and own.contact_id = any(${contactIds}))
      and not exists (select from contact_groups other
        where other.account_id = ${accountId} and other.group_id = entry.id and other.contact_id <> all(${contactIds}))`,
  );
  await rename(
    'sources',
    sql`lower(entry.name) like any (${names}::text[])
      and exists (select from contacts own
        where own.account_id = ${accountId} and own.source_id = entry.id and own.id = any(${contactIds}))
      and not exists (select from contacts other
        where other.account_id = ${accountId} and other.source_id = entry.id and other.id <> all(${contactIds}))`,
  );
}

export interface UnitLink {
  contact_id: number;
  unit_id: number;
}

export interface GroupLink {
  contact_id: number;
  group_id: number;
}

export async function storeToUnits(tx: Tx, accountId: number, links: UnitLink[]): Promise<void> {
  const columns = { contact_id: 'bigint', unit_id: 'bigint' } as const;
  await insertRows(tx, accountId, {
    table: 'contact_units',
    columns,
    rows: links,
    clauses: sql`on conflict do nothing`,
  });
}

export async function attachGroups(tx: Tx, accountId: number, links: GroupLink[]): Promise<void> {
  const columns = { contact_id: 'bigint', group_id: 'bigint' } as const;
  await insertRows(tx, accountId, {
    table: 'contact_groups',
    columns,
    rows: links,
    clauses: sql`on conflict do nothing`,
  });
}

/** Removes these contacts from all their groups. */
export async function detachGroups(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  await tx`delete from contact_groups where account_id = ${accountId} and contact_id = any(${contactIds})`;
}

/** Removes a contact from some units and groups. Returns those that it was in. */
export async function removeFromUnitsAndGroups(
  tx: Tx,
  accountId: number,
  contactId: number,
  unitIds: number[],
  groupIds: number[],
): Promise<{ units: number[]; groups: number[] }> {
  const { units, groups } = await tx.inOrder({
    units: () => tx<{ id: number }>`
      delete from contact_units where account_id = ${accountId} and contact_id = ${contactId} and unit_id = any(${unitIds})
      returning unit_id as id`,
    groups: () => tx<{ id: number }>`
      delete from contact_groups where account_id = ${accountId} and contact_id = ${contactId} and group_id = any(${groupIds})
      returning group_id as id`,
  });
  return { units: units.map(({ id }) => id), groups: groups.map(({ id }) => id) };
}
