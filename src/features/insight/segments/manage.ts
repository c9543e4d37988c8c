import { isDeepStrictEqual } from 'node:util';
import { isViolation, type Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { checkDefinition } from './check.ts';
import { type Definition, segmentIdsIn } from './definition-schema.ts';
import { type Clock, countLive, evaluate, evaluationLimitMs, isTimeout, todayOf } from './evaluate.ts';
import { fitsLimits, loadNested, type Nested } from './expand.ts';
import { deleteMembersOf, lockDefinitions, lockSegments, requestKeeping } from './keep-store.ts';
import { countMembers, endEvaluation, inSavepoint } from './members-store.ts';
import { type Numbers, toCounts } from './numbers-store.ts';
import {
  type Counts,
  maxSegments,
  type PartnerSegment,
  type Segment,
  type SegmentUpdate,
  type SegmentWrite,
} from './schema.ts';
import {
  countSegments,
  deleteSegment,
  findSegment,
  insertSegment,
  redefineSegments,
  type SegmentRow,
  selectReferring,
  selectSegments,
  updateSegment,
} from './store.ts';
import { storedNumbers } from './stored.ts';

const nameTaken = () => new Invalid({ name: ['The name has already been taken by another segment.'] });
const noSuchSegment = () => new NotFound('There is no such segment.');

export async function createSegment(
  tx: Tx,
  accountId: number,
  { name, definition: sent }: SegmentWrite,
  clock: Clock,
): Promise<Segment> {
  // Evaluated before the lock, because others wait for it. A segment that it refers to may change until then.
  const first = await checkDefinition(tx, accountId, sent);
  const counts = await evaluateCounts(tx, accountId, first, clock);
  await lockDefinitions(tx, accountId);
  const checked = await checkDefinition(tx, accountId, sent);
  if ((await countSegments(tx, accountId)) >= maxSegments)
    throw new Invalid({ name: [`The account already has ${maxSegments} segments, which is the maximum.`] });
  const row = await insertSegment(tx, accountId, { name, definition: checked.definition });
  if (!row) throw nameTaken();
  await requestKeeping(tx, accountId);
  return { ...row, ...counts };
}

export async function changeSegment(
  tx: Tx,
  accountId: number,
  id: number,
  { name, definition: sent }: SegmentUpdate,
  clock: Clock,
): Promise<Segment> {
  const before = await getSegment(tx, accountId, id);
  // A segment that has become slow can still be renamed.
  const first = sent === undefined ? undefined : await checkDefinition(tx, accountId, sent, id);
  const counts = first && (await evaluateCounts(tx, accountId, first, clock));
  await lockDefinitions(tx, accountId);
  // A new name does not wait for the members of other segments.
  if (sent !== undefined) await lockSegments(tx, accountId);
  const checked = sent === undefined ? undefined : await checkDefinition(tx, accountId, sent, id);
  const referring = checked ? await checkReferring(tx, accountId, id, checked.definition) : [];
  try {
    const row = await updateSegment(tx, accountId, id, { name, definition: checked?.definition });
    if (!row) throw noSuchSegment();
    // The same definition begins no new membership.
    if (checked && !isDeepStrictEqual(checked.definition, before.definition)) {
      await redefineSegments(tx, accountId, [id, ...referring]);
      await requestKeeping(tx, accountId);
    }
    return { ...row, ...(counts ?? (await countOf(tx, accountId, row, clock))) };
  } catch (error) {
    throw isViolation(error, 'unique') ? nameTaken() : error;
  }
}

/**
 * A change must not push the segments that refer to this one over the limits. Returns the ids of those segments: their
 * members change too.
 */
async function checkReferring(tx: Tx, accountId: number, id: number, definition: Definition): Promise<number[]> {
  const others = (await selectReferring(tx, accountId)).filter((one) => one.id !== id);
  const nested = new Map(await loadNested(tx, accountId, definition, ...others.map((one) => one.definition)));
  nested.set(id, definition);
  const referring = others.filter((one) => leadsTo(one.definition, id, nested));
  const broken = referring.find((one) => !fitsLimits(one.definition, nested));
  if (!broken) return referring.map((one) => one.id);
  throw new Invalid({
    definition: [`The segment “${broken.name}” refers to this one, and would have too many conditions or levels.`],
  });
}

function leadsTo(definition: Definition, id: number, nested: Nested): boolean {
  const open = segmentIdsIn(definition);
  const seen = new Set<number>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === id) return true;
    const inner = seen.has(next) ? undefined : nested.get(next);
    seen.add(next);
    if (inner) open.push(...segmentIdsIn(inner));
  }
  return false;
}

