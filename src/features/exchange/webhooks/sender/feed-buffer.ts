import type { Database } from '../../../../platform/db/database.ts';
import { inOneTrip } from '../../../../platform/db/one-trip.ts';
import { readEvents, type StoredEvent } from '../../../../platform/outbox/feed.ts';
import { type EventPlace, eventId, isAfter } from '../../../../shared/event-id.ts';
import { eventObject } from '../../events/view.ts';

/** An event that is ready to be sent. The webhooks of an account share it. */
export interface ReadyEvent extends EventPlace {
  id: string;
  type: string;
  contactIds: number[];
  body: string;
  at: Date;
  /** When it was read from the database. */
  readAt: number;
}

export function readyEvent(accountId: number, event: StoredEvent): ReadyEvent {
  const { position, place, type, contactIds, at } = event;
  const body = JSON.stringify(eventObject(accountId, event));
  return { position, place, type, contactIds, at, body, id: eventId(accountId, event), readAt: Date.now() };
}

const portion = { rows: 200, events: 500, bytes: 2 * 1024 * 1024 };
/** An erasure removes data from the stored events, so the events in memory are forgotten soon. */
const [keptMs, mostKept] = [5000, 2000];

/** The latest events of an account in memory: its webhooks read the same events, at about the same time. */
export class FeedBuffer {
  readonly #db: Database;
  readonly #accountId: number;
  /** Everything after `#start` and up to `#end`. */
  #events: ReadyEvent[] = [];
  #start: EventPlace | undefined;
  #end: EventPlace | undefined;
  #readAt = 0;
  #reading: Promise<void> | undefined;
  /** The last read for a webhook that is behind the others. They run one after the other. */
  #readBehind: Promise<unknown> = Promise.resolve();

  constructor(db: Database, accountId: number) {
    this.#db = db;
    this.#accountId = accountId;
  }

  /** The next events after a place, and the place up to which the feed was read. */
  async next(after: EventPlace): Promise<{ events: ReadyEvent[]; end: EventPlace }> {
    this.#forget();
    if (!this.#start || !this.#end) {
      [this.#start, this.#end] = [after, after];
    } else if (isAfter(this.#start, after)) {
      // This webhook is behind the others.
      const read = this.#readBehind.then(() => this.#read(after));
      this.#readBehind = read.catch(() => {});
      return read;
    }
    if (!isAfter(this.#end, after)) {
      this.#reading ??= this.#extend().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    const end = this.#end ?? after;
    if (!isAfter(end, after)) return this.#read(after);
    return { events: this.#events.filter((event) => isAfter(event, after)), end };
  }

  async #extend(): Promise<void> {
    const from = this.#end;
    if (!from) return;
    const { events, end } = await this.#read(from);
    if (this.#events.length === 0) this.#readAt = Date.now();
    this.#events.push(...events);
    this.#end = end;
    if (this.#events.length > mostKept) {
      const gone = this.#events.splice(0, this.#events.length - mostKept);
      this.#start = gone.at(-1) ?? this.#start;
    }
  }

  #forget(): void {
    if (this.#reading || Date.now() - this.#readAt < keptMs) return;
    [this.#events, this.#start, this.#end] = [[], undefined, undefined];
  }

  async #read(after: EventPlace): Promise<{ events: ReadyEvent[]; end: EventPlace }> {
    const { events, end } = await inOneTrip(this.#db, this.#accountId, (tx) =>
      readEvents(tx, this.#accountId, after, portion),
    );
    return { events: events.map((event) => readyEvent(this.#accountId, event)), end };
  }
}
