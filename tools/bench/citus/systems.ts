import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CitusCluster, nodeSettings } from '../../servers/citus.ts';
import { Postgres } from '../../servers/postgres.ts';
import { fill } from '../load/fill.ts';
import { type Group, newGroups, type Size } from '../load/guests.ts';
import { askAdmin, asSuperuser, type Process, type Service, startProcess } from '../load/service.ts';

/** The postmaster of a server, and its part. */
export interface Node {
  kind: 'single server' | 'coordinator' | 'worker';
  postmaster: number;
}

/** A service with its own database: on a single server (no workers), or on a coordinator with workers. */
export interface System {
  workers: number;
  nodes: Node[];
  service: Service;
  groups: Group[];
  /** The number of accounts on each worker. */
  accountsOfWorker: number[];
}

interface Options {
  binFolder: string;
  workers: number;
  sizes: Size[];
  shards: number;
  /** Called when there is something to stop, with the function that stops it. */
  toStop(stop: () => Promise<void>): void;
}

/** Creates the accounts through the API, fills them, and then distributes the database with the command for it. */
export async function startSystem(folder: string, options: Options): Promise<System> {
  const { workers, sizes, shards } = options;
  mkdirSync(folder, { recursive: true });
  const servers = await startServers(folder, options);
  const [first] = servers.nodes as [Postgres];
  const database = first.address('regulars');
  let own: Process | undefined;
  const stop = async () => {
    await own?.end('SIGTERM');
    await servers.stop();
  };
  options.toStop(stop);
  own = await startProcess({ DATABASE_URL: database });
  const service = serviceOf(own, first, folder, stop);
  const groups = await newGroups(service, sizes);
  await fill(service, groups, () => {});
  if (workers > 0) {
    await own.end('SIGTERM');
    await servers.distribute(shards);
    own = await startProcess({ DATABASE_URL: database });
  }
  return {
    workers,
    nodes: servers.nodes.map((node, place) => ({ kind: kindAt(place, workers), postmaster: node.pid() })),
    service: serviceOf(own, first, folder, stop),
    groups,
    accountsOfWorker: workers === 0 ? [] : await countAccounts(service, idsOf(groups)),
  };
}

async function startServers(folder: string, { binFolder, workers }: Options) {
  if (workers > 0) {
    const cluster = await CitusCluster.start(folder, { binFolder, workers });
    return {
      nodes: [...cluster.nodes],
      distribute: (shards: number) => cluster.distribute(shards),
      stop: () => cluster.stop(),
    };
  }
  // The same settings, without Citus.
  const settings = Object.fromEntries(
    Object.entries(nodeSettings).filter(([name]) => !/^(citus\.|shared_preload)/.test(name)),
  );
  const server = await Postgres.create(folder, { binFolder, trust: true, settings });
  await server.start();
  return { nodes: [server], distribute: async () => {}, stop: () => server.stop() };
}

function kindAt(place: number, workers: number): Node['kind'] {
  if (workers === 0) return 'single server';
  return place === 0 ? 'coordinator' : 'worker';
}

function serviceOf(own: Process, server: Postgres, folder: string, stop: () => Promise<void>): Service {
  return {
    url: own.url,
    database: server.address('regulars'),
    superuser: server.address('postgres'),
    serverLog: join(folder, 'server.log'),
    machine: { servicePids: [own.pid], postmaster: server.pid() },
    admin: (method, path, body) => askAdmin(own.url, method, path, body),
    stop,
  };
}

const idsOf = (groups: Group[]) => groups.map(({ made }) => made.accountId);

/** In the order of the nodes. */
function countAccounts(service: Service, accounts: number[]): Promise<number[]> {
  return asSuperuser(service, async (client) => {
    const { rows } = await client.query<{ accounts: number }>(
      `select (select count(*) from unnest($1::bigint[]) as account (id) where exists (
           select from pg_dist_placement p
           where p.groupid = node.groupid and p.shardid = get_shard_id_for_distribution_column('contacts', account.id)))::int as accounts
       from pg_dist_node as node where groupid > 0 order by groupid`,
      [accounts],
    );
    return rows.map(({ accounts }) => accounts);
  });
}

/**
 * The accounts of the fullest worker if the tables had this many shards. Citus cuts the hash values into equal ranges and
 * gives them to the workers in turn.
 */
export function fullestWorker({ service, groups, workers }: System, shards: number): Promise<number> {
  return asSuperuser(service, async (client) => {
    const { rows } = await client.query<{ most: number }>(
      `select max(accounts)::int as most from (
         select count(*) as accounts from unnest($1::bigint[]) as account (id)
         group by ((worker_hash(id)::bigint + 2147483648) * $2 / 4294967296) % $3) as of_worker`,
      [idsOf(groups), shards, workers],
    );
    return rows[0]?.most ?? 0;
  });
}
