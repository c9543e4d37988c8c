import { setTimeout as pause } from 'node:timers/promises';
import { type Process, startProcess } from '../bench/service.ts';
import type { Chance } from '../src/shared/chance.ts';

/** Several processes of the service on one database, of which now and then one is killed, without a word, and another starts. */
export class Fleet {
  readonly #env: Record<string, string>;
  readonly #chance: Chance;
  #processes: Process[] = [];
  readonly #starting = new Set<Promise<void>>();
  killed = 0;
  /** Those that ended though nobody had told them to. */
  died = 0;

  private constructor(env: Record<string, string>, chance: Chance) {
    this.#env = env;
    this.#chance = chance;
  }

  static async start(size: number, database: string, chance: Chance): Promise<Fleet> {
    const fleet = new Fleet({ DATABASE_URL: database, LOG_LEVEL: 'error' }, chance);
    for (let n = 0; n < size; n++) await fleet.#startOne();
    return fleet;
  }

  /** Any of those that are believed to be alive. */
  url(): string {
    return (this.#processes[this.#chance.below(this.#processes.length)] as Process).url;
  }

  /** Another takes its place as soon as it is healthy. The last one is spared until then. */
  async killOne(): Promise<void> {
    if (this.#processes.length < 2) return;
    const [victim] = this.#processes.splice(this.#chance.below(this.#processes.length), 1);
    await victim?.end('SIGKILL');
    this.killed++;
    this.#replace();
  }

  #replace(): void {
    const starting = this.#startOne().finally(() => this.#starting.delete(starting));
    // Heard of when we stop.
    starting.catch(() => {});
    this.#starting.add(starting);
  }

  async #startOne(): Promise<void> {
    const one = await startProcess(this.#env);
    this.#processes.push(one);
    one.ended.then(() => {
      const place = this.#processes.indexOf(one);
      if (place < 0) return;
      this.#processes.splice(place, 1);
      this.died++;
      this.#replace();
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#starting);
    await Promise.all(this.#processes.splice(0).map((one) => one.end('SIGTERM')));
  }
}

/** Does it every so often, until it is told to end. Failures end it at once, and are given to whoever ends it. */
export function every(milliseconds: number, work: () => Promise<void>): { end(): Promise<void> } {
  let ending = false;
  const working = (async () => {
    while (!ending) {
      await pause(milliseconds);
      if (!ending) await work();
    }
  })();
  // Heard of at the end.
  working.catch(() => {});
  return {
    end: () => {
      ending = true;
      return working;
    },
  };
}
