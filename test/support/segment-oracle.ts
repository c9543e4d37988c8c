import type { Condition, Definition } from '../../src/features/insight/segments/definition-schema.ts';
import type { Day } from './figures.ts';

/** All that segments know of a guest. */
export interface Guest {
  id: number;
  text: Record<string, string | null>;
  flags: Record<string, boolean>;
  dob: string | null;
  /** The day on the account's clock. */
  created: string;
  units: number[];
  groups: number[];
  source: number | null;
  udfs: Record<string, string>;
  days: Day[];
  /** Oldest first. */
  ratings: { day: string; unit: number; rating: number }[];
}

const day = 86_400_000;
export const plus = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * day).toISOString().slice(0, 10);

/** Whether a guest is a member, by the words of the guide and without SQL. */
export function isMember(
  definition: Definition,
  guest: Guest,
  today: string,
  segments: Record<number, Definition> = {},
): boolean {
  const inner = (one: Definition) => isMember(one, guest, today, segments);
  if ('all' in definition) return definition.all.every(inner);
  if ('any' in definition) return definition.any.some(inner);
  if ('not' in definition) return !inner(definition.not);
  if (definition.field === 'segment') {
    const isIn = (definition.value as number[]).some((id) => inner(segments[id] as Definition));
    return isIn === (definition.op === 'in');
  }
  return holds(definition, guest, today);
}

function holds(condition: Condition, guest: Guest, today: string): boolean {
  const { field, op, value, in_last_days, unit_ids } = condition;
  const has = (all: number[]) => all.some((one) => (value as number[]).includes(one)) === (op === 'in');
  const isHere = (unit: number) => unit_ids === undefined || unit_ids.includes(unit);
  const isRecent = (date: string) =>
    in_last_days === undefined || (date >= plus(today, -in_last_days) && date <= today);
  if (field in guest.text || /^udf:/.test(field)) {
    const known = /^udf:/.test(field) ? (guest.udfs[field] ?? null) : (guest.text[field] ?? null);
    if (['in_last_days', 'not_in_last_days', 'before', 'after'].includes(op)) return onDate(known, condition, today);
    return onText(known, condition);
  }
  if (field in guest.flags) return guest.flags[field] === value;
  if (field === 'unit') return has(guest.units);
  if (field === 'group') return has(guest.groups);
  if (field === 'source') return has(guest.source === null ? [] : [guest.source]);
  if (field === 'created_at') return onDate(guest.created, condition, today);
  if (field === 'dob') return onDate(guest.dob, condition, today);
  if (field === 'birthday') return onBirthday(guest.dob, condition, today);
  if (field === 'nps') {
    const latest = guest.ratings.filter(({ unit }) => isHere(unit)).at(-1);
    const rating = latest && isRecent(latest.day) ? latest.rating : undefined;
    if (op === 'known') return rating !== undefined;
    if (op === 'unknown') return rating === undefined;
    return rating !== undefined && onNumber(rating, condition);
  }
  const days = guest.days.filter((one) => isHere(one.unit_id) && isRecent(one.day));
  const sum = (name: keyof Day) => days.reduce((all, one) => all + Number(one[name] ?? 0), 0);
  const isVisit = (one: Day) =>
    one.day <= today && Boolean(one.purchases || one.bookings || one.stays || one.wifi || one.vouchers_redeemed);
  const visits = [...new Set(days.filter(isVisit).map((one) => one.day))].sort();
  switch (field) {
    case 'visits':
      return onNumber(visits.length, condition);
    case 'first_visit':
      return onDate(visits[0] ?? null, condition, today);
    case 'last_visit':
      return onDate(visits.at(-1) ?? null, condition, today);
    case 'spend':
      return onNumber(sum('pence') / 100, condition);
    case 'average_spend': {
      const bought = new Set(days.filter((one) => one.purchases).map((one) => one.day)).size;
      return bought > 0 && onNumber(sum('pence') / 100 / bought, condition);
    }
    case 'bookings':
      return onNumber(sum('bookings') + sum('enquiries'), condition);
    default:
      return onNumber(sum(field as keyof Day), condition);
  }
}

function onText(known: string | null, { field, op, value }: Condition): boolean {
  const [have, want] = [known?.toLowerCase(), String(value).toLowerCase()];
  if (op === 'is') return have === want;
  if (op === 'is_not') return have !== want;
  if (op === 'starts_with') return have?.startsWith(want) === true;
  // Blank is a value of gender.
  return (field === 'gender' ? known !== null : Boolean(known)) === (op === 'known');
}

function onNumber(have: number, { op, value }: Condition): boolean {
  const near = 1e-9;
  if (Array.isArray(value)) return have >= (value[0] as number) - near && have <= (value[1] as number) + near;
  return op === 'at_least' ? have >= Number(value) - near : have <= Number(value) + near;
}

function onDate(known: string | null, { op, value }: Condition, today: string): boolean {
  if (op === 'known' || op === 'unknown') return (known !== null) === (op === 'known');
  if (known === null) return false;
  if (op === 'in_last_days') return known >= plus(today, -Number(value)) && known <= today;
  if (op === 'not_in_last_days') return known < plus(today, -Number(value));
  return op === 'before' ? known < String(value) : known > String(value);
}

function onBirthday(dob: string | null, { op, value }: Condition, today: string): boolean {
  if (dob === null) return false;
  if (op === 'in_month') return Number(dob.slice(5, 7)) === value;
  const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  // Day by day, as a person would look through a calendar.
  for (let n = 0; n <= Math.min(Number(value), 366); n++) {
    const date = plus(today, n);
    const born = dob.slice(5) === '02-29' && !isLeap(Number(date.slice(0, 4))) ? '02-28' : dob.slice(5);
    if (date.slice(5) === born) return true;
  }
  return false;
}
