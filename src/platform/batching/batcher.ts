import { Unavailable } from '../../shared/problem.ts';
import { isOutcomeUnknown, isRetryable, isRolledBack } from '../db/database.ts';
import { ActiveAccounts } from './active-accounts.ts';

interface Options<Command, Outcome> {
  /** Writes all of them in one transaction, and gives an outcome each, in order. What it throws has kept nothing. */
  write(accountId: number, commands: Command[]): Promise<(Outcome | Error)[]>;
  /** Does first what can be done at once for the plain ones among them; the others (undefined) are written as above. */
  quick?: ((accountId: number, commands: Command[]) => Promise<(Outcome | undefined)[]>) | undefined;
  /** The estimated number of rows of a command. It bounds the work of a batch. */
  weigh(command: Command): number;
  onBatch?(size: number): void;
  /** Off: every call is written on its own, at once. */
  batching: 'on' | 'off';
  /** Shared by all routes: an account that only reads also waits for another's writes. */
  accounts?: ActiveAccounts;
}

interface Member<Command, Outcome> {
  command: Command;
  since: number;
  done(outcome: Outcome): void;
  failed(error: unknown): void;
}

interface Queue<Command, Outcome> {
  waiting: Member<Command, Outcome>[];
  /** Batches being written just now. */
  writing: number;
}

/**
 * `atOnce` is the number of an account's batches in flight: while PostgreSQL works on one, we read and answer the
 * requests of the other. While several accounts are active, each has one small batch at a time, so that the others
 * wait less for the process and for PostgreSQL.
 */
const bounds = {
  oneAccount: { perBatch: 200, atOnce: 2 },
  severalAccounts: { perBatch: 50, atOnce: 1 },
};
const mostWeight = 2000;
/** More than this many of an account waiting, and a client is better told to come back. */
const mostWaiting = 10_000;
/** And so is one who would have to wait for longer than this, or already has: a client gives up at some time as well. */
const longestWaitMs = 10_000;
const mostAttempts = 5;

/**
 * Makes one set-based write of the calls that arrive while another is under way: no timer, and no wait when idle.
 * Each call is answered after its commit, by its own outcome: one that fails does not fail its neighbours.
 */
export class Batcher<Command, Outcome> {
  readonly #options: Options<Command, Outcome>;
  readonly #accounts: ActiveAccounts;
  readonly #queues = new Map<number, Queue<Command, Outcome>>();

  constructor(options: Options<Command, Outcome>) {
    this.#options = options;
    this.#accounts = options.accounts ?? new ActiveAccounts();
  }

  get #bounds() {
    return this.#accounts.areSeveral ? bounds.severalAccounts : bounds.oneAccount;
  }

  submit(accountId: number, command: Command): Promise<Outcome> {
    if (this.#options.batching === 'off') {
      return new Promise((done, failed) => {
        void this.#settleQuickly(accountId, [{ command, since: 0, done, failed }]);
      });
    }
    const queue = this.#queues.get(accountId) ?? { waiting: [], writing: 0 };
    this.#queues.set(accountId, queue);
    const { waiting } = queue;
    const since = Date.now();
    if (waiting.length >= mostWaiting || isLate(waiting[0], since))
      throw new Unavailable('Too many calls are waiting already.');
    return new Promise((done, failed) => {
      waiting.push({ command, since, done, failed });
      // What arrived in the same turn of the event loop goes together.
      if (waiting.length === 1) setImmediate(() => void this.#work(accountId, queue));
    });
  }

  async #work(accountId: number, queue: Queue<Command, Outcome>): Promise<void> {
    queue.writing++;
    while (queue.writing <= this.#bounds.atOnce && dismissLate(queue.waiting) > 0) {
      const settling = this.#settleQuickly(accountId, this.#take(queue));
      // There was more than one batch takes: the next may start beside it.
      void this.#work(accountId, queue);
      await settling;
    }
    queue.writing--;
    if (queue.writing === 0 && this.#queues.get(accountId) === queue) this.#queues.delete(accountId);
  }

  #take({ waiting }: Queue<Command, Outcome>): Member<Command, Outcome>[] {
    const { perBatch } = this.#bounds;
    let weight = 0;
    let count = 0;
    for (const { command } of waiting) {
      weight += this.#options.weigh(command);
      if (count > 0 && (weight > mostWeight || count >= perBatch)) break;
      count++;
    }
    return waiting.splice(0, count);
  }

  async #settleQuickly(accountId: number, members: Member<Command, Outcome>[]): Promise<void> {
    const { quick } = this.#options;
    if (!quick) return this.#settle(accountId, members, 1);
    let outcomes: (Outcome | undefined)[];
    try {
      outcomes = await quick(accountId, members.map(commandOf));
    } catch (error) {
      // Where it is known that nothing of it was kept, all of it can be looked at more closely. Otherwise that could find
      // a member's own work, and take it for another's.
      if (isRolledBack(error)) return this.#settle(accountId, members, 1);
      for (const { failed } of members) failed(error);
      return;
    }
    const isDone = (_: unknown, place: number) => outcomes[place] !== undefined;
    const done = members.filter(isDone);
    if (done.length > 0) this.#options.onBatch?.(done.length);
    const rest = members.filter((_, place) => outcomes[place] === undefined);
    const answering = answer(done, outcomes.filter(isDone) as Outcome[]);
    if (rest.length > 0) await this.#settle(accountId, rest, 1);
    await answering;
  }

  async #settle(accountId: number, members: Member<Command, Outcome>[], attempt: number): Promise<void> {
    try {
      const outcomes = await this.#options.write(accountId, members.map(commandOf));
      this.#options.onBatch?.(members.length);
      await answer(members, outcomes);
    } catch (error) {
      if (isRetryable(error) && attempt < mostAttempts) return this.#settle(accountId, members, attempt + 1);
      if (isOutcomeUnknown(error) || members.length === 1) {
        for (const { failed } of members)
          failed(isRetryable(error) ? new Unavailable('Others were always first.') : error);
        return;
      }
      // Somebody among them can't be written. The others are found by halves, and stay in order.
      const half = Math.ceil(members.length / 2);
      await this.#settle(accountId, members.slice(0, half), 1);
      await this.#settle(accountId, members.slice(half), 1);
    }
  }
}

function isLate(member: { since: number } | undefined, now: number): boolean {
  return member !== undefined && now - member.since > longestWaitMs;
}

/** Sends those away who have waited too long, of whom nothing was begun; gives how many are left. */
function dismissLate<Command, Outcome>(waiting: Member<Command, Outcome>[]): number {
  const now = Date.now();
  while (isLate(waiting[0], now)) waiting.shift()?.failed(new Unavailable('The database is too slow.'));
  return waiting.length;
}

function commandOf<Command>({ command }: { command: Command }): Command {
  return command;
}

/** A few at a time: the other batch's conversation with PostgreSQL must not wait until all of this one is answered. */
const answeredAtOnce = 16;

async function answer<Command, Outcome>(
  members: Member<Command, Outcome>[],
  outcomes: (Outcome | Error)[],
): Promise<void> {
  for (const [index, { done, failed }] of members.entries()) {
    if (index > 0 && index % answeredAtOnce === 0) await new Promise((turn) => setImmediate(turn));
    const outcome = outcomes[index] as Outcome | Error;
    if (outcome instanceof Error) failed(outcome);
    else done(outcome);
  }
}
