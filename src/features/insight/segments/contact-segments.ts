import type { Tx } from '../../../platform/db/database.ts';
import { waitingContacts } from '../../figures/changes-store.ts';
import { findContact, noSuchContact } from '../../guests/contacts/store.ts';
import { type Clock, evaluationLimitMs, isTimeout, passesOf, todayOf } from './evaluate.ts';
import { loadNested } from './expand.ts';
import { membersAmong } from './keep.ts';
import { selectMemberships } from './keep-store.ts';
import { inSavepoint } from './members-store.ts';
import type { ContactSegments } from './schema.ts';

/** With less time than this, the next segments are not evaluated. */
const leastMs = 50;

/**
 * The segments that a contact is in. A merged contact leads to its survivor. Stored memberships are read. Segments without
 * stored members, and all of them if a change of the contact still waits, are evaluated.
 */
export async function segmentsOfContact(
  tx: Tx,
  accountId: number,
  contactId: number,
  { now, limitMs = evaluationLimitMs }: Clock,
): Promise<ContactSegments> {
  const contact = await findContact(tx, accountId, contactId);
  if (!contact) throw noSuchContact();
  const id = contact.merged_into ?? contact.id;
  const deadline = performance.now() + limitMs;
  const today = await todayOf(tx, accountId, now);
  const isWaiting = (await waitingContacts(tx, accountId))?.includes(id) ?? true;
  const segments = await selectMemberships(tx, accountId, id, today.timeZone);
  const isStored = ({ evaluated_day }: (typeof segments)[number]) => !isWaiting && evaluated_day === today.day;
  const members = new Set(segments.filter((one) => isStored(one) && one.since !== null).map((one) => one.id));
  const missed = new Set<number>();
  const others = segments.filter((one) => !isStored(one));
  const nested = await loadNested(tx, accountId, ...others.map(({ definition }) => definition));
  for (const some of passesOf(others)) {
    const left = deadline - performance.now();
    const evaluate = () => membersAmong(tx, accountId, some, nested, today, [id], left);
    const inside = left < Math.min(limitMs / 2, leastMs) ? undefined : await inSavepoint(tx, evaluate, isTimeout);
    if (inside) for (const { segment_id } of inside) members.add(segment_id);
    else for (const one of some) missed.add(one.id);
  }
  return {
    data: segments
      .filter((one) => members.has(one.id))
      // A membership that is not stored yet began today, or with the definition.
      .map((one) => ({ id: one.id, name: one.name, since: one.since ?? one.defined_day ?? today.day })),
    not_evaluated: segments.filter((one) => missed.has(one.id)).map(({ id, name }) => ({ id, name })),
  };
}
