import { raw, type Sql } from '../../../platform/db/sql.ts';
import { channels, consentBits, flagOf } from '../../../shared/codes.ts';
import { type Condition, type Definition, fieldOf, visitDates } from './definition-schema.ts';
import { allConditions, type Nested } from './expand.ts';

/** The rows that a definition is evaluated on, with the alias `c`: all contacts, or the figures of those that have any. */
export type Base = 'contacts' | 'figures';

/** The figures have the id and the consents of the contact, so many definitions need no row of contacts. */
export const baseTables: Record<Base, Sql> = {
  contacts: raw('contacts c'),
  figures: raw(
    `(select figures.*, contact_id as id, null::bigint as merged_into, ${channels
      .map((channel) => `consents & ${consentBits[channel]} <> 0 as ${flagOf[channel]}`)
      .join(', ')} from contact_figures figures) as c`,
  ),
};

/** A definition on figures reads several times fewer rows. It must not hold for a contact without figures. */
export function baseOf(definition: Definition, nested: Nested): Base {
  const isInFigures = allConditions(definition, nested).every(readsFigures);
  return isInFigures && needsFigures(definition, nested) ? 'figures' : 'contacts';
}

/** Whether the fields of the condition are beside the figures. Rows that are joined by the id can be anywhere. */
function readsFigures({ field }: Condition): boolean {
  const kind = fieldOf(field)?.kind;
  if (kind === 'date') return visitDates.some((name) => name === field);
  if (kind === 'ids') return field !== 'source';
  return kind === 'figure' || kind === 'nps' || kind === 'flag' || kind === 'udf';
}

/** Whether the definition can hold only for contacts with figures. `negated`: whether its opposite can. */
function needsFigures(definition: Definition, nested: Nested, negated = false): boolean {
  const parts = (of: Definition[], areNegated: boolean, isAnd: boolean) => {
    const needs = (part: Definition) => needsFigures(part, nested, areNegated);
    return isAnd ? of.some(needs) : of.every(needs);
  };
  if ('not' in definition) return needsFigures(definition.not, nested, !negated);
  if ('all' in definition) return parts(definition.all, negated, !negated);
  if ('any' in definition) return parts(definition.any, negated, negated);
  const { field, op, value } = definition;
  if (field === 'segment') {
    const isOutside = (op === 'not_in') !== negated;
    const known = (Array.isArray(value) ? value : []).flatMap((id) => nested.get(id) ?? []);
    return parts(known, isOutside, isOutside);
  }
  switch (fieldOf(field)?.kind) {
    case 'figure':
      // Without activity, an average is unknown, and all other figures are 0.
      return (field !== 'average_spend' && hasZero(definition)) === negated;
    case 'nps':
    case 'date':
      return (op === 'unknown') === negated;
    default:
      return false;
  }
}

function hasZero({ op, value }: Condition): boolean {
  if (Array.isArray(value)) return (value[0] ?? 0) <= 0 && (value[1] ?? 0) >= 0;
  return op === 'at_least' ? Number(value) <= 0 : Number(value) >= 0;
}
