import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../shared/errors.ts';
import type { Config } from '../../config.ts';
import { mustWorkPooled, openConnection } from '../connection.ts';
import { type Database, openPool, type Tx } from '../database.ts';
import { only, type Run } from '../sql.ts';
import { plainRole } from './external.ts';

/** A streaming replica for reads that may be a little stale. */
export interface Replica {
  /**
   * The replica, if it has everything that was committed up to the bound before now. Its transactions in an account fail
   * as soon as the replica does not respond.
   */
  database(): Database | undefined;
  /** A read failed because the replica is unavailable. It is not used until it responds again. */
  failed(): void;
  readonly maxStalenessSeconds: number;
  close(): Promise<void>;
}

interface ReplicaOptions {
  connections: number;
  onEvent(message: string, level: 'info' | 'warn'): void;
}

const [measureEveryMs, measureTimeoutMs] = [500, 2000];

/** A position of the primary's write-ahead log, and a time before which everything committed is below it. */
interface Sample {
  at: number;
  position: bigint;
}

/**
 * Measures the staleness of the replica all the time. The position of the primary is sampled. When the replica has
 * replayed a sample, it has everything that was committed before the time of that sample. This needs no clock of the
 * servers, and an idle primary does not look like a stale replica.
 */
export function openReplica(
  { databaseReadUrl: url, readStalenessSeconds: maxStalenessSeconds }: Config,
  primary: Database,
  { connections, onEvent }: ReplicaOptions,
): Replica | undefined {
  if (url === undefined) return undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  let pools: Pools | undefined;
  /** Ends the wait of each read that the replica has not answered yet. */
  const reading = new Set<(error: Error) => void>();
  /** Whether the replica has been asked for its position. */
  let isAsked = false;
  let samples: Sample[] = [];
  /** Everything that was committed before this time is there; undefined: not known, so the replica is not used. */
  let freshAt: number | undefined;
  let reported: string | undefined;
  let measuring: Promise<void> | undefined;

  const isFresh = () => freshAt !== undefined && performance.now() - freshAt <= maxStalenessSeconds * 1000;

  function report(state: string, level: 'info' | 'warn'): void {
    if (state === reported || signal.aborted) return;
    reported = state;
    onEvent(`read replica: ${state}`, level);
  }

  async function measure(address: string): Promise<void> {
    const at = performance.now();
    const position = await primary.transaction(primaryPosition);
    // Older samples cannot make the replica fresh enough.
    samples = [...samples.filter((one) => at - one.at <= maxStalenessSeconds * 1000), { at, position }];
    const identity = pools ? '' : await primary.transaction(identityOf);
    isAsked = true;
    pools ??= await connect(address, connections, identity);
    const replayed = await pools.measurements.transaction(replayedPosition);
    const latest = samples.findLast((one) => one.position <= replayed);
    if (!latest) return;
    freshAt = latest.at;
    samples = samples.filter((one) => one.at >= latest.at);
  }

  async function work(address: string): Promise<void> {
    while (!signal.aborted) {
      try {
        // One at a time, because each one occupies a connection of a server that does not respond.
        measuring ??= measure(address).finally(() => {
          measuring = undefined;
          isAsked = false;
        });
        await Promise.race([measuring, tooLate(signal)]);
        if (isFresh()) report('in use', 'info');
        else report(`more than ${maxStalenessSeconds} s behind, reads go to the primary`, 'warn');
      } catch (error) {
        freshAt = undefined;
        // If the primary is slow, a read on the replica may go on.
        if (isAsked) for (const fail of reading) fail(new Error('The replica does not respond.'));
        report(`not available, reads go to the primary: ${messageOf(error)}`, 'warn');
      }
      await pause(measureEveryMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
  const working = work(url);

  /** The read itself goes on until its own timeout. Its connection is not used meanwhile. */
  function whileResponding<T>(read: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      reading.add(reject);
      read.then(resolve, reject).finally(() => reading.delete(reject));
    });
  }

  return {
    maxStalenessSeconds,
    database: () => {
      if (!pools || !isFresh()) return undefined;
      const { reads } = pools;
      return { ...reads, tenant: (accountId, read) => whileResponding(reads.tenant(accountId, read)) };
    },
    failed: () => {
      freshAt = undefined;
    },
    close: async () => {
      stopping.abort();
      await working;
      await Promise.all([pools?.reads.close(), pools?.measurements.close()]);
    },
  };
}

/** A server that is paused accepts connections and never responds. */
async function tooLate(signal: AbortSignal): Promise<never> {
  await pause(measureTimeoutMs, undefined, { signal, ref: false }).catch(() => {});
  throw new Error('it does not respond');
}

async function primaryPosition(tx: Tx): Promise<bigint> {
  const rows = await tx<{ position: string }>`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as position`;
  return BigInt(only(rows).position);
}

/** Throws if the server is not a replica, or no longer. */
async function replayedPosition(tx: Tx): Promise<bigint> {
  const rows = await tx<{ position: string | null }>`
    select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0'::pg_lsn end as position`;
  const { position } = only(rows);
  if (position === null) throw new Error('it is not a replica');
  return BigInt(position);
}

/** A physical replica has the identity of its primary. */
async function identityOf(run: Run): Promise<string> {
  const rows = await run<{ identity: string }>`
    select concat_ws(' ', system_identifier, (select oid from pg_database where datname = current_database())) as identity
    from pg_control_system()`;
  return only(rows).identity;
}

interface Pools {
  reads: Database;
  /** Apart from the reads, so that slow reads do not make the replica look unavailable. */
  measurements: Database;
}

async function connect(url: string, connections: number, identity: string): Promise<Pools> {
  // Works with and without a pooler.
  const connection = await openConnection({ url, isPooled: true });
  try {
    // The database of another installation would have other rows for the same account.
    if ((await identityOf(connection.run)) !== identity)
      throw new Error('it is not a replica of the database in DATABASE_URL');
    const isPooled = await connection.seesPooler();
    if (isPooled) mustWorkPooled(url);
    const { bypasses } = only(
      await connection.run<{ bypasses: boolean }>`
        select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user`,
    );
    // The check of the primary created the role.
    const role = bypasses ? plainRole : undefined;
    if (bypasses && isPooled) throw new Error('a superuser cannot use it through a connection pooler');
    const options = { url, role, isPooled, applicationName: 'regulars reads' };
    return {
      reads: openPool({ ...options, connections }),
      measurements: openPool({ ...options, connections: 1, longestStatementMs: measureTimeoutMs }),
    };
  } finally {
    await connection.close();
  }
}
