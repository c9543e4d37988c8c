import { type EventPlace, isAfter } from '../../../../shared/event-id.ts';
import type { HourCounts } from '../sender-store.ts';
import { type Job, keyOf } from './job.ts';

/** With more jobs than this to store, no further events are read. */
const mostJobs = 500;
/** After this time a delivery gets a row, also if it is not finished, so that the position of the webhook can move on. */
const slowMs = 1000;

/** Jobs that are being stored. */
export interface Batch {
  jobs: readonly Job[];
  hour: HourCounts | undefined;
  /** The ids of the new rows, in their order. */
  committed(ids: (number | undefined)[]): void;
  failed(): void;
}

/** What a webhook has to store: jobs without a row, jobs that have changed, and the counts of the hour. */
export class Unstored {
  readonly #webhookId: number;
  /** Jobs without a row. */
  #added: Job[] = [];
  /** Jobs whose row must be written. */
  #changed = new Set<Job>();
  /** Jobs whose row is being written. */
  #storing: readonly Job[] = [];
  /** While the rows are read: the jobs that have ended or are being stored. Their rows may be read as they were before. */
  #outdated: Set<string> | undefined;
  #hour: HourCounts;

  constructor(webhookId: number) {
    this.#webhookId = webhookId;
    this.#hour = noCounts(webhookId);
  }

  get isFull(): boolean {
    return this.#added.length >= mostJobs || this.#changed.size >= mostJobs;
  }
  get isEmpty(): boolean {
    return this.#added.length === 0 && this.#changed.size === 0;
  }

  add(job: Job): void {
    if (job.deliveryId === null) this.#added.push(job);
  }

  change(job: Job): void {
    this.#changed.add(job);
  }

  /** The job has changed for the last time. */
  end(job: Job): void {
    this.#outdated?.add(keyOf(job));
    this.#changed.add(job);
  }

  countSuccess(durationMs: number): void {
    this.#hour.succeeded++;
    this.#hour.duration_ms += durationMs;
  }

  countFailure(): void {
    this.#hour.failed++;
  }

  /** The rows are about to be read. */
  beginReading(): void {
    const ended = [...this.#changed].filter(({ state }) => state !== 'pending');
    this.#outdated = new Set([...ended, ...this.#storing].map(keyOf));
  }

  /** The rows were read. Returns the keys of those that may be outdated. */
  endReading(): ReadonlySet<string> {
    const outdated = this.#outdated ?? new Set();
    this.#outdated = undefined;
    return outdated;
  }

  /** Deliveries that take long get a row before they end. */
  addSlow(): void {
    const latest = Date.now() - slowMs;
    for (const job of this.#added)
      if (job.deliveryId === null && job.state === 'pending' && job.createdAt.getTime() < latest)
        this.#changed.add(job);
  }

  /** How far the webhook has come once the changes are stored: the place before the first event without a row. */
  placeUpTo(read: EventPlace): EventPlace {
    let place = read;
    for (const job of this.#added) {
      if (job.deliveryId !== null || this.#changed.has(job)) continue;
      const before = { position: job.position, place: job.place - 1 };
      if (isAfter(place, before)) place = before;
    }
    return place;
  }

  /** Whether there is something to store apart from the place. */
  get hasResults(): boolean {
    return this.#changed.size > 0 || this.#hour.succeeded + this.#hour.failed > 0;
  }

  take(): Batch {
    const jobs = [...this.#changed];
    const hour = this.#hour.succeeded + this.#hour.failed > 0 ? this.#hour : undefined;
    this.#changed = new Set();
    this.#hour = noCounts(this.#webhookId);
    this.#storing = jobs;
    for (const job of jobs) this.#outdated?.add(keyOf(job));
    const states = jobs.map(({ state }) => state);
    const attempts = jobs.map((job) => job.attempts.length);
    const tries = jobs.map((job) => job.tries);
    const added = jobs.filter(({ deliveryId }) => deliveryId === null);
    return {
      jobs,
      hour,
      committed: (ids) => {
        added.forEach((job, index) => {
          job.deliveryId = ids[index] ?? null;
        });
        this.#storing = [];
        this.#added = this.#added.filter((job) => job.deliveryId === null);
        jobs.forEach((job, index) => {
          job.attempts.splice(0, attempts[index]);
          job.storedTries = tries[index] ?? 0;
          // It ended while the row was written.
          if (job.state !== states[index]) this.#changed.add(job);
        });
      },
      failed: () => {
        this.#storing = [];
        for (const job of jobs) this.#changed.add(job);
        if (!hour) return;
        this.#hour.succeeded += hour.succeeded;
        this.#hour.failed += hour.failed;
        this.#hour.duration_ms += hour.duration_ms;
      },
    };
  }
}

const noCounts = (webhookId: number): HourCounts => ({
  webhook_id: webhookId,
  succeeded: 0,
  failed: 0,
  duration_ms: 0,
});
