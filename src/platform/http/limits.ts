import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../shared/maybe-promise.ts';
import { Backoff, RecentCounts } from './backoff.ts';
import { type Rate, RateLimit } from './rate-limit.ts';

/** Limits requests and failed sign-ins. With several processes, the main process counts for all of them. */
export interface Limits {
  /** Counts a request of a token. Throws above the limit; undefined: there is no limit. */
  admit(accountId: number, tokenId: number): MaybePromise<Rate | undefined>;
  /** Counts a password try for this e-mail from this network. Throws if the try is not allowed now. */
  guess(network: string, email: string): MaybePromise<void>;
  /** The password was right. */
  forgive(network: string, email: string): MaybePromise<void>;
  /** The password was not checked, because of load or an error. The try does not count. */
  takeBack(network: string, email: string): MaybePromise<void>;
  /** Counts an invalid bearer token. Throws if the network has sent too many. `hash` is the hash of the token. */
  refuseToken(network: string, hash: string): MaybePromise<void>;
}

/** The limits that this process counts itself. */
export interface OwnLimits extends Limits {
  /** The tokens whose requests other machines may have counted too. */
  busyTokens(): { windowStart: Date; tokens: TokenKey[] };
  /** The requests of a token since the start of the window, on all machines. */
  raise(token: TokenKey, windowStart: Date, count: number): void;
}

export interface TokenKey {
  accountId: number;
  tokenId: number;
}

/** A token that used less than this share of its limit here is within the limit on up to 20 machines. */
const busyShare = 1 / 20;

/** Wrong passwords per minute and network. */
const failuresPerMinute = 10;
/** After this many failures for one e-mail, networks that never signed in with it have one free try instead of five. */
const attackSize = 100;
/** Invalid tokens per minute and network: different tokens, and requests in total. */
const [differentTokensPerMinute, wrongTokensPerMinute] = [60, 600];
const mostRemembered = 10_000;

export function createLimits(requestsPerMinute: number): OwnLimits {
  const requests = new RateLimit(requestsPerMinute);
  const failures = new RateLimit(failuresPerMinute, 'Too many wrong passwords from this address.');
  const guesses = new Backoff('Too many wrong passwords for this e-mail.');
  const attacks = new RecentCounts();
  const signedIn = new LRUCache<string, true>({ max: mostRemembered });
  const wrongTokens = new RateLimit(wrongTokensPerMinute, 'Too many wrong tokens from this address.');
  const differentTokens = new RateLimit(differentTokensPerMinute, 'Too many wrong tokens from this address.');
  const seenTokens = new LRUCache<string, true>({ max: mostRemembered });
  return {
    admit: (accountId, tokenId) => requests.take(`${accountId} ${tokenId}`),
    busyTokens: () => {
      const { windowStart, keys } = requests.busy(busyShare);
      const tokens = keys.map((key) => key.split(' ').map(Number) as [number, number]);
      return { windowStart, tokens: tokens.map(([accountId, tokenId]) => ({ accountId, tokenId })) };
    },
    raise: ({ accountId, tokenId }, windowStart, count) =>
      requests.raise(`${accountId} ${tokenId}`, windowStart, count),
    guess: (network, email) => {
      const key = `${network} ${email}`;
      const isStrict = attacks.get(email).count >= attackSize && !signedIn.has(key);
      failures.take(network);
      try {
        guesses.take(key, isStrict);
      } catch (error) {
        // A rejected try is not a failed one.
        failures.giveBack(network);
        throw error;
      }
      attacks.add(email);
    },
    forgive: (network, email) => {
      const key = `${network} ${email}`;
      failures.giveBack(network);
      guesses.forgive(key);
      attacks.takeBack(email);
      signedIn.set(key, true);
    },
    takeBack: (network, email) => {
      failures.giveBack(network);
      guesses.takeBack(`${network} ${email}`);
      attacks.takeBack(email);
    },
    refuseToken: (network, hash) => {
      wrongTokens.take(network);
      const key = `${network} ${hash}`;
      // A client that repeats one revoked token is not guessing.
      if (seenTokens.has(key)) return;
      differentTokens.take(network);
      seenTokens.set(key, true);
    },
  };
}
