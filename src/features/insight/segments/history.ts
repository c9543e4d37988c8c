import type { Tx } from '../../../platform/db/database.ts';
import { dayNumber, dayOf } from '../../../shared/clock.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { type Clock, todayOf } from './evaluate.ts';
import { selectSegmentChanges } from './keep-store.ts';
import { getSegment, showSegment } from './manage.ts';
import { selectDays } from './numbers-store.ts';
import type { SegmentChange, SegmentHistory } from './schema.ts';

/** The number of days in the response. */
const shownDays = 90;

/** The numbers of a segment on each of the last days since its members are stored. Today's are those of this moment. */
export async function showHistory(tx: Tx, accountId: number, id: number, clock: Clock): Promise<SegmentHistory> {
  const { count, contactable } = await showSegment(tx, accountId, id, clock);
  const { day: today } = await todayOf(tx, accountId, clock.now);
  const first = dayOf(dayNumber(today) - (shownDays - 1));
  const rows = await selectDays(tx, accountId, id, first);
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const data: SegmentHistory['data'] = [];
  // The first row can be from an earlier day: on days without a row the numbers stayed the same.
  let numbers = rows.find((row) => row.day <= first);
  for (let day = first; day <= today; day = dayOf(dayNumber(day) + 1)) {
    const row = byDay.get(day);
    numbers = row ?? numbers;
    if (!numbers) continue;
    const { members, email, sms, call, snail_mail } = numbers;
    const changes = { entered: row?.entered ?? 0, left: row?.gone ?? 0 };
    data.push({ day, count: members, contactable: { email, sms, call, snail_mail }, ...changes });
  }
  const last = data.at(-1);
  if (last && count !== null && contactable !== null) Object.assign(last, { count, contactable });
  return { data };
}

/** Who became a member, and who ceased to be. */
export async function listSegmentChanges(
  tx: Tx,
  accountId: number,
  id: number,
  slice: Slice,
): Promise<Rows<SegmentChange>> {
  await getSegment(tx, accountId, id);
  const { rows, total } = await selectSegmentChanges(tx, accountId, id, slice);
  return {
    total,
    rows: rows.map(({ entered, ...row }) => ({ ...row, change: entered ? ('entered' as const) : ('left' as const) })),
  };
}
