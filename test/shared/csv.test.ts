import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { csvFile, csvLine } from '../../src/shared/csv.ts';

it.each<[unknown, string]>([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['a\nb', '"a\nb"'],
  ['a\rb', '"a\rb"'],
  ['=1+1', "'=1+1"],
  ['@x', "'@x"],
  ['\tx', "'\tx"],
  ['=1,"2"', '"\'=1,""2"""'],
  ['+447700900000', '+447700900000'],
  ['-1.5', '-1.5'],
  [-5, '-5'],
  [true, 'true'],
  [null, ''],
  [undefined, ''],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
])('writes %j as a CSV value', (value, text) => {
  expect(csvLine([value, 'end'])).toBe(`${text},end\r\n`);
});

it('asks for the next rows of a file before it makes the lines of these', async () => {
  const events: string[] = [];
  const file = await csvFile(['id'], async ({ after }) => {
    // As a statement that is sent when a connection was taken.
    await new Promise((done) => process.nextTick(done));
    events.push(`read after ${after}`);
    await setImmediate();
    const text = () => {
      events.push(`make ${after + 1}`);
      return csvLine([after + 1]);
    };
    return after < 2 ? { text, count: 1, lastId: after + 1 } : undefined;
  });
  let text = '';
  for await (const part of file) text += part;
  expect(text).toBe('id\r\n1\r\n2\r\n');
  expect(events).toEqual(['read after 0', 'read after 1', 'make 1', 'read after 2', 'make 2']);
});

it('waits for the rows that are being read if the reader of a file leaves', async () => {
  const events: string[] = [];
  const file = await csvFile(['id'], async ({ after }) => {
    events.push(`read after ${after}`);
    await setImmediate();
    await setImmediate();
    events.push('end');
    return { text: () => csvLine([after + 1]), count: 1, lastId: after + 1 };
  });
  await file.next();
  await file.next();
  await file.return(undefined);
  expect(events).toEqual(['read after 0', 'end', 'read after 1', 'end']);
});
