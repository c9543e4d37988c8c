import { setTimeout as pause } from 'node:timers/promises';
import { type Database, isOutcomeUnknown } from '../../../../platform/db/database.ts';
import { inOneTrip } from '../../../../platform/db/one-trip.ts';
import { eraseResponses } from '../../../../platform/outbox/erase.ts';
import { lockStream, type Placed, placeRows } from '../../../../platform/outbox/feed.ts';
import type { Post } from '../../../../platform/outgoing/post.ts';
import {
  addToHours,
  findStored,
  holdLease,
  insertDeliveries,
  leaseSeconds,
  readRevision,
  type SendingWebhook,
  selectPending,
  selectSending,
  storeProgress,
  updateDeliveries,
} from '../sender-store.ts';
import { AccountTurns } from './account-turns.ts';
import type { Budget } from './budget.ts';
import { EventReader } from './event-reader.ts';
import { FeedBuffer } from './feed-buffer.ts';
import { type Flush, Lane, type LaneContext, mostJobs } from './lane.ts';

/** Results are stored together, after this time. While the process is busy, they wait longer. */
const [flushMs, busyFlushMs] = [50, 500];
const retryMs = 1000;

/** Another process has become the sender of the account. */
export class LeaseLost extends Error {}

export interface AccountContext extends Pick<LaneContext, 'onAttempt' | 'onError'> {
  db: Database;
  post: Post;
  budget: Budget;
  /** The name of this sender. */
  sender: string;
  disable(accountId: number, webhookId: number, reason: string): void;
  onLeaseLost(accountId: number): void;
}

/** Sends the events of one account to its webhooks. */
export class AccountSender {
  readonly accountId: number;
  readonly #context: AccountContext;
  readonly #lanes = new Map<number, Lane>();
  readonly #buffer: FeedBuffer;
  readonly #reader: EventReader;
  readonly #turns: AccountTurns;
  #revision: string | undefined;
  #lastPosition = 0;
  #looking: Promise<void> | undefined;
  #reloading: Promise<void> = Promise.resolve();
  #flushing: Promise<void> | undefined;
  #flushTimer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** The results that may have been stored: the connection broke at the commit. */
  #unsure: Flush[] | undefined;
  /** When the lease was last extended. */
  leasedAt = Date.now();

  constructor(accountId: number, context: AccountContext) {
    this.accountId = accountId;
    this.#context = context;
    this.#buffer = new FeedBuffer(context.db, accountId);
    this.#reader = new EventReader(context.db, accountId);
    this.#turns = new AccountTurns(context.budget);
  }

  /** The last position that this sender knows of. */
  get position(): number {
    return this.#lastPosition;
  }

  /** Whether there is nothing to send, now or later, and nothing to store. */
  get isIdle(): boolean {
    return !this.#looking && !this.#flushing && !this.#unsure && [...this.#lanes.values()].every((lane) => lane.isIdle);
  }

  /** Whether the webhooks are as this sender knows them. */
  isCurrent(revision: string): boolean {
    return revision === this.#revision;
  }

