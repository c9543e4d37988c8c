import { expect, it } from 'vitest';
import { csvLines, csvRow, flagCell, timeCell } from '../../../src/platform/db/csv-rows.ts';
import { raw, type Sql, sql } from '../../../src/platform/db/sql.ts';
import { csvLine } from '../../../src/shared/csv.ts';
import { testApp } from '../../support/app.ts';

const { db } = await testApp();

/** The lines of rows, with the cells of each in its columns. */
const written = (cells: Sql[], rows: Sql) =>
  db.transaction(async (tx) => {
    const [row] = await tx<{ text: string }>`
      select string_agg(line, '' order by n) as text from (select n, ${csvRow(cells)} as line from ${rows}) as made`;
    return csvLines(row?.text ?? '');
  });

/** Each is a row of a text in the first, a middle and the last place. */
const linesOf = (texts: string[]) =>
  written(
    [raw('value'), sql`1`, raw('value'), raw('value')],
    sql`unnest(${texts}::text[]) with ordinality as sent (value, n)`,
  );
const asService = (texts: string[]) => texts.map((text) => csvLine([text, 1, text, text])).join('');

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
  ...[
    '',
    ' ',
    "'",
    'Zoë 🎉',
    '\u001d',
    'x\u0085y',
    '\u00a0',
    'a\u001eb\u001fc',
    'C:\\new',
    '=cmd(1)',
    '{1}',
    '\\N',
    '\\.',
  ],
];

it.each(texts)('makes the same line of %j as the service', async (value) => {
  expect(await linesOf([value, value])).toBe(asService([value, value]));
});

it('makes the same lines as the service of all short texts with characters that mean something', async () => {
  const characters = ['', ...'"\\(),=+-@ \t\r\n\v\f\'a1.'];
  const of = (more: string[]) => more.flatMap((text) => characters.map((one) => one + text));
  const all = of(of(of([''])));
  expect(await linesOf(all)).toBe(asService(all));
});

it('makes the same line of values that are no texts', async () => {
  const time = new Date('2026-02-03T04:05:06.789Z');
  const row = [
    ...[
      sql`7::bigint`,
      flagCell(sql`true`),
      flagCell(sql`false`),
      sql`null::text`,
      timeCell(sql`${time}::timestamptz`),
    ],
    ...[sql`date '2026-02-03'`, sql`-12.50::numeric`, sql`null::text`],
  ];
  expect(await written(row, raw('generate_series(1, 1) as n'))).toBe(
    csvLine([7, true, false, null, time, '2026-02-03', '-12.50', null]),
  );
});
