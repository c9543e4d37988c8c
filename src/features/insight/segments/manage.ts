import { isViolation, type Tx } from '../../../platform/db/database.ts';
import { lockKeys } from '../../../platform/db/locks.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { checkDefinition } from './check.ts';
import { type Definition, segmentIdsIn } from './definition-schema.ts';
import { type Clock, countSegmentMembers, evaluate } from './evaluate.ts';
import { fitsLimits, loadNested, type Nested } from './expand.ts';
import { countMembers } from './members-store.ts';
import { maxSegments, type PartnerSegment, type Segment, type SegmentUpdate, type SegmentWrite } from './schema.ts';
import {
  countSegments,
  deleteSegment,
  findSegment,
  insertSegment,
  type SegmentRow,
  selectReferring,
  selectSegments,
  updateSegment,
} from './store.ts';

const nameTaken = () => new Invalid({ name: ['The name has already been taken by another segment.'] });
const noSuchSegment = () => new NotFound('There is no such segment.');

/** One change of an account's segments at a time: two concurrent changes could make two segments refer to each other. */
const lockSegments = (tx: Tx, accountId: number) => lockKeys(tx, accountId, ['segments'], 'all segments');

export async function createSegment(
  tx: Tx,
  accountId: number,
  { name, definition: sent }: SegmentWrite,
  clock: Clock,
): Promise<Segment> {
  await lockSegments(tx, accountId);
  const checked = await checkDefinition(tx, accountId, sent);
  if ((await countSegments(tx, accountId)) >= maxSegments)
    throw new Invalid({ name: [`The account already has ${maxSegments} segments, which is the maximum.`] });
  const row = await insertSegment(tx, accountId, { name, definition: checked.definition });
  if (!row) throw nameTaken();
  return withCounts(tx, accountId, row, checked.nested, clock);
}

export async function changeSegment(
  tx: Tx,
  accountId: number,
  id: number,
  { name, definition: sent }: SegmentUpdate,
  clock: Clock,
): Promise<Segment> {
  await lockSegments(tx, accountId);
  await getSegment(tx, accountId, id);
  const checked = sent === undefined ? undefined : await checkDefinition(tx, accountId, sent, id);
  if (checked) await checkReferring(tx, accountId, id, checked.definition);
  try {
    const row = await updateSegment(tx, accountId, id, { name, definition: checked?.definition });
    if (!row) throw noSuchSegment();
    // A segment that has become slow can still be renamed.
    return checked
      ? await withCounts(tx, accountId, row, checked.nested, clock)
      : await counted(tx, accountId, row, clock);
  } catch (error) {
    throw isViolation(error, 'unique') ? nameTaken() : error;
  }
}

/** A change must not push the segments that refer to this one over the limits. */
async function checkReferring(tx: Tx, accountId: number, id: number, definition: Definition): Promise<void> {
  const others = (await selectReferring(tx, accountId)).filter((one) => one.id !== id);
  const nested = new Map(await loadNested(tx, accountId, definition, ...others.map((one) => one.definition)));
  nested.set(id, definition);
  const broken = others.find((one) => leadsTo(one.definition, id, nested) && !fitsLimits(one.definition, nested));
  if (!broken) return;
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
  return counted(tx, accountId, await getSegment(tx, accountId, id), clock);
}

/** The segment with its counts, or without them if counting takes too long. */
async function counted(tx: Tx, accountId: number, row: SegmentRow, clock: Clock): Promise<Segment> {
  const [counts] = await countSegmentMembers(tx, accountId, [row.definition], clock);
  return { ...row, ...(counts ?? notCounted) };
}

const notCounted = { count: null, contactable: null };

export async function listSegments(tx: Tx, accountId: number, slice: Slice, clock: Clock): Promise<Rows<Segment>> {
  const { rows, total } = await selectSegments(tx, accountId, slice);
  const definitions = rows.map(({ definition }) => definition);
  const counts = await countSegmentMembers(tx, accountId, definitions, clock);
  return { total, rows: rows.map((row, n) => ({ ...row, ...(counts[n] ?? notCounted) })) };
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
async function withCounts(tx: Tx, accountId: number, row: SegmentRow, nested: Nested, clock: Clock): Promise<Segment> {
  const { definition } = row;
  const counts = await evaluate(tx, accountId, { definition, nested }, clock, (compiled) =>
    countMembers(tx, accountId, compiled),
  );
  return { ...row, ...counts };
}
