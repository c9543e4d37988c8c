/** The options and the result of a proof. */
export interface ProofOptions {
  /** The seed of all random choices. The timing of real processes still varies. */
  seed: number;
  /** The short form, for every change. The long form takes minutes more and is for releases. */
  short: boolean;
  /** The folder of PostgreSQL programs with Citus, for a distributed PostgreSQL. Undefined: a single server. */
  citus: string | undefined;
  say(text: string): void;
  /** Aborts the proof. It cleans up, and its findings do not count. */
  signal: AbortSignal;
}
export interface Verdict {
  /** The counts, in the order of the output. */
  tally: Record<string, number>;
  /** One sentence per failed check. */
  wrong: string[];
}
