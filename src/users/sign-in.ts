import type { Database } from '../db/database.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { findPasswordHash } from './store.ts';

let decoy: Promise<string> | undefined;

/** The owner with that email and password. A wrong email takes as long as a wrong password, so the time tells nothing. */
export async function signInOwner(
  db: Database,
  email: string,
  password: string,
): Promise<{ id: number; email: string } | undefined> {
  if (email.includes('\0')) return undefined;
  const user = await db.transaction((tx) => findPasswordHash(tx, email.trim().toLowerCase()));
  decoy ??= hashPassword('nobody has this password');
  const right = await verifyPassword(password, user?.password_hash ?? (await decoy));
  return right && user?.role === 'owner' ? { id: user.id, email: user.email } : undefined;
}
