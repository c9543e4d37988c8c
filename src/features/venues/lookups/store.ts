import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { join, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { type Lookup, type LookupKind, lookupKinds } from './schema.ts';

export async function insertBuiltIns(tx: Tx, accountId: number): Promise<void> {
  for (const { table, builtIn } of Object.values(lookupKinds)) {
    if (builtIn.length === 0) continue;
    await tx`
      insert into ${raw(table)} (account_id, id, name)
      select ${accountId}::bigint, id, name from jsonb_to_recordset(${JSON.stringify(builtIn)}::jsonb) as entry (id bigint, name text)
      on conflict do nothing`;
  }
}

/** Undefined: the name already exists. */
export async function insertLookup(
  tx: Tx,
  kind: LookupKind,
  accountId: number,
  fields: Omit<Lookup, 'id'>,
): Promise<Lookup | undefined> {
  const columns = ['name', ...kind.columns] as const;
  const [lookup] = await tx<Lookup>`
    insert into ${raw(kind.table)} (account_id, ${raw(columns.join(', '))})
    values (${accountId}, ${join(columns.map((column) => fields[column]))})
    on conflict do nothing returning ${shown(kind)}`;
  return lookup;
}

export function selectLookups(tx: Tx, kind: LookupKind, accountId: number, slice: Slice): Promise<Rows<Lookup>> {
  const from = sql`${raw(kind.table)} where account_id = ${accountId}`;
  return listing(tx, { columns: shown(kind), from, orderBy: sql`id` }, slice);
}

export async function findLookup(tx: Tx, kind: LookupKind, accountId: number, id: number): Promise<Lookup | undefined> {
  const [lookup] = await tx<Lookup>`
    select ${shown(kind)} from ${raw(kind.table)} where account_id = ${accountId} and id = ${id}`;
  return lookup;
}

export async function renameLookup(
  tx: Tx,
  kind: LookupKind,
  accountId: number,
  id: number,
  name: string,
): Promise<Lookup | undefined> {
  const [lookup] = await tx<Lookup>`
    update ${raw(kind.table)} set name = ${name} where account_id = ${accountId} and id = ${id} returning ${shown(kind)}`;
  return lookup;
}

export async function deleteLookup(tx: Tx, kind: LookupKind, accountId: number, id: number): Promise<boolean> {
  const { count } = await tx`delete from ${raw(kind.table)} where account_id = ${accountId} and id = ${id}`;
  return count > 0;
}

function shown(kind: LookupKind): Sql {
  return raw(['id', 'name', ...kind.columns].join(', '));
}

/** The existing ids among these. */
export async function existing(tx: Tx, kind: LookupKind, accountId: number, ids: number[]): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from ${raw(kind.table)} where account_id = ${accountId} and id = any(${ids})`;
  return rows.map((row) => row.id);
}

/** The id of each name, in order. Case is ignored. Null: not found. */
export async function findByName(
  tx: Tx,
  kind: LookupKind,
  accountId: number,
  names: string[],
): Promise<(number | null)[]> {
  const rows = await tx<{ id: number | null }>`
    select found.id from (
      select lower(name) as name_key, place from unnest(${names}::text[]) with ordinality as sent (name, place) offset 0) as wanted
    left join lateral (
      select id from ${raw(kind.table)} as entry
      where entry.account_id = ${accountId} and entry.name_key = wanted.name_key offset 0) as found on true
    order by place`;
  return rows.map((row) => row.id);
}

/** Creates missing entries, in the same order everywhere. */
export async function ensureNamed(tx: Tx, kind: LookupKind, accountId: number, names: string[]): Promise<void> {
  await tx`
    insert into ${raw(kind.table)} (account_id, name)
    select distinct on (lower(name)) ${accountId}::bigint, name from unnest(${names}::text[]) as wanted (name)
    order by lower(name)
    on conflict do nothing`;
}
