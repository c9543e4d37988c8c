import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, isUnavailableToAll } from '../../../../platform/db/database.ts';
import { onAppended } from '../../../../platform/outbox/signal.ts';
import type { Post } from '../../../../platform/outgoing/post.ts';
import { insertAudit } from '../../../access/audit/store.ts';
import { disableWebhook, readStates, releaseLease, takeLease } from '../sender-store.ts';
import { accountsWithWebhooks } from '../store.ts';
import { AccountSender } from './account-sender.ts';
import { Budget } from './budget.ts';
import { countAttempt, countDisabled, observeDelay } from './metrics.ts';
import type { Measured } from './request-load.ts';
import { WatchList } from './watch-list.ts';

/** How often the sender looks at its accounts for changes that another process made. */
const lookEveryMs = 250;
/** How often it looks for further accounts, and how many at a time. */
const [findEveryMs, accountsAtOnce] = [500, 1000];
/** A lease is extended after this time. */
const leaseMs = 5000;
/** A signal comes before the commit of a writer. These are the pauses before the looks for its events. */
const pausesAfterSignal = [2, 4, 8, 20, 60];
/** Between two looks at an account, so that a busy one makes few of them. */
const leastPauseMs = 15;
const retryMs = 1000;
/** The time that requests in flight have when the service stops. */
const stopMs = 3000;

/** What the sender reports. */
export interface SenderEvents {
  onError(error: unknown): void;
  onDisabled(accountId: number, webhookId: number, reason: string): void;
}

/**
 * Sends events to webhooks. Several processes may run it: each account has one sender at a time, which another one
 * replaces when it ends.
 */
export class Sender {
  readonly #db: Database;
  readonly #post: Post;
  readonly #events: SenderEvents;
  readonly #name = randomUUID();
  readonly #accounts = new Map<number, AccountSender>();
  readonly #budget: Budget;
  /** The looks that follow a signal, by account. */
  readonly #signalled = new Map<number, { left: number[]; timer: NodeJS.Timeout | undefined }>();
  readonly #watchList = new WatchList();
  #lastFound = 0;
  /** The last account of a full page. The search goes on after it. */
  #foundUpTo = 0;
  #ticking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #endSignals = () => {};
  #isStopped = false;

  /** `measure`: how busy the process is with requests. */
  constructor(db: Database, post: Post, events: SenderEvents, measure?: () => Readonly<Measured>) {
    this.#budget = new Budget(measure);
    this.#db = db;
    this.#post = post;
    this.#events = events;
  }

  start(): this {
    this.#timer = setInterval(() => this.#tick(), lookEveryMs);
    this.#timer.unref();
    this.#endSignals = onAppended((accountId) => this.signal(accountId));
    return this;
  }

  #tick(): void {
    this.#ticking ??= this.#pass()
      .catch(this.#events.onError)
      .finally(() => {
        this.#ticking = undefined;
      });
  }

  /** A writer appends events in this or in another process of the machine. */
  signal(accountId: number): void {
    if (!this.#accounts.has(accountId) && !this.#watchList.isFree(accountId)) return;
    const known = this.#signalled.get(accountId);
    if (known) {
      known.left = [...pausesAfterSignal];
      return;
    }
    const signalled = { left: [...pausesAfterSignal], timer: undefined };
    this.#signalled.set(accountId, signalled);
    this.#lookAfterSignal(accountId, signalled);
  }

  #lookAfterSignal(
    accountId: number,
    signalled: { left: number[]; timer: NodeJS.Timeout | undefined },
    leastMs = 0,
  ): void {
    const ms = signalled.left.shift();
    if (ms === undefined || this.#isStopped) {
      this.#signalled.delete(accountId);
      return;
    }
    signalled.timer = setTimeout(
      async () => {
        const found = await this.#lookOnce(accountId).catch(() => false);
        if (found) signalled.left = signalled.left.slice(0, 1);
        this.#lookAfterSignal(accountId, signalled, leastPauseMs);
      },
      Math.max(ms, leastMs),
    );
  }

