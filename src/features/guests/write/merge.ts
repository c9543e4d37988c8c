import { Conflict, type Tx } from '../../../platform/db/database.ts';
import { settled } from '../../../platform/db/ordered.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import { type Channel, flagOf } from '../../../shared/codes.ts';
import type { NewEvent } from '../../../shared/event-kind.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { present } from '../../../shared/present.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { findAccount } from '../../access/accounts/store.ts';
import { refreshFigures } from '../../figures/refresh-store.ts';
import { nothingTaken, type Taken } from '../../identity/identities/schema.ts';
import {
  appendMerges,
  findMerge,
  findPair,
  keepApart,
  latestMerge,
  lineage,
  type MergeRow,
  mergeSubtree,
  selectMerges,
  selectPairs,
  setSurvivor,
} from '../../identity/identities/store.ts';
import { appendToLedger, selectGivenByMerge, selectWithdrawals } from '../consent/store.ts';
import { consentChanged, contactUnmerged, contactUpdated, noContactChanges } from '../contacts/event-schema.ts';
import { selectFound } from '../contacts/search-store.ts';
import {
  type ContactRow,
  findContact,
  lockContacts,
  noSuchContact,
  putContacts,
  removeFromUnitsAndGroups,
  selectDetails,
} from '../contacts/store.ts';
import { deleteUdfValues } from '../udfs/store.ts';
import { BatchSections } from './batch-sections.ts';
import { BatchState } from './batch-state.ts';
import { changedFields } from './contact-events.ts';
import { References } from './references.ts';
import type { ListMerges, Merge, PossibleDuplicate } from './schema.ts';
import { storeBatch } from './store-batch.ts';

/** Merges two contacts on behalf of staff. The first is the survivor and takes over the data that it lacks. */
export async function mergeContacts(
  tx: Tx,
  accountId: number,
  intoId: number,
  contactId: number,
  actor: string,
): Promise<Merge> {
  const [into, from] = await tx.each([intoId, contactId], (id) => survivorOf(tx, accountId, id));
  if (into === undefined) throw noSuchContact();
  if (from === undefined) throw new Invalid({ contact_id: ['The contact id is not a contact of this account.'] });
  if (into === from) throw new Invalid({ contact_id: ['The contact id leads to this very contact already.'] });
  const ids = [into, from];
  const families = [...(await lineage(tx, accountId, into)), ...(await lineage(tx, accountId, from))];
  const rows = (await lockContacts(tx, accountId, families)).filter((row) => ids.includes(row.id));
  if (rows.length < 2 || rows.some((row) => row.merged_into !== null)) throw new Conflict();
  const sections = new BatchSections();
  const { account, details, withdrawals, references } = await tx.inOrder({
    account: () => findAccount(tx, accountId),
    details: () => selectDetails(tx, accountId, ids),
    withdrawals: () => selectWithdrawals(tx, accountId, ids),
    references: () => References.load(tx, accountId, [], sections),
  });
  if (!account) throw noSuchContact();
  const batch = new BatchState(
    { contacts: rows, details, withdrawals, contactByIdentity: new Map(), survivors: new Map(), differentPeople: [] },
    references,
    sections,
  );
  batch.merge(batch.contact(from), batch.contact(into), { reason: 'staff', actor, tokenId: null });
  await settled(await storeBatch(tx, account, batch, references));
  return shown(await latestMerge(tx, accountId, from));
}

async function survivorOf(tx: Tx, accountId: number, id: number): Promise<number | undefined> {
  const row = await findContact(tx, accountId, id);
  return row?.merged_into ?? row?.id;
}

export async function listMerges(
  tx: Tx,
  accountId: number,
  slice: Slice,
  { contact_id }: ListMerges = {},
): Promise<Rows<Merge>> {
  const family = contact_id === undefined ? undefined : await lineage(tx, accountId, contact_id);
  const { rows, total } = await selectMerges(tx, accountId, family, slice);
  return { rows: rows.map(shown), total };
}

export async function showMerge(tx: Tx, accountId: number, id: number): Promise<Merge> {
  return shown(await existingMerge(tx, accountId, id));
}

/**
 * Undoes a merge. The survivor loses what it took over, except values that were changed since. The pair is marked as
 * different people, so that a shared phone does not merge them again.
 */
