import type { Tx } from '../../../platform/db/database.ts';
import { oneOf } from '../../../shared/phrases.ts';
import { ErrorCollector, type FieldErrors, Invalid } from '../../../shared/problem.ts';
import { findUdfs } from '../../guests/udfs/store.ts';
import { findGroups } from '../../venues/groups/store.ts';
import { lookupKinds } from '../../venues/lookups/schema.ts';
import { existing } from '../../venues/lookups/store.ts';
import { findUnits } from '../../venues/units/store.ts';
import { readDefinition } from './definition.ts';
import { type Condition, conditionsOf, type Definition, udfIdOf, udfOps } from './definition-schema.ts';
import { expansionErrors, loadNested, type Nested } from './expand.ts';

/** A valid definition, and the segments that it refers to, directly or through others. */
export interface Checked {
  definition: Definition;
  nested: Nested;
}

/** Reads a definition and checks its ids. Throws Invalid with the paths of all errors, up to the limit. */
export async function checkDefinition(tx: Tx, accountId: number, sent: unknown, own?: number): Promise<Checked> {
  const errors = new ErrorCollector();
  const definition = readDefinition(sent, errors);
  if (!definition) throw new Invalid(errors.fields, errors.hasMore);
  await checkReferences(tx, accountId, definition, errors);
  if (!errors.isEmpty) throw new Invalid(errors.fields, errors.hasMore);
  const nested = await loadNested(tx, accountId, definition);
  for (const { path, message } of expansionErrors(definition, nested, own)) errors.add(path, message);
  if (!errors.isEmpty) throw new Invalid(errors.fields, errors.hasMore);
  return { definition, nested };
}

/** The errors of a definition, for a request that has other errors too. */
export async function definitionErrors(tx: Tx, accountId: number, sent: unknown): Promise<FieldErrors> {
  if (sent === undefined) return {};
  try {
    await checkDefinition(tx, accountId, sent);
    return {};
  } catch (error) {
    if (error instanceof Invalid) return error.errors;
    throw error;
  }
}

interface Reference {
  id: number;
  path: string;
}

const idsAt = (ids: unknown, path: string): Reference[] =>
  Array.isArray(ids) ? ids.map((id: number, n) => ({ id, path: `${path}.${n}` })) : [];

/** Each id must belong to the account. A segment is checked when it is loaded. */
async function checkReferences(
  tx: Tx,
  accountId: number,
  definition: Definition,
  errors: ErrorCollector,
): Promise<void> {
  const conditions = conditionsOf(definition);
  const inField = (field: string) =>
    conditions.flatMap(({ condition, path }) =>
      condition.field === field ? idsAt(condition.value, `${path}.value`) : [],
    );
  const units = [
    ...inField('unit'),
    ...conditions.flatMap(({ condition, path }) => idsAt(condition.unit_ids, `${path}.unit_ids`)),
  ];
  const [groups, sources] = [inField('group'), inField('source')];
  const udfs = conditions.flatMap(({ condition, path }) => {
    const id = udfIdOf(condition.field);
    return id === undefined ? [] : [{ id, path, condition }];
  });
  const idsOf = (references: Reference[]) => [...new Set(references.map(({ id }) => id))];
  const known = await tx.inOrder({
    units: () => (units.length > 0 ? findUnits(tx, accountId, idsOf(units)) : []),
    groups: () => (groups.length > 0 ? findGroups(tx, accountId, idsOf(groups)) : []),
    sources: () => (sources.length > 0 ? existing(tx, lookupKinds.sources, accountId, idsOf(sources)) : []),
    udfs: () => (udfs.length > 0 ? findUdfs(tx, accountId, idsOf(udfs)) : []),
  });
  const refuse = (references: Reference[], ids: number[], noun: string) => {
    const set = new Set(ids);
    for (const { id, path } of references) if (!set.has(id)) errors.add(path, `The id is not ${noun} of this account.`);
  };
  refuse(
    units,
    known.units.map(({ id }) => id),
    'a unit',
  );
  refuse(
    groups,
    known.groups.map(({ id }) => id),
    'a group',
  );
  refuse(sources, known.sources, 'a source');
  const types = new Map(known.udfs.map(({ id, type }) => [id, type]));
  for (const { id, path, condition } of udfs) checkUdf(condition, types.get(id), path, errors);
}

function checkUdf(
  { field, op }: Condition,
  type: keyof typeof udfOps | undefined,
  path: string,
  errors: ErrorCollector,
): void {
  if (type === undefined) errors.add(`${path}.field`, 'The id is not a user-defined field of this account.');
  else if (!udfOps[type].some((known) => known === op))
    errors.add(`${path}.op`, `The op of ${field}, whose type is ${type}, must be ${oneOf(udfOps[type])}.`);
}
