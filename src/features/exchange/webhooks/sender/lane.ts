import { failureOf, type Post, type Posted } from '../../../../platform/outgoing/post.ts';
import { type EventPlace, isAfter } from '../../../../shared/event-id.ts';
import { signedHeaders } from '../../../../shared/webhook-signature.ts';
import { disabledAfterDays } from '../schema.ts';
import type { HourCounts, PendingRow, Progress, SendingWebhook, StoredDelivery } from '../sender-store.ts';
import type { Budget } from './budget.ts';
import { ContactOrder } from './contact-order.ts';
import type { ReadyEvent } from './feed-buffer.ts';
import { type Job, jobOfEvent, jobOfRow, keyOf, rowOf } from './job.ts';
import { mostTries, pauseMs } from './schedule.ts';

/** The requests in flight of one webhook, at most. */
const mostInFlight = 32;
/** Events that are read ahead. */
const [mostReady, mostUnsaved] = [64, 500];
/** The unfinished deliveries of a webhook. With more of them, no further events are read. */
export const mostJobs = 10_000;
/** After this time a delivery gets a row, also if it is not finished, so that the position of the webhook can move on. */
const slowMs = 1000;
/** A webhook counts as down after this number of failures without a success. */
const downAfter = 20;
/** A webhook that is down gets one new event in this time. */
const probeEveryMs = 30_000;
/** An erasure removes data from the stored events, so an event that waited for longer is read again. */
const freshMs = 5000;

/** What a lane needs from its account. */
export interface LaneContext {
  post: Post;
  budget: Budget;
  /** Whether this process is still the sender of the account. */
  isLeased(): boolean;
  /** Reads events that are not in memory, by their places. */
  load(places: EventPlace[]): Promise<ReadyEvent[]>;
  next(after: EventPlace): Promise<{ events: ReadyEvent[]; end: EventPlace }>;
  /** The last position of the feed. */
  lastPosition(): number;
  onAttempt(posted: Posted, attempt: { succeeded: boolean; tries: number; event: ReadyEvent }): void;
  /** The webhook must be disabled. */
  disable(webhookId: number, reason: string): void;
  /** Something must be stored. */
  onDirty(): void;
  onError(error: unknown): void;
}

/** What a flush stores, and what it does when that is committed. */
export interface Flush {
  progress: Progress;
  rows: StoredDelivery[];
  hour: HourCounts | undefined;
  /** The ids of the new rows, in their order. */
  committed(ids: number[]): void;
  failed(): void;
}

