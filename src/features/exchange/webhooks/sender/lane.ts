import { failureOf, type Post, type Posted } from '../../../../platform/outgoing/post.ts';
import { type EventPlace, isAfter } from '../../../../shared/event-id.ts';
import { signedHeaders } from '../../../../shared/webhook-signature.ts';
import { disabledAfterDays } from '../schema.ts';
import type { HourCounts, PendingRow, Progress, SendingWebhook, StoredDelivery } from '../sender-store.ts';
import type { AccountTurns } from './account-turns.ts';
import type { ReadyEvent } from './feed-buffer.ts';
import { type Job, jobOfEvent, jobOfRow, keyOf, rowOf } from './job.ts';
import { JobQueue } from './job-queue.ts';
import { mostTries, pauseMs } from './schedule.ts';
import { Unstored } from './unstored.ts';

/** The requests in flight of one webhook, at most. */
const mostInFlight = 32;
/** Events that are read ahead. */
const mostReady = 64;
/** The unfinished deliveries of a webhook. With more of them, no further events are read. */
export const mostJobs = 10_000;
/** The pause after an error of the database. */
const errorPauseMs = 1000;
/** A webhook counts as down after this number of failures without a success. */
const downAfter = 20;
/** A webhook that is down gets one new event in this time. */
const probeEveryMs = 30_000;
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
  readonly #queue: JobQueue;
  readonly #unstored: Unstored;
  #inFlight = 0;
  #limit = 8;
  #failuresInRow = 0;
  #probeAt = 0;
  #isReading = false;
  /** Whether the database has more deliveries that wait than were read. They come before new events. */
  #hasMoreRows = false;
  /** After an error, nothing is read before this time. */
  #readAgainAt = 0;
  /** Whether all events with a position were read. False again when there are new ones. */
  #isAtEnd = false;
  #isStopped = false;

  constructor(webhook: SendingWebhook, pending: PendingRow[], context: LaneContext) {
    this.#webhook = webhook;
    this.#context = context;
    this.#read = this.#saved = { position: webhook.position, place: webhook.place };
    this.#failingSince = webhook.failing_since;
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
    if (was.status !== 'active' && webhook.status === 'active') {
      this.#failuresInRow = 0;
      this.#failingSince = null;
    }
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
    this.#isAtEnd = false;
    this.pump();
  }

  #goBack({ replay_position: position }: SendingWebhook): void {
    if (position === null || position === this.#replayed) return;
    const place = { position, place: -1 };
    this.#replayed = position;
    this.#context.onChange();
    if (!isAfter(this.#read, place)) return;
    this.#replayEnd = this.#read;
    this.#read = place;
    this.#isAtEnd = false;
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

  get #isDown(): boolean {
    return this.#failuresInRow >= downAfter;
  }

  /** Sends what may be sent, up to a number of events. Cheap if there is nothing to do. */
  pump(most = Infinity): void {
    const { turns, isLeased } = this.#context;
    if (this.#isStopped || this.#webhook.status !== 'active' || !isLeased()) return;
    for (let begun = 0; this.#inFlight < this.#limit; begun++) {
      if (begun >= most) {
        turns.wait(this);
        break;
      }
      if (!turns.mayBegin(this)) break;
      const job = this.#queue.take();
      if (!job) break;
      void this.#send(job);
    }
    if (this.#mayRead()) void this.#readMore();
  }

  #mayRead(): boolean {
    if (this.#isReading || this.#isAtEnd || this.#queue.size >= mostJobs || this.#unstored.isFull) return false;
    if (this.#hasMoreRows) {
      if (this.#queue.size < mostJobs / 2) this.#context.reload();
      return false;
    }
    if (this.#awaited?.isInFlight || this.#queue.readyCount >= mostReady) return false;
    const from = Math.max(this.#readAgainAt, this.#isDown ? this.#probeAt : 0);
    if (Date.now() >= from) return true;
    this.#queue.wakeBy(from);
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
        if (taken >= most || this.#unstored.isFull) break;
        const known = this.#queue.find(event);
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
      if (events.length > 0) this.#context.onChange();
    } catch (error) {
      this.#readAgainAt = Date.now() + errorPauseMs;
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
    const isFirst = job.tries === 1 && !(this.#replayEnd && !isAfter(event, this.#replayEnd));
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
    const wasDown = this.#isDown;
    this.#failuresInRow = 0;
    this.#failingSince = null;
    this.#limit = Math.min(mostInFlight, this.#limit + 1);
    if (!wasDown) return;
    // It is back. What waits is sent now.
    this.#queue.hastenAll();
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
    return !this.#unstored.isEmpty || this.#replayed !== null || isAfter(this.#read, this.#saved);
  }

  /** What is to be stored. Undefined: nothing. */
  flush(): Flush | undefined {
    this.#unstored.addSlow();
    const place = this.#unstored.placeUpTo(this.#read);
    const isMoved = place.position !== this.#saved.position || place.place !== this.#saved.place;
    if (!this.#unstored.hasResults && !isMoved && this.#replayed === null) return undefined;
    const { id, status } = this.#webhook;
    const { jobs, hour, committed, failed } = this.#unstored.take();
    const replayed = this.#replayed;
    return {
      rows: jobs.map((job) => rowOf(id, job, this.#queue.isNext(job))),
      progress: { id, status, ...place, replayed, failing_since: this.#failingSince?.toISOString() ?? null },
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
    return this.#webhook.status === 'active' && !this.#isStopped && !this.#isDown;
  }

  /** Whether it has read all events that have a position. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** Whether there is nothing to send, now or later, and everything is stored. */
  get isIdle(): boolean {
    const isSending = this.#webhook.status === 'active' && this.#queue.size > 0;
    return !isSending && !this.isBusy && !this.hasUnsaved;
  }

  get isBusy(): boolean {
    return this.#inFlight > 0 || this.#isReading;
  }

  /** Sends nothing more. What is in flight comes to its end. */
  stop(): void {
    this.#isStopped = true;
    this.#queue.stop();
  }
}
