import type { Tx } from '../../../platform/db/database.ts';
import type { Slice } from '../../../shared/fields.ts';
import { waitingContacts } from '../../figures/changes-store.ts';
import { evaluationLimitMs, type Today } from './evaluate.ts';
import type { Nested } from './expand.ts';
import { membersAmong } from './keep.ts';
import { selectKeptIds } from './keep-store.ts';
import { addMember, type Numbers, selectNumbers } from './numbers-store.ts';
import type { SegmentRow } from './store.ts';

/*
 * Reading the stored members of segments. A contact whose change still waits is evaluated instead, so the result is right
 * as soon as a write was answered. The changes are read first: what is stored after that is newer, and right too.
 */

/** The most waiting contacts times segments that a reader evaluates. */
const mostEvaluations = 20_000;

type Known = Pick<SegmentRow, 'id' | 'definition'>;

/** The numbers of segments whose members are stored, by id. */
export async function storedNumbers(
  tx: Tx,
  accountId: number,
  segments: Known[],
  nested: Nested,
  today: Today,
  limitMs: number,
): Promise<Map<number, Numbers>> {
  const waiting = segments.length > 0 ? await waitingContacts(tx, accountId) : undefined;
  if (!waiting || waiting.length * segments.length > mostEvaluations) return new Map();
  const ids = segments.map(({ id }) => id);
  const numbers = await selectNumbers(tx, accountId, ids, today.day, waiting);
  const kept = segments.filter(({ id }) => numbers.has(id));
  for (const { segment_id, consents } of await membersAmong(tx, accountId, kept, nested, today, waiting, limitMs)) {
    const of = numbers.get(segment_id);
    if (of) addMember(of, consents);
  }
  return numbers;
}

/** Some members of a segment and their number. Undefined: they are not stored. */
export async function storedSlice(
  tx: Tx,
  accountId: number,
  segment: Known & { nested: Nested },
  slice: Slice,
  today: Today,
): Promise<{ ids: number[]; total: number } | undefined> {
  const place = await storedPlace(tx, accountId, segment, today);
  if (!place) return undefined;
  const ids = await selectKeptIds(tx, accountId, segment.id, place, slice);
  return { ids, total: place.total };
}

/** The ids of the next members after an id. Undefined: they are not stored. */
export async function storedAfter(
  tx: Tx,
  accountId: number,
  segment: Known & { nested: Nested },
  slice: { after: number; limit: number },
  today: Today,
): Promise<number[] | undefined> {
  const place = await storedPlace(tx, accountId, segment, today);
  return place && selectKeptIds(tx, accountId, segment.id, place, slice);
}

async function storedPlace(
  tx: Tx,
  accountId: number,
  { nested, ...segment }: Known & { nested: Nested },
  today: Today,
): Promise<{ without: number[]; others: number[]; total: number } | undefined> {
  const without = await waitingContacts(tx, accountId);
  if (!without) return undefined;
  const numbers = (await selectNumbers(tx, accountId, [segment.id], today.day, without)).get(segment.id);
  if (!numbers) return undefined;
  const others = (await membersAmong(tx, accountId, [segment], nested, today, without, evaluationLimitMs)).map(
    (one) => one.contact_id,
  );
  return { without, others, total: numbers.members + others.length };
}
