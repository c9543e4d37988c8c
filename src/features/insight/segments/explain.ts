import type { Tx } from '../../../platform/db/database.ts';
import { raw, sql } from '../../../platform/db/sql.ts';
import { dayNumber, dayOf } from '../../../shared/clock.ts';
import { findContact, noSuchContact } from '../../guests/contacts/store.ts';
import { Compiler } from './compile.ts';
import { type Condition, conditionsOf, type Definition, udfIdOf } from './definition-schema.ts';
import { type Clock, evaluationLimitMs, isTimeout, settingOf, type Today, todayOf, tooSlow } from './evaluate.ts';
import { allConditions, type Nested } from './expand.ts';
import { selectDefinedDay, selectSince } from './keep-store.ts';
import { getWithNested } from './manage.ts';
import {
  type ContactDates,
  inSavepoint,
  judgeContact,
  prepareEvaluation,
  selectContactDates,
  selectMembership,
} from './members-store.ts';
import type { Membership } from './schema.ts';

/** Whether a contact is a member of a segment, why, and for how long. A merged contact leads to its survivor. */
export async function explainMembership(
  tx: Tx,
  accountId: number,
  segmentId: number,
  contactId: number,
  { now, limitMs = evaluationLimitMs }: Clock,
): Promise<Membership> {
  const { definition, nested } = await getWithNested(tx, accountId, segmentId);
  const contact = await findContact(tx, accountId, contactId);
  if (!contact) throw noSuchContact();
  const id = contact.merged_into ?? contact.id;
  const today = await todayOf(tx, accountId, now);
  const compiler = new Compiler(
    { ...settingOf(accountId, today), today: raw('t.day'), day: undefined, byContact: true },
    nested,
  );
  const where = compiler.where(definition);
  const conditions = conditionsOf(definition).map(({ condition }) => condition);
  const compiled = conditions.map((condition) => compiler.condition(condition));
  const members = { from: sql`contacts c ${compiler.joins}`, where };
  const deadline = performance.now() + limitMs;
  await prepareEvaluation(tx, limitMs);
  try {
    const judged = await judgeContact(tx, accountId, id, members, compiled, today.day);
    const dates = await selectContactDates(tx, accountId, id, today.timeZone);
    const isMemberOn = (days: string[]) => {
      const work = async () => {
        await prepareEvaluation(tx, deadline - performance.now());
        return selectMembership(tx, accountId, id, members, days);
      };
      return inSavepoint(tx, work, isTimeout);
    };
    return {
      member: judged.member,
      since: judged.member ? await firstDay(tx, accountId, segmentId, id, today) : null,
      until: judged.member
        ? await lastDay(changeDays(definition, nested, dates, today.day), isMemberOn, deadline)
        : null,
      because: judged.conditions.map(({ holds, actual }, n) => ({
        condition: conditions[n] as Condition,
        holds,
        actual,
      })),
    };
  } catch (error) {
    throw isTimeout(error) ? tooSlow(definition, nested, limitMs) : error;
  }
}

/** The first day of a membership. One that is not stored yet began today, or with the definition. */
async function firstDay(
  tx: Tx,
  accountId: number,
  segmentId: number,
  contactId: number,
  { day, timeZone }: Today,
): Promise<string> {
  const stored = await selectSince(tx, accountId, segmentId, contactId);
  return stored ?? (await selectDefinedDay(tx, accountId, segmentId, timeZone)) ?? day;
}

/** Birthdays after this many years are not looked at. */
const mostYears = 100;

/** The number of days that one statement evaluates. */
const daysAtOnce = 100;

/** The day before the first of these on which the contact is no member. Null: there is none, or it was not found in time. */
async function lastDay(
  days: string[],
  isMemberOn: (days: string[]) => Promise<{ day: string; member: boolean }[] | undefined>,
  deadline: number,
): Promise<string | null> {
  for (let first = 0; first < days.length && performance.now() < deadline; first += daysAtOnce) {
    const evaluated = await isMemberOn(days.slice(first, first + daysAtOnce));
    if (!evaluated) return null;
    const end = evaluated.find(({ member }) => !member);
    if (end) return dayOf(dayNumber(end.day) - 1);
  }
  return null;
}

/**
 * The days after today on which a condition can begin or cease to hold, in order. What a date decides changes on the date
 * itself, or when the date leaves the last days. Too many days do no harm, because each is evaluated.
 */
function changeDays(definition: Definition, nested: Nested, dates: ContactDates, today: string): string[] {
  const first = dayNumber(today) + 1;
  const changes = new Set<number>();
  const add = (day: number) => {
    if (day >= first) changes.add(day);
  };
  const conditions = allConditions(definition, nested);
  for (const condition of conditions) {
    const days = datesOf(condition, dates).map(dayNumber);
    const length = lengthOf(condition);
    for (const day of days) {
      add(day);
      if (length !== undefined) add(day + length + 1);
    }
  }
  const lengths = conditions.flatMap(({ field, op, value }) =>
    field === 'birthday' && op === 'in_next_days' ? [Number(value)] : [],
  );
  if (dates.dob !== null && lengths.length > 0) {
    // A birthday comes every year, so also in the year after the last other change.
    const [thisYear, last] = [Number(today.slice(0, 4)), Math.max(first, ...changes)];
    const lastYear = Math.min(Number(dayOf(last).slice(0, 4)) + 1, thisYear + mostYears);
    for (let year = thisYear; year <= lastYear; year++) {
      const birthday = dayNumber(birthdayIn(year, dates.dob));
      add(birthday + 1);
      for (const length of lengths) add(birthday - length);
    }
  }
  return [...changes].sort((a, b) => a - b).map(dayOf);
}

function lengthOf({ op, value, in_last_days }: Condition): number | undefined {
  if (in_last_days !== undefined) return in_last_days;
  return op === 'in_last_days' || op === 'not_in_last_days' ? Number(value) : undefined;
}

function datesOf({ field }: Condition, { days, created, dob, nps, udfs }: ContactDates): string[] {
  switch (field) {
    case 'created_at':
      return [created];
    case 'dob':
      return dob === null ? [] : [dob];
    case 'nps':
      return nps;
    case 'birthday':
      return [];
    default:
      return udfIdOf(field) === undefined ? days : udfs;
  }
}

function birthdayIn(year: number, dob: string): string {
  const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;
  const day = dob.slice(5);
  return `${year}-${day === '02-29' && !isLeap ? '02-28' : day}`;
}
