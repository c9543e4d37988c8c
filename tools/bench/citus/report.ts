import { isBusy } from '../load/statistics.ts';
import { rewrite, writeJson } from '../report/document.ts';
import { onMachine } from '../report/publish.ts';
import { brief, inMarkdown, onScreen, type Table, withSpread } from '../report/report.ts';
import type { CitusResults } from './measure.ts';
import { type RowSummary, summaryOf, tolerance } from './summary.ts';

const count = (value: number) => value.toLocaleString('en');

function serversTable({ placed, accounts }: CitusResults, rows: RowSummary[]): Table {
  const ofWorker = (workers: number, place: number) =>
    placed.find((one) => one.workers === workers)?.accounts[place] ?? 0;
  return {
    head: [
      ...[
        'row',
        'workers',
        'writes/s',
        'service µs',
        'single server µs',
        'coordinator µs',
        'busiest worker µs',
        'its accounts',
      ],
      ...[
        'busiest × workers ÷ the only worker of a cluster',
        `within ${tolerance * 100} %`,
        'all servers ÷ single server',
      ],
    ],
    rows: rows.flatMap(({ name, systems }) =>
      systems.map(({ workers, perSecond, service, first, busiest, overSingle }, place) => [
        place === 0 ? name : '',
        workers === 0 ? 'none' : String(workers),
        brief(perSecond.median),
        brief(service),
        ...(workers === 0 ? [brief(first.median), '–'] : ['–', brief(first.median)]),
        ...(busiest
          ? [brief(busiest.cost.median), `${brief((ofWorker(workers, busiest.place) / accounts) * 100)} %`]
          : ['–', '–']),
        ...(busiest && workers > 1
          ? [
              `${withSpread(busiest.ofShare)}${isBusy(busiest.ofShare) ? ', busy' : ''}`,
              busiest.isReached ? 'reached' : 'not reached',
            ]
          : ['–', '']),
        workers === 0 ? '1' : withSpread(overSingle),
      ]),
    ),
  };
}

function coordinatorTable(rows: RowSummary[]): Table {
  return {
    head: [
      ...['row', 'coordinator µs', 'all workers µs', 'writes/s of a coordinator core'],
      'number of workers that are each as busy as the coordinator',
    ],
    rows: rows.map(({ name, systems, perCoordinatorCore, saturation }) => {
      const { first, workersCost } = systems.at(-1) as RowSummary['systems'][number];
      return [name, brief(first.median), brief(workersCost), count(Math.round(perCoordinatorCore)), brief(saturation)];
    }),
  };
}

/** What the tables do not say: where the accounts are, and the load without requests. */
function notes({ idle, placed, fullest, accounts, shards }: CitusResults): string[] {
  const places = placed
    .filter(({ workers }) => workers > 0)
    .map(({ workers, accounts }) => `${workers === 1 ? 'one worker' : `${workers} workers`}: ${accounts.join(', ')}`);
  const mean = (kind: string) => {
    const costs = idle.flatMap(({ nodes }) => nodes.filter((node) => node.kind === kind).map(({ cost }) => cost));
    return brief(costs.reduce((total, cost) => total + cost, 0) / costs.length);
  };
  const most = fullest.map(({ shards, accounts }) => `${accounts} with ${shards} shards`);
  return [
    `Accounts on the workers, of ${count(accounts)} in ${shards} shards: ${places.join('; ')}. The fullest of four workers would have ${most.join(', ')}.`,
    `CPU time without requests, which is subtracted above, in ms per second: single server ${mean('single server')}, coordinator ${mean('coordinator')}, worker ${mean('worker')}.`,
  ];
}

export function printCitus(results: CitusResults, say: (text: string) => void): void {
  const rows = results.rows.map(summaryOf);
  say(`\nMedian of ${results.turns} turns, ${results.connections} connections; CPU time per write:\n`);
  say(onScreen(serversTable(results, rows)));
  say(onScreen(coordinatorTable(rows)));
  for (const note of notes(results)) say(note);
}

export function publishCitus(results: CitusResults): void {
  writeJson('citus.json', results);
  const rows = results.rows.map(summaryOf);
  const { machine, turns, connections } = results;
  const intro = `${onMachine(machine)} ${connections} connections, median of ${turns} turns.`;
  rewrite(
    'citus',
    [
      intro,
      inMarkdown(serversTable(results, rows)),
      'The coordinator of the largest cluster:',
      inMarkdown(coordinatorTable(rows)),
      ...notes(results),
    ].join('\n\n'),
  );
}
