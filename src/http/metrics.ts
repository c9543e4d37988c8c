import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';

/** What the service says of itself to Prometheus. */
export interface Metrics {
  request(method: string, route: string, status: number, seconds: number): void;
  /** One set-based write of so many members. */
  batch(name: string, size: number): void;
  /** How something went, in a route's own words. */
  outcome(route: string, outcome: string): void;
  /** Entries given up because their queue was full. */
  dropped(name: string, count: number): void;
  text(): Promise<string>;
  contentType: string;
}

/** Numbers that only the database knows, by label. Asked for once a minute at most, however often somebody looks. */
export interface Sampled {
  name: string;
  help: string;
  label: string;
  read(): Promise<Record<string, number>>;
}

const sampledForMs = 60_000;

export function createMetrics(db: Database, sampled: Sampled[] = []): Metrics {
  const registry = new Registry();
  // Event-loop lag, memory, CPU, garbage collection: nodejs_eventloop_lag_seconds and its neighbours.
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  const requests = new Counter({
    name: 'regulars_http_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'regulars_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by route.',
    labelNames: ['method', 'route'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const batches = new Histogram({
    name: 'regulars_batch_size',
    help: 'Members of each set-based write, by what was written.',
    labelNames: ['batch'] as const,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers,
  });
  const outcomes = new Counter({
    name: 'regulars_outcomes_total',
    help: 'How what was sent went, by route.',
    labelNames: ['route', 'outcome'] as const,
    registers,
  });
  const dropped = new Counter({
    name: 'regulars_dropped_total',
    help: 'Entries given up because their queue was full, by queue.',
    labelNames: ['queue'] as const,
    registers,
  });
  new Gauge({
    name: 'regulars_db_connections',
    help: 'The connection pool: its size, those busy, and transactions waiting for one.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      for (const [state, count] of Object.entries(db.pool())) this.set({ state }, count);
    },
  });
  for (const { name, help, label, read } of sampled) {
    let readAt = Number.NEGATIVE_INFINITY;
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      async collect() {
        if (performance.now() - readAt < sampledForMs) return;
        // Without the database the number of a minute ago is the best there is; everything else is still worth reading.
        const values = await read().catch(() => undefined);
        if (!values) return;
        readAt = performance.now();
        for (const [value, number] of Object.entries(values)) this.set({ [label]: value }, number);
      },
    });
  }

  /** Looking labels up costs more than counting, and every request is counted. */
  const known = new Map<string, ReturnType<typeof keep>>();
  function keep(key: string, method: string, route: string, status: number) {
    const counters = { count: requests.labels(method, route, String(status)), time: durations.labels(method, route) };
    known.set(key, counters);
    return counters;
  }

  return {
    request: (method, route, status, seconds) => {
      const key = `${method} ${route} ${status}`;
      const { count, time } = known.get(key) ?? keep(key, method, route, status);
      count.inc();
      time.observe(seconds);
    },
    batch: (name, size) => batches.observe({ batch: name }, size),
    outcome: (route, outcome) => outcomes.inc({ route, outcome }),
    dropped: (name, count) => dropped.inc({ queue: name }, count),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
