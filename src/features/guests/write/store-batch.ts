import type { Tx } from '../../../platform/db/database.ts';
import { settled } from '../../../platform/db/ordered.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import type { NewEvent } from '../../../shared/event-kind.ts';
import { present } from '../../../shared/present.ts';
import { sendRefresh } from '../../figures/refresh-store.ts';
import { addChanges, type FigureChanges, noFigureChanges } from '../../figures/schema.ts';
import { appendMerges, claimIdentities, insertPairs, releaseIdentities } from '../../identity/identities/store.ts';
import type { NewMatchKeys } from '../../identity/matching/store.ts';
import type { StoreAccount } from '../../identity/sections/section.ts';
import { appendToLedger } from '../consent/store.ts';
import {
  attachGroups,
  detachGroups,
  followMerges,
  newContactIds,
  putContacts,
  storeToUnits,
} from '../contacts/store.ts';
import { enqueueRechecks, learnDomains } from '../domains/store.ts';
import type { BatchState } from './batch-state.ts';
import type { MergeChange } from './changes.ts';
import type { ContactState } from './contact-state.ts';
import type { References } from './references.ts';
import type { StoreStep } from './sections.ts';

/**
 * Stores the decisions: one statement for each kind of row, none without rows. Resolves when all statements have been
 * sent, in the order of this function. The caller waits for them, or for the commit.
 */
export async function storeBatch(
  tx: Tx,
  account: StoreAccount,
  { all, changes, sections }: BatchState,
  references: References,
  { freshIds = [], count = () => {} }: { freshIds?: number[]; count?(outcome: string): void } = {},
): Promise<Promise<unknown>[]> {
  const accountId = account.id;
  const added = all.filter((contact) => contact.isNew);
  const lacking = added.length - freshIds.length;
  const { moreIds } = await tx.inOrder({
    moreIds: () => (lacking > 0 ? newContactIds(tx, lacking) : []),
    missing: () => references.createMissing(tx, accountId),
  });
  const ids = [...freshIds, ...moreIds];
  added.forEach((contact, index) => {
    contact.row.id = present(ids[index], 'contact id');
  });
  for (const { contact, into } of changes.merges) {
    contact.row.merged_into = into.row.id;
    contact.changed = true;
  }
  for (const contact of all) contact.row.source_id = contact.source?.id ?? null;

  const statements: Promise<unknown>[] = [];
  const store = <T>(rows: T[], put: (rows: T[]) => Promise<unknown>) => {
    if (rows.length > 0) statements.push(put(rows));
  };
  const linked = <T>(links: (contact: ContactState) => Iterable<T>) => all.flatMap((contact) => [...links(contact)]);
  const of = <T extends { contact: ContactState }>({ contact, ...row }: T) => ({ ...row, contact_id: contact.row.id });

  store(
    all.filter((contact) => contact.changed),
    (contacts) =>
      putContacts(
        tx,
        accountId,
        contacts.map((contact) => contact.row),
      ),
  );
  store(changes.merges, (merges) =>
    followMerges(
      tx,
      accountId,
      merges.map(({ contact, into }) => ({ from: contact.row.id, to: into.row.id })),
    ),
  );
  store(changes.releases.map(of), (claims) => releaseIdentities(tx, accountId, claims));
  store(
    [...changes.claims.values()].map(({ kind, value, contact }) => ({ kind, value, contact_id: contact.row.id })),
    (claims) => claimIdentities(tx, accountId, claims),
  );
  store(
    linked(({ row, newUnits }) => [...newUnits].map((unit_id) => ({ contact_id: row.id, unit_id }))),
    (links) => storeToUnits(tx, accountId, links),
  );
  store(
    all.filter((contact) => contact.detached).map((contact) => contact.row.id),
    (contactIds) => detachGroups(tx, accountId, contactIds),
  );
  store(
    linked(({ row, newGroups }) =>
      [...newGroups].map(({ id }) => ({ contact_id: row.id, group_id: present(id, 'group id') })),
    ),
    (links) => attachGroups(tx, accountId, links),
  );
  const figures = noFigureChanges();
  const lateFigures: Promise<Partial<FigureChanges>>[] = [];
  const lateEvents: Promise<NewEvent[]>[] = [];
  const newMatchKeys: NewMatchKeys = { bookings: [], claims: changes.memberships.map(of), codeIds: [] };
  const storeSections = (step: StoreStep) =>
    statements.push(
      ...sections.store(step, tx, account, {
        ...{ contacts: all, newMatchKeys, figures, lateFigures, lateEvents, count },
      }),
    );
  storeSections('withContact');
  store(
    changes.ledger.map(({ contact, source, channel, from, to, applied, rule, token_id, actor }) => ({
      ...{ contact_id: contact.row.id, channel, from, to, applied, rule, token_id, actor },
      source_id: source?.id ?? null,
    })),
    (entries) => appendToLedger(tx, accountId, entries),
  );
  store(changes.merges.map(mergeRow), (merges) => appendMerges(tx, accountId, merges));
  store(
    changes.duplicates.map(({ contact, other }) => ({
      contact_id: Math.min(contact.row.id, other.row.id),
      other_contact_id: Math.max(contact.row.id, other.row.id),
      reason: 'same_mobile' as const,
    })),
    (pairs) => insertPairs(tx, accountId, pairs),
  );
  storeSections('activity');
  figures.merged.push(...changes.merges.flatMap(({ contact, into }) => [contact.row.id, into.row.id]));
  // A new contact has no figures, or gets them in this transaction.
  const consented = changes.ledger.filter(
    ({ contact, applied }) => applied && !contact.isNew && contact.row.merged_into === null,
  );
  figures.consented.push(...new Set(consented.map(({ contact }) => contact.row.id)));
  // While this function waits, an error of a statement must not count as unhandled.
  for (const statement of [...statements, ...lateEvents]) statement.catch(() => {});
  for (const late of await settled(lateFigures)) addChanges(figures, late);
  const matched = (await settled(lateEvents)).flat();
  const own = new Set(all.flatMap(({ row }) => (row.merged_into === null ? [row.id] : [])));
  for (const contact of all) if (hasChanged(contact)) figures.edited.push(contact.row.id);
  statements.push(...(await sendRefresh(tx, accountId, figures, { own })));
  store([...changes.unchecked].sort(), (domains) => enqueueRechecks(tx, accountId, domains));
  storeSections('last');
  const events = [...changes.events.map((make) => make()), ...matched];
  store(events, () => appendEvents(tx, accountId, events));
  // At the end, because accounts share these rows: their locks are held only for the duration of the commit.
  store([...changes.learntDomains], (domains) => learnDomains(tx, domains));
  return statements;
}

const hasChanged = ({ changed, detached, newUnits, newGroups, newUdfs }: ContactState) =>
  changed || detached || newUnits.size + newGroups.size + newUdfs.size > 0;

function mergeRow({ contact, into, actor, reason, taken, groups, source }: MergeChange) {
  return {
    contact_id: contact.row.id,
    into_contact_id: into.row.id,
    reason,
    actor,
    taken: {
      ...taken,
      fields: { ...taken.fields, ...(source?.id ? { source_id: source.id } : {}) },
      // By id: names that differ here may be equal in PostgreSQL.
      group_ids: [...new Set(groups.map((group) => present(group.id, 'group id')))],
    },
  };
}
