import { enterAccount, type Tx } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/db/jobs.ts';
import { lockKeys } from '../../../platform/db/locks.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { insertBuiltIns } from '../../venues/lookups/store.ts';
import { insertRootUnit } from '../../venues/units/store.ts';
import { type Account, type CountFigures, countFiguresTask, type NewAccount } from './schema.ts';
import {
  findLiveAccount,
  forgetMembers,
  insertAccount,
  knownTimeZone,
  selectAccounts,
  updateAccount,
} from './store.ts';

/**
 * Creates an account with its root unit and built-in look-ups in one transaction. The transaction stays scoped to it.
 */
export async function createAccount(tx: Tx, { name, time_zone = 'UTC' }: NewAccount): Promise<Account> {
  const account = await insertAccount(tx, name, await timeZone(tx, time_zone));
  await enterAccount(tx, account.id);
  await insertRootUnit(tx, account.id, account.root_unit_id, name);
  await insertBuiltIns(tx, account.id);
  return account;
}

export function listAccounts(tx: Tx, among: number[] | null, slice: Slice): Promise<Rows<Account>> {
  return selectAccounts(tx, among, slice);
}

export async function showAccount(tx: Tx, id: number): Promise<Account> {
  const account = await findLiveAccount(tx, id);
  if (!account) throw new NotFound('There is no such account.');
  return account;
}

export async function changeAccount(tx: Tx, id: number, changes: Partial<NewAccount>): Promise<Account> {
  const zone = changes.time_zone === undefined ? null : await timeZone(tx, changes.time_zone);
  const before = await showAccount(tx, id);
  await updateAccount(tx, id, changes.name ?? null, zone);
  const account = await showAccount(tx, id);
  // The days of visits depend on the time zone.
  if (account.time_zone !== before.time_zone) {
    await enqueueCount(tx, [id]);
    await enterAccount(tx, id);
    await lockKeys(tx, id, ['segments'], 'all segments');
    await forgetMembers(tx, id);
  }
  return account;
}

/** Enqueues the job that counts all activity of these accounts for the figures. */
export function enqueueCount(tx: Tx, ids: number[]): Promise<void> {
  const jobs = ids.map((account_id) => ({ key: String(account_id), payload: { account_id } satisfies CountFigures }));
  return enqueue(tx, countFiguresTask, jobs, 0);
}

async function timeZone(tx: Tx, name: string): Promise<string> {
  const known = await knownTimeZone(tx, name);
  if (known === undefined) throw new Invalid({ time_zone: [`The time zone ${name} is not known to the database.`] });
  return known;
}
