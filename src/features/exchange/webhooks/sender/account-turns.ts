import type { Budget, Sending, SlowRequests } from './budget.ts';

/** The requests of an account that take longer than a second, at most. */
const mostSlow = 500;

/** The part of the budget of one account. Accounts take turns, and in the turn of an account its webhooks do. */
export class AccountTurns implements Sending {
  readonly #budget: Budget;
  readonly #slow: SlowRequests = { count: 0 };
  /** The webhooks that wait for their turn. */
  readonly #waiting = new Set<Sending>();
  #served: Sending | undefined;
  #begun = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  get #isFree(): boolean {
    return this.#slow.count < mostSlow;
  }

  /** Whether a request may begin. If not, the `pump` of the webhook is called when it may. */
  mayBegin(webhook: Sending): boolean {
    const isNext = this.#waiting.size === 0 || this.#served === webhook;
    if (isNext && this.#isFree && this.#budget.mayBegin(this)) return true;
    this.wait(webhook);
    return false;
  }

  /** The webhook waits for its next turn. */
  wait(webhook: Sending): void {
    this.#waiting.add(webhook);
    if (this.#isFree) this.#budget.wait(this);
  }

  /** A request begins. Returns a function that ends it. */
  enter(): () => void {
    this.#begun++;
    const leave = this.#budget.enter(this.#slow);
    return () => {
      leave();
      if (this.#waiting.size > 0 && this.#isFree) this.#budget.wait(this);
    };
  }

  pump(most: number): void {
    const end = this.#begun + most;
    for (const webhook of [...this.#waiting]) {
      if (this.#begun >= end || !this.#isFree) break;
      this.#waiting.delete(webhook);
      this.#served = webhook;
      webhook.pump(1);
      this.#served = undefined;
    }
    if (this.#waiting.size > 0 && this.#isFree) this.#budget.wait(this);
  }
}
