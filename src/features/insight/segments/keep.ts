import {
  type Database,
  isLockTimeout,
  isRolledBack,
  isStatementTimeout,
  type Tx,
} from '../../../platform/db/database.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import { dayNumber } from '../../../shared/clock.ts';
import { holdAccount } from '../../access/accounts/store.ts';
import { deleteChanges, selectChanges } from '../../figures/changes-store.ts';
import { countGuests } from '../../figures/guest-counts-store.ts';
import { areFiguresFilled } from '../../figures/read-store.ts';
import { lockCounts } from '../../figures/unit-days-store.ts';
import { Compiler, compile } from './compile.ts';
import { type Crossing, crossingOf } from './crossing.ts';
import { selectCrossing } from './crossing-store.ts';
import { passesOf, settingOf, type Today } from './evaluate.ts';
import { segmentEntered, segmentLeft } from './event-schema.ts';
import { allConditions, loadNested, type Nested } from './expand.ts';
import {
  appendSegmentChanges,
  deleteMembers,
  eraseMembers,
  fillMembers,
  type KeptSegment,
  putMembers,
  requestKeeping,
  type StoredMember,
  selectDifferences,
  selectErased,
  selectInside,
  selectKept,
  selectStored,
  selectToday,
  setEvaluated,
  tryLockSegments,
  waitForSegments,
} from './keep-store.ts';
import { prepareEvaluation } from './members-store.ts';
import { addMember, addNumbers, countMembers, type NumberChange, noNumbers } from './numbers-store.ts';
import { countSegments, type SegmentRow } from './store.ts';

/** The most changes that one transaction takes. A change can have many contacts. */
const rowsAtOnce = 500;
/** The most contacts that one transaction evaluates, times the number of segments. */
const evaluationsAtOnce = 100_000;
const mostContacts = 5000;
/** The same for the turn of the day, which evaluates one segment at a time. A segment with many joins gets fewer contacts. */
const [contactsOfTurn, leastContactsOfTurn, evaluationsOfTurn] = [20_000, 1000, 200_000];
const contactsAtOnce = (segments: number) =>
  Math.max(10, Math.min(mostContacts, Math.floor(evaluationsAtOnce / Math.max(1, segments))));
/** Shorter than the time after which the service gives up waiting for a statement. */
const limitMs = 25_000;
/** After a longer break, all members are evaluated again. */
const mostDays = 31;

type Evaluated = Pick<SegmentRow, 'id' | 'definition'>;

/** The members of segments among some contacts. */
export async function membersAmong(
  tx: Tx,
  accountId: number,
  segments: Evaluated[],
  nested: Nested,
  today: Today,
  contactIds: number[],
  limit = limitMs,
): Promise<StoredMember[]> {
  if (contactIds.length === 0) return [];
  const setting = { ...settingOf(accountId, today), byContact: true };
  const members: StoredMember[] = [];
  for (const some of passesOf(segments)) {
    const compiler = new Compiler(setting, nested);
    const wheres = some.map(({ definition }) => compiler.where(definition));
    await prepareEvaluation(tx, limit, compiler.needs);
    for (const { id, consents, inside } of await selectInside(tx, accountId, compiler.joins, wheres, contactIds)) {
      for (const place of inside) {
        const segment = some[place];
        if (segment) members.push({ segment_id: segment.id, contact_id: id, consents });
      }
    }
  }
  return members;
}

const keyOf = ({ segment_id, contact_id }: StoredMember) => `${segment_id} ${contact_id}`;

/** Evaluates contacts and stores what changed. The segments must be locked. */
async function updateMembers(
  tx: Tx,
  accountId: number,
  segments: KeptSegment[],
  nested: Nested,
  today: Today,
  contactIds: number[],
  erased: ReadonlySet<number>,
): Promise<void> {
  const ids = segments.map(({ id }) => id);
  for (let first = 0; first < contactIds.length; first += mostContacts) {
    const some = contactIds.slice(first, first + mostContacts);
    const now = await membersAmong(tx, accountId, segments, nested, today, some);
    const stored = await selectStored(tx, accountId, ids, some);
    await storeDifference(tx, accountId, segments, today.day, stored, now, erased);
  }
}

