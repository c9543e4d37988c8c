import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openConnection } from '../../src/platform/db/connection.ts';
import { only, raw } from '../../src/platform/db/sql.ts';
import { Postgres } from './postgres.ts';
import { CuttingProxy } from './proxy.ts';

/** Settings of each node. Moving a shard while it is written to needs logical decoding. A transaction that a lost node had prepared is finished soon after the node is back. */
export const nodeSettings = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: '300',
  max_prepared_transactions: '600',
  max_worker_processes: '64',
  max_wal_senders: '40',
  max_replication_slots: '40',
  shared_buffers: '128MB',
  'citus.recover_2pc_interval': '2s',
};

/** Whether the PostgreSQL programs in this folder come with Citus. */
export function hasCitus(binFolder: string): boolean {
  return [join(binFolder, '..', 'lib'), join(binFolder, '..', 'lib', 'postgresql')].some((folder) =>
    isLoadable(join(folder, 'citus.so')),
  );
}

/** A library for another kind of processor can't be loaded. Systems without `ldd` do not tell. */
function isLoadable(library: string): boolean {
  if (!existsSync(library)) return false;
  const { error, status } = spawnSync('ldd', [library], { stdio: 'ignore' });
  return error !== undefined || status === 0;
}

/** The folder of PostgreSQL programs with Citus: the one in TEST_CITUS, or an installed one of Debian. */
export function findCitus(): string | undefined {
  if (process.env.TEST_CITUS !== undefined) return process.env.TEST_CITUS;
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  return versions.map((version) => join(root, version, 'bin')).find(hasCitus);
}

/** Newer servers list the libraries that may decode. Citus decodes with its own when a shard moves. */
async function allowDecoding(node: Postgres): Promise<void> {
  const connection = await node.connect();
  try {
    const { run } = connection;
    if ((await run`select from pg_settings where name = 'output_plugin_libraries'`).length === 0) return;
    await run`alter system set output_plugin_libraries = 'pgoutput', 'test_decoding', 'citus', 'citus_pgoutput'`;
    await run`select pg_reload_conf()`;
  } finally {
    await connection.close();
  }
}

/** A distributed PostgreSQL on this machine: a coordinator, which is the first node, and workers. */
export class CitusCluster {
  readonly nodes: readonly Postgres[];
  /** The proxies between the coordinator and the workers, if wanted. */
  readonly lines: readonly CuttingProxy[];

  private constructor(nodes: Postgres[], lines: CuttingProxy[]) {
    this.nodes = nodes;
    this.lines = lines;
  }

  static async start(
    folder: string,
    {
      binFolder,
      workers = 2,
      settings = {},
      isProxied = false,
    }: { binFolder: string; workers?: number; settings?: Record<string, string>; isProxied?: boolean },
  ): Promise<CitusCluster> {
    // Citus encrypts by default, and the proxy looks for texts.
    const plain: Record<string, string> = isProxied ? { 'citus.node_conninfo': 'sslmode=disable' } : {};
    const allSettings = { ...nodeSettings, ...plain, ...settings };
    const nodes: Postgres[] = [];
    for (let n = 0; n <= workers; n++) {
      const place = join(folder, `node${n}`);
      mkdirSync(place, { recursive: true });
      const node = await Postgres.create(place, { binFolder, trust: true, settings: allSettings });
      await node.start();
      nodes.push(node);
    }
    for (const node of nodes) await allowDecoding(node);
    const lines = isProxied ? nodes.slice(1).map((worker) => CuttingProxy.open(() => worker.port())) : [];
    const cluster = new CitusCluster(nodes, await Promise.all(lines));
    await cluster.connectNodes('regulars');
    return cluster;
  }

  get coordinator(): Postgres {
    const [first] = this.nodes;
    if (!first) throw new Error('The cluster has no nodes.');
    return first;
  }

  get workers(): readonly Postgres[] {
    return this.nodes.slice(1);
  }

  #workerPorts(): number[] {
    return this.lines.length > 0 ? this.lines.map(({ port }) => port) : this.workers.map((worker) => worker.port());
  }

  /** The number of the worker that has an account. */
  async workerOf(accountId: number): Promise<number> {
    const connection = await this.coordinator.connect();
    try {
      const { port } = only(
        await connection.run<{ port: number }>`
          select nodeport as port from pg_dist_shard_placement
          where shardid = get_shard_id_for_distribution_column('contacts', ${accountId}::bigint)`,
      );
      return this.#workerPorts().indexOf(port);
    } finally {
      await connection.close();
    }
  }

  /** Installs the extension in this database of every node, and tells the coordinator about the workers. */
  async connectNodes(database: string): Promise<void> {
    await this.#onEach(database, 'create extension citus');
    const connection = await openConnection({ url: this.coordinator.address('postgres', database) });
    try {
      const { run } = connection;
      await run`select citus_set_coordinator_host('127.0.0.1', ${this.coordinator.port()})`;
      for (const port of this.#workerPorts()) await run`select citus_add_node('127.0.0.1', ${port})`;
    } finally {
      await connection.close();
    }
  }

  /** Runs `regulars db distribute`. */
  async distribute(shards: number): Promise<void> {
    const args = ['dist/cli/regulars.js', 'db', 'distribute', '--shards', String(shards)];
    const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/' };
    await promisify(execFile)(process.execPath, args, {
      env: { ...env, DATABASE_URL: this.coordinator.address('regulars') },
    });
  }

  /** Runs a statement as the superuser on every node, without Citus passing it on to the others. */
  async onEachNode(statement: string): Promise<void> {
    await this.#onEach('postgres', statement);
  }

  async #onEach(database: string, statement: string): Promise<void> {
    for (const node of this.nodes) {
      const connection = await openConnection({ url: node.address('postgres', database) });
      try {
        await connection.run`${raw(statement)}`;
      } finally {
        await connection.close();
      }
    }
  }

  async stop(): Promise<void> {
    for (const line of this.lines) line.close();
    for (const node of this.nodes) await node.stop();
  }
}
