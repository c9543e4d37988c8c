import { setTimeout as pause } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { addMetric, formatMetrics, type MetricValues, metricsOf } from './metric-values.ts';
import { RequestMetrics } from './request-metrics.ts';

/** What the service says of itself to Prometheus. */
export interface Metrics {
  request(method: string, route: string, status: number, seconds: number): void;
  /** One set-based write of so many members. */
  batch(name: string, size: number): void;
  /** How something went, by a route's own code. */
  outcome(route: string, outcome: string): void;
  /** Entries given up because their queue was full. */
  dropped(name: string, count: number): void;
  /** What this process alone can say. */
  own(): Promise<MetricValues[]>;
  /** With what all processes say together, where there are several. */
  text(together?: MetricValues[]): Promise<string>;
  contentType: string;
}

/** Numbers that only the database knows, by label. They are read in the background, and kept. */
export interface Sampled {
  name: string;
  help: string;
  label: string;
  read(): Promise<Record<string, number>>;
}

const sampledForMs = 60_000;
/** Reading takes at most this share of the time, however large the tables are. */
const shareOfTime = 1 / 20;
/** The first answer waits this long for the first reading. Later ones give the numbers that are kept. */
const firstReadingMs = 1000;

export function createMetrics(db: Database, sampled: Sampled[] = []): Metrics {
  const registry = new Registry();
  // Event-loop lag, memory, CPU, garbage collection: nodejs_eventloop_lag_seconds and its neighbours.
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  // What the database knows is the same whoever asks: it is not to be added up.
  const common = new Registry();

  const requests = new RequestMetrics();
  requests.figures().forEach(({ name }, place) => {
    addMetric(registry, name, () => requests.figures()[place] as MetricValues);
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
    const latest = keepLatest(read);
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [common],
      async collect() {
        for (const [value, number] of Object.entries(await latest())) this.set({ [label]: value }, number);
      },
    });
  }

  return {
    request: (method, route, status, seconds) => requests.count(method, route, status, seconds),
    batch: (name, size) => batches.observe({ batch: name }, size),
    outcome: (route, outcome) => outcomes.inc({ route, outcome }),
    dropped: (name, count) => dropped.inc({ queue: name }, count),
    own: () => metricsOf(registry),
    text: async (together) =>
      `${await (together ? formatMetrics(together) : registry.metrics())}\n${await common.metrics()}`,
    contentType: registry.contentType,
  };
}

/** Gives the numbers of the latest reading. One reading at a time runs in the background, and its result serves all. */
function keepLatest(read: () => Promise<Record<string, number>>): () => Promise<Record<string, number>> {
  let kept: Record<string, number> | undefined;
  let reading: Promise<void> | undefined;
  let nextAt = 0;
  const refresh = async () => {
    const began = performance.now();
    // Without the database the numbers of the last reading stay.
    kept = await read().catch(() => kept);
    const tookMs = performance.now() - began;
    nextAt = performance.now() + Math.max(sampledForMs, tookMs / shareOfTime);
    reading = undefined;
  };
  return async () => {
    if (performance.now() >= nextAt) reading ??= refresh();
    if (!kept) await Promise.race([reading, pause(firstReadingMs, undefined, { ref: false })]);
    return kept ?? {};
  };
}