export async function removeSegment(tx: Tx, accountId: number, id: number): Promise<void> {
  await lockDefinitions(tx, accountId);
  await lockSegments(tx, accountId);
  await getSegment(tx, accountId, id);
  const users = (await selectReferring(tx, accountId)).filter(({ definition }) =>
    segmentIdsIn(definition).includes(id),
  );
  if (users.length > 0) {
    const names = users.slice(0, mostNamed).map(({ name }) => `“${name}”`);
    const more = users.length > mostNamed ? ` and ${users.length - mostNamed} more` : '';
    throw new Invalid({ segment_id: [`The segment can’t be deleted. It is used by ${names.join(', ')}${more}.`] });
  }
  await deleteSegment(tx, accountId, id);
  await deleteMembersOf(tx, accountId, id);
}

/** The most segments that a message names. */
const mostNamed = 5;

export async function getSegment(tx: Tx, accountId: number, id: number): Promise<SegmentRow> {
  const row = await findSegment(tx, accountId, id);
  if (!row) throw noSuchSegment();
  return row;
}

/** A stored segment with the segments that it refers to. */
export async function getWithNested(tx: Tx, accountId: number, id: number): Promise<SegmentRow & { nested: Nested }> {
  const row = await getSegment(tx, accountId, id);
  return { ...row, nested: await loadNested(tx, accountId, row.definition) };
}

export async function showSegment(tx: Tx, accountId: number, id: number, clock: Clock): Promise<Segment> {
  const row = await getSegment(tx, accountId, id);
  return { ...row, ...(await countOf(tx, accountId, row, clock)) };
}

const notCounted = { count: null, contactable: null };

async function countOf(tx: Tx, accountId: number, row: SegmentRow, clock: Clock) {
  return (await countsOf(tx, accountId, [row], clock)).get(row.id) ?? notCounted;
}

/** The counts of segments by id, from the stored members where they are stored. Those that take too long are missing. */
async function countsOf(
  tx: Tx,
  accountId: number,
  rows: SegmentRow[],
  { now, limitMs = evaluationLimitMs }: Clock,
): Promise<Map<number, Counts>> {
  if (rows.length === 0) return new Map();
  const nested = await loadNested(tx, accountId, ...rows.map(({ definition }) => definition));
  const today = await todayOf(tx, accountId, now);
  const fromStored = () => storedNumbers(tx, accountId, rows, nested, today, limitMs);
  const stored = (await inSavepoint(tx, fromStored, isTimeout)) ?? new Map<number, Numbers>();
  const others = rows.filter(({ id }) => !stored.has(id));
  const live = await countLive(tx, accountId, others, nested, today, limitMs);
  return new Map([...[...stored].map(([id, numbers]): [number, Counts] => [id, toCounts(numbers)]), ...live]);
}

export async function listSegments(tx: Tx, accountId: number, slice: Slice, clock: Clock): Promise<Rows<Segment>> {
  const { rows, total } = await selectSegments(tx, accountId, slice);
  const counts = await countsOf(tx, accountId, rows, clock);
  return { total, rows: rows.map((row) => ({ ...row, ...(counts.get(row.id) ?? notCounted) })) };
}

export async function listPartnerSegments(
  tx: Tx,
  accountId: number,
  slice: Slice,
  clock: Clock,
): Promise<Rows<PartnerSegment>> {
  const { rows, total } = await listSegments(tx, accountId, slice, clock);
  return { total, rows: rows.map(({ id, name, count }) => ({ id, name, count })) };
}

/** A new definition must be fast enough, so one that takes too long is refused. */
async function evaluateCounts(
  tx: Tx,
  accountId: number,
  checked: { definition: Definition; nested: Nested },
  clock: Clock,
): Promise<Counts> {
  const { counts } = await evaluate(tx, accountId, checked, clock, (compiled) => countMembers(tx, accountId, compiled));
  await endEvaluation(tx);
  return counts;
}
