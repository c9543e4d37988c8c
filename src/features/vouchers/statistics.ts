import type { Tx } from '../../platform/db/database.ts';
import { dayNumber, dayOf, today } from '../../shared/clock.ts';
import { present } from '../../shared/present.ts';
import { Invalid } from '../../shared/problem.ts';
import { getAccount } from '../access/accounts/store.ts';
import { sumCodes, sumCodesByDay } from '../figures/code-counts-store.ts';
import type { CodeCounts } from '../figures/schema.ts';
import { areCountsKept } from '../figures/unit-days-store.ts';
import { findUnitNames } from '../venues/units/store.ts';
import type { ForStatistics, Statistics } from './group-schema.ts';
import { showCodeGroup } from './manage.ts';
import { countByDay, countByUnit, countCodes, type Range } from './staff-store.ts';

const defaultDays = 90;
/** The most days in the response. */
const maxDays = 366;

type Day = Statistics['by_day'][number];

/** The figures of a group: in total, by unit, and by day in the account's time zone. */
export async function codeStatistics(
  tx: Tx,
  accountId: number,
  groupId: number,
  { start_date, end_date }: ForStatistics,
  now: Date,
): Promise<Statistics> {
  await showCodeGroup(tx, accountId, groupId);
  const { time_zone: timeZone } = await getAccount(tx, accountId);
  const end = end_date ?? today(now, timeZone);
  const start = start_date ?? daysBefore(end, defaultDays - 1);
  if (start > end) throw new Invalid({ end_date: ['The end date must not be before the start date.'] });
  if (start < daysBefore(end, maxDays - 1)) {
    throw new Invalid({ start_date: [`The start date must be within ${maxDays} days of the end date.`] });
  }
  const range = { timeZone, start, end };
  return (await areCountsKept(tx, accountId))
    ? keptStatistics(tx, accountId, groupId, range)
    : countedStatistics(tx, accountId, groupId, range);
}

/** From the kept counts and the changes that wait to be added to them. */
async function keptStatistics(tx: Tx, accountId: number, groupId: number, range: Range): Promise<Statistics> {
  const { sums, rows, names } = await tx.inOrder({
    sums: () => sumCodes(tx, accountId, [groupId]),
    rows: () => sumCodesByDay(tx, accountId, groupId, range),
    names: () => findUnitNames(tx, accountId),
  });
  const total = (what: keyof CodeCounts) => sums.reduce((sum, row) => sum + row[what], 0);
  const days = new Map<string, Day>();
  for (const { day: date, unit_id, made, assigned, redeemed } of rows) {
    const day = days.get(date) ?? { date, made: 0, assigned: 0, redeemed: 0, by_unit: [] };
    days.set(date, day);
    day.made += made;
    day.assigned += assigned;
    day.redeemed += redeemed;
    if (redeemed > 0) day.by_unit.push({ unit_id, redeemed });
  }
  return {
    ...{ made: total('made'), assigned: total('assigned'), redeemed: total('redeemed') },
    by_unit: sums
      .flatMap(({ unit_id, redeemed }) =>
        redeemed > 0 ? [{ unit_id, unit_name: present(names.get(unit_id), 'unit'), redeemed }] : [],
      )
      .sort((a, b) => b.redeemed - a.redeemed || a.unit_id - b.unit_id),
    by_day: [...days.values()],
  };
}

/** From the codes, as long as the counts do not include all earlier codes. */
async function countedStatistics(tx: Tx, accountId: number, groupId: number, range: Range): Promise<Statistics> {
  const { totals, by_unit, rows } = await tx.inOrder({
    totals: () => countCodes(tx, accountId, groupId),
    by_unit: () => countByUnit(tx, accountId, groupId),
    rows: () => countByDay(tx, accountId, groupId, range),
  });
  const days = new Map<string, Day>();
  for (const { date, what, unit_id, count } of rows) {
    const day = days.get(date) ?? { date, made: 0, assigned: 0, redeemed: 0, by_unit: [] };
    days.set(date, day);
    day[what] += count;
    if (unit_id !== null) day.by_unit.push({ unit_id, redeemed: count });
  }
  return { ...totals, by_unit, by_day: [...days.values()] };
}

function daysBefore(day: string, days: number): string {
  return dayOf(dayNumber(day) - days);
}
