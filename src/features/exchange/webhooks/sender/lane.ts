import { failureOf, type Post, type Posted } from '../../../../platform/outgoing/post.ts';
import { type EventPlace, isAfter } from '../../../../shared/event-id.ts';
import { signedHeaders } from '../../../../shared/webhook-signature.ts';
import { disabledAfterDays } from '../schema.ts';
import type { HourCounts, PendingRow, Progress, SendingWebhook, StoredDelivery } from '../sender-store.ts';
import type { AccountTurns } from './account-turns.ts';
import type { ReadyEvent } from './feed-buffer.ts';
import { FeedCursor } from './feed-cursor.ts';
import { Health } from './health.ts';
import { type Job, jobOfEvent, jobOfRow, keyOf, rowOf } from './job.ts';
import { JobQueue } from './job-queue.ts';
import { mostTries, pauseMs } from './schedule.ts';
import { Unstored } from './unstored.ts';

/** Events that are read ahead. */
const mostReady = 64;
/** The unfinished deliveries of a webhook. With more of them, no further events are read. */
export const mostJobs = 10_000;
/** The pause after an error of the database. */
const errorPauseMs = 1000;
/** An erasure removes data from the stored events, so an event that was read earlier is read again. */
const freshMs = 5000;

/** What a lane needs from its account. */
export interface LaneContext {
  post: Post;
  turns: AccountTurns;
  /** Whether this process is still the sender of the account. */
  isLeased(): boolean;
  /** Reads an event that is not in memory. Undefined: it has expired. */
  load(place: EventPlace): Promise<ReadyEvent | undefined>;
  next(after: EventPlace): Promise<{ events: ReadyEvent[]; end: EventPlace }>;
  /** The last position of the feed. */
  lastPosition(): number;
  onAttempt(posted: Posted, attempt: { succeeded: boolean; isFirst: boolean; event: ReadyEvent }): void;
  /** The webhook must be disabled. */
  disable(webhookId: number, reason: string): void;
  /** The webhook and its rows must be read again. */
  reload(): void;
  /** Something must be stored. */
  onChange(): void;
  onError(error: unknown): void;
}

/** What a flush stores, and what it does when that is committed. */
export interface Flush {
  progress: Progress;
  rows: StoredDelivery[];
  hour: HourCounts | undefined;
  /** The ids of the new rows, in their order. */
  committed(ids: (number | undefined)[]): void;
  failed(): void;
}

/** Sends the events of one webhook: many at a time, those of one contact one after the other. */
export class Lane {
  readonly #context: LaneContext;
  #webhook: SendingWebhook;
  readonly #cursor: FeedCursor;
  readonly #health: Health;
  /** The place that the database knows. */
  #saved: EventPlace;
  #replayed: number | null = null;
  readonly #queue: JobQueue;
  readonly #unstored: Unstored;
  #inFlight = 0;
  /** Whether the database has more deliveries that wait than were read. They come before new events. */
  #hasMoreRows = false;
  #isStopped = false;

