import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { currentResponse } from '../internals/node.ts';

/** Requests that are still running this long after the start of a shutdown are cut off. */
const shutdownTimeoutMs = 5000;
/** How often a shutdown looks for idle connections. */
const closeIdleEveryMs = 20;

/** Returns a function for the shutdown: it closes idle connections at once, and the others after their responses. */
export function trackConnections(server: Server, readTimeoutMs: number): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  const watching = dropSlowReaders(server, open, readTimeoutMs);
  return () => {
    clearInterval(watching);
    for (const socket of open) {
      // Node does not count a connection without any request as idle.
      if (socket.bytesRead === 0) socket.destroy();
      // The client must not send another request on this connection.
      const response = currentResponse(socket);
      if (response && !response.headersSent) response.setHeader('connection', 'close');
    }
    const closing = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
    server.closeIdleConnections();
    server.once('close', () => clearInterval(closing));
    setTimeout(() => server.closeAllConnections(), shutdownTimeoutMs).unref();
  };
}

/** Looks for slow readers from time to time, at no cost per request. Node's own timeout checks whether a write progresses. */
function dropSlowReaders(server: Server, open: Set<Socket>, readTimeoutMs: number): NodeJS.Timeout {
  server.on('timeout', (socket) => {
    // A long request without output is not the fault of its client.
    if (socket.writableLength > 0 || !currentResponse(socket)) socket.destroy();
    else socket.setTimeout(0);
  });
  return setInterval(() => {
    for (const socket of open) if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(readTimeoutMs);
  }, readTimeoutMs).unref();
}
