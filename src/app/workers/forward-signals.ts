import { onAppended } from '../../platform/outbox/signal.ts';

/** Signals of this time go together. */
const collectMs = 5;

/** Tells the sender in the main process which accounts append events. Returns a function that ends this. */
export function forwardSignals(send: (accountIds: number[]) => void): () => void {
  const accountIds = new Set<number>();
  let timer: NodeJS.Timeout | undefined;
  const end = onAppended((accountId) => {
    accountIds.add(accountId);
    timer ??= setTimeout(() => {
      timer = undefined;
      send([...accountIds]);
      accountIds.clear();
    }, collectMs);
  });
  return () => {
    clearTimeout(timer);
    end();
  };
}
