import type { Tx } from '../../../platform/db/database.ts';
import { dayMs, dayNumber, dayOf, formatUtc, toLocalTime } from '../../../shared/clock.ts';
import { type FieldErrors, Invalid } from '../../../shared/problem.ts';
import { recordOf } from '../../../shared/record.ts';
import { getAccount } from '../../access/accounts/store.ts';
import { waitingContacts } from '../../figures/changes-store.ts';
import { addGuest, selectGuests, sumGuestDays, wholeAccount } from '../../figures/guest-counts-store.ts';
import { guestCounts, type UnitDay } from '../../figures/schema.ts';
import { areCountsKept, countUnitDays, selectChangedDays } from '../../figures/unit-days-store.ts';
import { countToday, sumDays, sumRedeemed, sumWaiting } from './kept-store.ts';
import { daysOf, rangeErrors, unitErrors } from './range.ts';
import { type ForOverview, maxUnits, type Nps, type Overview, type Visits } from './schema.ts';
import {
  type CountScope,
  countGuests,
  countNps,
  countRedeemed,
  countVisits,
  countWaiting,
  type GuestCount,
  type KnownUnit,
  type NpsCount,
  selectAllUnits,
  type VisitCount,
} from './store.ts';

/** The maximum days of a range with daily and with weekly buckets. They limit a series to about a hundred points. */
const [daily, weekly] = [92, 731];

