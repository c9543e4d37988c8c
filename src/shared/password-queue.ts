import { LRUCache } from 'lru-cache';
import { TooMany } from './problem.ts';

interface Job {
  since: number;
  start(): void;
  refuse(error: Error): void;
}

interface Limits {
  atOnce: number;
  /** Waiting jobs of one lane, and of all lanes. */
  mostOfLane: number;
  mostWaiting: number;
  longestWaitMs: number;
}

/** The history of a lane. */
interface LaneHistory {
  /** The number of jobs, including rejected ones. Below 0: a job succeeded. */
  attempts: number;
  /** The number of jobs that ran. */
  runs: number;
  /** The number of jobs that were rejected because of other lanes. */
  refusals: number;
}

const unknown: LaneHistory = { attempts: 0, runs: 0, refusals: 0 };
const succeeded: LaneHistory = { attempts: -1, runs: 0, refusals: 0 };

/** With more waiting lanes than this, a first-come-first-served order would make every client wait too long. */
const overloadSize = 20;
const maxLanes = 10_000;
/** The lane of trusted callers. It always runs first. */
const trusted = '';

/**
 * Runs a few jobs at once. The others wait in lanes. The lane with the fewest attempts runs first, so a lane that
 * floods the queue waits behind a quiet one. Lanes with the same number of attempts take turns; under overload the
 * newest runs first. Every other time, the lane that was rejected most often and never ran is first. So a user gets in
 * by trying again, even during a flood from ever new lanes.
 */
export class PasswordQueue {
  /** The maximum number of concurrent jobs. */
  atOnce: number;
  readonly #limits: Limits;
  readonly #busy: string;
  readonly #lanes = new Map<string, Job[]>();
  /** Read with `peek`, so that the lane whose history changed least recently is removed first. */
  readonly #histories = new LRUCache<string, LaneHistory>({ max: maxLanes });
  #waiting = 0;
  #running = 0;
  #isRejectedTurn = false;

  constructor(busy: string, limits: Limits) {
    this.#busy = busy;
    this.#limits = limits;
    this.atOnce = limits.atOnce;
  }

  run<T>(lane: string = trusted, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((done, failed) => {
      const start = () => {
        this.#running++;
        this.#note(lane, { runs: 1 });
        Promise.resolve()
          .then(work)
          .then(done, failed)
          .finally(() => {
            this.#running--;
            this.#startNext();
          });
      };
      this.#enter(lane, { since: Date.now(), start, refuse: failed });
      this.#startNext();
    });
  }

  /** Marks the lane as successful. It then runs before unknown lanes. */
  succeeded(lane: string): void {
    this.#remember(lane, succeeded);
  }

  /** Marks an unknown lane as successful. */
  trust(lane: string): void {
    if (!this.#histories.has(lane)) this.succeeded(lane);
  }

  #enter(lane: string, job: Job): void {
    const { mostOfLane, mostWaiting } = this.#limits;
    this.#note(lane, { attempts: 1 });
    const jobs = this.#lanes.get(lane) ?? [];
    if (jobs.length >= mostOfLane) throw this.#refusal();
    jobs.push(job);
    this.#lanes.set(lane, jobs);
    this.#waiting++;
    if (this.#waiting > mostWaiting) this.#makeRoom();
  }

  /** Rejects the newest job of the lane with the most runs, then the most attempts. Lanes that would run first stay. */
  #makeRoom(): void {
    const stay = [this.#quietest(), this.#mostRejected()];
    let worst: string | undefined;
    // Among equals, the first has waited longest, so its client has most likely left.
    for (const lane of this.#lanes.keys())
      if (!stay.includes(lane) && (worst === undefined || this.#isWorse(lane, worst))) worst = lane;
    const lane = worst ?? stay[0] ?? trusted;
    const jobs = this.#lanes.get(lane) ?? [];
    const job = jobs.pop();
    this.#left(lane, jobs);
    this.#note(lane, { refusals: 1 });
    job?.refuse(this.#refusal());
  }

  #isWorse(lane: string, other: string): boolean {
    const [one, two] = [this.#history(lane), this.#history(other)];
    return one.runs > two.runs || (one.runs === two.runs && one.attempts > two.attempts);
  }

  #startNext(): void {
    this.#refuseLate();
    while (this.#running < this.atOnce && this.#waiting > 0) {
      const lane = this.#nextLane();
      const jobs = this.#lanes.get(lane) as Job[];
      const job = jobs.shift();
      // Move the lane behind the others, so that lanes take turns.
      this.#lanes.delete(lane);
      if (jobs.length > 0) this.#lanes.set(lane, jobs);
      this.#waiting--;
      job?.start();
    }
  }

  #nextLane(): string {
    const quietest = this.#quietest();
    // Trusted callers and successful lanes run first. Entering counts as an attempt, so a successful lane has 0
    // attempts.
    if (this.#history(quietest).attempts <= 0) return quietest;
    this.#isRejectedTurn = !this.#isRejectedTurn;
    return (this.#isRejectedTurn && this.#mostRejected()) || quietest;
  }

  #quietest(): string {
    const newestFirst = this.#lanes.size > overloadSize;
    let [fewest, next] = [Number.POSITIVE_INFINITY, trusted];
    for (const lane of this.#lanes.keys()) {
      const { attempts: tries } = this.#history(lane);
      if (tries < fewest || (newestFirst && tries === fewest)) [fewest, next] = [tries, lane];
    }
    return next;
  }

  #mostRejected(): string | undefined {
    let [most, next] = [0, undefined as string | undefined];
    for (const [lane, jobs] of this.#lanes) {
      const { runs, refusals } = this.#history(lane);
      if (runs === 0 && refusals > most && jobs.length === 1) [most, next] = [refusals, lane];
    }
    return next;
  }

  #refuseLate(): void {
    const latest = Date.now() - this.#limits.longestWaitMs;
    for (const [lane, jobs] of this.#lanes) {
      while (jobs[0] && jobs[0].since < latest) {
        const job = jobs.shift();
        this.#left(lane, jobs);
        this.#note(lane, { refusals: 1 });
        job?.refuse(this.#refusal());
      }
    }
  }

  #left(lane: string, jobs: Job[]): void {
    this.#waiting--;
    if (jobs.length === 0) this.#lanes.delete(lane);
  }

  #history(lane: string): LaneHistory {
    return lane === trusted
      ? { ...unknown, attempts: Number.NEGATIVE_INFINITY }
      : (this.#histories.peek(lane) ?? unknown);
  }

  #note(lane: string, more: Partial<LaneHistory>): void {
    const { attempts: tries, runs, refusals } = this.#history(lane);
    this.#remember(lane, {
      attempts: tries + (more.attempts ?? 0),
      runs: runs + (more.runs ?? 0),
      refusals: refusals + (more.refusals ?? 0),
    });
  }

  #remember(lane: string, past: LaneHistory): void {
    if (lane !== trusted) this.#histories.set(lane, past);
  }

  #refusal(): TooMany {
    return new TooMany(this.#busy, 5);
  }
}