async function storeDifference(
  tx: Tx,
  accountId: number,
  segments: Pick<SegmentRow, 'id' | 'name'>[],
  day: string,
  before: StoredMember[],
  now: StoredMember[],
  /** They are no longer members, and have no event. */
  erased: ReadonlySet<number> = new Set(),
): Promise<void> {
  const [wasMember, isMember] = [new Map(before.map((one) => [keyOf(one), one])), new Set(now.map(keyOf))];
  const left = before.filter((one) => !isMember.has(keyOf(one)));
  const entered = now.filter((one) => !wasMember.has(keyOf(one)));
  const changed = now.filter((one) => (wasMember.get(keyOf(one)) ?? one).consents !== one.consents);
  const totals = new Map<number, NumberChange>();
  const totalOf = ({ segment_id }: StoredMember) => {
    const total = totals.get(segment_id) ?? { segment_id, numbers: noNumbers(), entered: 0, gone: 0 };
    totals.set(segment_id, total);
    return total;
  };
  for (const one of [...left, ...changed.flatMap((member) => wasMember.get(keyOf(member)) ?? [])])
    addMember(totalOf(one).numbers, one.consents, -1);
  for (const one of [...entered, ...changed]) addMember(totalOf(one).numbers, one.consents);
  for (const one of left) totalOf(one).gone++;
  for (const one of entered) totalOf(one).entered++;

  if (left.length > 0) await deleteMembers(tx, accountId, left);
  if (entered.length + changed.length > 0) await putMembers(tx, accountId, day, [...entered, ...changed]);
  if (totals.size > 0) await addNumbers(tx, accountId, day, [...totals.values()]);
  if (left.length > 0) await appendSegmentChanges(tx, accountId, false, left);
  if (entered.length > 0) await appendSegmentChanges(tx, accountId, true, entered);
  const names = new Map(segments.map(({ id, name }) => [id, name]));
  const dataOf = ({ segment_id, contact_id }: StoredMember) => ({
    ...{ contact_id, segment_id, segment_name: names.get(segment_id) ?? '' },
  });
  await appendEvents(tx, accountId, [
    ...left.filter((one) => !erased.has(one.contact_id)).map((one) => segmentLeft.of(dataOf(one))),
    ...entered.map((one) => segmentEntered.of(dataOf(one))),
  ]);
}

/**
 * Takes changes that wait, and stores what they mean for the members of segments and for the counts of guests. False:
 * nothing is left to do, or another transaction has the lock. `isPatient` waits for the lock, as long as storing the
 * members of a segment can take.
 */
export async function followChanges(db: Database, accountId: number, isPatient = false): Promise<boolean> {
  let isLocked = false;
  const follow = async (tx: Tx) => {
    if (isPatient) await waitForSegments(tx, accountId, limitMs / 1000 + 2);
    else if (!(await tryLockSegments(tx, accountId))) return false;
    isLocked = true;
    // Until the figures are complete, contacts would leave segments and enter them again.
    if (!(await areFiguresFilled(tx, accountId))) return false;
    // The deletion of the account waits, and then finds the rows of this transaction.
    if (!(await holdAccount(tx, accountId))) return false;
    const today = await selectToday(tx, accountId);
    if (!today) return false;
    const contacts = contactsAtOnce(await countSegments(tx, accountId));
    // Before the segments: the change that announces a new segment must not be taken without the segment.
    const changes = await selectChanges(tx, accountId, { rows: rowsAtOnce, contacts });
    const segments = await selectKept(tx, accountId);
    // After a change of the time zone, members can be stored for tomorrow. They are stored anew.
    const kept = segments.filter((one) => one.evaluated_day !== null && one.evaluated_day <= today.day);
    const contactIds = [...new Set(changes.flatMap((one) => one.contact_ids))];
    const erased = segments.length > 0 ? await selectErased(tx, accountId, contactIds) : [];
    if (kept.length > 0) {
      const nested = await loadNested(tx, accountId, ...kept.map((one) => one.definition));
      await updateMembers(tx, accountId, kept, nested, today, contactIds, new Set(erased));
    }
    // Nothing stays about a contact that was erased, also in segments without stored members.
    if (erased.length > 0) await eraseMembers(tx, accountId, erased);
    const ofGuests = changes.filter((one) => !one.only_activity);
    const guestIds = [...new Set(ofGuests.flatMap((one) => one.contact_ids))];
    if (guestIds.length > 0) {
      // As late as possible, because the deletion of a group of codes waits for this lock.
      await lockCounts(tx, accountId);
      await countGuests(tx, accountId, guestIds);
    }
    // A change without contacts stays, so that the account is found until all segments are filled.
    const isDone = segments.length === kept.length;
    const done = changes.filter((one) => isDone || one.contact_ids.length > 0);
    await deleteChanges(
      tx,
      accountId,
      done.map(({ id }) => id),
    );
    if (!isDone && done.length > 0 && done.length === changes.length) await requestKeeping(tx, accountId);
    const taken = changes.reduce((sum, one) => sum + one.contact_ids.length, 0);
    return done.length > 0 && (taken >= contacts || changes.length === rowsAtOnce);
  };
  try {
    return await db.tenant(accountId, follow);
  } catch (error) {
    if (!isLocked && isLockTimeout(error)) return false;
    throw error;
  }
}

/**
 * Stores the members of the next segment without stored members. False: there is none. `onFailed` gets the id of a
 * segment that takes too long; the error follows.
 */
