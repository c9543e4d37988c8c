import { dayNumber, dayOf, today } from '../../../shared/clock.ts';
import type { FieldErrors } from '../../../shared/problem.ts';
import { defaultDays, type ForOverview, maxYears } from './schema.ts';

const maxDays = maxYears * 365 + 2;

/** The first and the last day of a request. */
export function daysOf({ from, to }: ForOverview, now: Date, timeZone: string): { first: string; last: string } {
  const last = to ?? today(now, timeZone);
  return { first: from ?? dayOf(dayNumber(last) - (defaultDays - 1)), last };
}

/** A request may name one of these units. */
export function unitErrors(units: { id: number }[], unitId: number | undefined): FieldErrors {
  if (unitId === undefined || units.some(({ id }) => id === unitId)) return {};
  return { unit_id: ['The unit id is not a unit of this account.'] };
}

export function rangeErrors(first: string, last: string): FieldErrors {
  if (first > last) return { to: ['The last day must not be before the first.'] };
  if (dayNumber(last) - dayNumber(first) < maxDays) return {};
  return { from: [`The first day must be within ${maxYears} years of the last.`] };
}
