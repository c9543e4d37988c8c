import { Conflict, type Last, type Tx } from '../../../platform/db/database.ts';
import { lockKeys } from '../../../platform/db/locks.ts';
import { present } from '../../../shared/present.ts';
import { Invalid, noSuchAccount } from '../../../shared/problem.ts';
import type { Account } from '../../access/accounts/schema.ts';
import { holdAccount } from '../../access/accounts/store.ts';
import { type Identity, identityKey } from '../../identity/identities/schema.ts';
import { findOwners, type Owner, type OwnerQuery, selectKeptApart } from '../../identity/identities/store.ts';
import { selectWithdrawals } from '../consent/store.ts';
import { type ContactRow, type Details, lockOwners, selectDetails } from '../contacts/store.ts';
import { BatchSections } from './batch-sections.ts';
import { BatchState, type Loaded } from './batch-state.ts';
import { type ContactCommand, settleErrors } from './command.ts';
import { type Snapshot, snapshotOf } from './contact-state.ts';
import { References } from './references.ts';
import { storeBatch } from './store-batch.ts';

/** The result of a command: the contact after this command, if the request asks for it, and the dropped fields. */
export interface Written {
  id: number;
  contact: { row: ContactRow; parts: Details } | undefined;
  discarded: string[];
  /** Outcomes to count in the metrics. */
  outcomes: string[];
}

/**
 * Writes contacts. The result is the same as if the commands ran one after the other. The number of statements does not
 * depend on the number of commands: the batch is read and locked, decided in memory, and stored.
 */
export async function writeContacts(
  tx: Tx,
  accountId: number,
  commands: ContactCommand[],
  last: Last,
): Promise<(Written | Error)[]> {
  const queries = commands.flatMap(identityQueriesOf);
  const decisive = queries.filter(isDecisive);
  const sections = new BatchSections(commands.map(({ input }) => input));
  const holding = holdAccount(tx, accountId);
  const held = sections.loadsByAccount ? await holding : undefined;
  const { account, references, rows, owners } = await tx.inOrder({
    account: () => holding,
    references: () => References.load(tx, accountId, commands, sections),
    // Every transaction takes its locks in this order. What is read after them cannot change before the commit.
    keys: () => lockKeys(tx, accountId, [...queries.map(identityKey), ...sections.lockKeys()]),
    rows: () =>
      lockOwners(
        tx,
        accountId,
        decisive.map(({ kind }) => kind),
        decisive.map(({ value }) => value),
      ),
    owners: () => findOwners(tx, accountId, queries),
    loaded: () => sections.load(tx, accountId, held),
  });
  if (!account) return commands.map(() => noSuchAccount());
  const batch = new BatchState(
    await complete(tx, accountId, commands, rows, identitiesOf(queries, owners, rows)),
    references,
    sections,
  );

  const decided = commands.map((command) => attempt(() => decide(batch, references, command, account)));
  const freshIds = owners.flatMap(({ fresh_id }) => fresh_id ?? []);
  const outcomes: string[] = [];
  const statements = await storeBatch(tx, account, batch, references, { freshIds, count: (one) => outcomes.push(one) });
  for (const statement of statements) last(statement);
  // The outcomes of the whole batch are reported with its first accepted command, so that they are counted once.
  const first = decided.findIndex((one) => !(one instanceof Error));
  return decided.map((one, index) =>
    one instanceof Error
      ? one
      : { ...one.settle(), discarded: one.discarded, outcomes: index === first ? outcomes : [] },
  );
}

function decide(batch: BatchState, references: References, command: ContactCommand, account: Account) {
  const checked = references.checked(command, account.time_zone);
  const discarded = settleErrors(checked);
  const contact = batch.apply(checked, account);
  const snapshot = checked.input.full_contact_object === false ? undefined : snapshotOf(contact);
  // A new contact gets its id when the whole batch is decided.
  return { discarded, settle: () => ({ id: contact.row.id, contact: snapshot && contactOf(snapshot) }) };
}