/** The figures of an account. */
export async function showOverview(tx: Tx, accountId: number, range: ForOverview, now: Date): Promise<Overview> {
  const { unit_id } = range;
  const { account, units } = await tx.inOrder({
    account: () => getAccount(tx, accountId),
    units: () => selectAllUnits(tx, accountId),
  });
  const { first, last } = daysOf(range, now, account.time_zone);
  const errors: FieldErrors = { ...unitErrors(units.filter(isOpen), unit_id), ...rangeErrors(first, last) };
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
  const waiting = await readWaiting(tx, accountId);
  const guests = await countContacts(tx, scope, waiting);
  const { visits, nps, redeemed, purchases_waiting } = await countActivity(tx, scope, waiting);
  const newContacts = timeSeries(['guests'], starts, guests, ({ guests: count }) => ({ count }));
  const codes = timeSeries(['count'], starts, redeemed, (counts) => counts);
  const answers = timeSeries(npsCounts, starts, nps, toNps);
  const consent = sums(guestCounts, guests);
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

/** The visits and ratings of a range without buckets, for the lists behind these numbers. */
export async function sumActivity(tx: Tx, scope: CountScope): Promise<{ visits: Visits; nps: Nps }> {
  const { visits, nps } = await countActivity(tx, scope, await readWaiting(tx, scope.accountId));
  const inAll = visits.filter(({ unit_id }) => unit_id === null);
  return { visits: toVisits(sums(visitCounts, inAll)), nps: toNps(sums(npsCounts, nps)) };
}

const visitCounts = ['purchases', 'bookings', 'stays', 'pence'] as const;
const npsCounts = ['promoters', 'passives', 'detractors'] as const;

/** With more changed days than this, all activity is counted at request time. Such an import is over in some seconds. */
const mostChanged = 2000;

/** What changed since it was counted. Undefined: the counts cannot be used, so all rows are counted. */
interface Waiting {
  days: UnitDay[] | undefined;
  contacts: number[] | undefined;
}

async function readWaiting(tx: Tx, accountId: number): Promise<Waiting> {
  const { areKept, days, contacts } = await tx.inOrder({
    areKept: () => areCountsKept(tx, accountId),
    days: () => selectChangedDays(tx, accountId, mostChanged + 1),
    contacts: () => waitingContacts(tx, accountId),
  });
  if (!areKept) return { days: undefined, contacts: undefined };
  return { days: days.length > mostChanged ? undefined : days, contacts };
}

/** The kept counts without the contacts that changed since, and the present state of these. */
async function countContacts(tx: Tx, scope: CountScope, { contacts }: Waiting): Promise<GuestCount[]> {
  if (!contacts) return countGuests(tx, scope);
  const { accountId, edges, unitId } = scope;
  const { kept, guests } = await tx.inOrder({
    kept: () => sumGuestDays(tx, accountId, unitId ?? wholeAccount, edges, contacts),
    guests: () => selectGuests(tx, accountId, contacts),
  });
  const changed = guests
    .filter(({ unit_ids }) => unitId === null || unit_ids.includes(unitId))
    .map(({ day, consents }) => {
      const count = { place: placeOf(day, edges), ...recordOf(guestCounts, () => 0) };
      addGuest(count, consents);
      return count;
    });
  return [...kept, ...changed];
}

interface Activity {
  visits: VisitCount[];
  nps: NpsCount[];
  redeemed: { place: number; count: number }[];
  purchases_waiting: number;
}

/**
 * The changed days are read first and counted from the activity. All others are summed up from the kept counts. A day that
 * is counted meanwhile is still among the changed ones, so it counts once.
 */
async function countActivity(tx: Tx, scope: CountScope, { days: changed }: Waiting): Promise<Activity> {
  const { accountId } = scope;
  if (!changed) {
    return tx.inOrder({
      visits: () => countVisits(tx, scope),
      nps: () => countNps(tx, scope),
      redeemed: () => countRedeemed(tx, scope),
      purchases_waiting: () => countWaiting(tx, scope),
    });
  }
  const atUnits = changed.filter(({ unit_id }) => scope.unitIds.includes(unit_id));
  const { kept, counted, begun, redeemed, waiting } = await tx.inOrder({
    kept: () => sumDays(tx, scope, changed),
    counted: () => countUnitDays(tx, accountId, atUnits),
    begun: () => countToday(tx, scope),
    redeemed: () => sumRedeemed(tx, scope),
    waiting: () => sumWaiting(tx, scope, changed),
  });
  const today = scope.now.slice(0, 10);
  const none = { purchases: 0, bookings: 0, stays: 0, pence: 0, promoters: 0, passives: 0, detractors: 0 };
  const inRange = (day: string) => placeOf(day, scope.edges) > 1;
  const days = [
    ...counted.map((day) => ({
      ...day,
      pence: Number(day.pence),
      // Those of the current day are among `begun`.
      ...(day.day < today ? {} : { bookings: 0, stays: 0 }),
    })),
    ...begun.map((unit) => ({ ...none, ...unit, day: today })),
  ].filter(({ day }) => isBetween(day, scope.edges));
  const byDay = [...kept, ...days].flatMap(({ day, ...counts }) =>
    day === null ? [] : [{ ...counts, place: placeOf(day, scope.edges), unit_id: null }],
  );
  const ofUnits = [...kept.filter(({ day }) => day === null), ...days.filter(({ day }) => inRange(day))];
  return {
    visits: [...byDay, ...sumsOfUnits(ofUnits)],
    nps: byDay,
    redeemed: redeemed.map(({ day, count }) => ({ place: placeOf(day, scope.edges), count })),
    purchases_waiting: waiting + counted.reduce((sum, day) => sum + day.waiting, 0),
  };
}

/** The position of a day between the edges, from 1. */
const placeOf = (day: string, edges: string[]) => edges.findLastIndex((edge) => edge <= day) + 1;
const isBetween = (day: string, edges: string[]) => day >= (edges[0] ?? '') && day < (edges.at(-1) ?? '');

/** Adds up the rows of each unit. Units without visits are left out. */
function sumsOfUnits(rows: Omit<VisitCount, 'place'>[]): VisitCount[] {
  const units = new Map<number, VisitCount>();
  for (const { unit_id, purchases, bookings, stays, pence } of rows) {
    if (unit_id === null) continue;
    const unit = units.get(unit_id);
    if (!unit) units.set(unit_id, { place: null, unit_id, purchases, bookings, stays, pence });
    else {
      unit.purchases += purchases;
      unit.bookings += bookings;
      unit.stays += stays;
      unit.pence += pence;
    }
  }
  return [...units.values()].filter((unit) => countOf(unit) > 0);
}

/** The errors that need the database. */
export async function overviewErrors(
  tx: Tx,
  accountId: number,
  { unit_id }: Partial<ForOverview>,
): Promise<FieldErrors> {
  return unitErrors((await selectAllUnits(tx, accountId)).filter(isOpen), unit_id);
}

const isOpen = ({ is_deleted }: KnownUnit) => !is_deleted;

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
  const { all, before, series } = timeSeries(visitCounts, starts, rows, toVisits);
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
    other_units: others.length === 0 ? null : { units: others.length, ...toVisits(sums(visitCounts, others)) },
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