export async function undoMerge(tx: Tx, accountId: number, id: number, actor: string): Promise<Merge> {
  const { contact_id: from, into_contact_id: into } = await existingMerge(tx, accountId, id);
  const rows = await lockContacts(tx, accountId, [into, ...(await mergeSubtree(tx, accountId, from))]);
  // Another transaction may have undone it before the contacts were locked.
  const merge = await existingMerge(tx, accountId, id);
  if (merge.undone_at !== null) throw new Invalid({ merge_id: ['The merge has been undone already.'] });
  const survivor = rows.find((row) => row.id === into);
  if (!survivor || survivor.merged_into !== null) {
    throw new Invalid({ merge_id: ['The contact has been merged into another one since. Undo that merge first.'] });
  }
  const family = await mergeSubtree(tx, accountId, from);
  await setSurvivor(
    tx,
    accountId,
    family.filter((one) => one !== from),
    from,
  );
  await setSurvivor(tx, accountId, [from], null);
  const events = await takeBack(tx, accountId, survivor, merge.taken, actor);
  await keepApart(tx, accountId, { ...pairOf(from, into), reason: merge.reason }, actor);
  await appendMerges(tx, accountId, [
    { contact_id: from, into_contact_id: into, reason: merge.reason, actor, taken: nothingTaken, undoes: id },
  ]);
  await refreshFigures(tx, accountId, { merged: [from, into] });
  const about = events.map((event) => ({ ...event, contactIds: [into, from] }));
  await appendEvents(tx, accountId, [
    contactUnmerged.of({ contact_id: into, unmerged_contact_id: from }, [from]),
    ...about,
  ]);
  return showMerge(tx, accountId, id);
}

/**
 * Takes back only values that are still as the merge left them. Values written since belong to the survivor. Returns the
 * events of what the survivor lost.
 */
async function takeBack(
  tx: Tx,
  accountId: number,
  survivor: ContactRow,
  taken: Taken,
  actor: string,
): Promise<NewEvent[]> {
  const row: Record<string, unknown> = { ...survivor };
  for (const [field, value] of Object.entries(taken.fields)) if (row[field] === value) row[field] = null;
  if (row.email === null) row.email_status = null;
  // A consent that the merge ended stays ended: only the guest can give it again. The ledger records that it was not restored.
  const ended = (taken.channels as Channel[]).filter((channel) => !survivor[flagOf[channel]]);
  const lent = await selectGivenByMerge(tx, accountId, survivor.id);
  const returned = lent.filter((channel) => taken.given?.includes(channel));
  for (const channel of returned) row[flagOf[channel]] = false;
  await putContacts(tx, accountId, [row as ContactRow]);
  const entry = { contact_id: survivor.id, rule: 'undo', source_id: null, token_id: null, actor };
  await appendToLedger(tx, accountId, [
    ...ended.map((channel) => ({ ...entry, channel, from: false, to: true, applied: false })),
    ...returned.map((channel) => ({ ...entry, channel, from: true, to: false, applied: true })),
  ]);
  const removed = await removeFromUnitsAndGroups(tx, accountId, survivor.id, taken.unit_ids, taken.group_ids);
  const udfs = await deleteUdfValues(tx, accountId, survivor.id, taken.udfs);
  const changes = changedFields(survivor, row as ContactRow);
  for (const { id, data } of udfs) changes[`udf:${id}`] = { from: data, to: null };
  if (row.source_id !== survivor.source_id) changes.source_id = { from: String(survivor.source_id), to: null };
  const lists = { removed_unit_ids: removed.units, removed_group_ids: removed.groups };
  const hasChanged = Object.keys(changes).length + removed.units.length + removed.groups.length > 0;
  return [
    ...(hasChanged ? [contactUpdated.of({ contact_id: survivor.id, ...noContactChanges(), changes, ...lists })] : []),
    ...returned.map((channel) =>
      consentChanged.of({ contact_id: survivor.id, channel, from: true, to: false, rule: 'undo', source_id: null }),
    ),
  ];
}

export async function listDuplicates(tx: Tx, accountId: number, slice: Slice): Promise<Rows<PossibleDuplicate>> {
  const { rows, total } = await selectPairs(tx, accountId, slice);
  const ids = [...new Set(rows.flatMap(({ low, high }) => [low, high]))];
  const found = new Map((await selectFound(tx, accountId, ids)).map((contact) => [contact.id, contact]));
  const side = (id: number) => present(found.get(id), 'contact');
  return { rows: rows.map(({ low, high, ...pair }) => ({ ...pair, contacts: [side(low), side(high)] })), total };
}

/** Marks two contacts as different people. They are no longer listed, and not merged automatically. */
export async function keepPairApart(tx: Tx, accountId: number, id: number, actor: string): Promise<void> {
  const pair = await findPair(tx, accountId, id);
  if (!pair) throw new NotFound('There is no such pair of contacts.');
  const { contact_id, other_contact_id, reason } = pair;
  const [a, b] = await tx.each([contact_id, other_contact_id], (one) => survivorOf(tx, accountId, one));
  if (a === undefined || b === undefined || a === b) {
    throw new Invalid({ pair_id: ['The two have been merged. Undo that merge if they are two people.'] });
  }
  await keepApart(tx, accountId, pair, actor);
  await keepApart(tx, accountId, { ...pairOf(a, b), reason }, actor);
}

function pairOf(a: number, b: number): { contact_id: number; other_contact_id: number } {
  return { contact_id: Math.min(a, b), other_contact_id: Math.max(a, b) };
}

async function existingMerge(tx: Tx, accountId: number, id: number): Promise<MergeRow> {
  const merge = await findMerge(tx, accountId, id);
  if (!merge) throw new NotFound('There is no such merge.');
  return merge;
}

function shown({ taken: _, ...merge }: MergeRow): Merge {
  return merge;
}