export async function fillNext(
  db: Database,
  accountId: number,
  except: ReadonlySet<number> = new Set(),
  onFailed: (segmentId: number) => void = () => {},
): Promise<boolean> {
  let segmentId: number | undefined;
  const fill = async (tx: Tx) => {
    const today = await selectToday(tx, accountId);
    if (!today) return false;
    const isOpen = ({ id, evaluated_day: day }: KeptSegment) => (day === null || day > today.day) && !except.has(id);
    // `followChanges` runs at the same time, and skips its turn if it does not get the lock. So this function takes the lock
    // only if it has work, and then waits for it. If both only tried, one of them could lose each time.
    if (!(await selectKept(tx, accountId)).some(isOpen)) return false;
    if (!(await areFiguresFilled(tx, accountId))) return false;
    await waitForSegments(tx, accountId);
    const next = (await selectKept(tx, accountId)).find(isOpen);
    if (!next) return false;
    segmentId = next.id;
    const nested = await loadNested(tx, accountId, next.definition);
    const compiled = compile(next.definition, nested, settingOf(accountId, today));
    await prepareEvaluation(tx, limitMs, compiled);
    await fillMembers(tx, accountId, next.id, today.day, compiled);
    await countMembers(tx, accountId, next.id, today.day);
    return true;
  };
  try {
    return await db.tenant(accountId, fill);
  } catch (error) {
    // Another process stores the members of a segment of this account. It goes on with the next one.
    if (segmentId === undefined && isLockTimeout(error)) return false;
    if (segmentId !== undefined && (isRolledBack(error) || isStatementTimeout(error))) onFailed(segmentId);
    throw error;
  }
}

/**
 * Begins a day: evaluates the contacts that the passing of time can move into or out of a segment. Returns their number.
 */
export async function turnSegments(db: Database, accountId: number): Promise<number> {
  let contacts = 0;
  for (let more = true; more; ) {
    more = await db.tenant(accountId, async (tx) => {
      if ((await selectKept(tx, accountId)).length === 0) return false;
      // The job that fills the figures turns the segments at its end.
      if (!(await areFiguresFilled(tx, accountId))) return false;
      await waitForSegments(tx, accountId);
      const today = await selectToday(tx, accountId);
      if (!today) return false;
      const segments = await selectKept(tx, accountId);
      const isOld = ({ evaluated_day: day }: KeptSegment) =>
        day !== null && (day > today.day || dayNumber(today.day) - dayNumber(day) > mostDays);
      const old = segments.filter(isOld);
      if (old.length > 0) await setEvaluated(tx, accountId, idsOf(old), null);
      if (old.length > 0 || segments.some((one) => one.evaluated_day === null)) await requestKeeping(tx, accountId);

      const due = segments.filter((one) => one.evaluated_day !== null && one.evaluated_day < today.day && !isOld(one));
      const nested = await loadNested(tx, accountId, ...due.map((one) => one.definition));
      const from = due[0]?.evaluated_day;
      if (typeof from !== 'string') return false;
      const same = due.filter((one) => one.evaluated_day === from);
      const turned: KeptSegment[] = [];
      let evaluated = 0;
      for (const { crossings, segments: group } of groupByCrossing(same, nested, { from, to: today.day })) {
        if (evaluated >= evaluationsOfTurn) break;
        const ids = await selectCrossing(tx, accountId, today.timeZone, crossings);
        for (const one of group) {
          // After many contacts another transaction goes on.
          if (evaluated >= evaluationsOfTurn) break;
          await evaluateCrossing(tx, accountId, one, nested, today, ids);
          turned.push(one);
          evaluated += ids.length;
        }
      }
      contacts += evaluated;
      await setEvaluated(tx, accountId, idsOf(turned), today.day);
      return due.length > turned.length;
    });
  }
  return contacts;
}

interface Group {
  crossings: Crossing[];
  segments: KeptSegment[];
}

/** Segments that the same contacts can enter or leave. Many have the same window, so these contacts are looked for once. */
function groupByCrossing(segments: KeptSegment[], nested: Nested, turn: { from: string; to: string }): Group[] {
  const groups = new Map<string, Group>();
  for (const one of segments) {
    const crossings = crossingOf(allConditions(one.definition, nested), turn);
    const key = JSON.stringify(crossings);
    const group = groups.get(key);
    if (group) group.segments.push(one);
    else groups.set(key, { crossings, segments: [one] });
  }
  // Those that time does not move are done at once.
  return [...groups.values()].sort((a, b) => Number(a.crossings.length > 0) - Number(b.crossings.length > 0));
}

/** Evaluates contacts for one segment and stores what changed. Only the differences leave the database. */
async function evaluateCrossing(
  tx: Tx,
  accountId: number,
  segment: KeptSegment,
  nested: Nested,
  today: Today,
  contactIds: number[],
): Promise<void> {
  const { id, definition } = segment;
  const compiled = compile(definition, nested, { ...settingOf(accountId, today), byContact: true });
  const atOnce = Math.max(leastContactsOfTurn, Math.floor(contactsOfTurn / Math.max(1, compiled.joinCount)));
  for (let first = 0; first < contactIds.length; first += atOnce) {
    const some = contactIds.slice(first, first + atOnce);
    await prepareEvaluation(tx, limitMs, compiled);
    const differences = await selectDifferences(tx, accountId, id, compiled, some);
    const members = (of: 'stored' | 'now') =>
      differences.flatMap((one) => {
        const consents = one[of];
        return consents === null ? [] : [{ segment_id: id, contact_id: one.contact_id, consents }];
      });
    await storeDifference(tx, accountId, [segment], today.day, members('stored'), members('now'));
  }
}

const idsOf = (segments: KeptSegment[]) => segments.map(({ id }) => id);
