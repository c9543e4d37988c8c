import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '../../../../src/shared/random.ts';

const bomb = Buffer.from(`{"name":"${'a'.repeat(30_000_000)}"}`);
let made: Buffer[] | undefined;

/** A few thousand bytes that decompress to thirty million. */
export function bombs(): Buffer[] {
  made ??= [
    gzipSync(bomb),
    deflateSync(bomb),
    brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  ];
  return made;
}

/** Ways to break a request on the wire, against the rules of HTTP. Each function gets the valid head and body. */
export const breakages: Record<string, (head: string[], body: Buffer, chance: Random) => (string | Buffer)[]> = {
  'the body ends early': (head, body, chance) => [
    join([...without(head, 'content-length'), `content-length: ${body.length + chance.between(1, 1000)}`]),
    body.subarray(0, chance.below(body.length + 1)),
  ],
  'the body is longer than it says': (head, body, chance) => [
    join([...without(head, 'content-length'), `content-length: ${chance.below(body.length + 1)}`]),
    body,
  ],
  'two lengths': (head, body) => [join([...head, `content-length: ${body.length + 1}`]), body],
  'a length and chunks': (head, body) => [join([...head, 'transfer-encoding: chunked']), body],
  'no number as its length': (head, body, chance) => [
    join([
      ...without(head, 'content-length'),
      `content-length: ${chance.pick(['-1', 'x', '1e3', '0x10', '99999999999999999999', '1 1', ''])}`,
    ]),
    body,
  ],
  'a length beyond any limit': (head, body) => [
    join([...without(head, 'content-length'), 'content-length: 9007199254740991']),
    body,
  ],
  'chunks that are none': (head, body, chance) => [
    join([...without(head, 'content-length'), 'transfer-encoding: chunked']),
    chance.pick([
      'zz\r\n',
      '-1\r\n',
      'ffffffffffffffffff\r\n',
      '5\r\nab',
      '0\r\nX: \u0000\r\n\r\n',
      '1;a=b\r\n{\r\n0\r\n\r\n',
      '\r\n\r\n',
      `${body.length.toString(16)}\r\n`,
    ]),
    body,
  ],
  'chunks over the limit': (head) => [
    join([...without(head, 'content-length'), 'transfer-encoding: chunked']),
    ...Array.from({ length: 40 }, () => `8000\r\n${' '.repeat(0x8000)}\r\n`),
    '0\r\n\r\n',
  ],
  'no host': (head, body) => [join(without(head, 'host')), body],
  'two hosts': (head, body) => [join([...head, 'host: evil.example']), body],
  'headers without end': (head) => [join([...head, `x-long: ${'a'.repeat(20_000)}`])],
  'too many headers': (head, body) => [join([...head, ...Array.from({ length: 3000 }, (_, n) => `x${n}: 1`)]), body],
  'a line break in a header': (head, body, chance) => [
    join([
      ...head,
      chance.pick([
        'x-request-id: a\r\n X-Injected: yes',
        'x-request-id: a\rX-Injected: yes',
        'x-request-id: a\nX-Injected: yes',
        'x-a: b\u0000c',
        'x a: b',
        ': b',
        'x-a',
        'x-a\u0000: b',
      ]),
    ]),
    body,
  ],
  'no such version': ([line = '', ...rest], body, chance) => [
    join([
      line.replace(/HTTP.*/, chance.pick(['HTTP/9.9', 'HTTP/0.9', 'HTTP/1.0', 'HTTP/2.0', 'http/1.1', ''])),
      ...rest,
    ]),
    body,
  ],
  'no such method': ([line = '', ...rest], body, chance) => [
    join([
      line.replace(/^\S+/, chance.pick(['get', 'FETCH', 'CONNECT', 'PRI', '\u0000', 'G\u00c9T', 'A'.repeat(2000)])),
      ...rest,
    ]),
    body,
  ],
  'an address that is none': ([line = '', ...rest], body, chance) => [
    join([
      line.replace(
        / \S+ /,
        ` ${chance.pick(['/v1/\u00e9', '/v1/a b', 'v1/contact', '*', '', 'evil.example:443', 'http://', '/v1/\u0000', `/v1/contacts?q=${'a'.repeat(15_000)}`, `/${'a/'.repeat(7000)}`, '/v1/contacts?email=\u00ff', '/v1/<script>', '/v1/contacts#x'])} `,
      ),
      ...rest,
    ]),
    body,
  ],
  'several at once, then rubbish': (head, body) => [join(head), body, join(head), body, 'RUBBISH\r\n\r\n'],
  'another protocol': (_head, _body, chance) => [
    chance.pick([
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      Buffer.from('160301020001000', 'hex'),
      'EHLO x\r\n',
      '\r\n\r\n\r\n',
      '',
      '{"email":"a@gmail.com"}',
      'GET /\r\n',
      Buffer.alloc(3000, 0xff),
    ]),
  ],
};

/** Breakages after which a server waits for more bytes until the client ends the connection. */
export const unfinished = new Set([
  'the body ends early',
  'two lengths',
  'a length and chunks',
  'no number as its length',
  'chunks that are none',
  'a length beyond any limit',
  'another protocol',
]);

const join = (head: string[]) => Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1');
const without = (head: string[], name: string) => head.filter((line) => !line.toLowerCase().startsWith(`${name}:`));
