import { describe, expect, it } from 'vitest';
import { routes } from '../../../src/app/http-app.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { reader } from '../../../src/shared/read.ts';
import { adminToken, testApp } from '../../support/app.ts';

const { app, account } = await testApp();
const { id, token } = await account();

/** Strings that a pattern may take long for. Each is repeated up to the length. */
const worst: Record<string, [repeated: string, end: string]> = {
  digits: ['1', 'x'],
  'digits and a point': ['1', '.x'],
  points: ['1.', 'x'],
  signs: ['+-', ''],
  spaces: [' ', 'x'],
  'spaces and digits': ['1 ', 'x'],
  'blank text': [' \t\r\n', ''],
  commas: [',', ''],
  'commas and digits': ['1,', 'x'],
  dots: ['.', ''],
  'at signs': ['a@', ''],
  'domain labels': ['a.', '@'],
  'an e-mail without an end': ['a@a.', ''],
  brackets: ['[({', ''],
  'a mobile with dashes': ['07-(7). ', 'x'],
  'a long fraction': ['2026-01-01T00:00:00.0', 'Z'],
  dates: ['2026-1-', ''],
  'a time zone': ['Europe/', ''],
  addresses: ['http://a/v1/contact/1', '/purchases'],
  'combining characters in the wrong order': ['a\u0301\u0316', ''],
  'combining characters in a row': ['\u0301', '\u0316'],
  'Hangul jamo': ['\u1112\u1161\u11ab', ''],
  'capital sigmas': ['\u03a3\u0301', ''],
  'astral letters': ['\u{1f600}', ''],
};
const long = ([repeated, end]: [string, string], length: number) =>
  repeated.repeat(Math.ceil(length / repeated.length)).slice(0, length) + end;
const halves = (length: number) => '\u0301'.repeat(length / 2) + '\u0316'.repeat(length / 2);
const strings = (length: number) => [...Object.values(worst).map((one) => long(one, length)), halves(length)];

interface Shape {
  type?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
}
interface Field {
  path: string;
  /** A request with this value in this field. */
  wrap(value: unknown): Record<string, unknown>;
}

/** Every field of a shape, and every place inside a list or an object. */
function fieldsOf(shape: Shape, path = '', wrap: (value: unknown) => unknown = (value) => value): Field[] {
  const own = path === '' ? [] : [{ path, wrap: wrap as Field['wrap'] }];
  const inside = Object.entries(shape.properties ?? {}).flatMap(([name, field]) =>
    fieldsOf(field, path === '' ? name : `${path}.${name}`, (value) => wrap({ [name]: value })),
  );
  const elements = shape.items ? fieldsOf(shape.items, `${path}.0`, (value) => wrap([value])) : [];
  return [...own, ...inside, ...elements];
}

/**
 * CPU time, which does not depend on how busy the machine is: the least of three, so that a garbage collection does not
 * count. A pattern that backtracks needs seconds for 100 kB, and anything linear needs a few milliseconds.
 */
async function cpuMs(most: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) {
    const begin = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(begin);
    least = Math.min(least, (user + system) / 1000);
    // Below the bound, or far above it: there is nothing more to learn.
    if (least <= most || least > 10 * most) break;
  }
  return least;
}
const mostToRead = 100;
const mostToAnswer = 400;

const tested = routes
  .map((operation) => ({ name: `${operation.method} ${operation.path}`, operation, fields: fieldsOf(operation.input) }))
  .filter(({ fields }) => fields.length > 0);

describe('reading 100 kB of text is fast:', () => {
  const texts = strings(100_000);
  it.each(tested)('$name', async ({ operation, fields }) => {
    const read = reader(operation.input);
    for (const { path, wrap } of fields)
      for (const text of texts) {
        const tried = () => {
          try {
            read(wrap(text));
          } catch {
            // Too many errors end the reading.
          }
        };
        expect(await cpuMs(mostToRead, tried), `${path}: ${text.slice(0, 20)}`).toBeLessThan(mostToRead);
      }
  });
});

describe('responding to 100 kB of text is fast:', () => {
  /** Ids that lead nowhere: what is sent is read first. */
  const address = ({ path, access }: Route) =>
    path.replace(/:\w+/g, (name) => (access === 'partner' && name === ':account_id' ? String(id) : '999999999'));
  const send = (operation: Route, how: { payload: object } | { query: Record<string, string> }) =>
    app.inject({
      method: operation.method,
      url: address(operation),
      headers: { authorization: `Bearer ${operation.access === 'partner' ? token : adminToken}` },
      ...how,
    });
  const inBody = strings(100_000);
  // Node takes headers of 16 KiB.
  const inQuery = strings(15_000);

  it.each(tested)('$name', async ({ operation, fields }) => {
    const check = async (what: string, how: Parameters<typeof send>[1]) => {
      const work = async () => expect((await send(operation, how)).statusCode, what).toBeLessThan(500);
      expect(await cpuMs(mostToAnswer, work), what).toBeLessThan(mostToAnswer);
    };
    for (const [place, { path, wrap }] of fields.entries()) {
      // All of them were read above. Here each field gets some of them, so that the test does not take minutes.
      const some = (texts: string[]) => texts.filter((_, n) => n % 8 === place % 8);
      for (const text of some(inBody)) await check(`${path}: ${text.slice(0, 20)}`, { payload: wrap(text) });
      if (path.includes('.')) continue;
      for (const text of some(inQuery))
        await check(`?${path}=${text.slice(0, 20)}`, { query: wrap(text) as Record<string, string> });
    }
  });
});
