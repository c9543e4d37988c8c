import { type AddressInfo, createServer } from 'node:net';

/*
 * A separate program that receives webhooks and answers each with 204. It reads no more of a request than it must,
 * because it runs on the same cores as the service. A path with `hang` gets no answer.
 */

/** What has arrived since the last report. */
export interface Received {
  /** Requests by path. */
  requests: Record<string, number>;
  /** The milliseconds from the timestamp of each event to its arrival. */
  delays: number[];
}

let received: Received = { requests: {}, delays: [] };
const endOfHead = Buffer.from('\r\n\r\n');
const answer = 'HTTP/1.1 204 No Content\r\n\r\n';
const timestamp = '"timestamp":"';

const server = createServer({ noDelay: true }, (socket) => {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const end = pending.indexOf(endOfHead);
      if (end < 0) return;
      const head = pending.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const next = end + endOfHead.length + length;
      if (pending.length < next) return;
      // The timestamp is at the start of the body.
      const body = pending.toString('latin1', end + endOfHead.length, Math.min(next, end + 200));
      pending = pending.subarray(next);
      const path = head.slice('POST '.length, head.indexOf(' HTTP/'));
      if (path.includes('hang')) continue;
      note(path, body);
      socket.write(answer);
    }
  });
});

function note(path: string, body: string): void {
  received.requests[path] = (received.requests[path] ?? 0) + 1;
  const from = body.indexOf(timestamp) + timestamp.length;
  received.delays.push(Date.now() - Date.parse(body.slice(from, body.indexOf('"', from))));
}

process.on('message', () => {
  process.send?.(received);
  received = { requests: {}, delays: [] };
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