/** Sends the events of one webhook: many at a time, those of one contact one after the other. */
export class Lane {
  readonly #context: LaneContext;
  #webhook: SendingWebhook;
  /** The last event that was read. */
  #read: EventPlace;
  /** What the database knows. */
  #saved: EventPlace;
  #replayed: number | null = null;
  /** Events up to here were read before a replay. */
  #replayEnd: EventPlace | undefined;
  /** Reading goes on when this job is no longer in flight. */
  #awaited: Job | undefined;
  #failingSince: Date | null;
  readonly #jobs = new Map<string, Job>();
  readonly #order = new ContactOrder();
  /** Jobs that are due and next of their contacts. */
  #ready: Job[] = [];
  /** Jobs that are next of their contacts, and due later. */
  readonly #delayed = new Set<Job>();
  /** Jobs without a row. */
  #unsaved: Job[] = [];
  /** Jobs whose row must be written. */
  #dirty = new Set<Job>();
  /** Jobs whose row is being written. */
  #storing: readonly Job[] = [];
  /** While the rows are read: the jobs that have ended, although their rows may still look pending. */
  #ended: Set<string> | undefined;
  #hour: HourCounts;
  #inFlight = 0;
  #limit = 8;
  #failuresInRow = 0;
  #probeAt = 0;
  #isReading = false;
  /** After an error, nothing is read before this time. */
  #readAgainAt = 0;
  /** The place up to which the feed is known to be read, until there are new events. */
  #isAtEnd = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  constructor(webhook: SendingWebhook, pending: PendingRow[], context: LaneContext) {
    this.#webhook = webhook;
    this.#context = context;
    this.#read = this.#saved = { position: webhook.position, place: webhook.place };
    this.#failingSince = webhook.failing_since;
    this.#hour = noCounts(webhook.id);
    this.#addPending(pending);
    this.#goBack(webhook);
  }

  /** The webhook and its rows are about to be read. */
  beginUpdate(): void {
    const unconfirmed = [...this.#dirty, ...this.#storing].filter(({ state }) => state !== 'pending');
    this.#ended = new Set(unconfirmed.map(keyOf));
  }

  /** The webhook was changed, or a delivery shall be sent again. Returns false if it must be read once more. */
  update(webhook: SendingWebhook, pending: PendingRow[]): boolean {
    const was = this.#webhook;
    this.#webhook = webhook;
    if (was.status !== 'active' && webhook.status === 'active') {
      this.#failuresInRow = 0;
      this.#failingSince = null;
    }
    const current = pending.filter((row) => !this.#ended?.has(keyOf(row)));
    this.#ended = undefined;
    this.#addPending(current);
    this.#goBack(webhook);
    this.pump();
    return current.length === pending.length;
  }

  /** There are new events. */
  wake(): void {
    this.#isAtEnd = false;
    this.pump();
  }

  #goBack({ replay_position: position }: SendingWebhook): void {
    if (position === null || position === this.#replayed) return;
    const place = { position, place: -1 };
    this.#replayed = position;
    this.#context.onDirty();
    if (!isAfter(this.#read, place)) return;
    this.#replayEnd = this.#read;
    this.#read = place;
    this.#isAtEnd = false;
  }

  #addPending(rows: PendingRow[]): void {
    for (const row of rows) {
      const known = this.#jobs.get(keyOf(row));
      if (known) {
        // It was stored, but the connection broke before the commit was confirmed.
        known.deliveryId ??= row.id;
        // It shall be sent again at once.
        if (known.isInFlight || row.next_attempt_at === null || known.deliveryId !== row.id) continue;
        if (known.dueAt > row.next_attempt_at.getTime()) {
          known.dueAt = row.next_attempt_at.getTime();
          known.tries = row.tries;
          this.#timerAt = 0;
        }
        continue;
      }
      this.#add(jobOfRow(row));
    }
  }

  #add(job: Job): void {
    this.#jobs.set(keyOf(job), job);
    this.#order.add(job);
    if (job.deliveryId === null) this.#unsaved.push(job);
    if (this.#order.isNext(job)) this.#queue(job);
  }

  #queue(job: Job): void {
    if (job.dueAt <= Date.now()) this.#ready.push(job);
    else this.#addDelayed(job);
  }

  #addDelayed(job: Job): void {
    this.#delayed.add(job);
    if (job.dueAt < this.#timerAt) this.#wakeAt(job.dueAt);
  }

  /** Jobs that are next of their contacts now. Those that were tried before wait for their time, which is stored. */
  #free(jobs: Job[]): void {
    for (const job of jobs) {
      this.#queue(job);
      if (this.#delayed.has(job)) this.#markDirty(job);
    }
  }

  get #isDown(): boolean {
    return this.#failuresInRow >= downAfter;
  }

  /** Sends what may be sent. Cheap if there is nothing to do. */
  pump(): void {
    const { budget, isLeased } = this.#context;
    if (this.#isStopped || this.#webhook.status !== 'active' || !isLeased()) return;
    this.#queueDue();
    while (this.#ready.length > 0 && this.#inFlight < this.#limit && budget.isFree) {
      const job = this.#ready.shift();
      if (job && this.#maySend(job)) void this.#send(job);
    }
    if (this.#mayRead()) void this.#readMore();
  }

  /** A replay or a resend can put an earlier job before one that is ready. That one is queued again when it is next. */
  #maySend(job: Job): boolean {
    if (job.isInFlight || job.state !== 'pending' || !this.#order.isNext(job)) return false;
    if (job.dueAt <= Date.now()) return true;
    this.#delay(job);
    return false;
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
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.pump();
      },
      Math.min(Math.max(1, at - Date.now()), longestTimerMs),
    );
    this.#timer.unref();
  }

  #mayRead(): boolean {
    if (this.#isReading || this.#isAtEnd || this.#jobs.size >= mostJobs) return false;
    if (this.#unsaved.length >= mostUnsaved || this.#dirty.size >= mostUnsaved) return false;
    if (this.#awaited?.isInFlight || this.#ready.length >= mostReady) return false;
    const from = Math.max(this.#readAgainAt, this.#isDown ? this.#probeAt : 0);
    if (Date.now() >= from) return true;
    if (from < this.#timerAt) this.#wakeAt(from);
    return false;
  }

  async #readMore(): Promise<void> {
    this.#isReading = true;
    try {
      const from = this.#read;
      const last = this.#context.lastPosition();
      const { events, end } = await this.#context.next(from);
      // A replay may have moved the place meanwhile.
      if (from !== this.#read || this.#isStopped) return;
      let most = events.length;
      if (this.#isDown) {
        most = 1;
        this.#probeAt = Date.now() + probeEveryMs;
      }
      let taken = 0;
      for (const event of events) {
        if (taken >= most || this.#unsaved.length >= mostUnsaved) break;
        const known = this.#jobs.get(keyOf(event));
        if (known?.isInFlight && this.#replayEnd && !isAfter(event, this.#replayEnd)) {
          // The replay sends earlier events after it. It is sent once more after them.
          this.#awaited = known;
          break;
        }
        this.#read = { position: event.position, place: event.place };
        if (!this.#wants(event) || known) continue;
        this.#add(jobOfEvent(event));
        taken++;
      }
      const latest = events.at(-1);
      const hasTakenAll = !latest || !isAfter(latest, this.#read);
      if (hasTakenAll && isAfter(end, this.#read)) this.#read = end;
      // An empty answer covers the positions from before it. The place itself can be before the first event of a row, or
      // before rows that have expired.
      const covered = latest ? this.#read.position : last;
      this.#isAtEnd = hasTakenAll && covered >= this.#context.lastPosition();
      if (events.length > 0) this.#context.onDirty();
    } catch (error) {
      this.#readAgainAt = Date.now() + slowMs;
      this.#context.onError(error);
    } finally {
      this.#isReading = false;
      this.pump();
    }
  }

  #wants({ type }: ReadyEvent): boolean {
    const { types } = this.#webhook;
    return types[0] === '*' || types.includes(type);
  }

  async #send(job: Job): Promise<void> {
    const { budget, post } = this.#context;
    job.isInFlight = true;
    this.#inFlight++;
    const leave = budget.enter();
    try {
      const isFresh = Date.now() - job.createdAt.getTime() < freshMs;
      const event = (isFresh && job.event) || (await this.#context.load([job]))[0];
      if (!event) {
        this.#finish(job, 'failed', 'The event has expired.');
        return;
      }
      const { url, secrets } = this.#webhook;
      const at = new Date();
      const posted = await post(url, signedHeaders(event.id, event.body, secrets, at), event.body);
      this.#record(job, posted, at, event);
    } catch (error) {
      // The database could not be read.
      job.dueAt = Date.now() + slowMs;
      this.#delay(job);
      this.#context.onError(error);
    } finally {
      job.isInFlight = false;
      this.#inFlight--;
      leave();
      this.pump();
    }
  }

  #record(job: Job, posted: Posted, at: Date, event: ReadyEvent): void {
    const { status, durationMs, response, retryAfter } = posted;
    const error = failureOf(posted);
    const succeeded = error === null;
    job.attempts.push({ at: at.toISOString(), status_code: status, duration_ms: durationMs, error, response });
    job.tries++;
    this.#context.onAttempt(posted, { succeeded, tries: job.tries, event });
    if (succeeded) {
      this.#hour.succeeded++;
      this.#hour.duration_ms += durationMs;
      this.#noteSuccess();
      this.#finish(job, 'delivered');
      return;
    }
    this.#hour.failed++;
    this.#noteFailure();
    if (status === 410) {
      this.#finish(job, 'failed');
      this.#disable('The receiver answered 410 (gone).');
      return;
    }
    if (job.tries >= mostTries) {
      this.#finish(job, 'failed');
      return;
    }
    job.dueAt = Date.now() + pauseMs(job.tries, retryAfter, Date.now());
    this.#delay(job);
    this.#markDirty(job);
  }

  #delay(job: Job): void {
    // Read again for the next attempt, so that memory stays bounded and an erasure counts.
    job.event = undefined;
    this.#free(this.#order.moveBack(job));
    this.#addDelayed(job);
  }

  #noteSuccess(): void {
    const wasDown = this.#isDown;
    this.#failuresInRow = 0;
    this.#failingSince = null;
    this.#limit = Math.min(mostInFlight, this.#limit + 1);
    if (!wasDown) return;
    // It is back. What waits is sent now.
    for (const job of this.#delayed) job.dueAt = 0;
    this.#timerAt = 0;
  }

  #noteFailure(): void {
    this.#failuresInRow++;
    this.#failingSince ??= new Date();
    this.#limit = Math.max(2, Math.floor(this.#limit / 2));
    if (Date.now() - this.#failingSince.getTime() > disabledAfterDays * 86_400_000)
      this.#disable(`All attempts failed for ${disabledAfterDays} days.`);
  }

  #disable(reason: string): void {
    // At once, and not when the change of the row is read.
    this.#webhook = { ...this.#webhook, status: 'disabled' };
    this.#context.disable(this.#webhook.id, reason);
  }

  #finish(job: Job, state: 'delivered' | 'failed', error?: string): void {
    job.state = state;
    job.event = undefined;
    if (error !== undefined)
      job.attempts.push({ at: new Date().toISOString(), status_code: null, duration_ms: 0, error, response: '' });
    this.#free(this.#order.remove(job));
    this.#jobs.delete(keyOf(job));
    this.#ended?.add(keyOf(job));
    this.#markDirty(job);
  }

  #markDirty(job: Job): void {
    this.#dirty.add(job);
    this.#context.onDirty();
  }

  /** Whether a flush has something to store: results, slow deliveries, or a new position. */
  get hasUnsaved(): boolean {
    return (
      this.#dirty.size > 0 || this.#replayed !== null || isAfter(this.#read, this.#saved) || this.#unsaved.length > 0
    );
  }

  /** What is to be stored. Undefined: nothing. */
  flush(): Flush | undefined {
    const dirty = this.#dirty;
    const now = Date.now();
    for (const job of this.#unsaved)
      if (job.deliveryId === null && job.state === 'pending' && now - job.createdAt.getTime() > slowMs) dirty.add(job);
    const place = this.#placeOf(dirty);
    const isMoved = place.position !== this.#saved.position || place.place !== this.#saved.place;
    const hour = this.#hour.succeeded + this.#hour.failed > 0 ? this.#hour : undefined;
    if (dirty.size === 0 && !isMoved && !hour && this.#replayed === null) return undefined;
    this.#dirty = new Set();
    this.#hour = noCounts(this.#webhook.id);
    const jobs = [...dirty];
    this.#storing = jobs;
    const states = jobs.map(({ state }) => state);
    const added = jobs.filter(({ deliveryId }) => deliveryId === null);
    const replayed = this.#replayed;
    return {
      rows: jobs.map((job) => rowOf(this.#webhook.id, job, this.#order.isNext(job))),
      progress: {
        ...{ id: this.#webhook.id, ...place, replayed },
        failing_since: this.#failingSince?.toISOString() ?? null,
      },
      hour,
      committed: (ids) => {
        added.forEach((job, index) => {
          job.deliveryId = ids[index] ?? null;
          // It waits. When it is due, its event is read again.
          if (!job.isInFlight && !this.#ready.includes(job)) job.event = undefined;
        });
        this.#storing = [];
        this.#saved = place;
        this.#unsaved = this.#unsaved.filter((job) => job.deliveryId === null);
        if (this.#replayed === replayed) this.#replayed = null;
        // It ended while the row was written.
        jobs.forEach((job, index) => {
          if (job.state !== states[index]) this.#markDirty(job);
        });
        this.pump();
      },
      failed: () => {
        this.#storing = [];
        for (const job of jobs) this.#dirty.add(job);
        if (hour) {
          this.#hour.succeeded += hour.succeeded;
          this.#hour.failed += hour.failed;
          this.#hour.duration_ms += hour.duration_ms;
        }
      },
    };
  }

  /** The place before the first event without a row. */
  #placeOf(dirty: ReadonlySet<Job>): EventPlace {
    let place = this.#read;
    for (const job of this.#unsaved) {
      if (job.deliveryId !== null || dirty.has(job)) continue;
      const before = { position: job.position, place: job.place - 1 };
      if (isAfter(place, before)) place = before;
    }
    return place;
  }

  get isBusy(): boolean {
    return this.#inFlight > 0 || this.#isReading;
  }

  /** Sends nothing more. What is in flight comes to its end. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}

/** Node's timers are limited to 2^31 milliseconds. */
const longestTimerMs = 3_600_000;

const noCounts = (webhookId: number): HourCounts => ({
  webhook_id: webhookId,
  succeeded: 0,
  failed: 0,
  duration_ms: 0,
});
