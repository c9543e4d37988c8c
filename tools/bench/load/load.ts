import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { answerIn } from './response.ts';
import { percentile } from './statistics.ts';

type Headers = Record<string, string>;

/** The requests and the checks of their responses. */
export interface Ask {
  method?: 'GET' | 'POST' | 'PATCH';
  path: string | ((n: number) => string);
  headers: Headers | ((n: number) => Headers);
  /** The nth request's body. */
  body?(n: number): string;
  /** Throws if the response to the nth request is wrong. Every response is checked. */
  check(n: number, status: number, body: string): void;
}

export interface Load extends Ask {
  url: string;
  connections: number;
  /** The duration, or the number of requests. */
  seconds?: number;
  requests?: number;
  /** Requests begin at this rate, as far as connections are free. Unset: without pauses. */
  perSecond?: number;
  /** The first `n`. */
  from?: number;
  /** The number of requests that are built before the measurement, because the client shares the cores. */
  ahead?: number;
}

export interface Measured {
  requests: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** The last response. */
  answer: string;
}

/** The timeout of a response. */
const timeoutMs = 60_000;

/** Keeps the connections busy, each with one request at a time, and measures every response. */
export async function load(options: Load): Promise<Measured> {
  const { hostname, port } = new URL(options.url);
  const { seconds = Infinity, requests = Infinity, perSecond = Infinity, from = 0, check } = options;
  const write = writer(options);
  const ahead = Number.isFinite(requests) ? requests : (options.ahead ?? 0);
  const made = Array.from({ length: ahead }, (_, place) => write(from + place));
  const sockets = await Promise.all(
    Array.from({ length: options.connections }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay(true);
      await once(socket, 'connect');
      return socket;
    }),
  );

  const times: number[] = [];
  let next = 0;
  let last: Buffer = Buffer.alloc(0);
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const client = (socket: Socket) =>
    new Promise<void>((done, failed) => {
      let pending: Buffer | undefined;
      let [sent, n] = [0, 0];
      const ask = () => {
        if (next >= requests || performance.now() >= end) {
          done();
          return;
        }
        const dueIn = begin + (next * 1000) / perSecond - performance.now();
        const request = made[next] ?? write(from + next);
        n = from + next++;
        if (dueIn > 0) setTimeout(() => send(request), dueIn);
        else send(request);
      };
      const send = (request: Buffer) => {
        sent = performance.now();
        socket.write(request);
      };
      socket.on('error', failed);
      socket.on('close', () => failed(new Error(`The connection was closed before request ${n} was answered.`)));
      socket.on('data', (chunk) => {
        pending = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
        try {
          const answer = answerIn(pending);
          if (answer === undefined) return;
          times.push(performance.now() - sent);
          last = answer.body;
          check(n, answer.status, answer.body.toString());
        } catch (error) {
          failed(error);
          return;
        }
        pending = undefined;
        ask();
      });
      ask();
    });
  const silence = watch(() => times.length);
  try {
    await Promise.race([Promise.all(sockets.map(client)), silence.broken]);
  } finally {
    silence.end();
    for (const socket of sockets) socket.destroy();
  }
  const took = (performance.now() - begin) / 1000;
  const sorted = Float64Array.from(times).sort();
  return {
    requests: times.length,
    perSecond: times.length / took,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    answer: last.toString(),
  };
}

/** Serialises a request. The constant part is built once. */
function writer({ url, method = 'POST', path, headers, body }: Load): (n: number) => Buffer {
  const { host } = new URL(url);
  const usual: Headers = body ? { host, 'content-type': 'application/json' } : { host };
  const headOf = (of: Headers) => {
    const sent = Object.fromEntries(Object.entries(of).map(([name, value]) => [name.toLowerCase(), value]));
    const all = Object.entries({ ...usual, ...sent }).map(([name, value]) => `${name}: ${value}\r\n`);
    return ` HTTP/1.1\r\n${all.join('')}`;
  };
  const always = typeof headers === 'function' ? undefined : headOf(headers);
  return (n) => {
    const at = typeof path === 'string' ? path : path(n);
    const head = always ?? headOf((headers as (n: number) => Headers)(n));
    if (body === undefined) return Buffer.from(`${method} ${at}${head}\r\n`);
    const text = body(n);
    return Buffer.from(`${method} ${at}${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
}

/** Fails if the benchmark hangs. */
function watch(progress: () => number): { broken: Promise<never>; end(): void } {
  let [last, since] = [progress(), performance.now()];
  let timer: NodeJS.Timeout | undefined;
  const broken = new Promise<never>((_, failed) => {
    timer = setInterval(() => {
      const now = progress();
      if (now !== last) [last, since] = [now, performance.now()];
      else if (performance.now() - since > timeoutMs)
        failed(new Error(`No answer came for ${timeoutMs / 1000} seconds.`));
    }, 1000);
  });
  return { broken, end: () => clearInterval(timer) };
}

/** The basic check: status 200, and these texts in the body. */
export function expectAnswer(status: number, body: string, ...parts: string[]): void {
  if (status !== 200 || !parts.every((part) => body.includes(part)))
    throw new Error(
      `Expected 200 with ${parts.join(' and ').slice(0, 500)}; what came was ${status}: ${body.slice(0, 500)}`,
    );
}
