import { Conflict, type Last, type Tx } from '../../../platform/db/database.ts';
import { lockKeys } from '../../../platform/db/locks.ts';
import { Invalid, noSuchAccount } from '../../../shared/problem.ts';
import { holdAccount } from '../../access/accounts/store.ts';
import { type Identity, identityKey } from '../../identity/identities/schema.ts';
import { findOwners, type Owner, type Sought, selectKeptApart } from '../../identity/identities/store.ts';
import { selectWithdrawals } from '../consent/store.ts';
import { type ContactRow, type Details, lockOwners, selectDetails } from '../contacts/store.ts';
import { newFeedbackIds } from '../feedback/store.ts';
import { ActivityState } from './activity-state.ts';
import { BatchState, type Loaded } from './batch-state.ts';
import { type ContactCommand, settleErrors } from './command.ts';
import { type Snapshot, snapshotOf } from './contact-state.ts';
import { References } from './references.ts';
import { storeBatch } from './store-batch.ts';

/** What a write comes to: the contact as this very command left it, where it was asked for, and what was dropped. */
export interface Written {
  id: number;
  contact: { row: ContactRow; parts: Details } | undefined;
  discarded: string[];
  /** How things went, to be counted. */
  outcomes: string[];
}

/**
 * Writes about guests, one after the other as far as anybody can tell, in a number of statements that does not depend
 * on how many they are: what they refer to is read and locked together, decided in memory, and stored together.
 */
export async function writeContacts(
  tx: Tx,
  accountId: number,
  commands: ContactCommand[],
  last: Last,
): Promise<(Written | Error)[]> {
  const sought = commands.flatMap(knownBy);
  const decisive = sought.filter(isDecisive);
  const feedback = commands.reduce((count, { input }) => count + (input.feedback?.length ?? 0), 0);
  const holding = holdAccount(tx, accountId);
  // What guests did is known by where it was, which may be the account's root unit.
  const held = ActivityState.areIn(commands) ? await holding : undefined;
  const { account, references, rows, owners, feedbackIds, deeds } = await tx.inOrder({
    account: () => holding,
    references: () => References.load(tx, accountId, commands),
    // In this order everywhere, and what is read last is what nobody else can change any more.
    keys: () => lockKeys(tx, accountId, [...sought.map(identityKey), ...ActivityState.keysOf(commands)]),
    rows: () =>
      lockOwners(
        tx,
        accountId,
        decisive.map(({ kind }) => kind),
        decisive.map(({ value }) => value),
      ),
    owners: () => findOwners(tx, accountId, sought),
    // After the locks: ids tell in which order things happened.
    feedbackIds: () => (feedback > 0 ? newFeedbackIds(tx, feedback) : []),
    deeds: () => (held ? ActivityState.load(tx, held, commands) : new ActivityState()),
  });
  if (!account) return commands.map(() => noSuchAccount());
  const people = new BatchState(
    await complete(tx, accountId, commands, rows, standingOf(sought, owners, rows)),
    references,
    deeds,
  );

  const decided = commands.map((command) => attempt(() => decide(people, references, command, account.time_zone)));
  const fresh = { contacts: owners.flatMap(({ fresh_id }) => fresh_id ?? []), feedback: feedbackIds };
  const outcomes: string[] = [];
  const statements = await storeBatch(tx, account, people, references, { fresh, count: (one) => outcomes.push(one) });
  for (const statement of statements) last(statement);
  // What the batch brought about as a whole is told with the first of it, so that it is counted once.
  const told = decided.findIndex((one) => !(one instanceof Error));
  return decided.map((one, index) =>
    one instanceof Error
      ? one
      : { ...one.settle(), discarded: one.discarded, outcomes: index === told ? outcomes : [] },
  );
}

function decide(people: BatchState, references: References, command: ContactCommand, timeZone: string) {
  const checked = references.checked(command, timeZone);
  const discarded = settleErrors(checked);
  const person = people.apply(checked);
  const snapshot = checked.input.full_contact_object === false ? undefined : snapshotOf(person);
  // Ids are given out when all is decided.
  return { discarded, settle: () => ({ id: person.row.id, contact: snapshot && contactOf(snapshot) }) };
}

function contactOf({ person, row, source, units, groups, udfs }: Snapshot) {
  const id = person.row.id;
  // The snapshot's own copy of the row: nobody else has it.
  row.id = id;
  row.source_id = source?.id ?? null;
  return {
    row,
    parts: {
      id,
      units: units.map(([unitId, name]) => ({ id: unitId, name })),
      // By id: spellings that differ to us may be one name to PostgreSQL.
      groups: [...new Map(groups.map(({ id, name, unit_id }) => [id, { id: id as number, name, unit_id }])).values()],
      udfs: udfs.map(([udfId, data]) => ({ id: udfId, data })),
    },
  };
}

type Standing = Pick<Loaded, 'standing' | 'survivors'>;

/** Who is known by what. */
function standingOf(sought: Sought[], owners: Owner[], rows: ContactRow[]): Standing {
  const locked = new Set(rows.filter((row) => row.merged_into === null).map((row) => row.id));
  const standing = new Map<string, number>();
  const survivors = new Map<number, number>();
  owners.forEach(({ contact, owner }, index) => {
    if (contact === null || owner === null) return;
    const identity = sought[index] as Sought;
    // It went to somebody else between our asking and our locking.
    if (isDecisive(identity) && !locked.has(owner)) throw new Conflict();
    standing.set(identityKey(identity), contact);
    survivors.set(contact, owner);
  });
  return { standing, survivors };
}

/** What else the decisions need, about contacts that exist already. Most batches need only the first, or none. */
async function complete(
  tx: Tx,
  accountId: number,
  commands: ContactCommand[],
  rows: ContactRow[],
  { standing, survivors }: Standing,
): Promise<Loaded> {
  const ids = rows.map((row) => row.id);
  const mayMerge = ids.length > 0 && couldMerge(commands, rows, { standing, survivors });
  const details = ids.length > 0 && (mayMerge || commands.some(({ input }) => input.full_contact_object !== false));
  const loaded = await tx.inOrder({
    details: () => (details ? selectDetails(tx, accountId, ids) : []),
    withdrawals: () => (mayMerge ? selectWithdrawals(tx, accountId, ids) : []),
    keptApart: () => (mayMerge ? selectKeptApart(tx, accountId, ids) : []),
  });
  return { people: rows, standing, survivors, ...loaded };
}

/** Whether an e-mail and a mobile of one command may turn out to be two contacts: as they stand, or by what others in the batch do. */
function couldMerge(commands: ContactCommand[], rows: ContactRow[], { standing, survivors }: Standing): boolean {
  const known = new Map(rows.map((row) => [row.id, row]));
  const ownerOf = (identity: Identity) => survivors.get(standing.get(identityKey(identity)) ?? 0);
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

/** Everything that a command says its guest is known by. */
function knownBy({ input }: ContactCommand): Sought[] {
  const sought: Sought[] = [];
  const say = (kind: Identity['kind'], value: string | undefined, makesNew: boolean) => {
    if (value !== undefined) sought.push({ kind, value, makesNew });
  };
  say('email', input.email, true);
  say('mobile', input.mobile_number, input.email === undefined);
  say('membership', input.membership_number, false);
  say('card', input.card_reference, false);
  return sought;
}

/** Whether it can say who a write is about: such an owner is locked. The others only lead to somebody. */
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
