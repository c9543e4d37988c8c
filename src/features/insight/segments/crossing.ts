import { dayNumber, dayOf } from '../../../shared/clock.ts';
import { birthdaysFrom } from './compile-birthday.ts';
import { recentPlaces } from './compile-condition.ts';
import { rowsOf } from './compile-sources.ts';
import { type Condition, fieldOf, udfIdOf, visitDates } from './definition-schema.ts';

interface Range {
  first: string;
  last: string;
}

/** Contacts with a date in a range, or with one of these birthdays. */
export type Crossing =
  | (Range & { of: 'activity'; unitIds: number[] | undefined; rows: string })
  | (Range & { of: 'figures'; columns: string[] })
  | (Range & { of: 'created_at' | 'dob' | 'nps' })
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
  const leaving = { first: later(turn.from, -days), last: later(turn.to, -days - 1) };
  const coming = { first: later(turn.from, 1), last: turn.to };
  const both = [leaving, coming];
  const udfId = udfIdOf(field);
  if (udfId !== undefined) return both.map((range) => ({ of: 'udf', udfId, ...range }));
  if (field === 'created_at' || field === 'dob') return both.map((range) => ({ of: field, ...range }));
  if (fieldOf(field)?.kind === 'nps') return both.map((range) => ({ of: 'nps', ...range }));
  const columns = unitIds === undefined ? figureColumns(condition) : undefined;
  if (columns) return columns.length > 0 ? [{ of: 'figures', columns, ...leaving }] : [];
  const rows = rowsOf(field);
  const bookings: Crossing[] = noVisits.includes(field)
    ? [{ of: 'activity', unitIds, rows: `${rows} and not visited`, ...coming }]
    : [];
  return [{ of: 'activity', unitIds, rows, ...leaving }, ...bookings];
}

/** Rows of activity that are no visit, such as a cancelled booking, do not change the figures when their day comes. */
const noVisits = ['bookings', 'cancelled_bookings'];

/**
 * The dates in the figures that decide a condition on visits: a guest who came again since does not cross. Undefined:
 * the figures do not have them.
 */
function figureColumns(condition: Condition): string[] | undefined {
  const { field } = condition;
  if (visitDates.some((name) => name === field)) return [field];
  if (field !== 'visits') return undefined;
  const places = recentPlaces(condition);
  return places?.map((place) => `recent_visits[${place}]`);
}

/** Birthdays that have passed, and birthdays that come into the next days. */
function birthdays(days: number, { from, to }: Turn): Crossing[] {
  if (days >= 366) return [];
  const passed = dayNumber(to) - dayNumber(from) - 1;
  return [{ of: 'birthday', days: [...birthdaysFrom(from, passed), ...birthdaysFrom(later(from, days + 1), passed)] }];
}