function contactOf({ contact, row, source, units, groups, udfs }: Snapshot) {
  const id = contact.row.id;
  // The row is a copy that only this snapshot has.
  row.id = id;
  row.source_id = source?.id ?? null;
  return {
    row,
    parts: {
      id,
      units: units.map(([unitId, name]) => ({ id: unitId, name })),
      // By id: names that differ here may be equal in PostgreSQL.
      groups: [
        ...new Map(
          groups.map(({ id, name, unit_id }) => [id, { id: present(id, 'group id'), name, unit_id }]),
        ).values(),
      ],
      udfs: udfs.map(([udfId, data]) => ({ id: udfId, data })),
    },
  };
}

type Identities = Pick<Loaded, 'contactByIdentity' | 'survivors'>;

/** The contact of each identity, and its survivor. */
function identitiesOf(queries: OwnerQuery[], owners: Owner[], rows: ContactRow[]): Identities {
  const locked = new Set(rows.filter((row) => row.merged_into === null).map((row) => row.id));
  const contactByIdentity = new Map<string, number>();
  const survivors = new Map<number, number>();
  owners.forEach(({ contact, owner }, index) => {
    if (contact === null || owner === null) return;
    const identity = present(queries[index], 'identity');
    // Another transaction moved the identity before its owner was locked.
    if (isDecisive(identity) && !locked.has(owner)) throw new Conflict();
    contactByIdentity.set(identityKey(identity), contact);
    survivors.set(contact, owner);
  });
  return { contactByIdentity, survivors };
}

/** Reads the other data of existing contacts that the decisions need. Most batches need only the details, or nothing. */
async function complete(
  tx: Tx,
  accountId: number,
  commands: ContactCommand[],
  rows: ContactRow[],
  { contactByIdentity, survivors }: Identities,
): Promise<Loaded> {
  const ids = rows.map((row) => row.id);
  const mayMerge = ids.length > 0 && couldMerge(commands, rows, { contactByIdentity, survivors });
  const details = ids.length > 0 && (mayMerge || commands.some(needsDetails));
  const loaded = await tx.inOrder({
    details: () => (details ? selectDetails(tx, accountId, ids) : []),
    withdrawals: () => (mayMerge ? selectWithdrawals(tx, accountId, ids) : []),
    differentPeople: () => (mayMerge ? selectKeptApart(tx, accountId, ids) : []),
  });
  return { contacts: rows, contactByIdentity, survivors, ...loaded };
}

/** Whether the response has the units, groups and values of the contact, or the command may change them. */
function needsDetails({ input: { full_contact_object, units, udfs }, rules }: ContactCommand): boolean {
  return (
    full_contact_object !== false || units !== undefined || udfs !== undefined || rules.has('detach_existing_groups')
  );
}

/** Whether the e-mail and the mobile of one command may lead to two contacts, as stored or after other commands of the batch. */
function couldMerge(
  commands: ContactCommand[],
  rows: ContactRow[],
  { contactByIdentity, survivors }: Identities,
): boolean {
  const known = new Map(rows.map((row) => [row.id, row]));
  const ownerOf = (identity: Identity) => survivors.get(contactByIdentity.get(identityKey(identity)) ?? 0);
  const seen = new Set<string>();
  return commands.some(({ input: { email, mobile_number: mobile } }) => {
    if (mobile === undefined) return false;
    const again = seen.has(mobile);
    seen.add(mobile);
    if (again) return true;
    const byMobile = ownerOf({ kind: 'mobile', value: mobile });
    if (email === undefined || byMobile === undefined) return false;
    return byMobile !== ownerOf({ kind: 'email', value: email }) && known.get(byMobile)?.email === null;
  });
}

/** The identities in a command. */
function identityQueriesOf({ input }: ContactCommand): OwnerQuery[] {
  const queries: OwnerQuery[] = [];
  const add = (kind: Identity['kind'], value: string | undefined, makesNew: boolean) => {
    if (value !== undefined) queries.push({ kind, value, makesNew });
  };
  add('email', input.email, true);
  add('mobile', input.mobile_number, input.email === undefined);
  add('membership', input.membership_number, false);
  add('card', input.card_reference, false);
  return queries;
}

/** Whether the identity decides which contact is written. Its owner is locked. The others only help to match purchases. */
function isDecisive({ kind }: Identity): boolean {
  return kind === 'email' || kind === 'mobile';
}

function attempt<T>(work: () => T): T | Invalid {
  try {
    return work();
  } catch (error) {
    if (error instanceof Invalid) return error;
    throw error;
  }
}
