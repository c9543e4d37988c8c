import { directus } from './directus.ts';
import type { Peer } from './peer.ts';
import { postgraphile } from './postgraphile.ts';

export type { Ask, Peer, RunningPeer } from './peer.ts';

/** What else one could build this on, each set up as somebody who knows it would. */
export const peers: Peer[] = [postgraphile, directus];
