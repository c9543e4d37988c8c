import type { Socket } from 'node:net';
import { currentResponse } from '../internals/node.ts';

export const jsonType = 'application/json; charset=utf-8';
export const errorBody = (message: string) => JSON.stringify({ errors: [{ message }] });

const responses: Record<string, [status: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time. Send it again.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large: 16 KiB is the most.'],
};

/** Connections that received data that is not HTTP. */
const rejected = new WeakSet<Socket>();
/** How long a client may take to read the response and to disconnect. */
const closeTimeoutMs = 5000;

/** Responds to data that is not HTTP with a 400 in the usual shape, and closes the connection. */
export function rejectInvalidHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // Further data on this connection is ignored.
  if (rejected.has(socket)) return;
  rejected.add(socket);
  socket.pause();
  rejectInOrder(error.code, socket);
}

/** Earlier requests on the connection are complete. Their responses go first, so that the client does not mistake the 400 for one. */
function rejectInOrder(code: string | undefined, socket: Socket): void {
  const earlier = currentResponse(socket);
  if (earlier?.req.complete) earlier.once('close', () => rejectInOrder(code, socket));
  else respondAndClose(code, socket.resume());
}

function respondAndClose(code: string | undefined, socket: Socket): void {
  if (!socket.writable) return;
  socket.setTimeout(closeTimeoutMs, () => socket.destroy());
  const [status, message] = responses[code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.'];
  const body = errorBody(message);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: ${jsonType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
