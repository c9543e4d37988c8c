import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '../../../src/shared/random.ts';

/** JSON text that no value of ours would become. */
export class Literal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const marks = {
  sql: [
    `'; drop table contacts; --`,
    `' or '1'='1`,
    `1; select pg_sleep(30)`,
    `$1`,
    `\\'; truncate accounts cascade; --`,
    `%' union select password_hash from users --`,
    `{1,2,"`,
    `E'\\x00'`,
  ],
  headers: [
    'a\r\nX-Injected: yes',
    'a\nSet-Cookie: regulars_session=x',
    '%0d%0aX-Injected:%20yes',
    '\u560d\u560aX-Injected: yes',
  ],
  paths: ['../../../etc/passwd', '..%2f..%2fetc%2fpasswd', '/dev/zero', 'file:///etc/passwd', 'C:\\nul', '.', '..'],
  markup: ['<script>alert(1)</script>', '{{7*7}}', '#{7*7}', '%s%n%p', '=cmd|"/c calc"!A1', '"', '\\', '\\u0000'],
  prototypes: [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'then',
    '__defineGetter__',
    'length',
  ],
  unicode: [
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udc00x',
    '\ud83d',
    '\ufeffname',
    '\ufffe',
    '\uffff',
    '\u202eevil\u202c',
    '\u200b\u200c\u200d\u2060',
    '\u2028\u2029',
    '\u0085\u00a0',
    '\u001b[31m\u0007\u007f',
    `e${'\u0301'.repeat(500)}`,
    '\u00e9 e\u0301',
    '\u0130I\u0131i',
    '\u00df\u1e9e\ufb03',
    '\u03a3\u03c3\u03c2',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}',
    '\u{10ffff}\u{e0001}',
    '\uff21\uff22\uff23\uff11\uff12',
    '\u0661\u0662\u0663',
    '\ufdfa'.repeat(20),
    // Capitals that one library knows and another does not yet.
    '\u{10d50}\ua7cb\ua7da\ua7dc\u1c89\u{16ea0}',
  ],
  empties: ['', ' ', '\t\n', 'null', 'undefined', 'NaN', 'true', 'false', '0', '-0', '[]', '{}', '[object Object]'],
};

const shortTexts = Object.values(marks).flat();

const numbers = [
  ...['1e400', '-1e400', '1e308', '-1e308', '5e-324', '1e-400', '-0', '-0.0', '0.1', '1.005', '0.30000000000000004'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '9223372036854775807'],
  ...[
    '9223372036854775808',
    '18446744073709551616',
    '2147483647',
    '2147483648',
    '-2147483648',
    '-2147483649',
    '4294967296',
  ],
  ...[
    '-1',
    '0',
    '1',
    '10000',
    '99999999999',
    '99999999999.994',
    '99999999999.999',
    '999999999.9999',
    '1E+2',
    '123456789012345678901234567890',
  ],
];

/** What is no JSON at all. */
const notJson = [
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  '01',
  '+1',
  '.5',
  '1.',
  '0x10',
  '1_000',
  "'x'",
  'tru',
  '"\\x"',
  '"\u0001"',
  '"\\ud8"',
  '[1,]',
  '{"a":1,}',
  '{a:1}',
  '/**/1',
  '',
];

