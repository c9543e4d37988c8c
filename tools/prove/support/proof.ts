/** The options and the result of a proof. */
export interface Terms {
  /** All that chance decides follows from it, as far as the timing of real processes allows. */
  seed: number;
  /** The form for every change, minutes shorter; the long one is for releases. */
  short: boolean;
  say(text: string): void;
  /** Aborts the proof. It cleans up, and its findings do not count. */
  signal: AbortSignal;
}
export interface Verdict {
  /** The counts, in the order of the output. */
  tally: Record<string, number>;
  /** A sentence for each thing that does not hold. */
  wrong: string[];
}
