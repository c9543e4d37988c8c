import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { TooMany } from './problem.ts';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** 64 MiB and two passes a guess. Written into each hash, so that it can be raised without breaking the old ones. */
const cost = { N: 2 ** 16, r: 8, p: 2 };

/** One at a time: each takes 64 MiB, and sign-ins are rare. */
let turn: Promise<unknown> = Promise.resolve();
let waiting = 0;
const mostWaiting = 20;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= mostWaiting)
    throw new TooMany('Too many passwords are being checked just now. Try again in a moment.', 5);
  waiting++;
  const result = turn.then(work);
  turn = result.catch(() => {});
  return result.finally(() => waiting--);
}

function hash(password: string, salt: Buffer, { N, r, p }: typeof cost): Promise<Buffer> {
  return inTurn(() => derive(password.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r }));
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await hash(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = stored.split('$');
  const expected = Buffer.from(key, 'base64url');
  const actual = await hash(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
