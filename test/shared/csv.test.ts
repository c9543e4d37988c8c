import { expect, it } from 'vitest';
import { csvLine } from '../../src/shared/csv.ts';

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
