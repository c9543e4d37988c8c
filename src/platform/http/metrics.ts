import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { present } from '../../shared/present.ts';
import type { Database } from '../db/database.ts';
import { addMetric, formatMetrics, type MetricValues, metricsOf } from '../internals/prom-client.ts';
import { type FailureReason, failureReasons } from './errors.ts';
import { RequestMetrics } from './request-metrics.ts';

/** The Prometheus metrics of the service. */
export interface Metrics {
  request(method: string, route: string, status: number, seconds: number): void;
  /** Counts a batch of this size. */
  batch(name: string, size: number): void;
  /** Counts an outcome by its code. Each route has its own codes. */
  outcome(route: string, outcome: string): void;
  /** Counts entries that were dropped because their queue was full. */
  dropped(name: string, count: number): void;
  /** Counts a request that was refused or failed on the side of the service. */
  failed(reason: FailureReason): void;
  /** The metrics of this process. */
  own(): Promise<MetricValues[]>;
  /** The text for Prometheus. `ofAll`: the summed metrics of all processes, if there are several. */
  text(ofAll?: MetricValues[]): Promise<string>;
  contentType: string;
}

/** Numbers from the database, by label. They are read in the background and cached. */
export interface Sampled {
  name: string;
  help: string;
  label: string;
  read(): Promise<Record<string, number>>;
}

const sampledForMs = 60_000;
/** Reading uses at most this share of the time, for tables of any size. */
const shareOfTime = 1 / 20;
/** The first response waits this long for the first reading. Later responses have the cached numbers. */
const firstReadingMs = 1000;

export interface MetricsOptions {
  sampled?: Sampled[];
  /** The data directory of the embedded server. Undefined: the server has its own machine. */
  dataDir?: string | undefined;
  /** Metrics that only this process has. */
  further?: () => Promise<MetricValues[]>;
}

export function createMetrics(
  db: Database,
  { sampled = [], dataDir, further = async () => [] }: MetricsOptions = {},
): Metrics {
  const registry = new Registry();
  // Event-loop lag, memory, CPU, garbage collection: nodejs_eventloop_lag_seconds and its neighbours.
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  // The numbers of the database are the same in all processes, so they are not summed.
  const common = new Registry();

  const requests = new RequestMetrics();
  requests.values().forEach(({ name }, place) => {
    addMetric(registry, name, () => present(requests.values()[place], 'metric'));
  });
  const batches = new Histogram({
    name: 'regulars_batch_size',
    help: 'Requests per batch, by route.',
    labelNames: ['batch'] as const,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers,
  });
  const outcomes = new Counter({
    name: 'regulars_outcomes_total',
    help: 'Outcomes of requests, by route.',
    labelNames: ['route', 'outcome'] as const,
    registers,
  });
  const dropped = new Counter({
    name: 'regulars_dropped_total',
    help: 'Entries dropped because their queue was full, by queue.',
    labelNames: ['queue'] as const,
    registers,
  });
  const failed = new Counter({
    name: 'regulars_failed_requests_total',
    help: 'Requests that were refused or failed on the side of the service, by reason.',
    labelNames: ['reason'] as const,
    registers,
  });
  // Prometheus does not see the first increase of a series that starts above zero.
  for (const reason of failureReasons) failed.inc({ reason }, 0);
  new Gauge({
    name: 'regulars_db_connections',
    help: 'The connection pool: its size, busy connections, and transactions that wait for one.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      for (const [state, count] of Object.entries(db.pool())) this.set({ state }, count);
    },
  });
  const isUp = latestPing(db);
  new Gauge({
    name: 'regulars_db_up',
    help: 'Whether the database responded to the latest ping.',
    registers: [common],
    async collect() {
      this.set((await isUp()) ? 1 : 0);
    },
  });
  if (dataDir !== undefined) addDiskMetric(dataDir, common);
  for (const { name, help, label, read } of sampled) {
    const sample = cacheLatest(read);
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [common],
      async collect() {
        for (const [value, number] of Object.entries(await sample())) this.set({ [label]: value }, number);
      },
    });
  }

  return {
    request: (method, route, status, seconds) => requests.count(method, route, status, seconds),
    batch: (name, size) => batches.observe({ batch: name }, size),
    outcome: (route, outcome) => outcomes.inc({ route, outcome }),
    dropped: (name, count) => dropped.inc({ queue: name }, count),
    failed: (reason) => failed.inc({ reason }),
    own: () => metricsOf(registry),
    text: async (ofAll) => {
      const parts = [
        ofAll ? formatMetrics(ofAll) : registry.metrics(),
        common.metrics(),
        further().then(formatMetrics),
      ];
      return (await Promise.all(parts)).join('\n');
    },
    contentType: registry.contentType,
  };
}

/** A response waits this long for the ping. */
const pingMs = 100;

/** Pings the database. If it does not respond at once, the result is that of the ping before, so that metrics do not wait. */
function latestPing(db: Database): () => Promise<boolean> {
  let isUp = true;
  let pinging: Promise<void> | undefined;
  const ping = async () => {
    isUp = await db.ping().then(
      () => true,
      () => false,
    );
    pinging = undefined;
  };
  return async () => {
    pinging ??= ping();
    await Promise.race([pinging, pause(pingMs, undefined, { ref: false })]);
    return isUp;
  };
}

/** The size of the disk of the embedded server, and the space that PostgreSQL can still use. */
function addDiskMetric(dataDir: string, registry: Registry): void {
  new Gauge({
    name: 'regulars_disk_bytes',
    help: 'The disk of the embedded server: its size, and its free space.',
    labelNames: ['state'] as const,
    registers: [registry],
    async collect() {
      const disk = await statfs(dataDir).catch(() => undefined);
      if (!disk) return;
      this.set({ state: 'size' }, disk.blocks * disk.bsize);
      this.set({ state: 'free' }, disk.bavail * disk.bsize);
    },
  });
}

/** Returns the numbers of the latest reading. One reading at a time runs in the background, for all callers. */
function cacheLatest(read: () => Promise<Record<string, number>>): () => Promise<Record<string, number>> {
  let latest: Record<string, number> | undefined;
  let reading: Promise<void> | undefined;
  let nextAt = 0;
  const refresh = async () => {
    const began = performance.now();
    // If the database is unavailable, the last numbers are used.
    latest = await read().catch(() => latest);
    const tookMs = performance.now() - began;
    nextAt = performance.now() + Math.max(sampledForMs, tookMs / shareOfTime);
    reading = undefined;
  };
  return async () => {
    if (performance.now() >= nextAt) reading ??= refresh();
    if (!latest) await Promise.race([reading, pause(firstReadingMs, undefined, { ref: false })]);
    return latest ?? {};
  };
}
