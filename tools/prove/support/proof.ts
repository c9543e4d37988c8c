/** What a proof is told, and what it found. */
export interface Terms {
  /** All that chance decides follows from it, as far as the timing of real processes allows. */
  seed: number;
  /** The form for every change, minutes shorter; the long one is for releases. */
  short: boolean;
  say(text: string): void;
  /** Somebody wants it to end: it cleans up behind itself, and what it has found so far does not count. */
  signal: AbortSignal;
}
export interface Verdict {
  /** What was counted, in the order in which it is shown. */
  tally: Record<string, number>;
  /** A sentence for each thing that does not hold. */
  wrong: string[];
}
