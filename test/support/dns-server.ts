import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';

/** The answer for a name. `nothing`: the name exists, and has no such record. `silence`: no answer at all. */
export type Says = 'mx' | 'null mx' | 'nothing' | 'nxdomain' | 'servfail' | 'silence';

export interface SaysOptions {
  /** The answer is not sent before this is over. */
  after?: Promise<unknown>;
  afterMs?: number;
  /** More than fits in a datagram: clients must retry over TCP. */
  large?: boolean;
}

export interface DnsServer {
  /** As `DNS_SERVERS` takes it. */
  address: string;
  /** Sets the response for these names. */
  says(names: string | readonly string[], what: Says, options?: SaysOptions): void;
  /** Sets the response for every name. */
  saysOfAll(what: Says): void;
  /** The number of queries. A retransmitted datagram counts once. */
  asked(name: string): number;
  /** Every name that was ever asked about, in order. */
  questions(): string[];
  stop(): Promise<void>;
}

/** Large mailbox providers, by which the service checks whether a resolver reaches the internet. */
export const probeDomains = ['gmail.com', 'outlook.com', 'icloud.com'];

const rcodes = { mx: 0, 'null mx': 0, nothing: 0, nxdomain: 3, servfail: 2, silence: 0 };
const mxType = 15;
const headerLength = 12;

/** A DNS server for tests, over UDP and TCP. It has the probe domains; other names do not exist unless they are added. */
export async function startDnsServer(): Promise<DnsServer> {
  const known = new Map<string, { what: Says; options: SaysOptions }>();
  let others: Says = 'nxdomain';
  const ids = new Map<string, Set<number>>();
  const order: string[] = [];

  async function answer(query: Buffer, isUdp: boolean): Promise<Buffer | undefined> {
    const { name, type, end } = questionOf(query);
    const id = query.readUInt16BE(0);
    const seen = ids.get(name) ?? new Set();
    if (!seen.has(id)) order.push(name);
    ids.set(name, seen.add(id));
    const { what, options } = known.get(name) ?? { what: others, options: {} };
    if (what === 'silence') return undefined;
    if (options.afterMs !== undefined) await pause(options.afterMs);
    await options.after;
    const records = type === mxType ? recordsOf(what, options.large ?? false) : [];
    const isCut = isUdp && headerLength + Buffer.concat(records).length > 512;
    const header = Buffer.alloc(headerLength);
    header.writeUInt16BE(id, 0);
    // A response, recursion desired and available.
    header.writeUInt16BE(0x8180 | (isCut ? 0x0200 : 0) | rcodes[what], 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(isCut ? 0 : records.length, 6);
    return Buffer.concat([header, query.subarray(headerLength, end), ...(isCut ? [] : records)]);
  }

  const connections = new Set<Socket>();
  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => {});
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const length = received.readUInt16BE(0);
        const query = received.subarray(2, 2 + length);
        received = received.subarray(2 + length);
        void answer(query, false).then((message) => {
          if (!message || socket.destroyed) return;
          const prefix = Buffer.alloc(2);
          prefix.writeUInt16BE(message.length);
          socket.write(Buffer.concat([prefix, message]));
        });
      }
    });
  });
  const udp = createSocket('udp4');
  let stopped = false;
  udp.on('message', (query, from) => {
    void answer(query, true).then((message) => {
      if (message && !stopped) udp.send(message, from.port, from.address);
    });
  });

  // One port for both protocols. The system picks it for the first, and it may be taken for the second.
  await new Promise<void>((done, failed) => tcp.once('error', failed).listen(0, '127.0.0.1', done));
  const { port } = tcp.address() as AddressInfo;
  try {
    await new Promise<void>((done, failed) => udp.once('error', failed).bind(port, '127.0.0.1', done));
  } catch (error) {
    tcp.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return startDnsServer();
    throw error;
  }

  async function stop(): Promise<void> {
    if (stopped) return;
    stopped = true;
    for (const socket of connections) socket.destroy();
    await Promise.all([
      new Promise<void>((done) => udp.close(() => done())),
      new Promise<void>((done) => tcp.close(() => done())),
    ]);
  }
  afterAll(stop);

  const server: DnsServer = {
    address: `127.0.0.1:${port}`,
    says: (names, what, options = {}) => {
      for (const name of [names].flat()) known.set(name, { what, options });
    },
    saysOfAll: (what) => {
      known.clear();
      others = what;
    },
    asked: (name) => ids.get(name)?.size ?? 0,
    questions: () => [...order],
    stop,
  };
  server.says(probeDomains, 'mx');
  return server;
}

/** The first question of a query; its name in small letters, as clients may mix them on purpose. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = headerLength;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordsOf(what: Says, large: boolean): Buffer[] {
  if (what === 'null mx') return [mxRecord(0, '')];
  if (what !== 'mx') return [];
  const count = large ? 40 : 2;
  return Array.from({ length: count }, (_, index) => mxRecord(10 * (index + 1), `mx${index + 1}.mail.example`));
}

function mxRecord(preference: number, exchange: string): Buffer {
  const labels = exchange === '' ? [] : exchange.split('.');
  const name = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]));
  const target = Buffer.concat([...name, Buffer.from([0])]);
  const record = Buffer.alloc(14);
  // The name that was asked about; type MX, class IN, believed for five minutes.
  record.writeUInt16BE(0xc000 | headerLength, 0);
  record.writeUInt16BE(mxType, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(300, 6);
  record.writeUInt16BE(2 + target.length, 10);
  record.writeUInt16BE(preference, 12);
  return Buffer.concat([record, target]);
}
