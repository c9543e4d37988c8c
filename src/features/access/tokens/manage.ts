import { randomBytes } from 'node:crypto';
import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { userMayAccess } from '../users/store.ts';
import { hashSecret } from './authenticate.ts';
import { type CreatedToken, type NewToken, type Token, tokenPrefix } from './schema.ts';
import { findToken, insertToken, renameToken, revoke, selectTokens } from './store.ts';

/**
 * A token is 256 random bits after a prefix for secret scanners. It contains the account id, so that the look-up runs
 * in the account's scope, under row-level security.
 */
export async function createToken(
  tx: Tx,
  accountId: number,
  wanted: NewToken,
  createdBy: string,
): Promise<CreatedToken> {
  const { name, user_id = null, expires_at = null } = wanted;
  if (user_id !== null && !(await userMayAccess(tx, user_id, accountId))) {
    throw new Invalid({ user_id: ['The user id is not a user with access to this account.'] });
  }
  const token = `${tokenPrefix}${accountId}_${randomBytes(32).toString('base64url')}`;
  const insert = { account_id: accountId, user_id, name, hash: hashSecret(token), created_by: createdBy };
  const { id, expired } = await insertToken(tx, insert, expires_at);
  if (expired) throw new Invalid({ expires_at: ['The expires at must be in the future.'] });
  return { id, name, token };
}

export function listTokens(tx: Tx, accountId: number, slice: Slice): Promise<Rows<Token>> {
  return selectTokens(tx, accountId, slice);
}

export async function showToken(tx: Tx, accountId: number, id: number): Promise<Token> {
  return mustExist(await findToken(tx, accountId, id));
}

export async function changeToken(tx: Tx, accountId: number, id: number, name: string): Promise<Token> {
  return mustExist(await renameToken(tx, accountId, id, name));
}

export async function revokeToken(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await revoke(tx, accountId, id))) throw noSuchToken();
}

function mustExist(token: Token | undefined): Token {
  if (!token) throw noSuchToken();
  return token;
}

function noSuchToken(): NotFound {
  return new NotFound('There is no such token.');
}
