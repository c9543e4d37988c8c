import type { Tx } from '../../../platform/db/database.ts';
import { dayMs, dayNumber, dayOf, formatUtc, today, toLocalTime } from '../../../shared/clock.ts';
import { type FieldErrors, Invalid } from '../../../shared/problem.ts';
import { recordOf } from '../../../shared/record.ts';
import { getAccount } from '../../access/accounts/store.ts';
import { defaultDays, type ForOverview, maxUnits, maxYears, type Nps, type Overview, type Visits } from './schema.ts';
import {
  type CountScope,
  countGuests,
  countNps,
  countRedeemed,
  countVisits,
  countWaiting,
  type KnownUnit,
  type NpsCount,
  selectAllUnits,
  type VisitCount,
} from './store.ts';

const maxDays = maxYears * 365 + 2;
/** The maximum days of a range with daily and with weekly buckets. They limit a series to about a hundred points. */
const [daily, weekly] = [92, 731];

/** The figures of an account. */
export async function showOverview(
  tx: Tx,
  accountId: number,
  { from, to, unit_id }: ForOverview,
  now: Date,
): Promise<Overview> {
  const { account, units } = await tx.inOrder({
    account: () => getAccount(tx, accountId),
    units: () => selectAllUnits(tx, accountId),
  });
  const last = to ?? today(now, account.time_zone);
  const first = from ?? dayOf(dayNumber(last) - (defaultDays - 1));
  const errors: FieldErrors = { ...unitErrors(units, unit_id), ...rangeErrors(first, last) };
  if (Object.keys(errors).length > 0) throw new Invalid(errors);

  const { bucket, starts, edges } = bucketsOf(first, last);
  const scope: CountScope = {
    accountId,
    unitId: unit_id ?? null,
    unitIds: unit_id === undefined ? units.map(({ id }) => id) : [unit_id],
    timeZone: account.time_zone,
    now: toLocalTime(formatUtc(now), account.time_zone),
    edges,
  };
  const { guests, visits, nps, redeemed, purchases_waiting } = await tx.inOrder({
    guests: () => countGuests(tx, scope),
    visits: () => countVisits(tx, scope),
    nps: () => countNps(tx, scope),
    redeemed: () => countRedeemed(tx, scope),
    purchases_waiting: () => countWaiting(tx, scope),
  });
  const newContacts = timeSeries(['guests'], starts, guests, ({ guests: count }) => ({ count }));
  const codes = timeSeries(['count'], starts, redeemed, (counts) => counts);
  const answers = timeSeries(['promoters', 'passives', 'detractors'], starts, nps, toNps);
  const consent = sums(['guests', 'allow_email', 'allow_sms', 'allow_call', 'allow_snail_mail'], guests);
  return {
    from: first,
    to: last,
    bucket,
    guests: consent.guests,
    new_guests: { total: newContacts.all.count, before: newContacts.before.count, series: newContacts.series },
    visits: visitFigures(starts, visits, units),
    consent,
    nps: { ...answers.all, before: answers.before, series: answers.series },
    unique_codes: { total: codes.all.count, before: codes.before.count, series: codes.series },
    purchases_waiting,
  };
}

/** The errors that need the database. */
export async function overviewErrors(
  tx: Tx,
  accountId: number,
  { unit_id }: Partial<ForOverview>,
): Promise<FieldErrors> {
  return unitErrors(await selectAllUnits(tx, accountId), unit_id);
}

function unitErrors(units: KnownUnit[], unitId: number | undefined): FieldErrors {
  if (unitId === undefined || units.some(({ id, is_deleted }) => id === unitId && !is_deleted)) return {};
  return { unit_id: ['The unit id is not a unit of this account.'] };
}

function rangeErrors(first: string, last: string): FieldErrors {
  if (first > last) return { to: ['The last day must not be before the first.'] };
  if (dayNumber(last) - dayNumber(first) < maxDays) return {};
  return { from: [`The first day must be within ${maxYears} years of the last.`] };
}

/** The first days of the buckets (days, calendar weeks or calendar months) in the range. */
function bucketsOf(first: string, last: string): Pick<Overview, 'bucket'> & { starts: string[]; edges: string[] } {
  const [from, to] = [dayNumber(first), dayNumber(last)];
  const days = to - from + 1;
  const bucket = days <= daily ? 'day' : days <= weekly ? 'week' : 'month';
  const starts: string[] = [];
  for (let day = from; day <= to; day = nextStart(day, bucket)) starts.push(dayOf(day));
  return { bucket, starts, edges: [dayOf(from - days), ...starts, dayOf(to + 1)] };
}

function nextStart(day: number, bucket: Overview['bucket']): number {
  if (bucket === 'day') return day + 1;
  // Day 0 was a Thursday.
  if (bucket === 'week') return day + 7 - ((((day + 3) % 7) + 7) % 7);
  const month = new Date(day * dayMs);
  return month.setUTCMonth(month.getUTCMonth() + 1, 1) / dayMs;
}

/** The sum of these counts over all rows. */
function sums<K extends string>(keys: readonly K[], rows: Record<K, number>[]): Record<K, number> {
  const sum = (key: K) => rows.reduce((total, row) => total + row[key], 0);
  return recordOf(keys, sum);
}

/** The counts of the whole range, of the time before it, and of each bucket, including empty ones. */
function timeSeries<K extends string, Figures>(
  keys: readonly K[],
  starts: string[],
  rows: (Record<K, number> & { place: number | null })[],
  toFigures: (counts: Record<K, number>) => Figures,
): { all: Figures; before: Figures; series: ({ at: string } & Figures)[] } {
  const from = (first: number, last = first) =>
    toFigures(
      sums(
        keys,
        rows.filter(({ place }) => place !== null && place >= first && place <= last),
      ),
    );
  return {
    all: from(2, starts.length + 1),
    before: from(1),
    series: starts.map((at, index) => ({ at, ...from(index + 2) })),
  };
}

function visitFigures(starts: string[], rows: VisitCount[], units: KnownUnit[]): Overview['visits'] {
  const keys = ['purchases', 'bookings', 'stays', 'pence'] as const;
  const { all, before, series } = timeSeries(keys, starts, rows, toVisits);
  const names = new Map(units.map(({ id, name }) => [id, name]));
  const byUnit = rows
    .flatMap(({ unit_id, ...counts }) => (unit_id === null ? [] : [{ unit_id, ...counts }]))
    .sort((a, b) => b.pence - a.pence || countOf(b) - countOf(a) || a.unit_id - b.unit_id);
  const others = byUnit.splice(maxUnits);
  return {
    ...all,
    before,
    series,
    by_unit: byUnit.map((unit) => ({ unit_id: unit.unit_id, name: names.get(unit.unit_id) ?? '', ...toVisits(unit) })),
    other_units: others.length === 0 ? null : { units: others.length, ...toVisits(sums(keys, others)) },
  };
}

const countOf = ({ purchases, bookings, stays }: Omit<Visits, 'spend'>) => purchases + bookings + stays;

function toVisits({ purchases, bookings, stays, pence }: Omit<VisitCount, 'place' | 'unit_id'>): Visits {
  return { purchases, bookings, stays, spend: pence / 100 };
}

function toNps(counts: Pick<NpsCount, 'promoters' | 'passives' | 'detractors'>): Nps {
  const { promoters, passives, detractors } = counts;
  const answers = promoters + passives + detractors;
  // The addition turns -0 into 0.
  const score = answers === 0 ? null : Math.round(((promoters - detractors) * 100) / answers) + 0;
  return { score, answers, promoters, passives, detractors };
}
