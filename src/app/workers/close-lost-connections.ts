import type { ChildProcess } from 'node:child_process';

interface Handle {
  close?(): void;
}

/** A worker that stops takes nothing more. So long, the others are asked. */
const offeredForMs = 100;

/**
 * Node forgets the connection that it was handing to a worker when that died, and the one that the last of them turned
 * down as it stopped: nobody would answer it, nor close it. Closed, whoever called knows, and calls again. Node hands
 * each worker one at a time, and tells by these two ways.
 */
export function closeLostConnections(worker: ChildProcess): void {
  let handed: { seq: number; handle: Handle } | undefined;
  const send = worker.send.bind(worker) as (...args: unknown[]) => boolean;
  worker.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    const { seq } = message as { seq?: number };
    if (seq !== undefined && handle) handed = { seq, handle: handle as Handle };
    return send(message, handle, ...rest);
  };
  worker.on('internalMessage', ({ ack, accepted }: { ack?: number; accepted?: boolean }) => {
    if (!handed || ack !== handed.seq) return;
    const { handle } = handed;
    handed = undefined;
    // Where another took it, it is closed here already, and that is all.
    if (accepted === false) setTimeout(() => handle.close?.(), offeredForMs);
  });
  worker.once('exit', () => handed?.handle.close?.());
}
