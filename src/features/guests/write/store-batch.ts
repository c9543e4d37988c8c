import type { Tx } from '../../../platform/db/database.ts';
import { onClock } from '../../../shared/clock.ts';
import { putBookings } from '../../activity/bookings/store.ts';
import { putPurchases } from '../../activity/purchases/store.ts';
import { putStays } from '../../activity/stays/store.ts';
import { insertWifi } from '../../activity/wifi/store.ts';
import { sameMobile } from '../../identity/identities/schema.ts';
import { appendMerges, claimIdentities, notePairs, releaseIdentities } from '../../identity/identities/store.ts';
import { lockPurchases, matchWaiting, nothingBrought } from '../../identity/matching/store.ts';
import { appendToLedger } from '../consent/store.ts';
import {
  attachGroups,
  detachGroups,
  followMerges,
  newContactIds,
  putContacts,
  storeToUnits,
} from '../contacts/store.ts';
import { learnDomains, lookAgainLater } from '../domains/store.ts';
import { insertFeedback, newFeedbackIds } from '../feedback/store.ts';
import { insertNotes } from '../notes/store.ts';
import { putUdfValues } from '../udfs/store.ts';
import type { BatchState, MergeChange } from './batch-state.ts';
import type { ContactState } from './contact-state.ts';
import type { References } from './references.ts';

/** Ids that were given out beforehand, as far as it was known how many would be needed. */
export interface FreshIds {
  contacts: number[];
  feedback: number[];
}

/**
 * Stores what was decided: a statement for each kind of thing, and none where there is nothing of its kind. They have
 * all been sent, one behind the other, when this gives them; it is the caller who waits for them, or for the commit.
 */
export async function storeBatch(
  tx: Tx,
  { id: accountId, time_zone }: { id: number; time_zone: string },
  { all, changes, deeds }: BatchState,
  references: References,
  {
    fresh = { contacts: [], feedback: [] },
    count = () => {},
  }: { fresh?: FreshIds; count?(outcome: string): void } = {},
): Promise<Promise<unknown>[]> {
  const added = all.filter((person) => person.isNew);
  const lacking = {
    contacts: added.length - fresh.contacts.length,
    feedback: changes.feedback.length - fresh.feedback.length,
  };
  const { contactIds, feedbackIds } = await tx.inOrder({
    contactIds: () => (lacking.contacts > 0 ? newContactIds(tx, lacking.contacts) : []),
    feedbackIds: () => (lacking.feedback > 0 ? newFeedbackIds(tx, lacking.feedback) : []),
    missing: () => references.makeMissing(tx, accountId),
  });
  const ids = [...fresh.contacts, ...contactIds];
  const idsOfFeedback = [...fresh.feedback, ...feedbackIds];
  added.forEach((person, index) => {
    person.row.id = ids[index] as number;
  });
  for (const { person, into } of changes.merges) {
    person.row.merged_into = into.row.id;
    person.changed = true;
  }
  for (const person of all) person.row.source_id = person.source?.id ?? null;

  const statements: Promise<unknown>[] = [];
  const store = <T>(rows: T[], put: (rows: T[]) => Promise<unknown>) => {
    if (rows.length > 0) statements.push(put(rows));
  };
  const linked = <T>(links: (person: ContactState) => Iterable<T>) => all.flatMap((person) => [...links(person)]);
  const dated = <T extends { created_at: string }>(row: T) => ({
    ...row,
    created_at: onClock(row.created_at, time_zone),
  });
  const of = <T extends { person: ContactState }>({ person, ...row }: T) => ({ ...row, contact_id: person.row.id });

  store(
    all.filter((person) => person.changed),
    (people) =>
      putContacts(
        tx,
        accountId,
        people.map((person) => person.row),
      ),
  );
  store(changes.merges, (merges) =>
    followMerges(
      tx,
      accountId,
      merges.map(({ person, into }) => ({ from: person.row.id, to: into.row.id })),
    ),
  );
  store(changes.releases.map(of), (claims) => releaseIdentities(tx, accountId, claims));
  store(
    [...changes.claims.values()].map(({ kind, value, person }) => ({ kind, value, contact_id: person.row.id })),
    (claims) => claimIdentities(tx, accountId, claims),
  );
  store(
    linked(({ row, newUnits }) => [...newUnits].map((unit_id) => ({ contact_id: row.id, unit_id }))),
    (links) => storeToUnits(tx, accountId, links),
  );
  store(
    all.filter((person) => person.detached).map((person) => person.row.id),
    (contactIds) => detachGroups(tx, accountId, contactIds),
  );
  store(
    linked(({ row, newGroups }) => [...newGroups].map(({ id }) => ({ contact_id: row.id, group_id: id as number }))),
    (links) => attachGroups(tx, accountId, links),
  );
  store(
    linked(({ row, newUdfs }) => [...newUdfs].map(([udf_id, data]) => ({ contact_id: row.id, udf_id, data }))),
    (values) => putUdfValues(tx, accountId, values),
  );
  store(
    changes.ledger.map(({ person, source, channel, from, to, applied, rule, token_id, actor }) => ({
      ...{ contact_id: person.row.id, channel, from, to, applied, rule, token_id, actor },
      source_id: source?.id ?? null,
    })),
    (entries) => appendToLedger(tx, accountId, entries),
  );
  store(changes.merges.map(mergeRow), (merges) => appendMerges(tx, accountId, merges));
  store(
    changes.duplicates.map(({ person, other }) => ({
      contact_id: Math.min(person.row.id, other.row.id),
      other_contact_id: Math.max(person.row.id, other.row.id),
      reason: sameMobile,
    })),
    (pairs) => notePairs(tx, accountId, pairs),
  );
  store(
    changes.feedback.map((feedback, index) => dated({ ...of(feedback), id: idsOfFeedback[index] as number })),
    (feedback) => insertFeedback(tx, accountId, feedback),
  );
  const { bookings, bookingStates, purchases, stays, stayContacts, wifi } = deeds.rows();
  store(bookings, (rows) => putBookings(tx, accountId, rows));
  store(stays, (rows) => putStays(tx, accountId, rows, stayContacts));
  store(wifi, (rows) => insertWifi(tx, accountId, rows));
  const brought = { ...nothingBrought, bookings: bookingStates, claims: changes.memberships.map(of) };
  const bringsSomething = brought.bookings.length + brought.claims.length > 0;
  if (bringsSomething || purchases.length > 0) {
    statements.push(lockPurchases(tx, accountId, time_zone, purchases, brought));
  }
  store(purchases, (rows) => putPurchases(tx, accountId, rows));
  if (bringsSomething) {
    statements.push(matchWaiting(tx, accountId, time_zone, brought, count));
  }
  store([...changes.unchecked].sort(), (domains) => lookAgainLater(tx, accountId, domains));
  // Behind everything that may have had to wait for another: notes are listed by their ids, in the order in which things happened.
  store(changes.notes.map(of).map(dated), (notes) => insertNotes(tx, accountId, notes));
  // Last, as accounts share these rows: their locks are held for no longer than the commit takes.
  store([...changes.learntDomains], (domains) => learnDomains(tx, domains));
  return statements;
}

function mergeRow({ person, into, actor, reason, taken, groups, source }: MergeChange) {
  return {
    contact_id: person.row.id,
    into_contact_id: into.row.id,
    reason,
    actor,
    taken: {
      ...taken,
      fields: { ...taken.fields, ...(source?.id ? { source_id: source.id } : {}) },
      group_ids: groups.map((group) => group.id as number),
    },
  };
}
