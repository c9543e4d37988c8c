import type { Database, Tx } from '../../platform/db/database.ts';
import { recordOf } from '../../shared/record.ts';
import { findUnitIds } from '../venues/units/store.ts';
import { waitingAmong } from './changes-store.ts';
import { addCodeDays, codeGroupIds, findCodeDays, findCodeSums, findRedeemed } from './code-counts-store.ts';
import {
  addGroupGuests,
  addGuestDays,
  countGuests,
  findChanged,
  type GroupGuests,
  type GuestDay,
  lastOfNext,
  nextGuestIds,
  selectGroupGuests,
  selectGuestDays,
  sumCounted,
  sumCountedGroups,
  wholeAccount,
} from './guest-counts-store.ts';
import { AccountDeleted, contactsOfFilling, daysOfFilling, type FillOptions, stepsOf } from './keep.ts';
import {
  type CountCheck,
  checkedCounts,
  type GuestCounts,
  guestCounts,
  type UnitDayCounts,
  unitDayCounts,
} from './schema.ts';
import {
  areCountsKept,
  countUnitDays,
  nextDays,
  putUnitDays,
  selectUnitDays,
  selectWaitingDays,
} from './unit-days-store.ts';

/** The counted contacts that one statement adds up. */
const contactsOfSum = 250_000;

/** The counts are not kept (any more), such as after a change of the time zone. A job counts all of them anew. */
class NotKept extends Error {
  override name = 'NotKept';
}

/**
 * Compares the kept counts of an account with what they count, and repairs the differences if asked to. Changes that wait
 * are no differences. Each step holds the lock of the counts, so the keeper changes nothing between its statements.
 */
export async function verifyCounts(
  db: Database,
  accountId: number,
  { repair, ...options }: FillOptions & { repair: boolean },
): Promise<CountCheck> {
  const found: CountCheck = recordOf(checkedCounts, () => 0);
  const inStep = stepsOf(db, accountId, options);
  const step: typeof inStep = (work) =>
    inStep(async (tx) => {
      if (!(await areCountsKept(tx, accountId))) throw new NotKept();
      return work(tx);
    });
  try {
    await checkAll(accountId, step, repair, found);
  } catch (error) {
    if (!(error instanceof NotKept || error instanceof AccountDeleted)) throw error;
  }
  return found;
}

/** Adds what differs to `found`. */
async function checkAll(
  accountId: number,
  step: ReturnType<typeof stepsOf>,
  repair: boolean,
  found: CountCheck,
): Promise<void> {
  const { units, groups } = await step((tx) =>
    tx.inOrder({ units: () => findUnitIds(tx, accountId), groups: () => codeGroupIds(tx, accountId) }),
  );
  for (const unitId of units) {
    for (let after: string | undefined = '-infinity'; after !== undefined; ) {
      const from: string = after;
      const { different, last } = await step((tx) => checkUnitDays(tx, accountId, unitId, from, repair));
      found.unit_days += different;
      after = last;
    }
  }
  for (const groupId of groups) found.code_groups += await step((tx) => checkCodes(tx, accountId, groupId, repair));
  found.unit_days += await step((tx) => checkRedeemed(tx, accountId, repair));
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const { different, last } = await step((tx) => checkGuests(tx, accountId, from, repair));
    found.guests += different;
    after = last;
  }
  Object.assign(found, await step((tx) => checkGuestSums(tx, accountId, repair)));
}

interface Part<Place> {
  different: number;
  /** Where the next part begins. Undefined: this was the last one. */
  last: Place | undefined;
}

/** Some days of a unit. */
async function checkUnitDays(
  tx: Tx,
  accountId: number,
  unitId: number,
  after: string,
  repair: boolean,
): Promise<Part<string>> {
  const days = await nextDays(tx, accountId, unitId, after, daysOfFilling);
  const last = days.length === daysOfFilling ? days.at(-1) : undefined;
  const kept = await selectUnitDays(tx, accountId, unitId, { after, until: last ?? 'infinity' });
  const all = [...new Set([...days, ...kept.map(({ day }) => day)])];
  const counted = await countUnitDays(
    tx,
    accountId,
    all.map((day) => ({ day, unit_id: unitId })),
  );
  // Read last: a write between the statements is among them.
  const waiting = await selectWaitingDays(tx, accountId, unitId);
  const before = new Map(kept.map((row) => [row.day, textOf(row)]));
  const different = counted.filter((row) => (before.get(row.day) ?? nothing) !== textOf(row) && !waiting.has(row.day));
  if (repair && different.length > 0) await putUnitDays(tx, accountId, different);
  return { different: different.length, last };
}

