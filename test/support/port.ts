import { ports, portsFrom } from '../../tools/bench/load/port.ts';

/** Tests run in several workers: each has ports of its own. */
const shares = 9;
const share = Math.floor(ports.count / shares);

export const freePort = portsFrom(ports.lowest + (Number(process.env.VITEST_POOL_ID ?? 0) % shares) * share, share);
