import type { Axis, GrowthResults } from './growth.ts';
import { isBusy } from './load/statistics.ts';
import { lines } from './report/chart.ts';
import { rewrite, writeFile, writeJson } from './report/document.ts';
import { chart, onMachine, shortened } from './report/publish.ts';
import { brief, inMarkdown, onScreen, type Table, withSpread } from './report/report.ts';

/** The limit of the slowdown. */
const maxSlowdown = 1.5;
/** The memory limit in MB. */
const maxMemory = 300;

const count = (value: number) => value.toLocaleString('en');

function table({ along, points, rows }: Axis): Table {
  return {
    head: [
      ...['row', along, 'requests/s', 'p50 ms', 'p99 ms', 'time ÷ first', `≤ ${maxSlowdown}`],
      ...['service µs', 'PostgreSQL µs', 'batch size'],
    ],
    rows: rows.flatMap(({ name, at }) =>
      at.map((point, place) => [
        place === 0 ? name : '',
        count(points[place] ?? 0),
        ...[count(Math.round(point.perSecond.median)), brief(point.p50.median), brief(point.p99.median)],
        ...(place === 0
          ? ['1', '']
          : [
              `${withSpread(point.slower)}${isBusy(point.slower) ? ', busy' : ''}`,
              point.slower.median <= maxSlowdown ? 'reached' : 'not reached',
            ]),
        ...[point.serviceCpu, point.postgresCpu, point.gathered].map((value) => (value === null ? '–' : brief(value))),
      ]),
    ),
  };
}

function memoryText({ peakMemory }: GrowthResults): string {
  if (peakMemory === null) return 'The service’s memory is unknown on this system.';
  const reached = peakMemory < maxMemory ? 'reached' : 'not reached';
  return `Peak memory of the service: ${Math.round(peakMemory)} MB (goal: below ${maxMemory}; ${reached}).`;
}

export function printGrowth(results: GrowthResults, say: (text: string) => void): void {
  const { turns, connections, each } = results;
  say(
    `\nOver HTTP, ${connections} connections, median of ${turns} turns; each contact has ${each.bookingsEach} booking and ${each.purchasesEach} purchase:`,
  );
  for (const axis of results.axes) say(`\nBy ${axis.along}:\n\n${onScreen(table(axis))}`);
  say(memoryText(results));
}

const titles = {
  contacts: 'Time per request by contacts of an account',
  accounts: 'Time per request by number of accounts',
};

export function publishGrowth(results: GrowthResults): void {
  writeJson('growth.json', results);
  const parts = results.axes.flatMap((axis) => {
    const [file, title] = [`growth-${axis.along}.svg`, titles[axis.along]];
    writeFile(
      file,
      lines({
        ...{ title, along: axis.along, unit: 'time ÷ first', points: axis.points.map(count) },
        ...{
          series: axis.rows.map(({ name, at }) => ({
            name: shortened(name),
            values: at.map(({ slower }) => slower.median),
          })),
        },
        goal: maxSlowdown,
      }),
    );
    return [chart(file, title), inMarkdown(table(axis))];
  });
  const { machine, turns, connections } = results;
  const intro = `${onMachine(machine)} ${connections} connections, median of ${turns} turns.`;
  rewrite('growth', [intro, ...parts, memoryText(results)].join('\n\n'));
}
