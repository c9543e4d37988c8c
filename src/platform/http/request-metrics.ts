import type { MetricValues } from '../internals/prom-client.ts';

/** Upper bounds, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Tally {
  statuses: Map<number, number>;
  /** The number of requests between each bound and the one before it. The last bucket has the requests above all bounds. */
  buckets: number[];
  seconds: number;
}

/** Counts and times every request. prom-client's histogram looks up its labels each time, which costs 3% of a redemption. */
export class RequestMetrics {
  /** By route and method. Both are our own words, so nothing must be escaped. */
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

  /** The metrics in the shape of prom-client. */
  values(): [requests: MetricValues, durations: MetricValues] {
    const requests: MetricValues = {
      name: 'regulars_http_requests_total',
      help: 'Completed requests, by route and status.',
      type: 'counter',
      aggregator: 'sum',
      values: [],
    };
    const durations: MetricValues = {
      name: 'regulars_http_request_duration_seconds',
      help: 'Time from the request to the end of its response, by route.',
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
