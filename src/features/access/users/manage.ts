import { isViolation, type Tx } from '../../../platform/db/database.ts';
import { passwordErrors } from '../../../shared/common-passwords.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { hashPassword } from '../../../shared/password.ts';
import { type FieldErrors, Invalid, NotFound } from '../../../shared/problem.ts';
import { missingAccounts } from '../accounts/store.ts';
import { deleteSessions } from '../sessions/store.ts';
import type { NewUser, User } from './schema.ts';
import {
  deleteUser,
  findUser,
  hasOtherOwner,
  insertUser,
  isEmailTaken,
  lockPassword,
  selectUsers,
  setAccess,
  updateUser,
} from './store.ts';

export async function createUser(tx: Tx, { email, password, account_ids, role = 'staff' }: NewUser): Promise<User> {
  // Hash before the transaction takes a connection, because hashing is slow.
  const passwordHash = await hashPassword(password);
  const errors = {
    ...passwordErrors('password', password, email),
    ...((await isEmailTaken(tx, email)) ? emailTaken().errors : {}),
    ...(await missingAccountErrors(tx, account_ids)),
  };
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
  const id = await insertUser(tx, email, passwordHash, role);
  if (id === undefined) throw emailTaken();
  await setAccess(tx, id, account_ids);
  return showUser(tx, id);
}

export function listUsers(tx: Tx, slice: Slice): Promise<Rows<User>> {
  return selectUsers(tx, slice);
}

export async function showUser(tx: Tx, id: number): Promise<User> {
  const user = await findUser(tx, id);
  if (!user) throw noSuchUser();
  return user;
}

/** `own` is set when users change themselves. A new own password requires the hash of the current one. */
export async function changeUser(
  tx: Tx,
  id: number,
  changes: Partial<NewUser>,
  own?: { currentHash: string | undefined },
): Promise<User> {
  const passwordHash = changes.password === undefined ? null : await hashPassword(changes.password);
  const user = await showUser(tx, id);
  if (changes.password !== undefined) {
    const errors = passwordErrors('password', changes.password, changes.email ?? user.email);
    if (errors) throw new Invalid(errors);
    if (own && !(own.currentHash && (await lockPassword(tx, id, own.currentHash))))
      throw new Invalid({ current_password: ['The current password is wrong.'] });
  }
  if (user.role === 'owner' && changes.role !== undefined && changes.role !== 'owner')
    await mustNotBeLastOwner(tx, id, 'role');
  if (changes.account_ids) {
    const errors = await missingAccountErrors(tx, changes.account_ids);
    if (Object.keys(errors).length > 0) throw new Invalid(errors);
    await setAccess(tx, id, changes.account_ids);
  }
  try {
    await updateUser(tx, id, { email: changes.email ?? null, passwordHash, role: changes.role ?? null });
  } catch (error) {
    throw isViolation(error, 'unique') ? emailTaken() : error;
  }
  // Sessions that were created with the old password end.
  if (passwordHash !== null) await deleteSessions(tx, id);
  return showUser(tx, id);
}

/** Also deletes the user's tokens. */
export async function removeUser(tx: Tx, id: number): Promise<void> {
  const user = await showUser(tx, id);
  if (user.role === 'owner') await mustNotBeLastOwner(tx, id, 'user_id');
  if (!(await deleteUser(tx, id))) throw noSuchUser();
}

async function mustNotBeLastOwner(tx: Tx, id: number, field: string): Promise<void> {
  if (await hasOtherOwner(tx, id)) return;
  throw new Invalid({ [field]: ['This is the last owner. Make another user an owner first.'] });
}

async function missingAccountErrors(tx: Tx, ids: number[]): Promise<FieldErrors> {
  const missing = new Set(await missingAccounts(tx, ids));
  const errors = ids.flatMap((id, index) =>
    missing.has(id) ? [[`account_ids.${index}`, [`There is no account ${id}.`]]] : [],
  );
  return Object.fromEntries(errors);
}

function emailTaken(): Invalid {
  return new Invalid({ email: ['The email has already been taken.'] });
}

function noSuchUser(): NotFound {
  return new NotFound('There is no such user.');
}
