import { createHash } from 'node:crypto';
import { Batcher } from '../../../platform/batching/batcher.ts';
import { type Database, enterAccount } from '../../../platform/db/database.ts';
import type { MaybePromise } from '../../../shared/maybe-promise.ts';
import type { Role } from '../../../shared/roles.ts';
import { ShortCache } from '../../../shared/short-cache.ts';
import { userMayAccess } from '../users/store.ts';
import { tokenPrefix } from './schema.ts';
import { findGoodToken } from './store.ts';

export interface GoodToken {
  tokenId: number;
  accountId: number;
  userId: number | null;
  /** The user's role now; null: the token is no user's. */
  role: Role | null;
}

/** Every process obeys a revocation within this time and that of one look-up, without having to be told of it. */
const believedForMs = 50;

/** Tokens that were not good. They never will be: a token is random, and stays revoked or expired. */
const mostNotGood = 10_000;

const shape = new RegExp(`^${tokenPrefix}(\\d{1,15})_[\\w-]{43}$`);

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Tokens are gathered whatever account they are of. */
const ofAllAccounts = 0;

/** From account to account in one transaction, and all of it in one round trip. */
function lookUp(db: Database, secrets: string[]): Promise<(GoodToken | undefined)[]> {
  return db.transaction(
    (tx) =>
      tx.each(secrets, async (secret) => {
        const accountId = Number(shape.exec(secret)?.[1]);
        const { token } = await tx.inOrder({
          scope: () => enterAccount(tx, accountId),
          token: () => findGoodToken(tx, accountId, hashSecret(secret)),
        });
        return token && { tokenId: token.id, accountId, userId: token.user_id, role: token.role };
      }),
    'tokens',
  );
}

/** Whether a token is good, and which accounts it reaches. */
export class Authenticator {
  readonly #tokens: ShortCache<GoodToken | undefined>;
  readonly #notGood = new Set<string>();
  readonly #reach: ShortCache<boolean>;

  constructor(db: Database) {
    // Where every call comes from another account, a transaction for each token would cost as much as the call itself.
    const lookUps = new Batcher<string, GoodToken | undefined>({
      write: (_, secrets) => lookUp(db, secrets),
      weigh: () => 1,
      batching: 'on',
    });
    this.#tokens = new ShortCache(believedForMs, async (secret) => {
      const token = await lookUps.submit(ofAllAccounts, secret);
      if (!token) this.#rememberNotGood(secret);
      return token;
    });
    this.#reach = new ShortCache(believedForMs, async (key) => {
      const [userId, accountId] = key.split(':').map(Number) as [number, number];
      return db.transaction((tx) => userMayAccess(tx, userId, accountId), 'tokens');
    });
  }

  token(secret: string): MaybePromise<GoodToken | undefined> {
    return shape.test(secret) && !this.#notGood.has(secret) ? this.#tokens.get(secret) : undefined;
  }

  #rememberNotGood(secret: string): void {
    this.#notGood.add(secret);
    if (this.#notGood.size > mostNotGood) this.#notGood.delete(this.#notGood.values().next().value as string);
  }

  mayAccess(token: GoodToken, accountId: number): MaybePromise<boolean> {
    if (token.userId === null) return accountId === token.accountId;
    return this.#reach.get(`${token.userId}:${accountId}`);
  }

  /** In this process, what was just changed is obeyed from the next request on. */
  forget(): void {
    this.#tokens.clear();
    this.#reach.clear();
  }
}