  constructor(webhook: SendingWebhook, pending: PendingRow[], context: LaneContext) {
    this.#webhook = webhook;
    this.#context = context;
    this.#saved = { position: webhook.position, place: webhook.place };
    this.#health = new Health(webhook.failing_since);
    this.#cursor = new FeedCursor(this.#saved, {
      next: (after) => context.next(after),
      lastPosition: () => context.lastPosition(),
      isDown: () => this.#health.isDown,
      isFull: () => this.#unstored.isFull,
      find: (event) => this.#queue.find(event),
      take: (event) => this.#take(event),
      onMoved: () => context.onChange(),
      onError: (error) => context.onError(error),
      onRead: () => this.pump(),
    });
    this.#queue = new JobQueue({ onDue: () => this.pump(), onWaiting: (job) => this.#markChanged(job) });
    this.#unstored = new Unstored(webhook.id);
    this.#addPending(pending);
    this.#hasMoreRows = pending.length >= mostJobs;
    this.#goBack(webhook);
  }

  /** The webhook and its rows are about to be read. */
  beginUpdate(): void {
    this.#unstored.beginReading();
  }

  /** The webhook was changed, or a delivery shall be sent again. Returns false if it must be read once more. */
  update(webhook: SendingWebhook, pending: PendingRow[]): boolean {
    const was = this.#webhook;
    this.#webhook = webhook;
    if (was.status !== 'active' && webhook.status === 'active') this.#health.reset();
    const outdated = this.#unstored.endReading();
    const current = pending.filter((row) => !outdated.has(keyOf(row)));
    this.#addPending(current);
    this.#hasMoreRows = pending.length >= mostJobs;
    this.#goBack(webhook);
    this.pump();
    return current.length === pending.length;
  }

  /** There are new events. */
  wake(): void {
    this.#cursor.wake();
    this.pump();
  }

  #goBack({ replay_position: position }: SendingWebhook): void {
    if (position === null || position === this.#replayed) return;
    this.#replayed = position;
    this.#context.onChange();
    this.#cursor.goBack(position);
  }

  #addPending(rows: PendingRow[]): void {
    for (const row of rows) {
      const known = this.#queue.find(row);
      if (known) {
        // It was stored, but the connection broke before the commit was confirmed.
        known.deliveryId ??= row.id;
        if (row.next_attempt_at === null || known.deliveryId !== row.id) continue;
        // It shall be sent again at once.
        const isResent = row.tries < known.storedTries;
        known.storedTries = row.tries;
        if (known.isInFlight) known.isResent ||= isResent;
        else if (known.dueAt > row.next_attempt_at.getTime()) {
          known.tries = row.tries;
          this.#queue.hasten(known, row.next_attempt_at.getTime());
        }
        continue;
      }
      this.#add(jobOfRow(row));
    }
  }

  #add(job: Job): void {
    this.#unstored.add(job);
    this.#queue.add(job);
  }

  /** Sends what may be sent, up to a number of events. Cheap if there is nothing to do. */
  pump(most = Infinity): void {
    const { turns, isLeased } = this.#context;
    if (this.#isStopped || this.#webhook.status !== 'active' || !isLeased()) return;
    for (let begun = 0; this.#inFlight < this.#health.limit; begun++) {
      if (begun >= most) {
        turns.wait(this);
        break;
      }
      if (!turns.mayBegin(this)) break;
      const job = this.#queue.take();
      if (!job) break;
      void this.#send(job);
    }
    if (this.#mayRead()) void this.#cursor.read();
  }

  #mayRead(): boolean {
    const { isReading, isAtEnd, isBlocked, readableAt } = this.#cursor;
    if (isReading || isAtEnd || this.#queue.size >= mostJobs || this.#unstored.isFull) return false;
    if (this.#hasMoreRows) {
      if (this.#queue.size < mostJobs / 2) this.#context.reload();
      return false;
    }
    if (isBlocked || this.#queue.readyCount >= mostReady) return false;
    if (Date.now() >= readableAt) return true;
    this.#queue.wakeBy(readableAt);
    return false;
  }

  /** Returns whether the webhook wants the event. */
  #take(event: ReadyEvent): boolean {
    const { types } = this.#webhook;
    if (types[0] !== '*' && !types.includes(event.type)) return false;
    this.#add(jobOfEvent(event));
    return true;
  }

  async #send(job: Job): Promise<void> {
    const { turns, post } = this.#context;
    job.isInFlight = true;
    this.#inFlight++;
    const leave = turns.enter();
    try {
      const isFresh = job.event && Date.now() - job.event.readAt < freshMs;
      const event = isFresh ? job.event : await this.#context.load(job);
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
      job.dueAt = Date.now() + errorPauseMs;
      this.#queue.delay(job);
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
    // A replay sends old events.
    const isFirst = job.tries === 1 && !this.#cursor.isReplayed(event);
    this.#context.onAttempt(posted, { succeeded, isFirst, event });
    if (succeeded) {
      this.#unstored.countSuccess(durationMs);
      this.#noteSuccess();
      this.#finish(job, 'delivered');
      return;
    }
    this.#unstored.countFailure();
    this.#noteFailure();
    if (status === 410) {
      this.#finish(job, 'failed');
      this.#disable('The receiver answered 410 (gone).');
      return;
    }
    if (job.tries >= mostTries && !job.isResent) {
      this.#finish(job, 'failed');
      return;
    }
    if (job.isResent) [job.isResent, job.tries, job.dueAt] = [false, 0, Date.now()];
    else job.dueAt = Date.now() + pauseMs(job.tries, retryAfter, Date.now());
    this.#queue.delay(job);
    this.#markChanged(job);
  }

  #noteSuccess(): void {
    const wasDown = this.#health.isDown;
    this.#health.noteSuccess();
    // It is back. What waits is sent now.
    if (wasDown) this.#queue.hastenAll();
  }

  #noteFailure(): void {
    this.#health.noteFailure();
    if (this.#health.hasFailedTooLong) this.#disable(`All attempts failed for ${disabledAfterDays} days.`);
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
    this.#queue.remove(job);
    this.#unstored.end(job);
    this.#context.onChange();
  }

  #markChanged(job: Job): void {
    this.#unstored.change(job);
    this.#context.onChange();
  }

  /** Whether a flush has something to store: results, slow deliveries, or a new position. */
  get hasUnsaved(): boolean {
    return !this.#unstored.isEmpty || this.#replayed !== null || isAfter(this.#cursor.place, this.#saved);
  }

  /** What is to be stored. Undefined: nothing. */
  flush(): Flush | undefined {
    this.#unstored.addSlow();
    const place = this.#unstored.placeUpTo(this.#cursor.place);
    const isMoved = place.position !== this.#saved.position || place.place !== this.#saved.place;
    if (!this.#unstored.hasResults && !isMoved && this.#replayed === null) return undefined;
    const { id, status } = this.#webhook;
    const { jobs, hour, committed, failed } = this.#unstored.take();
    const replayed = this.#replayed;
    return {
      rows: jobs.map((job) => rowOf(id, job, this.#queue.isNext(job))),
      progress: { id, status, ...place, replayed, failing_since: this.#health.failingSince?.toISOString() ?? null },
      hour,
      committed: (ids) => {
        committed(ids);
        // What waits now is read again when it is due.
        for (const job of jobs) if (!job.isInFlight && !this.#queue.isReady(job)) job.event = undefined;
        this.#saved = place;
        if (this.#replayed === replayed) this.#replayed = null;
        this.pump();
      },
      failed,
    };
  }

  /** Whether it reads new events without a pause. */
  get isReader(): boolean {
    return this.#webhook.status === 'active' && !this.#isStopped && !this.#health.isDown;
  }

  /** Whether it has read all events that have a position. */
  get isAtEnd(): boolean {
    return this.#cursor.isAtEnd;
  }

  /** Whether there is nothing to send, now or later, and everything is stored. */
  get isIdle(): boolean {
    const isSending = this.#webhook.status === 'active' && this.#queue.size > 0;
    return !isSending && !this.isBusy && !this.hasUnsaved;
  }

  get isBusy(): boolean {
    return this.#inFlight > 0 || this.#cursor.isReading;
  }

  /** Sends nothing more. What is in flight comes to its end. */
  stop(): void {
    this.#isStopped = true;
    this.#cursor.stop();
    this.#queue.stop();
  }
}
