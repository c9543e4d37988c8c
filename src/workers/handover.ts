import type { ChildProcess } from 'node:child_process';

interface Handle {
  close?(): void;
}

/**
 * Node forgets the connection that it was handing to a worker when that died: nobody would answer it, nor close it.
 * Closed, whoever called knows, and calls again. Node hands each worker one at a time, and tells by these two ways.
 */
export function closeWhatDiesWith(worker: ChildProcess): void {
  let handed: { seq: number; handle: Handle } | undefined;
  const send = worker.send.bind(worker) as (...args: unknown[]) => boolean;
  worker.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    const { seq } = message as { seq?: number };
    if (seq !== undefined && handle) handed = { seq, handle: handle as Handle };
    return send(message, handle, ...rest);
  };
  worker.on('internalMessage', ({ ack }: { ack?: number }) => {
    if (ack === handed?.seq) handed = undefined;
  });
  worker.once('exit', () => handed?.handle.close?.());
}
