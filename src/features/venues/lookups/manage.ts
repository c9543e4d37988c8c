import { isViolation, type Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { type Lookup, type LookupKind, maxLookupLength } from './schema.ts';
import { deleteLookup, findLookup, insertLookup, renameLookup, selectLookups } from './store.ts';

export async function createLookup(
  tx: Tx,
  kind: LookupKind,
  accountId: number,
  fields: Omit<Lookup, 'id'>,
): Promise<Lookup> {
  if (
    kind.builtIn.length > 0 &&
    (await listLookups(tx, kind, accountId, { limit: 0, offset: 0 })).total >= maxLookupLength
  ) {
    throw new Invalid({
      name: [`The account already has ${maxLookupLength} ${kind.plural}, which is the maximum.`],
    });
  }
  const lookup = await insertLookup(tx, kind, accountId, fields);
  if (!lookup) throw nameTaken(kind);
  return lookup;
}

export function listLookups(tx: Tx, kind: LookupKind, accountId: number, slice: Slice): Promise<Rows<Lookup>> {
  return selectLookups(tx, kind, accountId, slice);
}

/** The whole list, for the partner API. */
export async function allLookups(tx: Tx, kind: LookupKind, accountId: number): Promise<{ data: Lookup[] }> {
  const { rows } = await selectLookups(tx, kind, accountId, { limit: maxLookupLength, offset: 0 });
  return { data: rows };
}

export async function showLookup(tx: Tx, kind: LookupKind, accountId: number, id: number): Promise<Lookup> {
  return mustExist(await findLookup(tx, kind, accountId, id), kind);
}

export async function changeLookup(
  tx: Tx,
  kind: LookupKind,
  accountId: number,
  id: number,
  name: string,
): Promise<Lookup> {
  refuseBuiltIn(kind, id, 'renamed');
  try {
    return mustExist(await renameLookup(tx, kind, accountId, id, name), kind);
  } catch (error) {
    throw isViolation(error, 'unique') ? nameTaken(kind) : error;
  }
}

export async function removeLookup(tx: Tx, kind: LookupKind, accountId: number, id: number): Promise<void> {
  refuseBuiltIn(kind, id, 'deleted');
  try {
    if (!(await deleteLookup(tx, kind, accountId, id))) throw noSuch(kind);
  } catch (error) {
    if (!isViolation(error, 'foreign key')) throw error;
    throw new Invalid({ id: [`The ${kind.noun} is in use, so it can’t be deleted.`] });
  }
}

function refuseBuiltIn(kind: LookupKind, id: number, what: string): void {
  if (kind.builtIn.some((entry) => entry.id === id)) {
    throw new Invalid({ id: [`The ${kind.noun} ${id} is built in, so it can’t be ${what}.`] });
  }
}

function nameTaken(kind: LookupKind): Invalid {
  return new Invalid({ name: [`The name has already been taken by another ${kind.noun}.`] });
}

function mustExist(lookup: Lookup | undefined, kind: LookupKind): Lookup {
  if (!lookup) throw noSuch(kind);
  return lookup;
}

function noSuch(kind: LookupKind): NotFound {
  return new NotFound(`There is no such ${kind.noun}.`);
}
