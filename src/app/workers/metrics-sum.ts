import { setTimeout as pause } from 'node:timers/promises';
import { type MetricValues, sumMetrics } from '../../platform/internals/prom-client.ts';

/** A worker that does not respond in this time counts with its last metrics. */
const timeoutMs = 1000;

/**
 * Sums the metrics of all workers. The last counters of an ended worker still count: if the sum fell, Prometheus would
 * see a restart and count everything again.
 */
export class WorkerMetrics {
  readonly #last = new Map<number, MetricValues[]>();
  #ended: MetricValues[] = [];

  add(id: number): void {
    this.#last.set(id, []);
  }

  async collect(workers: Iterable<{ id: number; metrics(): Promise<MetricValues[]> }>): Promise<MetricValues[]> {
    const collecting = Array.from(workers, async ({ id, metrics }) => {
      const received = await Promise.race([metrics(), pause(timeoutMs)]).catch(() => undefined);
      // A worker that ended meanwhile is in #ended already.
      if (received && this.#last.has(id)) this.#last.set(id, received);
    });
    await Promise.all(collecting);
    return sumMetrics([this.#ended, ...this.#last.values()]);
  }

  remove(id: number): void {
    const counts = this.#last.get(id)?.filter(({ type }) => type === 'counter' || type === 'histogram') ?? [];
    this.#last.delete(id);
    this.#ended = sumMetrics([this.#ended, counts]);
  }
}
