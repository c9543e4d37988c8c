import { randomBytes } from 'node:crypto';

/**
 * What generated codes are made of: nothing that looks like something else on a phone or a printed slip (0 O, 1 I L,
 * 2 Z, 5 S, 6 G, 8 B), and no vowel, so that chance writes no words.
 */
export const alphabet = '23456789CDFHJKMNPQRTVWXY';
/** The bytes below this give each character the same chance. */
const fair = 256 - (256 % alphabet.length);
const letters = Array.from({ length: fair }, (_, byte) => alphabet.charAt(byte % alphabet.length));

/**
 * So many codes that nobody can foretell: a prefix, and that many characters from the system's own source of chance.
 */
export function randomCodes(count: number, prefix: string, length: number): string[] {
  let bytes = Buffer.alloc(0);
  let next = 0;
  const codes: string[] = [];
  while (codes.length < count) {
    let code = prefix;
    for (let left = length; left > 0; ) {
      if (next === bytes.length) [bytes, next] = [randomBytes(65_536), 0];
      const byte = bytes[next++] as number;
      if (byte >= fair) continue;
      code += letters[byte];
      left--;
    }
    codes.push(code);
  }
  return codes;
}

/** A guess hits one of the codes once in so many tries at most. */
const fewestTries = 100_000;

/** How many random characters so many codes need at least, so that they can't be found by trying. */
export function shortestLength(count: number): number {
  return Math.max(4, Math.ceil(Math.log(count * fewestTries) / Math.log(alphabet.length)));
}
