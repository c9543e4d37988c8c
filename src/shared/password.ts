import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { PasswordQueue } from './password-queue.ts';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/**
 * 64 MiB and two passes per guess. Each hash contains its own cost, so that a higher cost here leaves the old hashes valid.
 */
export const passwordCost = { N: 2 ** 16, r: 8, p: 2 };
let cost = passwordCost;

/** The tests sign in thousands of times, so they lower the cost. */
export function setPasswordCost(lower: typeof passwordCost): void {
  cost = lower;
}

/** Leaves one of libuv's four threads free for DNS and files. */
const maxConcurrent = 3;
const atOnce = (processes: number) =>
  Math.max(1, Math.min(maxConcurrent, Math.floor(availableParallelism() / processes)));

const queue = new PasswordQueue('Too many passwords are being checked just now. Try again in a moment.', {
  atOnce: atOnce(1),
  mostOfLane: 20,
  mostWaiting: 100,
  longestWaitMs: 20_000,
});

/** Sets the share of this process, because several worker processes share the cores. */
export function shareCores(processes: number): void {
  queue.atOnce = atOnce(processes);
}

function hash(password: string, salt: Buffer, { N, r, p }: typeof passwordCost, network?: string): Promise<Buffer> {
  return queue.run(network, () => derive(password.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r }));
}

const encodeHash = (salt: Buffer, key: Buffer) =>
  ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return encodeHash(salt, await hash(password, salt, cost));
}

/** No password has this hash. Checking it takes as long as checking another. */
export const dummyHash = () => encodeHash(Buffer.alloc(16), Buffer.alloc(32));

/** The network of the client. A network with many wrong passwords waits behind the others. */
interface Origin {
  network: string;
  /** Whether the user has a session from that network. It then runs before unknown networks. */
  isKnownThere?: boolean;
}

export async function verifyPassword(
  password: string,
  stored: string,
  { network, isKnownThere = false }: Origin,
): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = stored.split('$');
  const expected = Buffer.from(key, 'base64url');
  const costs = { N: Number(N), r: Number(r), p: Number(p) };
  const lane = isKnownThere ? `known ${network}` : network;
  if (isKnownThere) queue.trust(lane);
  const actual = await hash(password, Buffer.from(salt, 'base64url'), costs, lane);
  const isRight = expected.length === actual.length && timingSafeEqual(expected, actual);
  if (isRight) queue.succeeded(lane);
  return isRight;
}
