import { dayNumber, dayOf } from '../../../shared/clock.ts';
import { birthdaysFrom } from './compile-birthday.ts';
import { type Condition, fieldOf, udfIdOf } from './definition-schema.ts';

interface Range {
  first: string;
  last: string;
}

/** Contacts with a date in a range, or with one of these birthdays. */
export type Crossing =
  | (Range & { of: 'activity'; unitIds: number[] | undefined })
  | (Range & { of: 'last_visit' | 'created_at' | 'dob' | 'nps' })
  | (Range & { of: 'udf'; udfId: number })
  | { of: 'birthday'; days: number[] };

interface Turn {
  /** The day for which the members are known. */
  from: string;
  /** A later day. */
  to: string;
}

/**
 * The contacts for which a condition can begin or cease to hold only because days pass: a date leaves the last days, or
 * comes. Visits that come are not among them: the figures of these contacts change, which is a change like a write.
 */
export function crossingOf(conditions: Condition[], turn: Turn): Crossing[] {
  const all = conditions.flatMap((condition) => crossings(condition, turn));
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

const later = (day: string, days: number) => dayOf(dayNumber(day) + days);

function crossings(condition: Condition, turn: Turn): Crossing[] {
  const { field, op, value, in_last_days, unit_ids: unitIds } = condition;
  if (field === 'birthday') return op === 'in_next_days' ? birthdays(Number(value), turn) : [];
  const isDate = op === 'in_last_days' || op === 'not_in_last_days';
  const days = isDate ? Number(value) : in_last_days;
  if (days === undefined) return [];
  // Dates that leave the last days, and dates that come.
  const ranges: Range[] = [
    { first: later(turn.from, -days), last: later(turn.to, -days - 1) },
    { first: later(turn.from, 1), last: turn.to },
  ];
  const udfId = udfIdOf(field);
  if (udfId !== undefined) return ranges.map((range) => ({ of: 'udf', udfId, ...range }));
  if (field === 'created_at' || field === 'dob') return ranges.map((range) => ({ of: field, ...range }));
  if (fieldOf(field)?.kind === 'nps') return ranges.map((range) => ({ of: 'nps', ...range }));
  // Guests who came again since do not cross.
  if (field === 'last_visit' && unitIds === undefined) return ranges.map((range) => ({ of: 'last_visit', ...range }));
  return ranges.map((range) => ({ of: 'activity', unitIds, ...range }));
}

/** Birthdays that have passed, and birthdays that come into the next days. */
function birthdays(days: number, { from, to }: Turn): Crossing[] {
  if (days >= 366) return [];
  const passed = dayNumber(to) - dayNumber(from) - 1;
  return [{ of: 'birthday', days: [...birthdaysFrom(from, passed), ...birthdaysFrom(later(from, days + 1), passed)] }];
}
