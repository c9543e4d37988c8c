import type { Socket } from 'node:net';
import type pg from 'pg';

/**
 * Sends the statements of one turn of the event loop in one write to the socket. A system call per statement would cost
 * more than the statement. The driver does not expose its socket.
 */
export function sendTogether(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * The process id that was announced when the client connected. PostgreSQL announces the id of its backend. A pooler
 * announces a number of its own, because it assigns backends later.
 */
export function announcedPid(client: pg.ClientBase): number {
  return (client as unknown as { processID: number }).processID;
}

/** The driver's own errors have no code, only these messages. */
const connectionErrors =
  /^(Connection terminated|Query read timeout|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Client was closed)/;

/** Whether an error without a code is a connection error of the driver. */
export function isConnectionError({ message }: Error): boolean {
  return connectionErrors.test(message);
}