/** By what a field is said to be: what looks right, and is at the edge or beyond it. */
const byFormat: Record<string, readonly string[]> = {
  'wall-clock': [
    ...[
      '0001-01-01 00:00:00',
      '9999-12-31 23:59:59',
      '0000-00-00 00:00:00',
      '2026-02-29 12:00:00',
      '2024-02-29 12:00:00',
    ],
    ...[
      '2026-03-29 01:30:00',
      '2026-10-25 01:30:00',
      '2026-06-30 23:59:60',
      '2026-01-01 24:00:00',
      '2026-01-01T00:00:00+14:00',
    ],
    ...[
      '0001-01-01T00:00:00+14:00',
      '9999-12-31T23:59:59-12:00',
      '0001-01-02T12:00:00Z',
      '9999-12-30T12:00:00Z',
      '-0001-01-01 00:00:00',
    ],
    ...[
      '10000-01-01 00:00:00',
      'infinity',
      'now',
      'epoch',
      '2026-1-1 1:01',
      '2026-03-01 12:30:00.999999999',
      '4713-01-01 BC',
      '2026-03-01 12:30:00 BC',
    ],
  ],
  date: [
    '0001-01-01',
    '9999-12-31',
    '0000-01-01',
    '2026-02-30',
    '2026-2-3',
    'infinity',
    'today',
    '10000-01-01',
    '9999-12-30',
    '0001-01-02',
    '99999-1-1',
  ],
  email: [
    ...[
      '@',
      'a@b',
      'a@b.',
      'a@.b',
      'a b@gmail.com',
      'a@b@gmail.com',
      '"a"@gmail.com',
      'a@gmail.com\u0000',
      "o'hara@gmail.com",
      'a@GMAIL.com',
    ],
    ...[
      '\u0130@gmail.com',
      '\u212a@gmail.com',
      '\u{10d50}@gmail.com',
      '\ua7dc@gmail.com',
      '\u1c89@gmail.com',
      'a@xn--.com',
      'a@[127.0.0.1]',
      'a@\u200bgmail.com',
      'a\u0301@gmail.com',
    ],
    `${'a'.repeat(240)}@gmail.com`,
    `a@${'b.'.repeat(120)}com`,
    `${'\u{1f600}'.repeat(120)}@gmail.com`,
  ],
  mobile: [
    '07700900123',
    '+44 (0)7700 900123',
    '0044 7700 900 123',
    '447700900123',
    '07\u00a0700\u2011900\u200b123',
    '07000000000',
    '4477009001234567',
    '\u0660\u0667\u0667',
    '07700 900123 ext 4',
    `07${'1'.repeat(13)}`,
  ],
  'time-zone': [
    ...[
      'Europe/London',
      'europe/london',
      'UTC',
      'utc',
      'GMT+5',
      '+01:00',
      'BST',
      'EST',
      'PST8PDT',
      'Etc/GMT+12',
      'Etc/Unknown',
      'Factory',
      'Asia/Kathmandu',
    ],
    ...[
      'America/Coyhaique',
      'Pacific/Kanton',
      'Europe/Kyiv',
      'SystemV/PST8',
      'US/Pacific-New',
      'posix/UTC',
      'localtime',
      'Asia/Hanoi',
      'IST',
      'ACT',
      'Pacific/Kiritimati',
      'Antarctica/Troll',
    ],
  ],
  password: [
    'short',
    '        ',
    '\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000',
    '\ud800\ud800\ud800\ud800\ud800\ud800\ud800\ud800',
    'p'.repeat(100_000),
    '\u{1f511}'.repeat(8),
  ],
  gender: ['M', 'f', '', 'X', 'MF', '\uff2d'],
};
byFormat['date-time'] = byFormat['wall-clock'] ?? [];
byFormat['birth-date'] = byFormat.date ?? [];

/** One text that is unpleasant. Some are long, and some of these do not compress: an index takes less of them. */
export function nastyText(chance: Random, format?: string): string {
  const fitting = format === undefined ? undefined : byFormat[format];
  if (fitting && chance.percent(50)) return chance.pick(fitting);
  if (chance.percent(80)) return chance.pick(shortTexts);
  return longText(chance);
}

function longText(chance: Random): string {
  const length = chance.pick([255, 255, 256, 500, 501, 1000, 3000, 10_000, 10_001, 70_000]);
  const letter = chance.pick(['a', '\u00e9', '\u{1f600}', ' x', '\u0130', "'", '\\', ',', '-', '.']);
  if (chance.percent(50)) return letter.repeat(length);
  return Array.from({ length }, () =>
    String.fromCodePoint(chance.pick([0x21, 0x430, 0x4e00, 0x20000]) + chance.below(80)),
  ).join('');
}

/** One value that is unpleasant, of any type. */
export function nastyValue(chance: Random, format?: string): unknown {
  switch (chance.below(10)) {
    case 0:
      return chance.pick([null, true, false, [], {}, [[]], [null], [{}], [[[[]]]], { id: 1 }]);
    case 1:
    case 2:
      return new Literal(chance.pick(numbers));
    case 3:
      return chance.pick(numbers);
    case 4:
      return chance.once(4) ? new Literal(chance.pick(notJson)) : nastyObject(chance);
    case 5:
      return nastyList(chance);
    default:
      return nastyText(chance, format);
  }
}

function nastyObject(chance: Random): unknown {
  const name = chance.pick(marks.prototypes);
  return new Literal(`{${JSON.stringify(name)}:${JSON.stringify(nastyText(chance))},"x":{"__proto__":{"admin":true}}}`);
}

function nastyList(chance: Random): unknown {
  if (chance.once(6)) return deep(chance.pick([10, 100, 1000, 10_000, 100_000]), chance.once(2));
  const count = chance.once(20) ? 10_000 : chance.below(5);
  const value = nastyText(chance).slice(0, 20);
  return new Literal(JSON.stringify(Array(count).fill(value)));
}

export function deep(levels: number, asLists: boolean): Literal {
  const [open, close] = asLists ? ['[', ']'] : ['{"a":', '}'];
  return new Literal(`${open.repeat(levels)}1${close.repeat(levels)}`);
}

/** A name that nobody has for a field. */
export function nastyName(chance: Random): string {
  return chance.once(2) ? chance.pick(marks.prototypes) : nastyText(chance).slice(0, 300);
}

/** One piece of a path, as it travels. */
export function nastyPiece(chance: Random): string {
  const encode = (text: string) => encodeURIComponent(text.isWellFormed() ? text : '\ufffd');
  switch (chance.below(4)) {
    case 0:
      return chance.pick([
        '',
        '%',
        '%zz',
        '%00',
        '%2F',
        '%2e%2e',
        '%E0%A4%A',
        '%ff',
        '%c0%af',
        '..',
        '.',
        '1;a=b',
        '1%20',
        '+1',
        '01',
        '1.0',
        '0x1',
        '1e3',
        '*',
        ':id',
        '{id}',
        '%0d%0aX-Injected:%20yes',
      ]);
    case 1:
      return encode(chance.pick(numbers));
    case 2:
      return chance.pick([
        '0',
        '1',
        '2',
        '-1',
        '999999999999999',
        '9999999999999999',
        '00000000000000001',
        '1'.repeat(101),
        'a'.repeat(5000),
      ]);
    default:
      return encode(nastyText(chance).slice(0, 200));
  }
}

