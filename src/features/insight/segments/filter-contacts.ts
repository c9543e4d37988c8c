import type { Tx } from '../../../platform/db/database.ts';
import { flagOf } from '../../../shared/codes.ts';
import { type FieldErrors, Invalid } from '../../../shared/problem.ts';
import type { FoundContacts, SearchContacts } from '../../guests/contacts/schema.ts';
import { selectFound } from '../../guests/contacts/search-store.ts';
import { checkDefinition, definitionErrors } from './check.ts';
import type { Condition } from './definition-schema.ts';
import { type Clock, evaluateSlice } from './evaluate.ts';

/** As in the search without a definition. */
const [perPage, maxPages] = [50, 200];

export type FilterContacts = SearchContacts & { definition: string };

/** The contacts that match a definition and the other filters, newest first. */
export async function filterContacts(
  tx: Tx,
  accountId: number,
  { definition: sent, search, page = 1, ...filters }: FilterContacts,
  clock: Clock,
): Promise<FoundContacts> {
  if (search !== undefined) {
    throw new Invalid({
      search: ['The search field can’t be sent together with a definition. Use a condition on a name instead.'],
    });
  }
  const { definition, nested } = await checkDefinition(tx, accountId, parsed(sent));
  const all = { all: [definition, ...conditionsOf(filters)] };
  const offset = (page - 1) * perPage;
  const { counts, ids } = await evaluateSlice(
    tx,
    accountId,
    { definition: all, nested },
    { limit: perPage, offset },
    clock,
  ).catch((error) => {
    throw error instanceof Invalid ? new Invalid(withoutOuter(error.errors)) : error;
  });
  if (page > maxPages) return { data: [], page, more: false, count: counts.count };
  const data = await selectFound(tx, accountId, ids);
  return { data, page, more: offset + perPage < counts.count && page < maxPages, count: counts.count };
}

/** The other filters as conditions. */
function conditionsOf({ unit_id, group_id, consent }: Pick<SearchContacts, 'unit_id' | 'group_id' | 'consent'>) {
  const conditions: Condition[] = [];
  if (unit_id !== undefined) conditions.push({ field: 'unit', op: 'in', value: [unit_id] });
  if (group_id !== undefined) conditions.push({ field: 'group', op: 'in', value: [group_id] });
  if (consent !== undefined) conditions.push({ field: flagOf[consent], op: 'is', value: true });
  return conditions;
}

/** A definition that takes too long has an error with the path of a condition. */
const withoutOuter = (errors: FieldErrors) =>
  Object.fromEntries(
    Object.entries(errors).map(([path, messages]) => [path.replace(/^definition\.all\.\d+/, 'definition'), messages]),
  );

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Invalid({ definition: ['The definition field must be JSON.'] });
  }
}

/** The errors of the definition, for a request that has other errors too. */
export async function filterErrors(tx: Tx, accountId: number, sent: unknown): Promise<FieldErrors> {
  if (typeof sent !== 'string') return {};
  try {
    return await definitionErrors(tx, accountId, parsed(sent));
  } catch (error) {
    if (error instanceof Invalid) return error.errors;
    throw error;
  }
}
