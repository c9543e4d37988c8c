import { createSocket } from 'node:dgram';
import { type AddressInfo, isIPv4 } from 'node:net';
import { afterAll } from 'vitest';

const types = { A: 1, AAAA: 28 };
const headerLength = 12;

/** A DNS server that gives each name the addresses that `addressesOf` returns. `nth`: counts the questions for A records. */
export async function nameServer(addressesOf: (name: string, nth: number) => string[]) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    if (type === types.A) asked.push(name);
    const nth = asked.filter((one) => one === name).length;
    const records = addressesOf(name, nth).filter((address) => (isIPv4(address) ? types.A : types.AAAA) === type);
    const header = Buffer.alloc(headerLength);
    query.copy(header, 0, 0, 2);
    // A response without an error, with one question.
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const answer = [header, query.subarray(headerLength, end), ...records.map((address) => recordOf(address, type))];
    socket.send(Buffer.concat(answer), from.port, from.address);
  });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  afterAll(() => socket.close());
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, asked };
}

function questionOf(query: Buffer) {
  const labels: string[] = [];
  let at = headerLength;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordOf(address: string, type: number): Buffer {
  const data = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : bytesOf(address);
  const record = Buffer.alloc(12);
  // The name of the question, of class IN, for no time at all.
  record.writeUInt16BE(0xc000 | headerLength, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

/** The bytes of an IPv6 address. */
function bytesOf(address: string): Buffer {
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [first, last] = [groups(before), groups(after)];
  const zeros = after === undefined ? 0 : 8 - first.length - last.length;
  const all = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
