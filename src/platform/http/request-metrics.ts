import type { MetricValues } from './metric-values.ts';

/** Upper bounds, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Tally {
  statuses: Map<number, number>;
  /** How many took no longer than each bound and longer than the one before; the last: longer than all. */
  buckets: number[];
  seconds: number;
}

/**
 * Every request is counted and timed, so that must cost next to nothing: a library's histogram, which looks its labels
 * up each time, is 3% of a redemption.
 */
export class RequestMetrics {
  /** By the labels that a route's numbers carry. Methods and routes are our own words: there is nothing to escape. */
  readonly #tallies = new Map<string, Map<string, Tally>>();

  count(method: string, route: string, status: number, seconds: number): void {
    const tally = this.#tallies.get(route)?.get(method) ?? this.#add(method, route);
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    tally.seconds += seconds;
    let bucket = 0;
    while (seconds > (bounds[bucket] ?? Infinity)) bucket++;
    tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1;
  }

  #add(method: string, route: string): Tally {
    const tally = { statuses: new Map(), buckets: [...bounds, 0].fill(0), seconds: 0 };
    const methods = this.#tallies.get(route) ?? new Map<string, Tally>();
    this.#tallies.set(route, methods.set(method, tally));
    return tally;
  }

  /** As the library for Prometheus has its own. */
  figures(): [requests: MetricValues, durations: MetricValues] {
    const requests: MetricValues = {
      name: 'regulars_http_requests_total',
      help: 'Requests answered, by route and status.',
      type: 'counter',
      aggregator: 'sum',
      values: [],
    };
    const durations: MetricValues = {
      name: 'regulars_http_request_duration_seconds',
      help: 'Time from the request to the end of its answer, by route.',
      type: 'histogram',
      aggregator: 'sum',
      values: [],
    };
    for (const [route, methods] of this.#tallies) {
      for (const [method, { statuses, buckets, seconds }] of methods) {
        const labels = { method, route };
        for (const [status, value] of statuses) requests.values.push({ value, labels: { ...labels, status } });
        const add = (what: string, value: number, more = {}) =>
          durations.values.push({ metricName: `${durations.name}_${what}`, value, labels: { ...more, ...labels } });
        let count = 0;
        buckets.forEach((more, place) => {
          count += more;
          add('bucket', count, { le: bounds[place] ?? '+Inf' });
        });
        add('sum', seconds);
        add('count', count);
      }
    }
    return [requests, durations];
  }
}
