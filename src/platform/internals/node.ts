import type { ChildProcess } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf } from '../../shared/errors.ts';
import { propertiesOf } from '../../shared/record.ts';

/** The response that Node is sending on a connection. Node has no public name for it. */
export function currentResponse(socket: Socket): ServerResponse | null | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;
}

/** The position in the text at which JSON.parse failed. Only the message of the error contains it. */
export function jsonErrorPosition(error: unknown): number | undefined {
  const position = /position (\d+)/.exec(messageOf(error))?.[1];
  return position === undefined ? undefined : Number(position);
}

interface Handle {
  close?(): void;
}

/** A stopping worker rejects connections. Node offers a rejected connection to the other workers for this long. */
const offeredForMs = 100;

/**
 * The primary process hands each connection to a worker, one at a time: it sends a message with `seq` and the handle, and
 * the worker replies with an internal message with `ack`. Node leaks the connection if the worker dies before the reply,
 * or if the last worker rejects it while stopping. The client would wait forever. This closes such connections, so the
 * client can connect again.
 */
export function closeLostConnections(worker: ChildProcess): void {
  let handed: { seq: number; handle: Handle } | undefined;
  const send = worker.send.bind(worker) as (...args: unknown[]) => boolean;
  worker.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    const { seq } = propertiesOf(message);
    if (typeof seq === 'number' && handle) handed = { seq, handle: handle as Handle };
    return send(message, handle, ...rest);
  };
  worker.on('internalMessage', ({ ack, accepted }: { ack?: number; accepted?: boolean }) => {
    if (!handed || ack !== handed.seq) return;
    const { handle } = handed;
    handed = undefined;
    // If another worker accepted it meanwhile, the handle is closed here already, and close() has no effect.
    if (accepted === false) setTimeout(() => handle.close?.(), offeredForMs);
  });
  worker.once('exit', () => handed?.handle.close?.());
}
