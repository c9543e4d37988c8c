import type { Soon } from '../shared/soon.ts';
import { type Rate, RateLimit } from './rate-limit.ts';
import { SlowDown } from './slow-down.ts';

/** Who has asked how often. Where several processes answer, one of them counts for all. */
export interface Limits {
  /** Counts a request of a token, and throws when it is one too many; undefined: there is no limit. */
  admit(tokenId: number): Soon<Rate | undefined>;
  /** Counts a try of a password for that e-mail from that network, and throws when it may not be tried. */
  guess(network: string, email: string): Soon<void>;
  /** It was the right one. */
  forgive(network: string, email: string): Soon<void>;
}

/** Wrong passwords a minute from one address. A token is 256 random bits: guessing those needs no brake. */
const failuresPerMinute = 10;

export function createLimits(requestsPerMinute: number): Limits {
  const requests = new RateLimit(requestsPerMinute);
  const failures = new RateLimit(failuresPerMinute, 'Too many wrong passwords from this address.');
  const guesses = new SlowDown('Too many wrong passwords for this e-mail.');
  // Nobody is kept out by what others do elsewhere, unless very many do it.
  const attacks = new SlowDown('Too many wrong passwords for this e-mail.', { free: 100 });
  return {
    admit: (tokenId) => requests.take(String(tokenId)),
    guess: (network, email) => {
      failures.take(network);
      guesses.take(`${network} ${email}`);
      attacks.take(email);
    },
    forgive: (network, email) => {
      failures.giveBack(network);
      guesses.forgive(`${network} ${email}`);
      attacks.forgive(email);
    },
  };
}
