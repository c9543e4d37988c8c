import type { Tx } from '../../../platform/db/database.ts';
import { dayNumber, dayOf, formatUtc, toLocalTime } from '../../../shared/clock.ts';
import type { ActivityKind } from '../../../shared/codes.ts';
import { cursorParts, encodeCursor, invalidCursor, isCursorNumber, isExactTime } from '../../../shared/cursor.ts';
import { type FieldErrors, Invalid } from '../../../shared/problem.ts';
import { getAccount } from '../../access/accounts/store.ts';
import { areCountsKept } from '../../figures/unit-days-store.ts';
import type { ActivityEntry, ActivityList, ListActivity, ListRedemptions, RedemptionList } from './activity-schema.ts';
import { type ActivityRow, type Cursor, selectActivity } from './activity-store.ts';
import { daysOf, rangeErrors, unitErrors } from './range.ts';
import { sumActivity } from './read.ts';
import { type GroupCursor, selectRedeemedGroups } from './redemptions-store.ts';
import { type CountScope, selectAllUnits } from './store.ts';

const perPage = 50;

/** The activity behind a number of the overview, newest first. */
export async function listActivity(tx: Tx, accountId: number, input: ListActivity, now: Date): Promise<ActivityList> {
  const { kind, nps, before } = input;
  const found = await scopeOf(tx, accountId, input, now, npsErrors(input));
  const cursor = before === undefined ? undefined : cursorOf(before);
  const sums = cursor === undefined ? await sumsOf(tx, found.scope, input) : { total: null, spend: null };
  // One more row than the page shows whether there are more. Nothing is searched for if there is nothing to find.
  const rows = sums.total === 0 ? [] : await selectActivity(tx, found.scope, { kind, nps }, cursor, perPage + 1);
  const { data, last } = pageOf(rows);
  return {
    ...found.shown,
    ...sums,
    data: data.map((row) => toEntry(kind, row)),
    next: last ? encodeCursor(last.exactly_at, last.id) : null,
  };
}

/** The redeemed codes behind the number of the overview, by group. */
export async function listRedemptions(
  tx: Tx,
  accountId: number,
  input: ListRedemptions,
  now: Date,
): Promise<RedemptionList> {
  const { scope, shown } = await scopeOf(tx, accountId, input, now);
  const cursor = input.before === undefined ? undefined : groupCursorOf(input.before);
  const areKept = await areCountsKept(tx, accountId);
  const rows = await selectRedeemedGroups(tx, scope, { areKept, cursor, limit: perPage + 1 });
  const { data, last } = pageOf(rows);
  return {
    ...shown,
    total: rows[0]?.total ?? 0,
    data: data.map(({ id, name, redeemed }) => ({ id, name, redeemed })),
    next: last ? encodeCursor(last.redeemed, last.id) : null,
  };
}

/** The rows of the page, and the last one if there are more. */
function pageOf<Row>(rows: Row[]): { data: Row[]; last: Row | undefined } {
  const data = rows.slice(0, perPage);
  return { data, last: rows.length > perPage ? data.at(-1) : undefined };
}

interface FoundScope {
  scope: CountScope;
  /** The same for the response. */
  shown: Pick<ActivityList, 'from' | 'to' | 'unit'>;
}

async function scopeOf(
  tx: Tx,
  accountId: number,
  input: ListRedemptions,
  now: Date,
  otherErrors: FieldErrors = {},
): Promise<FoundScope> {
  const { account, units } = await tx.inOrder({
    account: () => getAccount(tx, accountId),
    units: () => selectAllUnits(tx, accountId),
  });
  const { first, last } = daysOf(input, now, account.time_zone);
  const errors = { ...unitErrors(units, input.unit_id), ...rangeErrors(first, last), ...otherErrors };
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
  const unit = units.find(({ id }) => id === input.unit_id);
  return {
    scope: {
      accountId,
      unitId: unit?.id ?? null,
      unitIds: unit ? [unit.id] : units.map(({ id }) => id),
      timeZone: account.time_zone,
      now: toLocalTime(formatUtc(now), account.time_zone),
      edges: [first, dayOf(dayNumber(last) + 1)],
    },
    shown: { from: first, to: last, unit: unit ?? null },
  };
}

type Sums = Pick<ActivityList, 'total' | 'spend'>;

/** The numbers of the overview. */
async function sumsOf(tx: Tx, scope: CountScope, { kind, nps }: ListActivity): Promise<Sums> {
  const figures = await sumActivity(tx, scope);
  if (kind === 'ratings') return { total: figures.nps[nps ?? 'answers'], spend: null };
  return { total: figures.visits[kind], spend: kind === 'purchases' ? figures.visits.spend : null };
}

/** The errors that need the database. Deleted units have a history, and the overview lists them. */
export async function activityErrors(
  tx: Tx,
  accountId: number,
  { unit_id }: Partial<ListRedemptions>,
): Promise<FieldErrors> {
  return unitErrors(await selectAllUnits(tx, accountId), unit_id);
}

function npsErrors({ kind, nps }: ListActivity): FieldErrors {
  return nps === undefined || kind === 'ratings' ? {} : { nps: ['The nps field is only for ratings.'] };
}

function cursorOf(sent: string): Cursor {
  const [at = '', id = ''] = cursorParts(sent);
  if (!isExactTime(at) || !isCursorNumber(id)) throw invalidCursor();
  return { at, id: Number(id) };
}

function groupCursorOf(sent: string): GroupCursor {
  const [redeemed = '', id = ''] = cursorParts(sent);
  if (!isCursorNumber(redeemed) || !isCursorNumber(id)) throw invalidCursor();
  return { redeemed: Number(redeemed), id: Number(id) };
}

const fieldOf = { purchases: 'purchase', bookings: 'booking', stays: 'stay', ratings: 'rating' } as const;

function toEntry(kind: ActivityKind, { id, at, unit, contact, facts }: ActivityRow): ActivityEntry {
  return { id, at, unit, contact, purchase: null, booking: null, stay: null, rating: null, [fieldOf[kind]]: facts };
}