/** Of one header, by its name. Latin letters beyond ASCII are bytes there. */
export const nastyHeaders: Record<string, readonly string[]> = {
  'content-type': [
    ...[
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      '',
    ],
    ...[
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
      'application/json;;;',
      'application/jsonx',
      'json',
      '*/*',
      ';',
      'text/json',
      'application/ld+json',
      'APPLICATION/JSON',
    ],
    `application/json; ${'a=b; '.repeat(1000)}`,
    `application/${'a'.repeat(5000)}`,
  ],
  'content-encoding': ['gzip', 'deflate', 'br', 'identity', 'zstd', 'gzip, gzip, br', 'x', ''],
  'idempotency-key': [
    '',
    ' ',
    'a b',
    '\u00e9',
    'x'.repeat(255),
    'x'.repeat(256),
    `'; drop table idempotency_records; --`,
    '__proto__',
    'same',
    'same',
    'a\tb',
  ],
  authorization: [
    ...[
      '',
      'Bearer',
      'Bearer ',
      'Bearer x',
      'bearer\tx',
      'Basic',
      'Basic !!!',
      'Basic Og==',
      'Basic AAAA',
      'Digest username="x"',
      'Bearer regulars_pat_',
      'Bearer regulars_pat_1_x',
      'Bearer \u00e9',
    ],
    'Bearer regulars_pat_99999999999999999999_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'Bearer regulars_pat_-1_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    `Bearer ${'a'.repeat(8000)}`,
    `Basic ${Buffer.from('a\u0000b@gmail.com:x').toString('base64')}`,
    `Basic ${Buffer.from([0xff, 0xfe, 0x3a, 0x80]).toString('base64')}`,
  ],
  authentication: ['Bearer x', ''],
  cookie: [
    'regulars_session=',
    'regulars_session=x',
    '=',
    ';;;',
    'regulars_session',
    `regulars_session=${'a'.repeat(4000)}`,
    '__proto__=x; regulars_session=\u00e9',
    'regulars_session=%00',
  ],
  accept: [
    'text/csv',
    'application/x-ndjson',
    'text/html',
    '*/*',
    '',
    'a'.repeat(3000),
    'application/x-ndjson, text/csv',
  ],
  'accept-encoding': ['gzip, br', 'identity;q=0', '*;q=0'],
  'x-request-id': ['', 'a b', 'x'.repeat(129), '\u00e9', '{"a":1}', `'; drop table request_log; --`, '../../x', '=cmd'],
  'x-forwarded-for': [
    '',
    'unknown',
    '::1',
    '::ffff:1.2.3.4',
    '1.2.3.4, 5.6.7.8',
    'a'.repeat(3000),
    "'; drop table sessions; --",
    ':::::',
    '1'.repeat(40),
  ],
  'x-forwarded-proto': ['javascript', 'https,http', ''],
  'x-forwarded-host': ['evil.example', 'a b', ''],
  host: ['', 'evil.example', 'a:b:c', '[::1', '127.0.0.1:99999', 'x'.repeat(2000), 'a/b?c#d', '\u00e9'],
  origin: ['null', 'https://evil.example', 'not a url', ''],
  'sec-fetch-site': ['cross-site', 'none', ''],
  'user-agent': ['', 'x'.repeat(5000), '\u00e9\u00ff', `'; drop table sessions; --`],
  expect: ['100-continue', 'nonsense'],
  upgrade: ['websocket', 'h2c'],
  range: ['bytes=0-0', 'bytes=-1'],
  'if-none-match': ['*'],
  'x-http-method-override': ['DELETE'],
  'transfer-encoding': ['gzip', 'identity'],
};

export const methods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'LOCK',
];

export const strangeTargets = [
  ...[
    '/',
    '//',
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/contact/',
    '/v1//contact',
    '/V1/contact',
    '/v1/contact%2f1',
    '/v1/../admin/v1/accounts',
    '/admin',
    '/admin/v1',
    '/admin/v1/nothing',
  ],
  ...[
    '/%',
    '/%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/assets/../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/docs/../main.js',
    '/openapi.json',
    '/docs',
    '/?a=b',
    '/v1/contacts?email=%',
    '/v1/contacts?%=%&=&&&',
    '*',
  ],
];

const bomb = Buffer.from(`{"name":"${'a'.repeat(30_000_000)}"}`);
let made: Buffer[] | undefined;

/** A few thousand bytes that become thirty million. */
export function bombs(): Buffer[] {
  made ??= [
    gzipSync(bomb),
    deflateSync(bomb),
    brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  ];
  return made;
}

/** Ways to spoil a request on the wire, beyond what HTTP allows. Each is given what would have been right. */
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

/** Of these a server waits for the rest, until it is told that none comes. */
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
