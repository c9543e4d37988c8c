import { readFileSync } from 'node:fs';
import type { ComparedRow } from './before.ts';
import { ratioOf, spreadOf } from './load/statistics.ts';
import { rewrite, writeJson } from './report/document.ts';
import { onMachine } from './report/publish.ts';
import { brief, inMarkdown, type Table, withSpread } from './report/report.ts';
import type { MachineFacts } from './report/results.ts';
import type { SegmentResults, SegmentSize, WriteResult } from './segments.ts';

const segmentsFile = 'docs/performance/segments.json';

/** The goals, for an account of this many contacts. */
const goalSize = 1_000_000;
const goals = {
  home: 100,
  homeSize: 5_000_000,
  preview: 500,
  firstPage: 50,
  exportPerSecond: 50_000,
  turn: 30_000,
  slower: 1.1,
};

const count = (value: number) => value.toLocaleString('en');
const seconds = (milliseconds: number) => `${brief(milliseconds / 1000)} s`;
const judged = (value: number | undefined, isReached: (value: number) => boolean) =>
  value === undefined ? '' : isReached(value) ? 'reached' : 'not reached';

function sizesTable(sizes: SegmentSize[]): Table {
  const main = sizes.find(({ contacts }) => contacts === goalSize);
  const row = (name: string, of: (size: SegmentSize) => string, goal = '', reached = '') => [
    ...[name, ...sizes.map(of), goal, reached],
  ];
  const previewOf = (size: SegmentSize | undefined, name: string) => size?.previews.find((one) => one.name === name);
  const names = (main ?? sizes[0])?.previews.map(({ name }) => name) ?? [];
  const { home, homeSize, preview, firstPage, exportPerSecond, turn } = goals;
  return {
    head: ['', ...sizes.map(({ contacts }) => `${count(contacts)} contacts`), 'goal', ''],
    rows: [
      row('measured', ({ machine }) => machine.date),
      row(
        'Home, 18 months',
        (size) => `${withSpread(size.home)} ms`,
        `< ${home} ms at ${count(homeSize)}`,
        judged(sizes.find(({ contacts }) => contacts === homeSize)?.home.median, (time) => time < home),
      ),
      ...names.map((name) => {
        const { ms, isExtra } = previewOf(main ?? sizes[0], name) ?? {};
        const shown = (size: SegmentSize) => {
          const time = previewOf(size, name)?.ms;
          return time ? `${withSpread(time)} ms` : 'refused after 5 s';
        };
        const goal = isExtra ? ['', ''] : [`< ${preview} ms`, main ? judged(ms?.median, (time) => time < preview) : ''];
        return row(`preview: ${name}`, shown, ...goal);
      }),
      row(
        'first page of a segment',
        (size) => `${withSpread(size.firstPage)} ms`,
        `< ${firstPage} ms`,
        judged(main?.firstPage.median, (time) => time < firstPage),
      ),
      row('list of all segments, with counts', (size) => `${withSpread(size.list)} ms`),
      row(
        'export, contacts per second',
        (size) => `${count(size.exportPerSecond)} (${count(size.exported)} rows)`,
        `≥ ${count(exportPerSecond)}`,
        judged(main?.exportPerSecond, (rate) => rate >= exportPerSecond),
      ),
      row('all members stored after', (size) => `${seconds(size.filled)} (${size.segments} segments)`),
      row(
        'turn of the day',
        (size) => `${seconds(size.turn)} (${size.segments} segments, ${count(size.crossing)} evaluations)`,
        `< ${turn / 1000} s for 100 segments`,
        judged(main?.turn, (time) => time < turn),
      ),
    ],
  };
}

function writesTable(writes: WriteResult[]): Table {
  return {
    head: ['row', 'connections', 'now/s', 'before/s', 'time ÷ before', `≤ ${goals.slower}`],
    rows: writes.map(({ row, connections, now, before, slower }) => [
      ...[row, String(connections), count(Math.round(now.median)), count(Math.round(before.median))],
      ...[withSpread(slower), judged(slower.median, (ratio) => ratio <= goals.slower)],
    ]),
  };
}

function published(): SegmentResults {
  return JSON.parse(readFileSync(segmentsFile, 'utf8')) as SegmentResults;
}

/** Sizes that were not measured keep their results. Others than the published ones are not published. */
export function publishSizes({ rounds, sizes }: Pick<SegmentResults, 'rounds' | 'sizes'>): void {
  const before = published();
  const publishedSizes = before.sizes.map((old) => sizes.find(({ contacts }) => contacts === old.contacts) ?? old);
  if (publishedSizes.some((size) => sizes.includes(size))) publish({ ...before, rounds, sizes: publishedSizes });
}

export function publishWrites(machine: MachineFacts, compared: ComparedRow[]): void {
  const rows = compared.map(({ row, connections, rates: { now = [], before = [] } }) => ({
    ...{ row, connections, now: spreadOf(now), before: spreadOf(before), slower: ratioOf(before, now) },
  }));
  publish({ ...published(), writes: { machine, rows } });
}

function publish(results: SegmentResults): void {
  writeJson('segments.json', results);
  const { rounds, sizes, writes } = results;
  const [first] = sizes;
  rewrite(
    'segments',
    [
      ...(first ? [`${onMachine(first.machine)} Median of ${rounds} rounds, with minimum and maximum.`] : []),
      inMarkdown(sizesTable(sizes)),
      `Writes, compared with the build before the figures, in turns. ${onMachine(writes.machine)}`,
      inMarkdown(writesTable(writes.rows)),
    ].join('\n\n'),
  );
}
