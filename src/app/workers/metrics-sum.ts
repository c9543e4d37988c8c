import { setTimeout as pause } from 'node:timers/promises';
import { type MetricValues, sumMetrics } from '../../platform/http/metric-values.ts';

/** Whoever does not answer by then counts as before. */
const patienceMs = 1000;

/**
 * What all workers say of themselves, together. Of one that has gone, what it last said still counts: a sum that falls
 * looks to Prometheus like a new beginning, and all that was counted until then like news.
 */
export class WorkerMetrics {
  readonly #last = new Map<number, MetricValues[]>();
  #gone: MetricValues[] = [];

  add(id: number): void {
    this.#last.set(id, []);
  }

  async collect(workers: Iterable<{ id: number; figures(): Promise<MetricValues[]> }>): Promise<MetricValues[]> {
    const hearing = Array.from(workers, async ({ id, figures }) => {
      const said = await Promise.race([figures(), pause(patienceMs)]).catch(() => undefined);
      // Nobody who has left in the meantime is counted twice.
      if (said && this.#last.has(id)) this.#last.set(id, said);
    });
    await Promise.all(hearing);
    return sumMetrics([this.#gone, ...this.#last.values()]);
  }

  remove(id: number): void {
    const counts = this.#last.get(id)?.filter(({ type }) => type === 'counter' || type === 'histogram') ?? [];
    this.#last.delete(id);
    this.#gone = sumMetrics([this.#gone, counts]);
  }
}