  /** Returns whether there was something new. */
  async #lookOnce(accountId: number): Promise<boolean> {
    const account = this.#accounts.get(accountId) ?? (await this.#takeIfFree(accountId));
    return (await account?.look()) ?? false;
  }

  async #pass(): Promise<void> {
    if (Date.now() - this.#lastFound >= findEveryMs) await this.#findAccounts();
    const now = Date.now();
    const due = this.#watchList.due(now);
    if (due.length === 0) return;
    const states = await this.#db.transaction((tx) => readStates(tx, due, this.#name));
    for (const [place, accountId] of due.entries()) {
      const state = states[place];
      if (!state || this.#isStopped) continue;
      const held = this.#accounts.get(accountId);
      const hasWork = state.is_waiting || state.is_behind || (held !== undefined && !held.isIdle);
      const isQuiet = this.#watchList.note(accountId, { hasWork, isFree: state.is_free }, now);
      await this.#safely(async () => {
        const account = held ?? (hasWork ? await this.#takeIfFree(accountId) : undefined);
        if (!account) return;
        if (isQuiet && account.isIdle) return this.#giveBack(account);
        if (now - account.leasedAt > leaseMs) await this.#extend(account);
        if (!account.isCurrent(state.revision)) await account.reload(state.revision);
        if (state.is_waiting || state.last_position !== account.position) await account.look();
        account.pump();
      });
    }
  }

  /** The error of one account does not stop the others, unless the database is unavailable. */
  async #safely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isUnavailableToAll(error)) throw error;
      this.#events.onError(error);
    }
  }

  async #findAccounts(): Promise<void> {
    this.#lastFound = Date.now();
    const after = this.#foundUpTo;
    const page = await this.#db.transaction((tx) => accountsWithWebhooks(tx, after, accountsAtOnce));
    const isLast = page.length < accountsAtOnce;
    this.#foundUpTo = isLast ? 0 : (page.at(-1) ?? 0);
    for (const accountId of this.#watchList.replace(after, page, isLast)) this.#drop(accountId);
  }

  /** Undefined: another process sends for the account. */
  async #takeIfFree(accountId: number): Promise<AccountSender | undefined> {
    if (!this.#watchList.isFree(accountId)) return undefined;
    const leasedAt = Date.now();
    if (!(await this.#db.tenant(accountId, (tx) => takeLease(tx, accountId, this.#name)))) {
      this.#watchList.setTaken(accountId);
      return undefined;
    }
    if (this.#isStopped) {
      await this.#db.tenant(accountId, (tx) => releaseLease(tx, accountId, this.#name));
      return undefined;
    }
    // A signal and a pass can come together.
    return this.#accounts.get(accountId) ?? this.#open(accountId, leasedAt);
  }

  #open(accountId: number, leasedAt: number): AccountSender {
    const account = new AccountSender(accountId, {
      ...{ db: this.#db, post: this.#post, budget: this.#budget, sender: this.#name },
      onAttempt: (posted, { succeeded, isFirst, event }) => {
        countAttempt(posted, succeeded);
        if (succeeded && isFirst) observeDelay((Date.now() - event.at.getTime()) / 1000);
      },
      onError: this.#events.onError,
      disable: (id, webhookId, reason) => void this.#disable(id, webhookId, reason),
      onLeaseLost: (id) => this.#drop(id),
    });
    account.leasedAt = leasedAt;
    this.#accounts.set(accountId, account);
    return account;
  }

  async #extend(account: AccountSender): Promise<void> {
    const { accountId } = account;
    const leasedAt = Date.now();
    if (await this.#db.tenant(accountId, (tx) => takeLease(tx, accountId, this.#name))) account.leasedAt = leasedAt;
    else this.#drop(accountId);
  }

  /** Ends the lease of an account without work. */
  async #giveBack(account: AccountSender): Promise<void> {
    const { accountId } = account;
    this.#watchList.setTaken(accountId);
    this.#drop(accountId);
    await this.#db.tenant(accountId, (tx) => releaseLease(tx, accountId, this.#name));
    this.#watchList.setFree(accountId);
  }

  #drop(accountId: number): void {
    this.#accounts.get(accountId)?.abandon();
    this.#accounts.delete(accountId);
  }

  /** It is repeated until it succeeds: the lane of the webhook has stopped already. */
  async #disable(accountId: number, webhookId: number, reason: string): Promise<void> {
    while (!this.#isStopped) {
      try {
        return await this.#disableOnce(accountId, webhookId, reason);
      } catch (error) {
        this.#events.onError(error);
        await pause(retryMs, undefined, { ref: false });
      }
    }
  }

  async #disableOnce(accountId: number, webhookId: number, reason: string): Promise<void> {
    const isDisabled = await this.#db.tenant(accountId, async (tx) => {
      if (!(await disableWebhook(tx, accountId, webhookId, reason))) return false;
      await insertAudit(tx, {
        ...{ accountId, userId: null, actor: 'the service', address: null, action: 'webhook.disable' },
        ...{ subject: null, ids: { webhook_id: webhookId }, fields: [] },
      });
      return true;
    });
    if (!isDisabled) return;
    countDisabled();
    this.#events.onDisabled(accountId, webhookId, reason);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#endSignals();
    for (const { timer } of this.#signalled.values()) clearTimeout(timer);
    await this.#ticking;
    const accounts = [...this.#accounts.values()];
    const stopping = accounts.map((account) => account.stop(stopMs));
    for (const stopped of stopping) await stopped;
    this.#budget.close();
    for (const { accountId } of accounts)
      await this.#db.tenant(accountId, (tx) => releaseLease(tx, accountId, this.#name)).catch(() => {});
  }
}
