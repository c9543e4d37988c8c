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
        socket.write(
          `${method} ${at} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${options.token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      };
      socket.on('connect', ask);
      socket.on('error', failed);
      socket.on('data', (chunk) => {
        received += chunk;
        const head = received.indexOf('\r\n\r\n');
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
        const body = received.slice(head + 4);
        if (Buffer.byteLength(body) < length) return;
        times.push(performance.now() - sent);
        try {
          options.check(n, Number(received.slice(9, 12)), body);
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
