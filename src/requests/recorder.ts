import type { Database } from '../db/database.ts';
import { touchTokens } from '../tokens/store.ts';
import { insertRequests, type RequestEntry } from './store.ts';

interface Hooks {
  batch(size: number): void;
  dropped(count: number): void;
  failed(error: unknown): void;
}

const flushEveryMs = 1000;
/** More than this many waiting (a database that is away, or far behind) and new ones are given up, and counted. */
const mostWaiting = 20_000;
const mostPerInsert = 5000;

/**
 * Remembers requests for staff to read, beside the requests' own way: they wait in memory and are written together,
 * an insert an account, once a second. A crash loses the last second of this log, and of nothing else.
 */
export class RequestRecorder {
  readonly #db: Database;
  readonly #hooks: Hooks;
  readonly #timer: NodeJS.Timeout;
  #waiting: { accountId: number; entry: RequestEntry }[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(db: Database, hooks: Hooks) {
    this.#db = db;
    this.#hooks = hooks;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs);
    this.#timer.unref();
  }

  record(accountId: number, entry: RequestEntry): void {
    if (this.#waiting.length >= mostWaiting) this.#hooks.dropped(1);
    else this.#waiting.push({ accountId, entry });
  }

  /** Everything recorded until now is written, or given up, when this resolves. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const byAccount = new Map<number, RequestEntry[]>();
    for (const { accountId, entry } of waiting) {
      const entries = byAccount.get(accountId);
      if (entries) entries.push(entry);
      else byAccount.set(accountId, [entry]);
    }
    for (const [accountId, all] of byAccount) {
      for (let start = 0; start < all.length; start += mostPerInsert) {
        await this.#writeSome(accountId, all.slice(start, start + mostPerInsert));
      }
    }
  }

  async #writeSome(accountId: number, entries: RequestEntry[]): Promise<void> {
    const lastUse = new Map<number, Date>();
    for (const { token_id, at } of entries) lastUse.set(token_id, at);
    try {
      await this.#db.tenant(accountId, async (tx) => {
        await insertRequests(tx, accountId, entries);
        await touchTokens(tx, accountId, [...lastUse.keys()], [...lastUse.values()]);
      });
      this.#hooks.batch(entries.length);
    } catch (error) {
      this.#hooks.dropped(entries.length);
      this.#hooks.failed(error);
    }
  }
}