  /** While the process is busy, new events get no positions until one webhook has read all events that have a position. */
  get #mustWait(): boolean {
    if (!this.#context.budget.isLimited) return false;
    const readers = [...this.#lanes.values()].filter((lane) => lane.isReader);
    return readers.length > 0 && !readers.some((lane) => lane.isAtEnd);
  }

  /** Gives positions to new events, reads changes of the webhooks, and sends. Returns whether there was something new. */
  async look(): Promise<boolean> {
    if (this.#mustWait) return false;
    const before = this.#lastPosition;
    // One look that runs may have begun before the latest commit.
    await this.#looking?.catch(() => {});
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
    return this.#lastPosition > before;
  }

  async #lookOnce(): Promise<void> {
    const { db } = this.#context;
    let looked: { placed: Placed | undefined; revision: string };
    do {
      looked = await inOneTrip(db, this.accountId, (tx) =>
        tx.inOrder({
          placed: () => placeRows(tx, this.accountId),
          revision: () => readRevision(tx, this.accountId),
        }),
      );
    } while (looked.placed?.hasMore);
    const { placed, revision } = looked;
    const position = placed?.last ?? 0;
    // A webhook that was paused before these events were written does not get them.
    if (!this.isCurrent(revision)) await this.reload(revision);
    if (position === this.#lastPosition || this.#isStopped) return;
    this.#lastPosition = position;
    for (const lane of this.#lanes.values()) lane.wake();
  }

  /** Reads the webhooks and the deliveries that wait. One call after the other. */
  reload(revision: string): Promise<void> {
    const reloading = this.#reloading.then(() => this.#reloadOnce(revision));
    this.#reloading = reloading.catch(() => {});
    return reloading;
  }

  async #reloadOnce(revision: string): Promise<void> {
    const { db } = this.#context;
    for (const lane of this.#lanes.values()) lane.beginUpdate();
    const all = await db.tenant(this.accountId, async (tx) => {
      const webhooks = await selectSending(tx, this.accountId);
      const wanted = webhooks.filter(({ id, status }) => status === 'active' || this.#lanes.has(id));
      const pending = await tx.each(wanted, ({ id }) => selectPending(tx, this.accountId, id, mostJobs));
      return wanted.map((webhook, place) => ({ webhook, pending: pending[place] ?? [] }));
    });
    if (this.#isStopped) return;
    const kept = new Set(all.map(({ webhook }) => webhook.id));
    for (const [id, lane] of this.#lanes) {
      if (kept.has(id)) continue;
      lane.stop();
      this.#lanes.delete(id);
    }
    let isComplete = true;
    for (const { webhook, pending } of all) {
      const lane = this.#lanes.get(webhook.id);
      if (!lane) this.#open(webhook, pending);
      else if (!lane.update(webhook, pending)) isComplete = false;
    }
    this.#revision = isComplete ? revision : undefined;
  }

  #open(webhook: SendingWebhook, pending: Parameters<Lane['update']>[1]): void {
    const { post, onAttempt, onError, disable } = this.#context;
    const lane = new Lane(webhook, pending, {
      ...{ post, onAttempt, onError, turns: this.#turns },
      // A process that was suspended for longer must not send on.
      isLeased: () => Date.now() - this.leasedAt < leaseSeconds * 1000,
      next: (after) => this.#buffer.next(after),
      lastPosition: () => this.#lastPosition,
      load: (place) => this.#reader.read(place),
      disable: (id, reason) => disable(this.accountId, id, reason),
      reload: () => {
        this.#revision = undefined;
      },
      onChange: () => this.#flushSoon(),
    });
    this.#lanes.set(webhook.id, lane);
    lane.pump();
  }

  /** Sends what waits, because there is room again. */
  pump(): void {
    for (const lane of this.#lanes.values()) lane.pump();
  }

  #flushSoon(ms = this.#context.budget.isLimited ? busyFlushMs : flushMs): void {
    if (this.#isStopped) return;
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined;
      void this.#flush();
    }, ms);
  }

  async #flush(): Promise<void> {
    if (this.#flushing) {
      // What is new goes with the next flush.
      await this.#flushing.catch(() => {});
      this.#flushSoon();
      return;
    }
    this.#flushing = this.#store();
    let wait: number | undefined;
    try {
      await this.#flushing;
    } catch (error) {
      if (error instanceof LeaseLost) return this.#context.onLeaseLost(this.accountId);
      wait = retryMs;
      this.#context.onError(error);
    } finally {
      this.#flushing = undefined;
    }
    if (this.#unsure || [...this.#lanes.values()].some((lane) => lane.hasUnsaved)) this.#flushSoon(wait);
  }

  /** Stores the results of all webhooks in one transaction. */
  async #store(): Promise<void> {
    if (this.#unsure) await this.#resolve(this.#unsure);
    const flushes: Flush[] = [];
    for (const lane of this.#lanes.values()) {
      const flush = lane.flush();
      if (flush) flushes.push(flush);
    }
    if (flushes.length === 0) return;
    const rows = flushes.flatMap((flush) => flush.rows);
    const added = rows.filter(({ id }) => id === null);
    const changed = rows.filter(({ id }) => id !== null);
    const answered = rows.filter(({ attempts }) => attempts.some(({ response }) => response !== ''));
    const hours = flushes.flatMap(({ hour }) => hour ?? []);
    try {
      const { stored } = await this.#context.db.tenant(this.accountId, async (tx, last) => {
        if (!(await holdLease(tx, this.accountId, this.#context.sender))) throw new LeaseLost();
        const stored = tx.inOrder({
          inserted: () => (added.length > 0 ? insertDeliveries(tx, this.accountId, added) : []),
          changed: () => changed.length > 0 && updateDeliveries(tx, this.accountId, changed),
          erased: () =>
            answered.length > 0 &&
            eraseResponses(
              tx,
              this.accountId,
              answered.map(({ position }) => position),
            ),
          progress: () =>
            storeProgress(
              tx,
              this.accountId,
              flushes.map(({ progress }) => progress),
            ),
          hours: () => hours.length > 0 && addToHours(tx, this.accountId, hours),
        });
        last(stored);
        return { stored };
      });
      const { inserted } = await stored;
      confirm(flushes, inserted);
    } catch (error) {
      if (isOutcomeUnknown(error)) this.#unsure = flushes;
      else for (const flush of flushes) flush.failed();
      throw error;
    }
  }

  /** Finds out whether the flushes were stored. They share one transaction, so either all of them were, or none. */
  async #resolve(flushes: Flush[]): Promise<void> {
    const added = flushes.flatMap(({ rows }) => rows.filter(({ id }) => id === null));
    const { stored, revision } = await this.#context.db.tenant(this.accountId, (tx) =>
      tx.inOrder({
        // Waits for a commit that is still running.
        lock: () => lockStream(tx, this.accountId),
        stored: () => findStored(tx, this.accountId, added),
        revision: () => readRevision(tx, this.accountId),
      }),
    );
    const ids: (number | undefined)[] = added.map(() => undefined);
    for (const { id, place_in_rows } of stored) ids[place_in_rows - 1] = id;
    // Some may be gone, because their webhook was deleted. Without new rows, storing the results again changes nothing.
    if (stored.length > 0) confirm(flushes, ids);
    else for (const flush of flushes) flush.failed();
    this.#unsure = undefined;
    await this.reload(revision);
  }

  /** Ends the sending. What is in flight comes to its end within the time, and is stored. */
  async stop(ms: number): Promise<void> {
    for (const lane of this.#lanes.values()) lane.stop();
    const until = Date.now() + ms;
    while (Date.now() < until && [...this.#lanes.values()].some((lane) => lane.isBusy)) await pause(10);
    this.#isStopped = true;
    clearTimeout(this.#flushTimer);
    await this.#flushing?.catch(() => {});
    await this.#store().catch(() => {});
  }

  /** The same without waiting, because another process sends now. */
  abandon(): void {
    this.#isStopped = true;
    clearTimeout(this.#flushTimer);
    for (const lane of this.#lanes.values()) lane.stop();
  }
}

/** The flushes are stored. `ids`: the ids of their new rows, in order. */
function confirm(flushes: Flush[], ids: (number | undefined)[]): void {
  let place = 0;
  for (const flush of flushes) {
    const count = flush.rows.filter(({ id }) => id === null).length;
    flush.committed(ids.slice(place, place + count));
    place += count;
  }
}
