import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../../platform/batching/batcher.ts';
import { type Database, enterAccount, isNodeLost } from '../../../platform/db/database.ts';
import type { MaybePromise } from '../../../shared/maybe-promise.ts';
import type { Role } from '../../../shared/roles.ts';
import { ShortCache } from '../../../shared/short-cache.ts';
import { userMayAccess } from '../users/store.ts';
import { tokenPrefix } from './schema.ts';
import { findValidToken } from './store.ts';

export interface ValidToken {
  tokenId: number;
  accountId: number;
  userId: number | null;
  /** The user's current role; null: the token has no user. */
  role: Role | null;
}

/** Every process rejects a revoked token after this time plus one look-up, without messages between processes. */
const cacheMs = 50;

/** Invalid tokens. They never become valid: a token is random, and stays revoked or expired. */
const maxInvalid = 10_000;

const tokenPattern = new RegExp(`^${tokenPrefix}(\\d{1,15})_[\\w-]{43}$`);

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Tokens of all accounts share one batcher. */
const ofAllAccounts = 0;

/** If a distributed server lost a node, the tokens of the accounts on other nodes are looked up all the same. */
async function lookUpEach(db: Database, secrets: string[]): Promise<(ValidToken | undefined | Error)[]> {
  try {
    return await lookUp(db, secrets);
  } catch (error) {
    if (secrets.length === 1 || !isNodeLost(error)) throw error;
    const tokens: (ValidToken | undefined | Error)[] = [];
    for (const secret of secrets)
      tokens.push(
        await lookUp(db, [secret]).then(
          ([token]) => token,
          (problem: Error) => problem,
        ),
      );
    return tokens;
  }
}

/** Looks up the tokens of all accounts in one transaction and one round trip. */
function lookUp(db: Database, secrets: string[]): Promise<(ValidToken | undefined)[]> {
  return db.transaction(
    (tx) =>
      tx.each(secrets, async (secret) => {
        const accountId = Number(tokenPattern.exec(secret)?.[1]);
        const { token } = await tx.inOrder({
          scope: () => enterAccount(tx, accountId),
          token: () => findValidToken(tx, accountId, hashSecret(secret)),
        });
        return token && { tokenId: token.id, accountId, userId: token.user_id, role: token.role };
      }),
    'tokens',
  );
}

/** Checks a token and returns the accounts it can access. */
export class Authenticator {
  readonly #tokens: ShortCache<ValidToken | undefined>;
  readonly #invalid = new LRUCache<string, true>({ max: maxInvalid });
  readonly #reach: ShortCache<boolean>;

  constructor(db: Database) {
    // With many accounts, one transaction per token would cost as much as the request itself.
    const lookUps = new Batcher<string, ValidToken | undefined>({
      write: (_, secrets) => lookUpEach(db, secrets),
      weigh: () => 1,
      batching: 'on',
    });
    this.#tokens = new ShortCache(cacheMs, async (secret) => {
      const token = await lookUps.submit(ofAllAccounts, secret);
      if (!token) this.#invalid.set(secret, true);
      return token;
    });
    this.#reach = new ShortCache(cacheMs, async (key) => {
      const [userId, accountId] = key.split(':').map(Number) as [number, number];
      return db.transaction((tx) => userMayAccess(tx, userId, accountId), 'tokens');
    });
  }

  token(secret: string): MaybePromise<ValidToken | undefined> {
    return tokenPattern.test(secret) && !this.#invalid.has(secret) ? this.#tokens.get(secret) : undefined;
  }

  mayAccess(token: ValidToken, accountId: number): MaybePromise<boolean> {
    if (token.userId === null) return accountId === token.accountId;
    return this.#reach.get(`${token.userId}:${accountId}`);
  }

  /** Clears the cache of this process, so that a change applies from the next request on. */
  forget(): void {
    this.#tokens.clear();
    this.#reach.clear();
  }
}
