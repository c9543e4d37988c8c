import { connect, type Socket } from 'node:net';

export interface Load {
  url: string;
  method?: 'GET' | 'POST';
  path: string | ((n: number) => string);
  token: string;
  connections: number;
  /** Until so much time has passed, or so many were asked. */
  seconds?: number;
  requests?: number;
  /** The nth request's body. */
  body?(n: number): string;
  /** Throws when the answer to the nth request is wrong: speed counts only with every answer checked. */
  check(n: number, status: number, body: string): void;
}

export interface Measured {
  requests: number;
  perSecond: number;
  p50: number;
  p99: number;
}

/** Keeps so many connections busy, each with one request at a time, and times every answer. Bounded by its seconds or requests. */
export async function load(options: Load): Promise<Measured> {
  const { hostname, port } = new URL(options.url);
  const { method = 'POST', path, body: bodyOf = () => '', seconds = Infinity, requests = Infinity } = options;
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let next = 0;

  const head = `Host: ${hostname}\r\nAuthorization: Bearer ${options.token}\r\nContent-Type: application/json\r\nContent-Length: `;

  const client = () =>
    new Promise<void>((done, failed) => {
      const socket: Socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      let received = '';
      let sent = 0;
      let n = 0;
      const ask = () => {
        if (performance.now() >= end || next >= requests) {
          socket.end();
          done();
          return;
        }
        n = next++;
        const body = bodyOf(n);
        const at = typeof path === 'string' ? path : path(n);
        sent = performance.now();
        socket.write(`${method} ${at} HTTP/1.1\r\n${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
      };
      socket.on('connect', ask);
      socket.on('error', failed);
      socket.on('data', (chunk) => {
        // A character a byte, so that a length in bytes is one in characters.
        received += chunk.toString('latin1');
        const body = bodyIn(received);
        if (body === undefined) return;
        times.push(performance.now() - sent);
        try {
          options.check(n, Number(received.slice(9, 12)), Buffer.from(body, 'latin1').toString());
        } catch (error) {
          socket.destroy();
          failed(error);
          return;
        }
        received = '';
        ask();
      });
    });
  await Promise.all(Array.from({ length: options.connections }, client));
  const took = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { requests: times.length, perSecond: times.length / took, p50: at(0.5), p99: at(0.99) };
}

/** Undefined: there is more to come. */
function bodyIn(received: string): string | undefined {
  const head = received.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = received.indexOf('ontent-length: ');
  const body = received.slice(head + 4);
  return body.length < Number.parseInt(received.slice(length + 15, length + 25), 10) ? undefined : body;
}
