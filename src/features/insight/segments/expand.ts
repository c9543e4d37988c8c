import type { Tx } from '../../../platform/db/database.ts';
import {
  type Condition,
  conditionsOf,
  type Definition,
  maxConditions,
  maxConditionsInAll,
  maxNesting,
  segmentIdsIn,
} from './definition-schema.ts';
import { selectDefinitions } from './store.ts';

/** Definitions of other segments by id. A segment that does not exist is missing. */
export type Nested = ReadonlyMap<number, Definition>;

/** Loads the segments that these definitions refer to, directly or through others. */
export async function loadNested(tx: Tx, accountId: number, ...definitions: Definition[]): Promise<Nested> {
  const nested = new Map<number, Definition>();
  let open = new Set(definitions.flatMap(segmentIdsIn));
  // Each level of nesting is one statement. A cycle ends, because a segment is loaded once.
  for (let level = 0; open.size > 0 && level <= maxNesting; level++) {
    const loaded = await selectDefinitions(tx, accountId, [...open]);
    for (const { id, definition } of loaded) nested.set(id, definition);
    open = new Set(loaded.flatMap(({ definition }) => segmentIdsIn(definition)).filter((id) => !nested.has(id)));
  }
  return nested;
}

/** The conditions of a definition and of the segments that it refers to. */
export function allConditions(definition: Definition, nested: Nested, seen = new Set<number>()): Condition[] {
  return conditionsOf(definition).flatMap(({ condition }) => {
    if (condition.field !== 'segment' || !Array.isArray(condition.value)) return [condition];
    return condition.value.flatMap((id) => {
      const inner = seen.has(id) ? undefined : nested.get(id);
      seen.add(id);
      return inner ? allConditions(inner, nested, seen) : [];
    });
  });
}

/** How large a definition is together with the segments that it refers to. */
interface Size {
  /** The longest chain of segments. */
  nesting: number;
  conditions: number;
}

/** Undefined: the definition leads to the segment `own`, or back to itself. */
function sizeOf(
  definition: Definition,
  nested: Nested,
  own: number | undefined,
  known: Map<number, Size>,
  chain: ReadonlySet<number> = new Set(),
): Size | undefined {
  const ids = segmentIdsIn(definition);
  const size = { nesting: 0, conditions: conditionsOf(definition).length };
  for (const id of ids) {
    if (id === own || chain.has(id)) return undefined;
    const of = nested.get(id);
    const inner = known.get(id) ?? (of && sizeOf(of, nested, own, known, new Set([...chain, id])));
    if (of && !inner) return undefined;
    if (!inner) continue;
    known.set(id, inner);
    size.nesting = Math.max(size.nesting, inner.nesting + 1);
    size.conditions += inner.conditions;
  }
  return size;
}

/** Errors of references to segments, by path. `own` is the segment that is changed. */
export function expansionErrors(definition: Definition, nested: Nested, own?: number): PathError[] {
  const errors: PathError[] = [];
  const known = new Map<number, Size>();
  const conditions = conditionsOf(definition);
  let count = conditions.length;
  const references = conditions.flatMap(({ condition: { field, value }, path }) =>
    field === 'segment' && Array.isArray(value) ? value.map((id, n) => ({ id, path: `${path}.value.${n}` })) : [],
  );
  for (const { id, path } of references) {
    const inner = nested.get(id);
    if (!inner || id === own) {
      const message = id === own ? 'A segment can’t refer to itself.' : 'The id is not a segment of this account.';
      errors.push({ path, message });
      continue;
    }
    const size = known.get(id) ?? sizeOf(inner, nested, own, known, new Set([id]));
    count += size?.conditions ?? 0;
    if (!size) errors.push({ path, message: `The segment ${id} refers back to this segment.` });
    else if (size.nesting + 1 > maxNesting)
      errors.push({ path, message: `Segments may not be nested more than ${maxNesting} levels deep.` });
    else if (count > maxConditionsInAll) {
      const most = `${maxConditionsInAll} conditions, together with the segments that it refers to`;
      return [...errors, { path, message: `The definition may not have more than ${most}.` }];
    }
  }
  return errors;
}

interface PathError {
  path: string;
  message: string;
}

/** Whether a change keeps the limits of a segment that refers to the changed one. */
export function fitsLimits(definition: Definition, nested: Nested): boolean {
  return conditionsOf(definition).length <= maxConditions && expansionErrors(definition, nested).length === 0;
}
