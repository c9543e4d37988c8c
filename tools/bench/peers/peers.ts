import { directus } from './directus.ts';
import type { Peer } from './peer.ts';
import { postgraphile } from './postgraphile.ts';

export type { Ask, Peer, RunningPeer } from './peer.ts';

/** The programs to compare with, each with a production setup. */
export const peers: Peer[] = [postgraphile, directus];
