import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../src/shared/random.ts';
import { ownProcessGroup, type Process, startProcess } from '../../bench/load/service.ts';

/** Several processes of the service on one database. Processes can be killed and replaced.
 */
export class Fleet {
  readonly #env: Record<string, string>;
  readonly #chance: Random;
  #processes: Process[] = [];
  readonly #starting = new Set<Promise<void>>();
  killed = 0;
  restarted = 0;
  /** The number of processes that ended unexpectedly. */
  died = 0;
  /** A sentence for each thing that no process should do. */
  readonly wrong: string[] = [];
  #stopping = false;

  private constructor(env: Record<string, string>, chance: Random) {
    this.#env = env;
    this.#chance = chance;
  }

  static async start(size: number, env: Record<string, string>, chance: Random): Promise<Fleet> {
    const fleet = new Fleet(env, chance);
    try {
      for (let n = 0; n < size; n++) await fleet.#startOne();
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  /** Those that are believed to be alive. */
  urls(): string[] {
    return this.#processes.map(({ url }) => url);
  }

  /** Any of them. */
  url(): string {
    return (this.#processes[this.#chance.below(this.#processes.length)] as Process).url;
  }

  /** The last one is spared until another is healthy. */
  async killOne(): Promise<void> {
    if (this.#processes.length > 1) await this.kill(this.#chance.below(this.#processes.length));
  }

  /** Another takes its place as soon as it is healthy. */
  async kill(place: number): Promise<void> {
    const [victim] = this.#processes.splice(place, 1);
    await victim?.end('SIGKILL');
    this.killed++;
    this.#replace();
  }

  /** The same with a graceful stop. */
  async restart(place: number): Promise<void> {
    const [one] = this.#processes.splice(place, 1);
    if (one) await this.#bid(one);
    this.restarted++;
    this.#replace();
  }

  /** When all that are on their way are there. */
  async complete(): Promise<void> {
    await Promise.all(this.#starting);
  }

  #replace(): void {
    if (this.#stopping) return;
    const starting = this.#startOne()
      .catch((error: Error) => void this.wrong.push(`A process was to take another’s place: ${error.message}`))
      .finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  async #startOne(): Promise<void> {
    const one = await startProcess(this.#env, ownProcessGroup);
    this.#processes.push(one);
    one.ended.then(() => {
      const place = this.#processes.indexOf(one);
      if (place < 0) return;
      this.#processes.splice(place, 1);
      this.died++;
      this.wrong.push('A process ended by itself.');
      this.#replace();
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.complete();
    await Promise.all(this.#processes.splice(0).map((one) => this.#bid(one)));
  }

  async #bid(one: Process): Promise<void> {
    const code = await one.end('SIGTERM');
    if (code !== 0) this.wrong.push(`A stopped process ended with ${code ?? 'a signal'}.`);
  }
}

/** Repeats `work` at an interval until `end` is called. A failure stops it and is thrown by `end`. */
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
