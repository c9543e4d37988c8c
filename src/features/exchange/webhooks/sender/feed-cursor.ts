import { type EventPlace, isAfter } from '../../../../shared/event-id.ts';
import type { ReadyEvent } from './feed-buffer.ts';
import type { Job } from './job.ts';

/** The pause after an error of the database. */
const errorPauseMs = 1000;
/** A webhook that is down gets one new event in this time. */
const probeEveryMs = 30_000;

export interface CursorContext {
  /** The next events after a place, and the place up to which the feed was read. */
  next(after: EventPlace): Promise<{ events: ReadyEvent[]; end: EventPlace }>;
  /** The last position of the feed. */
  lastPosition(): number;
  /** Whether the webhook is down: then it gets one event at a time. */
  isDown(): boolean;
  /** Whether no further event may be taken. */
  isFull(): boolean;
  /** The unfinished job of an event. */
  find(event: ReadyEvent): Job | undefined;
  /** Takes an event. Returns whether the webhook wants it. */
  take(event: ReadyEvent): boolean;
  /** The place has changed. */
  onMoved(): void;
  onError(error: unknown): void;
  /** A read has ended. */
  onRead(): void;
}

/** How far one webhook has read the feed. It reads ahead, goes back for a replay, and reads little while the webhook is down. */
export class FeedCursor {
  readonly #context: CursorContext;
  /** The last event that was read. */
  #place: EventPlace;
  /** Events up to here were read before a replay. */
  #replayEnd: EventPlace | undefined;
  /** Reading goes on when this job is no longer in flight. */
  #awaited: Job | undefined;
  #probeAt = 0;
  #isReading = false;
  /** After an error, nothing is read before this time. */
  #readAgainAt = 0;
  #isAtEnd = false;
  #isStopped = false;

  constructor(place: EventPlace, context: CursorContext) {
    this.#place = place;
    this.#context = context;
  }

  get place(): EventPlace {
    return this.#place;
  }
  get isReading(): boolean {
    return this.#isReading;
  }
  /** Whether all events with a position were read. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }
  /** Whether it cannot read at the moment. */
  get isBlocked(): boolean {
    return this.#awaited?.isInFlight === true;
  }
  /** The time before which nothing may be read. */
  get readableAt(): number {
    return Math.max(this.#readAgainAt, this.#context.isDown() ? this.#probeAt : 0);
  }

  /** There are new events. */
  wake(): void {
    this.#isAtEnd = false;
  }

  /** Reads again from a position, for a replay. */
  goBack(position: number): void {
    const place = { position, place: -1 };
    if (!isAfter(this.#place, place)) return;
    this.#replayEnd = this.#place;
    this.#place = place;
    this.#isAtEnd = false;
  }

  /** Whether an event was read before the last replay. */
  isReplayed(event: EventPlace): boolean {
    return this.#replayEnd !== undefined && !isAfter(event, this.#replayEnd);
  }

  async read(): Promise<void> {
    const { next, lastPosition, onMoved, onError, onRead } = this.#context;
    this.#isReading = true;
    try {
      const from = this.#place;
      const last = lastPosition();
      const { events, end } = await next(from);
      // A replay may have moved the place meanwhile.
      if (from !== this.#place || this.#isStopped) return;
      this.#take(events);
      const latest = events.at(-1);
      const hasTakenAll = !latest || !isAfter(latest, this.#place);
      if (hasTakenAll && isAfter(end, this.#place)) this.#place = end;
      // An empty answer covers the positions from before it. The place itself can be before the first event of a row, or
      // before rows that have expired.
      const covered = latest ? this.#place.position : last;
      this.#isAtEnd = hasTakenAll && covered >= lastPosition();
      if (events.length > 0) onMoved();
    } catch (error) {
      this.#readAgainAt = Date.now() + errorPauseMs;
      onError(error);
    } finally {
      this.#isReading = false;
      onRead();
    }
  }

  #take(events: ReadyEvent[]): void {
    const { isDown, isFull, find, take } = this.#context;
    const most = isDown() ? 1 : events.length;
    if (isDown()) this.#probeAt = Date.now() + probeEveryMs;
    let taken = 0;
    for (const event of events) {
      if (taken >= most || isFull()) return;
      const known = find(event);
      if (known?.isInFlight && this.isReplayed(event)) {
        // The replay sends earlier events after it. It is sent once more after them.
        this.#awaited = known;
        return;
      }
      this.#place = { position: event.position, place: event.place };
      if (!known && take(event)) taken++;
    }
  }

  /** What is being read is not taken. */
  stop(): void {
    this.#isStopped = true;
  }
}
