/** An account counts as active for this long after a request. */
const activeMs = 1000;

/** Whether several accounts send requests. A single active account may use the whole process. */
export class ActiveAccounts {
  readonly #now: () => number;
  #latest: number | undefined;
  #changedAt = -Infinity;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Records a request of this account. */
  add(accountId: number): void {
    if (accountId === this.#latest) return;
    if (this.#latest !== undefined) this.#changedAt = this.#now();
    this.#latest = accountId;
  }

  get areSeveral(): boolean {
    return this.#now() - this.#changedAt < activeMs;
  }
}
