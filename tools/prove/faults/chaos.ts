import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../src/shared/random.ts';
import type { CitusCluster } from '../../servers/citus.ts';
import type { Postgres } from '../../servers/postgres.ts';
import type { CuttingProxy } from '../../servers/proxy.ts';
import type { Fleet } from '../support/fleet.ts';
import type { Disk } from './disk.ts';

/** The system under test. */
export interface Scene {
  fleet: Fleet;
  postgres: Postgres;
  /**
   * The proxy between service and database. Undefined: the service uses its embedded PostgreSQL and restarts it itself.
   */
  line: CuttingProxy | undefined;
  /** The distributed PostgreSQL whose coordinator `postgres` is, if it is one. */
  cluster: CitusCluster | undefined;
  disk: Disk;
  signal: AbortSignal;
}

export interface Fault {
  /** Seconds after the start. */
  at: number;
  name: FaultName;
  lastsMs: number;
  chance: Random;
}

interface Kind {
  /** The counter in the tally. The fleet counts faults of service processes itself. */
  counts?: 'postgresKills' | 'workerKills' | 'restarts' | 'halts' | 'cuts' | 'fullDisks';
  /** Whether the fault is possible in this scene. Default: always. */
  where?(scene: Scene): boolean;
  /** Injects the fault. Returns a description, and a count if it is not 1. */
  inject(scene: Scene, fault: Fault): Promise<string | [string, number]>;
}

/** The message by which a coordinator ends a transaction of the clients on a node. */
const commit = 'COMMIT\0';

const kinds = {
  service: {
    inject: async ({ fleet, line }, { chance }) => {
      await fleet.kill(chance.below(fleet.urls().length));
      // With a single process, wait until its replacement has started.
      if (!line) await fleet.complete();
      return 'a process of the service killed with -9';
    },
  },
  stop: {
    inject: async ({ fleet, line }, { chance }) => {
      await fleet.restart(chance.below(fleet.urls().length));
      if (!line) await fleet.complete();
      return 'a process of the service stopped by a signal';
    },
  },
  everything: {
    counts: 'postgresKills',
    inject: async (scene, { lastsMs }) => {
      const { fleet, line, signal } = scene;
      // Processes that start now wait for the database.
      const service = Promise.all(fleet.urls().map(() => fleet.kill(0)));
      await Promise.all([service, ...nodesOf(scene).map((node) => node.kill(true))]);
      if (line) await pause(lastsMs, undefined, { signal });
      else await fleet.complete();
      return 'PostgreSQL and all processes of the service killed with -9';
    },
  },
  postgres: {
    counts: 'postgresKills',
    inject: async ({ postgres, line, signal }, { lastsMs, chance }) => {
      const isWhole = chance.once(2);
      await postgres.kill(isWhole);
      if (line) await pause(lastsMs, undefined, { signal });
      return isWhole ? 'PostgreSQL killed with -9' : 'PostgreSQL’s parent process killed with -9';
    },
  },
  backend: {
    counts: 'postgresKills',
    inject: async ({ postgres }) => {
      await postgres.killOneBackend();
      return 'one of PostgreSQL’s processes killed with -9';
    },
  },
  restart: {
    counts: 'restarts',
    where: ({ line }) => line !== undefined,
    inject: async ({ postgres, signal }, { lastsMs }) => {
      await postgres.stop();
      await pause(lastsMs, undefined, { signal });
      return 'PostgreSQL stopped';
    },
  },
  halt: {
    counts: 'halts',
    inject: async ({ postgres }, { lastsMs }) => {
      await postgres.pause(lastsMs);
      return 'PostgreSQL halted';
    },
  },
  terminate: {
    counts: 'cuts',
    inject: async ({ postgres }, { chance }) => {
      const connection = await postgres.connect();
      const share = chance.pick([30, 100]);
      const { length } = await connection.run`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'regulars%' and backend_type = 'client backend' and pid <> pg_backend_pid() and random() * 100 < ${share}`;
      await connection.close();
      return [`${length} connections ended by PostgreSQL`, length];
    },
  },
  cut: {
    counts: 'cuts',
    where: ({ line }) => line !== undefined,
    inject: async ({ line }, { chance }) => {
      const count = line?.cut(chance.pick([50, 100]), chance) ?? 0;
      return [`${count} connections cut on their way`, count];
    },
  },
  commits: {
    counts: 'cuts',
    where: ({ line }) => line !== undefined,
    inject: async ({ line }, { lastsMs, chance }) => {
      const count = (await line?.loseCommits(lastsMs, chance)) ?? 0;
      return [`${count} connections cut behind a commit`, count];
    },
  },
  network: {
    counts: 'cuts',
    where: ({ line }) => line !== undefined,
    inject: async ({ line, signal }, { lastsMs, chance }) => {
      const count = line?.down(chance) ?? 0;
      await pause(lastsMs, undefined, { signal }).finally(() => line?.up());
      return [`the network down, and ${count} connections with it`, count];
    },
  },
  disk: {
    counts: 'fullDisks',
    where: ({ disk }) => disk.cantFill === undefined,
    inject: async (scene, fault) => {
      await whileFull(scene, fault);
      return 'the disk full';
    },
  },
  log: {
    counts: 'fullDisks',
    where: ({ disk }) => disk.cantFill === undefined,
    inject: async (scene, fault) => {
      // WAL files are preallocated. PostgreSQL stops when it cannot allocate more.
      await whileFull(scene, fault, () => scene.postgres.useUpWal().catch(() => {}));
      return 'the disk full, and PostgreSQL’s log used up';
    },
  },
  worker: {
    counts: 'workerKills',
    where: isDistributed,
    inject: async (scene, { lastsMs, chance }) => {
      const { postgres } = pickWorker(scene, chance);
      await postgres.kill(chance.once(2));
      await pause(lastsMs, undefined, { signal: scene.signal });
      return 'a node killed with -9';
    },
  },
  workerCommit: {
    counts: 'workerKills',
    where: isDistributed,
    inject: async (scene, { chance }) => {
      const { postgres, line } = pickWorker(scene, chance);
      const isDelivered = chance.once(2);
      await line.nextMessage({ text: commit, isDelivered });
      await postgres.kill(true);
      return `a node killed with -9 ${isDelivered ? 'after' : 'before'} a commit`;
    },
  },
  workerHalt: {
    counts: 'halts',
    where: isDistributed,
    inject: async (scene, { lastsMs, chance }) => {
      await pickWorker(scene, chance).postgres.pause(lastsMs);
      return 'a node halted';
    },
  },
  workerNetwork: {
    counts: 'cuts',
    where: isDistributed,
    inject: async (scene, { lastsMs, chance }) => {
      const { line } = pickWorker(scene, chance);
      const count = line.down(chance);
      await pause(lastsMs, undefined, { signal: scene.signal }).finally(() => line.up());
      return [`the network to a node down, and ${count} connections with it`, count];
    },
  },
} satisfies Record<string, Kind>;

