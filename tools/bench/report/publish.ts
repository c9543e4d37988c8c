import { bars, lines } from './chart.ts';
import { rewrite, writeFile, writeJson } from './document.ts';
import { goalsTable, inMarkdown, peersTable, rowsTable } from './report.ts';
import type { MachineFacts, Results, RowResult } from './results.ts';

export const onMachine = ({ date, node, postgres, cores, fsync }: MachineFacts) =>
  `Measured ${date} on ${cores} cores, shared with the clients, with Node ${node} and PostgreSQL ${postgres}, \`fsync\` ${fsync}.`;

export const chart = (file: string, title: string) => `![${title}](performance/${file})`;

/** The rows in the line chart. More lines would hide each other. */
const drawn = [
  'contact-new',
  'contact-full',
  'redeem',
  'purchase-table-number',
  'booking-search',
  'pop-search',
  'units-list',
];

/** Writes the JSON file, the charts and the page. */
export function publish(results: Results): void {
  const { peers, ...ours } = results;
  writeJson('results.json', ours);
  const at64 = results.rows.filter(({ connections }) => connections === 64);
  const rateOf = (result: RowResult, id: string) => result.others.find((one) => one.id === id)?.perSecond.median;
  const charts: [file: string, title: string, svg: (title: string) => string][] = [
    [
      'throughput.svg',
      'Requests per second at 64 connections',
      (title) =>
        bars({
          title,
          unit: 'per second: more is better',
          series: ['ours', `PostgreSQL alone, in ${results.sqlBy}`, 'an empty route'],
          groups: at64.map((result) => ({
            name: shortened(result.name),
            values: [result.ours.perSecond.median, rateOf(result, 'sql'), rateOf(result, 'empty')],
          })),
        }),
    ],
    [
      'latency.svg',
      'Response time in milliseconds at 64 connections',
      (title) =>
        bars({
          title,
          unit: 'milliseconds: less is better',
          series: ['p50', 'p99'],
          groups: at64.map(({ name, ours }) => ({ name: shortened(name), values: [ours.p50.median, ours.p99.median] })),
        }),
    ],
    ['connections.svg', 'Requests per second by number of connections', (title) => byConnections(results, title)],
    [
      'cpu.svg',
      'CPU time per request at 64 connections',
      (title) =>
        bars({
          title,
          unit: 'microseconds: less is better',
          series: ['the service', 'PostgreSQL'],
          groups: at64.map(({ name, ours }) => ({
            name: shortened(name),
            values: [ours.serviceCpu ?? undefined, ours.postgresCpu ?? undefined],
          })),
        }),
    ],
  ];
  for (const [file, title, svg] of charts) writeFile(file, svg(title));
  const memory = results.peakMemory === null ? 'unknown' : `${Math.round(results.peakMemory)} MB`;
  rewrite(
    'results',
    [
      `${onMachine(results.machine)} Median of ${results.turns} turns, with minimum and maximum.`,
      inMarkdown(goalsTable({ ...results, peers: [] })),
      ...charts.map(([file, title]) => chart(file, title)),
      inMarkdown(rowsTable(results)),
      `Peak memory of the service: ${memory}.`,
    ].join('\n\n'),
  );
  if (peers.length > 0) publishPeers(results);
}

function publishPeers(results: Results): void {
  const { machine, turns, peers } = results;
  writeJson('peers.json', { machine, turns, peers });
  const title = 'Requests per second at 64 connections, compared with peers';
  const names = [...new Set(peers.flatMap(({ others }) => others.map(({ name }) => name)))];
  writeFile(
    'peers.svg',
    bars({
      title,
      unit: 'per second: more is better',
      series: ['ours', ...names],
      groups: peers.map(({ name, ours, others }) => ({
        name,
        values: [
          ours.perSecond.median,
          ...names.map((peer) => others.find((other) => other.name === peer)?.perSecond.median),
        ],
      })),
    }),
  );
  const goals = inMarkdown(goalsTable({ ...results, rows: [] }));
  rewrite(
    'peers',
    [onMachine(machine), chart('peers.svg', title), inMarkdown(peersTable(results)), goals].join('\n\n'),
  );
}

function byConnections({ rows }: Results, title: string): string {
  const counts = [...new Set(rows.map(({ connections }) => connections))];
  const of = (key: string) => rows.filter(({ row }) => row === key);
  return lines({
    title,
    unit: 'per second',
    along: 'connections',
    points: counts.map(String),
    series: drawn
      .filter((key) => of(key).length > 0)
      .map((key) => ({
        name: shortened(of(key)[0]?.name ?? key),
        values: counts.map((count) => of(key).find(({ connections }) => connections === count)?.ours.perSecond.median),
      })),
  });
}

/** A short name that fits beside a bar. */
export const shortened = (name: string) =>
  name
    .replace('anonymous purchase', 'purchase')
    .replace('with groups, notes and a purchase', 'in full')
    .replace(', with folders and groups', '');
