import type { EventPlace } from '../../../../shared/event-id.ts';
import { ContactOrder } from './contact-order.ts';
import { type Job, keyOf } from './job.ts';

/** Node's timers are limited to 2^31 milliseconds. */
const longestTimerMs = 3_600_000;

export interface QueueEvents {
  /** Jobs may be sent that could not before. */
  onDue(): void;
  /** A job became next of its contacts, and waits for its next attempt. */
  onWaiting(job: Job): void;
}

/** The unfinished jobs of a webhook. Those that are due, and next of their contacts, may be sent. */
export class JobQueue {
  readonly #events: QueueEvents;
  readonly #jobs = new Map<string, Job>();
  readonly #order = new ContactOrder();
  /** Jobs that are due and next of their contacts. */
  readonly #ready: Job[] = [];
  /** Jobs that are next of their contacts, and due later. */
  readonly #delayed = new Set<Job>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  constructor(events: QueueEvents) {
    this.#events = events;
  }

  get size(): number {
    return this.#jobs.size;
  }
  get readyCount(): number {
    return this.#ready.length;
  }

  find(place: EventPlace): Job | undefined {
    return this.#jobs.get(keyOf(place));
  }

  /** Whether no earlier job of its contacts waits. */
  isNext(job: Job): boolean {
    return this.#order.isNext(job);
  }

  isReady(job: Job): boolean {
    return this.#ready.includes(job);
  }

  add(job: Job): void {
    this.#jobs.set(keyOf(job), job);
    this.#order.add(job);
    if (this.#order.isNext(job)) this.#queue(job);
  }

  /** The next job to send. */
  take(): Job | undefined {
    this.#queueDue();
    for (let job = this.#ready.shift(); job; job = this.#ready.shift()) {
      // A replay or a resend can put an earlier job before one that is ready. That one is queued again when it is next.
      if (job.isInFlight || job.state !== 'pending' || !this.#order.isNext(job)) continue;
      if (job.dueAt <= Date.now()) return job;
      this.delay(job);
    }
    return undefined;
  }

  /** The job is sent again when it is due. */
  delay(job: Job): void {
    // Read again for the next attempt, so that memory stays bounded and an erasure counts.
    job.event = undefined;
    this.#free(this.#order.moveBack(job));
    this.#addDelayed(job);
  }

  /** The job is done. */
  remove(job: Job): void {
    this.#free(this.#order.remove(job));
    this.#jobs.delete(keyOf(job));
  }

  /** Makes one job due earlier. */
  hasten(job: Job, dueAt: number): void {
    job.dueAt = dueAt;
    this.#timerAt = 0;
  }

  /** Makes all jobs due now. */
  hastenAll(): void {
    for (const job of this.#delayed) job.dueAt = 0;
    this.#timerAt = 0;
  }

  /** Calls `onDue` at this time, if not before. */
  wakeBy(at: number): void {
    if (at < this.#timerAt) this.#wakeAt(at);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #queue(job: Job): void {
    if (job.dueAt <= Date.now()) this.#ready.push(job);
    else this.#addDelayed(job);
  }

  #addDelayed(job: Job): void {
    this.#delayed.add(job);
    this.wakeBy(job.dueAt);
  }

  /** Jobs that are next of their contacts now. */
  #free(jobs: Job[]): void {
    for (const job of jobs) {
      this.#queue(job);
      if (this.#delayed.has(job)) this.#events.onWaiting(job);
    }
  }

  #queueDue(): void {
    const now = Date.now();
    if (now < this.#timerAt && this.#timer) return;
    let next = Infinity;
    for (const job of this.#delayed) {
      if (job.dueAt <= now) {
        this.#delayed.delete(job);
        this.#ready.push(job);
      } else next = Math.min(next, job.dueAt);
    }
    this.#wakeAt(next);
  }

  #wakeAt(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = undefined;
    if (at === Infinity) return;
    const ms = Math.min(Math.max(1, at - Date.now()), longestTimerMs);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#events.onDue();
    }, ms);
    this.#timer.unref();
  }
}
