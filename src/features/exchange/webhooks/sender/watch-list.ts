/** The accounts that one pass looks at, at most. */
const mostAtOnce = 1000;
/** An account without work for this long is quiet. */
const quietAfterMs = 10_000;
/** Quiet accounts are looked at this often, or less often if there are many. */
const [quietLookMs, quietLooksPerSecond] = [2000, 500];

interface Watched {
  lookAt: number;
  /** When it last had work. */
  workedAt: number;
  /** Whether no other process sent for it at the last look. */
  isFree: boolean;
}

/** The accounts that have webhooks, and when the sender looks at each. */
export class WatchList {
  readonly #accounts = new Map<number, Watched>();

  /** The accounts to look at now, the longest overdue first. */
  due(now: number): number[] {
    const due = [...this.#accounts].filter(([, { lookAt }]) => lookAt <= now);
    due.sort(([, one], [, other]) => one.lookAt - other.lookAt);
    return due.slice(0, mostAtOnce).map(([id]) => id);
  }

  /** Keeps what a look has found. Returns whether the account is quiet. */
  note(id: number, { hasWork, isFree }: { hasWork: boolean; isFree: boolean }, now: number): boolean {
    const watched = this.#accounts.get(id);
    if (!watched) return true;
    if (hasWork) watched.workedAt = now;
    watched.isFree = isFree;
    const isQuiet = now - watched.workedAt > quietAfterMs;
    const quietMs = Math.max(quietLookMs, (this.#accounts.size * 1000) / quietLooksPerSecond);
    // The next pass looks again at an account that is not quiet.
    watched.lookAt = isQuiet ? now + quietMs : now;
    return isQuiet;
  }

  /** Whether this process may become the sender of the account. */
  isFree(id: number): boolean {
    return this.#accounts.get(id)?.isFree ?? false;
  }

  setTaken(id: number): void {
    const watched = this.#accounts.get(id);
    if (watched) watched.isFree = false;
  }

  /** The next pass looks at it: what was written before could not be noticed. */
  setFree(id: number): void {
    const watched = this.#accounts.get(id);
    if (watched) [watched.isFree, watched.lookAt] = [true, 0];
  }

  /** Replaces the accounts with ids from `after` to the last of the page. Returns those that were removed. */
  replace(after: number, page: number[], isLast: boolean): number[] {
    const end = isLast ? Infinity : (page.at(-1) ?? after);
    const found = new Set(page);
    const gone = [...this.#accounts.keys()].filter((id) => id > after && id <= end && !found.has(id));
    for (const id of gone) this.#accounts.delete(id);
    for (const id of page) {
      if (!this.#accounts.has(id)) this.#accounts.set(id, { lookAt: 0, workedAt: 0, isFree: false });
    }
    return gone;
  }
}