const textOf = (row: Pick<UnitDayCounts, (typeof unitDayCounts)[number]>) =>
  unitDayCounts.map((name) => row[name]).join(' ');
const nothing = unitDayCounts.map(() => 0).join(' ');

/** The codes of a group: 1 if its counts differ. */
async function checkCodes(tx: Tx, accountId: number, groupId: number, repair: boolean): Promise<number> {
  const days = await findCodeDays(tx, accountId, groupId);
  if (repair) await addCodeDays(tx, accountId, days, 'unique_code_days');
  const sums = await findCodeSums(tx, accountId, groupId);
  if (repair) await addCodeDays(tx, accountId, sums, 'unique_code_sums');
  return days.length + sums.length > 0 ? 1 : 0;
}

async function checkRedeemed(tx: Tx, accountId: number, repair: boolean): Promise<number> {
  const days = await findRedeemed(tx, accountId);
  if (repair) await addCodeDays(tx, accountId, days, 'unit_days');
  return days.length;
}

/** Some contacts. */
async function checkGuests(tx: Tx, accountId: number, after: number, repair: boolean): Promise<Part<number>> {
  const ids = await nextGuestIds(tx, accountId, after, contactsOfFilling);
  const { before, after: now } = await findChanged(tx, accountId, ids);
  const changed = new Set([...before, ...now].map((guest) => guest.contact_id));
  // Read last: a write between the statements is among them.
  const waiting = await waitingAmong(tx, accountId, [...changed]);
  const different = [...changed].filter((id) => !waiting.has(id));
  if (repair) await countGuests(tx, accountId, different);
  return { different: different.length, last: ids.at(-1) };
}

/** The sums of the counted contacts. All in one transaction, because the contacts may change between two. */
async function checkGuestSums(
  tx: Tx,
  accountId: number,
  repair: boolean,
): Promise<Pick<CountCheck, 'guest_days' | 'groups'>> {
  const [days, groups] = [new Map<string, GuestDay>(), new Map<number, GroupGuests>()];
  const addDay = ({ unit_id, day, ...counts }: GuestDay, times: number) => {
    const key = `${unit_id} ${day}`;
    const sum = days.get(key) ?? { unit_id, day, ...recordOf(guestCounts, () => 0) };
    days.set(key, sum);
    for (const name of guestCounts) sum[name] += times * counts[name];
  };
  const addGroup = ({ group_id, guests }: GroupGuests, times: number) =>
    groups.set(group_id, { group_id, guests: (groups.get(group_id)?.guests ?? 0) + times * guests });

  for (let after = 0; ; ) {
    const last = await lastOfNext(tx, accountId, after, contactsOfSum);
    if (last === null) break;
    for (const day of await sumCounted(tx, accountId, { after, last })) addDay(day, 1);
    for (const group of await sumCountedGroups(tx, accountId, { after, last })) addGroup(group, 1);
    after = last;
  }
  // Read here, because units may be created while the other steps run.
  for (const unitId of [wholeAccount, ...(await findUnitIds(tx, accountId))])
    for (const day of await selectGuestDays(tx, accountId, unitId)) addDay(day, -1);
  for (const group of await selectGroupGuests(tx, accountId)) addGroup(group, -1);

  const isLacking = (sum: GuestCounts) => guestCounts.some((name) => sum[name] !== 0);
  const lacking = [...days.values()].filter(isLacking);
  const lackingGroups = [...groups.values()].filter(({ guests }) => guests !== 0);
  if (repair) {
    await addGuestDays(tx, accountId, lacking);
    await addGroupGuests(tx, accountId, lackingGroups);
  }
  return { guest_days: lacking.length, groups: lackingGroups.length };
}
