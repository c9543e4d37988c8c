import { isBusy, type Spread } from '../load/statistics.ts';
import { goalOf, goals, goalText, isReached } from './goals.ts';
import type { Results, RowResult } from './results.ts';

/** A table for the terminal or for Markdown. The first column is text, the others are numbers. */
export interface Table {
  head: string[];
  rows: string[][];
}

export function onScreen({ head, rows }: Table): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map((row) => `  ${line(row)}\n`).join('');
}

export function inMarkdown({ head, rows }: Table): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map((_, column) => (column === 0 ? '---' : '--:'))) + rows.map(line).join('');
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
export const brief = (value: number) =>
  value >= 100 ? whole(value) : Number(value.toPrecision(value < 1 ? 2 : 3)).toString();
const known = (value: number | null) => (value === null ? 'unknown' : whole(value));
export const withSpread = ({ median, min, max }: Spread) => `${brief(median)} (${brief(min)}–${brief(max)})`;

export function rowsTable({ rows, sqlBy }: Results): Table {
  const compared = (result: RowResult, id: string) => {
    const other = result.others.find((one) => one.id === id);
    return other ? [whole(other.perSecond.median), withSpread(other.ratio)] : ['–', '–'];
  };
  return {
    head: [
      ...['row', 'connections', 'ours/s', 'p50 ms', 'p99 ms', `${sqlBy}/s`, `ours ÷ ${sqlBy}`, 'empty/s'],
      ...['ours ÷ empty', 'service µs', 'PostgreSQL µs', 'MB'],
    ],
    rows: rows.map((result, place) => [
      // Show a row's name once.
      rows[place - 1]?.row === result.row ? '' : result.name,
      String(result.connections),
      ...[whole(result.ours.perSecond.median), brief(result.ours.p50.median), brief(result.ours.p99.median)],
      ...[...compared(result, 'sql'), ...compared(result, 'empty')],
      ...[known(result.ours.serviceCpu), known(result.ours.postgresCpu), known(result.ours.memory)],
    ]),
  };
}

export function peersTable({ peers }: Results): Table {
  return {
    head: ['row', 'with', 'theirs/s', 'ours/s', 'ours ÷ theirs', 'their MB'],
    rows: peers.flatMap(({ name, ours, others, versions, memory }) =>
      others.map((other) => [
        name,
        `${other.name} ${versions[other.name] ?? ''}`,
        ...[brief(other.perSecond.median), whole(ours.perSecond.median), withSpread(other.ratio)],
        known(memory[other.name] ?? null),
      ]),
    ),
  };
}

/** The results of the measured goals, in the order of goals. */
export function goalsTable(results: Results): Table {
  const rows: { place: number; cells: string[] }[] = [];
  for (const result of [...results.rows, ...results.peers]) {
    const isPeers = 'versions' in result;
    const against = [
      ...result.others.map(({ id, name, ratio }) => ({ id, text: comparisonName(id, name, results.sqlBy), ratio })),
      ...(isPeers ? [] : [{ id: 'p50', text: 'p99 over p50', ratio: result.ours.p99OverP50 }]),
    ];
    for (const { id, text, ratio } of against) {
      const goal = goalOf(result.row, result.connections, id);
      if (!goal) continue;
      const cells = [result.name, String(result.connections), text, goalText(goal), withSpread(ratio)];
      rows.push({
        place: goals.indexOf(goal),
        cells: [...cells, (isReached(goal, ratio) ? 'reached' : 'not reached') + (isBusy(ratio) ? ', busy' : '')],
      });
    }
  }
  rows.sort((a, b) => a.place - b.place);
  return { head: ['row', 'connections', 'compared with', 'goal', 'ratio', ''], rows: rows.map(({ cells }) => cells) };
}

function comparisonName(id: string, name: string, sqlBy: string): string {
  if (id === 'sql') return `${name} in ${sqlBy}`;
  return id === 'unbatched' ? `time, ${name}` : name;
}

/** Rows whose turns differ too much. */
function busyRows({ rows, peers }: Results): string[] {
  return [...rows, ...peers]
    .filter(({ others }) => others.some(({ ratio }) => isBusy(ratio)))
    .map(({ name, connections }) => `${name} at ${connections}`);
}

export function printResults(results: Results, say: (text: string) => void): void {
  const { machine, turns, sqlBy, peakMemory } = results;
  say(
    `\nOver HTTP, median of ${turns} turns (minimum–maximum); ${machine.cores} cores, shared with the clients, Node ${machine.node}, PostgreSQL ${machine.postgres}, fsync ${machine.fsync}; CPU time per request of the service and of PostgreSQL:\n`,
  );
  say(onScreen(rowsTable(results)));
  say(`Peak memory of the service: ${known(peakMemory)} MB. ${sqlBy} is measured at 1 and 64 connections.\n`);
  if (results.peers.length > 0) say(onScreen(peersTable(results)));
  say(onScreen(goalsTable(results)));
  const busy = busyRows(results);
  if (busy.length > 0) say(`The machine was busy: the turns differ by more than 1.5 times in ${busy.join('; ')}.`);
}
