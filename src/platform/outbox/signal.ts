/*
 * Tells the sender in this process that a writer appends events. It is only a hint, given before the commit: without it,
 * the sender finds the events at its next look.
 */

type Listener = (accountId: number) => void;

const listeners = new Set<Listener>();

/** Returns a function that ends the listening. */
export function onAppended(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function signalAppended(accountId: number): void {
  for (const listener of listeners) listener(accountId);
}
