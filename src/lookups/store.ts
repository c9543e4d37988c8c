import type { Tx } from '../db/database.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import { type Lookup, type LookupKind, lookupKinds } from './schema.ts';

export async function insertBuiltIns(tx: Tx, accountId: number): Promise<void> {
  for (const { table, builtIn } of Object.values(lookupKinds)) {
    if (builtIn.length === 0) continue;
    const rows = builtIn.map((entry) => ({ account_id: accountId, ...entry }));
    await tx`insert into ${tx(table)} ${tx(rows)}`;
  }
}

/** Undefined: the name is taken. */
export async function insertLookup(
  tx: Tx,
  kind: LookupKind,
  accountId: number,
  fields: Omit<Lookup, 'id'>,
): Promise<Lookup | undefined> {
  const columns = ['account_id', 'name', ...kind.columns] as const;
  const row = { account_id: accountId, ...fields };
  const [lookup] = await tx<Lookup[]>`
    insert into ${tx(kind.table)} ${tx(row, ...(columns as unknown as ['name']))} on conflict do nothing returning ${shown(tx, kind)}`;
  return lookup;
}

export async function countLookups(tx: Tx, kind: LookupKind, accountId: number): Promise<number> {
  const [row] = await tx<
    { total: number }[]
  >`select count(*) as total from ${tx(kind.table)} where account_id = ${accountId}`;
  return row?.total ?? 0;
}

export async function selectLookups(tx: Tx, kind: LookupKind, accountId: number, slice: Slice): Promise<Rows<Lookup>> {
  const [rows, total] = await Promise.all([
    tx<Lookup[]>`
      select ${shown(tx, kind)} from ${tx(kind.table)} where account_id = ${accountId}
      order by id limit ${slice.limit} offset ${slice.offset}`,
    countLookups(tx, kind, accountId),
  ]);
  return { rows, total };
}

export async function findLookup(tx: Tx, kind: LookupKind, accountId: number, id: number): Promise<Lookup | undefined> {
  const [lookup] = await tx<Lookup[]>`
    select ${shown(tx, kind)} from ${tx(kind.table)} where account_id = ${accountId} and id = ${id}`;
  return lookup;
}

export async function renameLookup(
  tx: Tx,
  kind: LookupKind,
  accountId: number,
  id: number,
  name: string,
): Promise<Lookup | undefined> {
  const [lookup] = await tx<Lookup[]>`
    update ${tx(kind.table)} set name = ${name} where account_id = ${accountId} and id = ${id} returning ${shown(tx, kind)}`;
  return lookup;
}

export async function deleteLookup(tx: Tx, kind: LookupKind, accountId: number, id: number): Promise<boolean> {
  const { count } = await tx`delete from ${tx(kind.table)} where account_id = ${accountId} and id = ${id}`;
  return count > 0;
}

function shown(tx: Tx, kind: LookupKind) {
  return tx(['id', 'name', ...kind.columns]);
}
