import { Unavailable } from '../../shared/problem.ts';
import { isOutcomeUnknown, isRetryable, isRolledBack } from '../db/database.ts';
import { ActiveAccounts } from './active-accounts.ts';

interface Options<Command, Outcome> {
  /** Writes all commands in one transaction. Returns one outcome per command, in order. If it throws, nothing is written. */
  write(accountId: number, commands: Command[]): Promise<(Outcome | Error)[]>;
  /** A first attempt for simple commands. Commands without an outcome (undefined) go to `write`. */
  quick?: ((accountId: number, commands: Command[]) => Promise<(Outcome | undefined)[]>) | undefined;
  /** The estimated number of rows of a command. It limits the work of a batch. */
  weigh(command: Command): number;
  onBatch?(size: number): void;
  /** Off: every command is written alone, at once. */
  batching: 'on' | 'off';
  /** Shared by all routes, because an account that only reads also waits for the writes of other accounts. */
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
  /** The number of batches in flight. */
  inFlight: number;
}

/**
 * `atOnce` is the number of batches of an account in flight. While PostgreSQL works on one, the process reads and answers
 * the requests of the other. While several accounts are active, each has one small batch at a time, so that the others wait
 * less for the process and for PostgreSQL.
 */
const bounds = {
  oneAccount: { perBatch: 200, atOnce: 2 },
  severalAccounts: { perBatch: 50, atOnce: 1 },
};
const mostWeight = 2000;
/** Above this number of waiting commands of an account, a request gets a 503. */
const mostWaiting = 10_000;
/** A command that would wait or has waited longer gets a 503, because its client has a timeout too. */
const longestWaitMs = 10_000;
const mostAttempts = 5;

/**
 * Collects the commands that arrive while a batch is in flight into the next batch. It has no timer, and adds no wait when
 * idle. Each command gets its own outcome after the commit. A command that fails does not affect the others.
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
    const queue = this.#queues.get(accountId) ?? { waiting: [], inFlight: 0 };
    this.#queues.set(accountId, queue);
    const { waiting } = queue;
    const since = Date.now();
    if (waiting.length >= mostWaiting || isLate(waiting[0], since))
      throw new Unavailable('Too many requests are waiting already.');
    return new Promise((done, failed) => {
      waiting.push({ command, since, done, failed });
      // Commands of the same turn of the event loop form one batch.
      if (waiting.length === 1) setImmediate(() => void this.#work(accountId, queue));
    });
  }

  async #work(accountId: number, queue: Queue<Command, Outcome>): Promise<void> {
    queue.inFlight++;
    while (queue.inFlight <= this.#bounds.atOnce && rejectLate(queue.waiting) > 0) {
      const settling = this.#settleQuickly(accountId, this.#take(queue));
      // If there are more commands than one batch takes, the next batch may start now.
      void this.#work(accountId, queue);
      await settling;
    }
    queue.inFlight--;
    if (queue.inFlight === 0 && this.#queues.get(accountId) === queue) this.#queues.delete(accountId);
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
      // After a rollback all commands go to `write`. If the outcome is unknown, `write` could find the rows of a command
      // that succeeded and take them for another request's.
      if (isRolledBack(error)) return this.#settle(accountId, members, 1);
      for (const { failed } of members) failed(error);
      return;
    }
    const done = members.filter((_, place) => outcomes[place] !== undefined);
    if (done.length > 0) this.#options.onBatch?.(done.length);
    const rest = members.filter((_, place) => outcomes[place] === undefined);
    const resolving = resolveAll(
      done,
      outcomes.filter((outcome) => outcome !== undefined),
    );
    if (rest.length > 0) await this.#settle(accountId, rest, 1);
    await resolving;
  }

  async #settle(accountId: number, members: Member<Command, Outcome>[], attempt: number): Promise<void> {
    try {
      const outcomes = await this.#options.write(accountId, members.map(commandOf));
      this.#options.onBatch?.(members.length);
      await resolveAll(members, outcomes);
    } catch (error) {
      if (isRetryable(error) && attempt < mostAttempts) return this.#settle(accountId, members, attempt + 1);
      if (isOutcomeUnknown(error) || members.length === 1) {
        for (const { failed } of members)
          failed(
            isRetryable(error) ? new Unavailable(`Each of ${mostAttempts} attempts conflicted with others.`) : error,
          );
        return;
      }
      // One of the commands fails. Halving finds it, and keeps the order of the others.
      const half = Math.ceil(members.length / 2);
      await this.#settle(accountId, members.slice(0, half), 1);
      await this.#settle(accountId, members.slice(half), 1);
    }
  }
}

function isLate(member: { since: number } | undefined, now: number): boolean {
  return member !== undefined && now - member.since > longestWaitMs;
}

/** Rejects commands that waited too long and were not started. Returns the number of the others. */
function rejectLate<Command, Outcome>(waiting: Member<Command, Outcome>[]): number {
  const now = Date.now();
  while (isLate(waiting[0], now)) waiting.shift()?.failed(new Unavailable('The database is too slow.'));
  return waiting.length;
}

function commandOf<Command>({ command }: { command: Command }): Command {
  return command;
}

/** Outcomes are delivered a few per turn, so that the other batch does not wait until all responses of this one are sent. */
const resolvedAtOnce = 16;

async function resolveAll<Command, Outcome>(
  members: Member<Command, Outcome>[],
  outcomes: (Outcome | Error)[],
): Promise<void> {
  for (const [index, { done, failed }] of members.entries()) {
    if (index > 0 && index % resolvedAtOnce === 0) await new Promise((turn) => setImmediate(turn));
    const outcome = outcomes[index] as Outcome | Error;
    if (outcome instanceof Error) failed(outcome);
    else done(outcome);
  }
}
