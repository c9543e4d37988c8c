import type { EventResults } from './events.ts';
import { rewrite, writeJson } from './report/document.ts';
import { onMachine } from './report/publish.ts';
import { inMarkdown, type Table, withSpread } from './report/report.ts';

const goals = { perSecond: 2000, p50: 50, p99: 500, broken: 1.05, none: 1.03, all: 1.1 };

const count = (value: number) => Math.round(value).toLocaleString('en');
const judged = (isReached: boolean) => (isReached ? 'reached' : 'not reached');

function sendingTable({ deliveries, delays, broken }: EventResults): Table {
  const { p50, p99 } = delays;
  const one = `one of ${broken.webhooks} webhooks`;
  return {
    head: ['', 'measured', 'goal', ''],
    rows: [
      [
        `deliveries per second, ${count(deliveries.events)} events to one receiver`,
        `${count(deliveries.perSecond.median)} (${count(deliveries.perSecond.min)}–${count(deliveries.perSecond.max)})`,
        `≥ ${count(goals.perSecond)}`,
        judged(deliveries.perSecond.median >= goals.perSecond),
      ],
      ...(
        [
          ['p50', p50, goals.p50],
          ['p99', p99, goals.p99],
        ] as const
      ).map(([name, delay, goal]) => [
        ...[`from write to arrival, ${name}, at ${delays.writesPerSecond} writes a second`, `${withSpread(delay)} ms`],
        ...[`< ${goal} ms`, judged(delay.median < goal)],
      ]),
      ...(
        [
          ['refuses connections', broken.refuses],
          ['never answers', broken.hangs],
        ] as const
      ).map(([what, ratio]) => [
        ...[`${one} ${what}: time of the others`, withSpread(ratio)],
        ...[`≤ ${goals.broken}`, judged(ratio.median <= goals.broken)],
      ]),
    ],
  };
}

function writesTable({ writes, allWrites: { none, all } }: EventResults): Table {
  return {
    head: [
      ...['row', 'connections', 'before/s', 'no webhook/s', 'time ÷ before', 'CPU time ÷ before', `≤ ${goals.none}`],
      ...['webhook/s', 'time ÷ before', 'CPU time ÷ before', `≤ ${goals.all}`],
    ],
    rows: [
      ...writes.map(({ row, connections, before, none, all }) => [
        ...[row, String(connections), count(before.median)],
        ...[count(none.perSecond.median), withSpread(none.slower), withSpread(none.cpu), ''],
        ...[count(all.perSecond.median), withSpread(all.slower), withSpread(all.cpu), ''],
      ]),
      [
        ...['all turns of all rows', '', ''],
        ...['', withSpread(none.slower), withSpread(none.cpu), judged(none.slower.median <= goals.none)],
        ...['', withSpread(all.slower), withSpread(all.cpu), judged(all.slower.median <= goals.all)],
      ],
    ],
  };
}

export function publishEvents(results: EventResults): void {
  writeJson('events.json', results);
  rewrite(
    'events',
    [
      `${onMachine(results.machine)} Median of ${results.turns} turns, with minimum and maximum; of the broken webhook and of the writes ${results.shortTurns} turns.`,
      inMarkdown(sendingTable(results)),
      inMarkdown(writesTable(results)),
    ].join('\n\n'),
  );
}
