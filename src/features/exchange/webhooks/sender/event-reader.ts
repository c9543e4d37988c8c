import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../../../../platform/db/database.ts';
import { inOneTrip } from '../../../../platform/db/one-trip.ts';
import { findEvents } from '../../../../platform/outbox/feed.ts';
import type { EventPlace } from '../../../../shared/event-id.ts';
import { type ReadyEvent, readyEvent } from './feed-buffer.ts';
import { keyOf } from './job.ts';

/** The events of one read. A row of the feed can be large. */
const mostPlaces = 50;

interface Read {
  places: EventPlace[];
  events: Promise<Map<string, ReadyEvent>>;
}

/** Reads events of an account that are no longer in memory. Those that are wanted at the same time are read together. */
export class EventReader {
  readonly #db: Database;
  readonly #accountId: number;
  /** The read that has not begun. */
  #next: Read | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: Database, accountId: number) {
    this.#db = db;
    this.#accountId = accountId;
  }

  /** Undefined: the event has expired. */
  async read(place: EventPlace): Promise<ReadyEvent | undefined> {
    if (!this.#next || this.#next.places.length >= mostPlaces) this.#next = this.#plan();
    const { places, events } = this.#next;
    places.push(place);
    return (await events).get(keyOf(place));
  }

  /** One read at a time, so that they take few connections. */
  #plan(): Read {
    const places: EventPlace[] = [];
    const before = this.#last;
    const events = this.#run(before, places);
    this.#last = events.catch(() => {});
    return { places, events };
  }

  async #run(before: Promise<unknown>, places: EventPlace[]): Promise<Map<string, ReadyEvent>> {
    await before;
    await turn();
    if (this.#next?.places === places) this.#next = undefined;
    const events = await inOneTrip(this.#db, this.#accountId, (tx) => findEvents(tx, this.#accountId, places));
    return new Map(events.map((event) => [keyOf(event), readyEvent(this.#accountId, event)]));
  }
}
