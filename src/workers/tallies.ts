import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, sumOf } from '../http/figures.ts';

/** Whoever does not answer by then counts as before. */
const patienceMs = 1000;

/**
 * What all workers say of themselves, together. Of one that has gone, what it last said still counts: a sum that falls
 * looks to Prometheus like a new beginning, and all that was counted until then like news.
 */
export class Tallies {
  readonly #last = new Map<number, Figure[]>();
  #gone: Figure[] = [];

  add(id: number): void {
    this.#last.set(id, []);
  }

  async collect(workers: Iterable<{ id: number; figures(): Promise<Figure[]> }>): Promise<Figure[]> {
    const hearing = Array.from(workers, async ({ id, figures }) => {
      const said = await Promise.race([figures(), pause(patienceMs)]).catch(() => undefined);
      // Nobody who has left in the meantime is counted twice.
      if (said && this.#last.has(id)) this.#last.set(id, said);
    });
    await Promise.all(hearing);
    return sumOf([this.#gone, ...this.#last.values()]);
  }

  remove(id: number): void {
    const counts = this.#last.get(id)?.filter(({ type }) => type === 'counter' || type === 'histogram') ?? [];
    this.#last.delete(id);
    this.#gone = sumOf([this.#gone, counts]);
  }
}