function isDistributed({ cluster }: Scene): boolean {
  return cluster !== undefined;
}

/** A node of the distributed PostgreSQL, and the proxy to it. */
function pickWorker({ cluster }: Scene, chance: Random): { postgres: Postgres; line: CuttingProxy } {
  if (!cluster) throw new Error('The PostgreSQL is not distributed.');
  const place = chance.below(cluster.workers.length);
  return { postgres: cluster.workers[place] as Postgres, line: cluster.lines[place] as CuttingProxy };
}

/** All servers. */
export const nodesOf = ({ postgres, cluster }: Scene) => [postgres, ...(cluster?.workers ?? [])];

async function whileFull({ disk, signal }: Scene, { lastsMs, chance }: Fault, work = async () => {}): Promise<void> {
  disk.fill(chance.below(2 ** 17));
  try {
    await work();
    // Long enough for a write that needs disk space.
    await pause(800 + lastsMs, undefined, { signal });
  } finally {
    disk.empty();
  }
}

export type FaultName = keyof typeof kinds;
export type Counts = Record<NonNullable<Kind['counts']>, number>;

/** The time to recover before the next fault. */
const slotSeconds = 3.5;

/** All faults of this scene in random order and with random durations, repeated in new orders. */
export function schedule(scene: Scene, seconds: number, chance: Random, short: boolean): Fault[] {
  const names = (Object.keys(kinds) as FaultName[]).filter((name) => (kinds[name] as Kind).where?.(scene) ?? true);
  const faults: Fault[] = [];
  let left: FaultName[] = [];
  while ((faults.length + 1) * slotSeconds <= seconds) {
    if (left.length === 0) left = [...names];
    const [name] = left.splice(chance.below(left.length), 1);
    const at = (faults.length + 0.1 + chance.next() * 0.3) * slotSeconds;
    // In the long form sometimes longer than the connection timeout.
    const lastsMs = !short && chance.once(12) ? chance.between(8000, 14_000) : chance.between(200, 1700);
    faults.push({ at, name: name as FaultName, lastsMs, chance: chance.fork() });
  }
  return faults;
}

/** The seconds that are enough for each fault to happen once. */
export function secondsForAll(scene: Scene): number {
  return Object.values(kinds).filter((kind: Kind) => kind.where?.(scene) ?? true).length * slotSeconds;
}

/** Returns descriptions of the faults. */
export async function happen(scene: Scene, fault: Fault, counts: Counts): Promise<string> {
  const kind: Kind = kinds[fault.name];
  const done = await kind.inject(scene, fault);
  const [words, times] = typeof done === 'string' ? [done, 1] : done;
  if (kind.counts) counts[kind.counts] += times;
  return words;
}
