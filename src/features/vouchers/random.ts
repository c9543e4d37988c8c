import { randomBytes } from 'node:crypto';
import { present } from '../../shared/present.ts';

/**
 * The alphabet of generated codes. It has no characters that look alike on a phone or a printed slip (0 O, 1 I L, 2 Z,
 * 5 S, 6 G, 8 B), and no vowels, so that no words appear.
 */
export const alphabet = '23456789CDFHJKMNPQRTVWXY';
/** Bytes below this limit give each character the same probability. */
const fairLimit = 256 - (256 % alphabet.length);
const letters = Array.from({ length: fairLimit }, (_, byte) => alphabet.charAt(byte % alphabet.length));

/** Unpredictable codes: a prefix and characters from the system's random source. */
export function randomCodes(count: number, prefix: string, length: number): string[] {
  let bytes = Buffer.alloc(0);
  let next = 0;
  const codes: string[] = [];
  while (codes.length < count) {
    let code = prefix;
    for (let left = length; left > 0; ) {
      if (next === bytes.length) [bytes, next] = [randomBytes(65_536), 0];
      const byte = present(bytes[next++], 'byte');
      if (byte >= fairLimit) continue;
      code += letters[byte];
      left--;
    }
    codes.push(code);
  }
  return codes;
}

/** At most one guess in this many may hit a code. */
const minGuesses = 100_000;

/** The minimum number of random characters, so that codes cannot be guessed. */
export function shortestLength(count: number): number {
  return Math.max(4, Math.ceil(Math.log(count * minGuesses) / Math.log(alphabet.length)));
}
