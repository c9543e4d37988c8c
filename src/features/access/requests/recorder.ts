import {
  type Database,
  enterAccount,
  isDatabaseUnavailable,
  isNodeLost,
  type Tx,
} from '../../../platform/db/database.ts';
import { holdAccount } from '../accounts/store.ts';
import { touchTokens } from '../tokens/store.ts';
import { insertRequests, type RequestEntry } from './store.ts';

interface Hooks {
  batch(size: number): void;
  dropped(count: number): void;
  failed(error: unknown): void;
}

const flushIntervalMs = 1000;
/**
 * The most entries that wait in memory. Further ones are dropped and counted, for example if the database is
 * unavailable.
 */
const maxWaiting = 20_000;
/** The most entries in one transaction. */
const [mostEntries, mostAccounts] = [5000, 100];

interface Part {
  accountId: number;
  entries: RequestEntry[];
}

/**
 * Records requests for the request log, outside of the requests. Entries wait in memory and are written once per
 * second, all accounts in one transaction. A crash loses the last second of this log and nothing else.
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
    this.#timer = setInterval(() => void this.flush(), flushIntervalMs);
    this.#timer.unref();
  }

  record(accountId: number, entry: RequestEntry): void {
    if (this.#waiting.length >= maxWaiting) this.#hooks.dropped(1);
    else this.#waiting.push({ accountId, entry });
  }

  /** Resolves when all entries recorded until now are written or dropped. */
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
    for (const some of splitIntoBatches(byAccount)) await this.#writeSome(some);
  }

  async #writeSome(parts: Part[]): Promise<void> {
    let isWriting = false;
    try {
      // All parts share two round trips. Each part enters its account, so their order matters.
      await this.#db.transaction(async (tx) => {
        const accounts = await tx.each(parts, ({ accountId }) => holdPart(tx, accountId));
        isWriting = true;
        // Requests of deleted accounts are not recorded.
        const present = parts.filter((_, place) => accounts[place] !== undefined);
        await tx.each(present, (part) => writePart(tx, part));
      });
      for (const { entries } of parts) this.#hooks.batch(entries.length);
    } catch (error) {
      const isOver = isDatabaseUnavailable(error) && (isWriting || !isNodeLost(error));
      if (parts.length > 1 && !isOver) {
        // A failure of one account, or of its node, must not lose the entries of others.
        for (const part of parts) await this.#writeSome([part]);
        return;
      }
      for (const { entries } of parts) this.#hooks.dropped(entries.length);
      this.#hooks.failed(error);
    }
  }
}

/** Sorted by account id in every process, so that two transactions cannot deadlock on tokens. */
function* splitIntoBatches(byAccount: Map<number, RequestEntry[]>): Generator<Part[]> {
  let parts: Part[] = [];
  let size = 0;
  for (const [accountId, all] of [...byAccount].sort(([one], [other]) => one - other)) {
    for (let start = 0; start < all.length; start += mostEntries) {
      const entries = all.slice(start, start + mostEntries);
      if (parts.length >= mostAccounts || size + entries.length > mostEntries) {
        if (parts.length > 0) yield parts;
        [parts, size] = [[], 0];
      }
      parts.push({ accountId, entries });
      size += entries.length;
    }
  }
  if (parts.length > 0) yield parts;
}

async function holdPart(tx: Tx, accountId: number): Promise<unknown> {
  const { account } = await tx.inOrder({
    scope: () => enterAccount(tx, accountId),
    account: () => holdAccount(tx, accountId),
  });
  return account;
}

async function writePart(tx: Tx, { accountId, entries }: Part): Promise<void> {
  const lastUse = new Map<number, Date>();
  for (const { token_id, at } of entries) lastUse.set(token_id, at);
  const used = [...lastUse].sort(([one], [other]) => one - other);
  await tx.inOrder({
    scope: () => enterAccount(tx, accountId),
    requests: () => insertRequests(tx, accountId, entries),
    tokens: () =>
      touchTokens(
        tx,
        accountId,
        used.map(([id]) => id),
        used.map(([, at]) => at),
      ),
  });
}
