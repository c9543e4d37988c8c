import { limit } from './load/limit.ts';
import { type Ask, load, type Measured } from './load/load.ts';
import { type Machine, type Use, used } from './load/usage.ts';
import type { Script, Stage } from './rows/row.ts';

/** One turn of one contestant. */
export interface Turn {
  perSecond: number;
  /** Not available for pgbench and the driver. */
  measured?: Measured;
  use?: Use;
}

export interface Contender {
  /** The id in the goals. */
  id: string;
  /** The name in tables. */
  name: string;
  measure(seconds: number): Promise<Turn>;
}

/** Runs the contestants in turns, each time with another one first, so that other load affects all. */
export async function takeTurns(
  contenders: Contender[],
  { turns, seconds }: { turns: number; seconds: number },
): Promise<Map<string, Turn[]>> {
  const taken = new Map(contenders.map(({ id }) => [id, [] as Turn[]]));
  for (let turn = 0; turn < turns; turn++) {
    for (let place = 0; place < contenders.length; place++) {
      const { id, measure } = contenders[(turn + place) % contenders.length] as Contender;
      taken.get(id)?.push(await measure(seconds));
    }
  }
  return taken;
}

/** An HTTP server as a contestant. `n` continues over the turns, because each `n` is used once. */
export class HttpServerLoad {
  readonly #url: string;
  readonly #ask: Ask;
  readonly #machine: Machine | undefined;
  readonly #counter: { next: number };
  /** The last rate by number of connections, to build enough requests before the measurement. */
  readonly #rates = new Map<number, number>();

  constructor(url: string, ask: Ask, options: { machine?: Machine; counter?: { next: number } } = {}) {
    this.#url = url;
    this.#ask = ask;
    this.#machine = options.machine;
    this.#counter = options.counter ?? { next: 0 };
  }

  contender(id: string, name: string, connections: number): Contender {
    return { id, name, measure: (seconds) => this.measure(connections, seconds) };
  }

  async measure(connections: number, seconds: number): Promise<Turn> {
    const rate = this.#rates.get(connections) ?? Math.max(0, ...this.#rates.values());
    const ahead = Math.ceil(rate * seconds * 1.1);
    const work = () => load({ ...this.#ask, url: this.#url, connections, seconds, ahead, from: this.#counter.next });
    const { done, use } = this.#machine ? await used(this.#machine, work) : { done: await work(), use: undefined };
    this.#counter.next += done.requests;
    this.#rates.set(connections, done.perSecond);
    return { perSecond: done.perSecond, measured: done, ...(use && { use }) };
  }
}

/** PostgreSQL alone as a contestant, with pgbench. */
export function inSql({ service, groups }: Stage, script: Script, connections: number): Contender {
  const setting = encodeURIComponent(`-c app.account_id=${groups[0]?.made.accountId}`);
  return {
    id: 'sql',
    name: script.what,
    measure: async (seconds) => {
      const run = { database: `${service.database}?options=${setting}`, connections, ...script };
      // pgbench accepts only whole seconds.
      return { perSecond: await limit({ ...run, seconds: Math.ceil(seconds) }) };
    },
  };
}
