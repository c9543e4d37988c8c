import type { Random } from '../../../src/shared/random.ts';
import { CitusCluster } from '../../servers/citus.ts';
import { Postgres } from '../../servers/postgres.ts';
import { CuttingProxy } from '../../servers/proxy.ts';
import { Fleet } from '../support/fleet.ts';
import type { Scene } from './chaos.ts';
import type { Disk } from './disk.ts';

/** Processes of the service on a database. */
export interface Setup {
  name: string;
  /** The number of accounts. */
  accounts: number;
  /** The duration of the long form. The short form ends when each fault has happened once. */
  longSeconds: number;
  /** Runs `work` in the scene and cleans up. */
  stage(disk: Disk, chance: Random, signal: AbortSignal, work: (scene: Scene) => Promise<void>): Promise<void>;
}

export const singleServers: Setup[] = [
  {
    name: 'Three processes on a PostgreSQL of its own',
    accounts: 1,
    longSeconds: 360,
    stage: async (disk, chance, signal, work) => {
      const postgres = await Postgres.create(disk.folder);
      await postgres.start();
      const line = await CuttingProxy.open(() => postgres.port());
      try {
        const address = Object.assign(new URL(postgres.address('regulars')), { port: String(line.port) });
        const fleet = await Fleet.start(3, { DATABASE_URL: address.href, LOG_LEVEL: 'error' }, chance);
        await work({ fleet, postgres, line, cluster: undefined, disk, signal }).finally(() => fleet.stop());
      } finally {
        line.close();
        await postgres.stop();
      }
    },
  },
  {
    name: 'One process that keeps its PostgreSQL itself, as npm start does',
    accounts: 1,
    longSeconds: 180,
    stage: async (disk, chance, signal, work) => {
      const postgres = Postgres.in(disk.folder);
      try {
        const fleet = await Fleet.start(1, { DATA_DIR: disk.folder, LOG_LEVEL: 'error' }, chance);
        await work({ fleet, postgres, line: undefined, cluster: undefined, disk, signal }).finally(() => fleet.stop());
      } finally {
        await postgres.stop();
      }
    },
  },
];

/** `binFolder`: PostgreSQL programs with Citus. */
export const distributed = (binFolder: string): Setup => ({
  name: 'Three processes on a distributed PostgreSQL: a coordinator and two nodes',
  accounts: 2,
  longSeconds: 360,
  stage: async (disk, chance, signal, work) => {
    const cluster = await CitusCluster.start(disk.folder, { binFolder, isProxied: true });
    const line = await CuttingProxy.open(() => cluster.coordinator.port());
    try {
      await cluster.distribute(8);
      const address = Object.assign(new URL(cluster.coordinator.address('regulars')), { port: String(line.port) });
      const fleet = await Fleet.start(3, { DATABASE_URL: address.href, LOG_LEVEL: 'error' }, chance);
      const scene = { fleet, postgres: cluster.coordinator, line, cluster, disk, signal };
      await work(scene).finally(() => fleet.stop());
    } finally {
      line.close();
      await cluster.stop();
    }
  },
});
