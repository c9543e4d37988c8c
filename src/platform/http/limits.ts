import type { MaybePromise } from '../../shared/maybe-promise.ts';
import { Backoff, RecentCounts } from './backoff.ts';
import { type Rate, RateLimit } from './rate-limit.ts';

/** Who has asked how often. Where several processes answer, one of them counts for all. */
export interface Limits {
  /** Counts a request of a token, and throws when it is one too many; undefined: there is no limit. */
  admit(tokenId: number): MaybePromise<Rate | undefined>;
  /** Counts a try of a password for that e-mail from that network, and throws when it may not be tried. */
  guess(network: string, email: string): MaybePromise<void>;
  /** It was the right one. */
  forgive(network: string, email: string): MaybePromise<void>;
  /** It was not checked, because of load or a fault: the try does not count. */
  takeBack(network: string, email: string): MaybePromise<void>;
  /** Counts a bearer token that is not good, and throws when the network has sent too many. `hash` is the token's. */
  refuseToken(network: string, hash: string): MaybePromise<void>;
}

/** Wrong passwords a minute from one network. */
const failuresPerMinute = 10;
/** From this many failures for one e-mail on, networks that never signed in with it have one free try instead of five. */
const attackSize = 100;
/** Wrong tokens a minute from one network: different ones, and requests in all. */
const [differentTokensPerMinute, wrongTokensPerMinute] = [60, 600];
const mostRemembered = 10_000;

export function createLimits(requestsPerMinute: number): Limits {
  const requests = new RateLimit(requestsPerMinute);
  const failures = new RateLimit(failuresPerMinute, 'Too many wrong passwords from this address.');
  const guesses = new Backoff('Too many wrong passwords for this e-mail.');
  const attacks = new RecentCounts();
  const signedIn = new Set<string>();
  const wrongTokens = new RateLimit(wrongTokensPerMinute, 'Too many wrong tokens from this address.');
  const differentTokens = new RateLimit(differentTokensPerMinute, 'Too many wrong tokens from this address.');
  const seenTokens = new Set<string>();
  return {
    admit: (tokenId) => requests.take(String(tokenId)),
    guess: (network, email) => {
      const key = `${network} ${email}`;
      const isStrict = attacks.get(email).count >= attackSize && !signedIn.has(key);
      failures.take(network);
      try {
        guesses.take(key, isStrict);
      } catch (error) {
        // A refusal is not a failure.
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
      remember(signedIn, key);
    },
    takeBack: (network, email) => {
      failures.giveBack(network);
      guesses.takeBack(`${network} ${email}`);
      attacks.takeBack(email);
    },
    refuseToken: (network, hash) => {
      wrongTokens.take(network);
      const key = `${network} ${hash}`;
      // A client that keeps sending one revoked token guesses nothing.
      if (seenTokens.has(key)) return;
      differentTokens.take(network);
      remember(seenTokens, key);
    },
  };
}

/** Forgets the oldest where there are too many. */
function remember(keys: Set<string>, key: string): void {
  keys.delete(key);
  keys.add(key);
  if (keys.size > mostRemembered) keys.delete(keys.values().next().value as string);
}
