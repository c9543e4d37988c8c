import { availableParallelism } from 'node:os';
import { asSuperuser, type Service } from '../load/service.ts';
import type { Spread } from '../load/statistics.ts';

/** The contents of docs/performance/results.json; peers.json contains the peers. */
export interface Results {
  machine: MachineFacts;
  /** The program that measured PostgreSQL alone. */
  sqlBy: string;
  turns: number;
  rows: RowResult[];
  peers: PeersResult[];
  /** Megabytes, over the whole run. */
  peakMemory: number | null;
}

export interface MachineFacts {
  date: string;
  node: string;
  postgres: string;
  cores: number;
  fsync: string;
}

/** Null: unknown on this system. */
export interface OwnResult {
  perSecond: Spread;
  /** Milliseconds. */
  p50: Spread;
  p99: Spread;
  /** Per turn. */
  p99OverP50: Spread;
  /** Microseconds of CPU time per request. */
  serviceCpu: number | null;
  postgresCpu: number | null;
  /** The peak in megabytes. */
  memory: number | null;
  answerBytes: number;
}

export interface Other {
  id: string;
  name: string;
  perSecond: Spread;
  /** Ours ÷ theirs per turn. For `unbatched`: our time ÷ theirs. */
  ratio: Spread;
}

export interface RowResult {
  row: string;
  name: string;
  connections: number;
  ours: OwnResult;
  others: Other[];
}

export interface PeersResult extends RowResult {
  /** Versions by name. */
  versions: Record<string, string>;
  /** Current memory in megabytes. */
  memory: Record<string, number | null>;
}

export async function machineFacts(service: Service): Promise<MachineFacts> {
  const [postgres, fsync] = await asSuperuser(service, async (client) => {
    const show = async (name: string) => String(Object.values((await client.query(`show ${name}`)).rows[0])[0]);
    return [await show('server_version'), await show('fsync')];
  });
  if (fsync !== 'on') throw new Error(`fsync is ${fsync}, and not on: nothing measured so counts.`);
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    postgres: postgres ?? '',
    cores: availableParallelism(),
    fsync,
  };
}
