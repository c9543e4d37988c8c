import { availableParallelism } from 'node:os';
import { asSuperuser, type Service } from '../load/service.ts';
import type { Spread } from '../load/statistics.ts';

/** What docs/performance/results.json holds, and peers.json the peers. */
export interface Results {
  machine: MachineFacts;
  /** What the rows of `others` called sql were measured with. */
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
export interface Ours {
  perSecond: Spread;
  /** Milliseconds. */
  p50: Spread;
  p99: Spread;
  /** Turn by turn. */
  p99OverP50: Spread;
  /** Microseconds of processor time for a request. */
  serviceCpu: number | null;
  postgresCpu: number | null;
  /** Megabytes, the most in these turns. */
  memory: number | null;
  answerBytes: number;
}

export interface Other {
  id: string;
  name: string;
  perSecond: Spread;
  /** Ours over theirs, turn by turn; of `unbatched`, our time over theirs. */
  ratio: Spread;
}

export interface RowResult {
  row: string;
  name: string;
  connections: number;
  ours: Ours;
  others: Other[];
}

export interface PeersResult extends RowResult {
  /** With their versions, by name. */
  versions: Record<string, string>;
  /** Megabytes now. */
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
