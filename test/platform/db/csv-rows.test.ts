import { expect, it } from 'vitest';
import { csvRow, flagCell, textCell, timeCell } from '../../../src/platform/db/csv-rows.ts';
import { join, type Sql, sql } from '../../../src/platform/db/sql.ts';
import { csvLine, csvLines } from '../../../src/shared/csv.ts';
import { testApp } from '../../support/app.ts';

const { db } = await testApp();

const written = (...rows: Sql[][]) =>
  db.transaction(async (tx) => {
    const lines = rows.map((cells, n) => sql`select ${n}::integer as n, ${csvRow(cells)} as line`);
    const [row] = await tx<{ text: string }>`
      select string_agg(line, '' order by n) as text from (${join(lines, ' union all ')}) as made`;
    return csvLines(row?.text ?? '');
  });

const texts = [
  ...[
    'plain',
    'a,b',
    'a"b',
    'a\nb',
    'a\rb',
    '\r',
    '=1+1',
    '+1 (2)',
    '-x',
    '@x',
    '\tx',
    '=1,"2"',
    '+447700900000',
    '-1.5',
  ],
  ...['', ' ', "'", 'Zoë 🎉', '\u001d', 'x\u0085y'],
];

it.each(texts)('makes the same line of %j as the service', async (value) => {
  const text = textCell(sql`${value}::text`);
  expect(await written([text, text], [sql`1`, text])).toBe(csvLine([value, value]) + csvLine([1, value]));
});

it('makes the same line of values that are no texts', async () => {
  const time = new Date('2026-02-03T04:05:06.789Z');
  const row = [
    sql`7::bigint`,
    flagCell(sql`true`),
    flagCell(sql`false`),
    sql`null::text`,
    timeCell(sql`${time}::timestamptz`),
  ];
  const rest = [sql`date '2026-02-03'`, sql`-12.50::numeric`, textCell(sql`null::text`)];
  expect(await written([...row, ...rest])).toBe(csvLine([7, true, false, null, time, '2026-02-03', '-12.50', null]));
});

it('leaves out characters that end cells and rows', async () => {
  expect(await written([textCell(sql`${'a\u001eb\u001fc'}::text`), sql`1`])).toBe('abc,1\r\n');
});
