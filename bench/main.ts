import { benchContacts } from './contacts.ts';
import { startService } from './service.ts';

/** Turn by turn, so that what else the machine does falls on both. */
const [rounds, seconds, connections] = [3, 6, 64];
const say = (text: string) => process.stdout.write(`${text}\n`);

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const round = (value: number, places = 0) => Number(value.toFixed(places));

say('Starting a service over an embedded PostgreSQL (fsync on) in an empty folder.');
const service = await startService();
try {
  const { name, turns, by } = await benchContacts(service, { connections, seconds, rounds, say });
  const ratios = turns.map(({ ours, limit }) => ours.perSecond / limit);
  const spread = Math.max(...ratios) / Math.min(...ratios);
  say(
    `\n${name}, over HTTP, ${connections} connections, beside the same transaction in ${by}; the median of ${rounds} turns of ${seconds} s:\n`,
  );
  const rows = [
    ['ours', `${round(median(turns.map(({ ours }) => ours.perSecond)))} a second`],
    [by, `${round(median(turns.map(({ limit }) => limit)))} a second`],
    [
      'ratio',
      `${round(median(ratios), 2)}   (by turn: ${ratios.map((ratio) => round(ratio, 2)).join(', ')}; to reach: 1.5)`,
    ],
    ['p50', `${round(median(turns.map(({ ours }) => ours.p50)), 1)} ms`],
    ['p99', `${round(median(turns.map(({ ours }) => ours.p99)), 1)} ms`],
    [
      'p99/p50',
      `${round(median(turns.map(({ ours }) => ours.p99 / ours.p50)), 1)}   (the median of the turns' own; to stay below: 5)`,
    ],
  ];
  for (const [label = '', value] of rows) say(`  ${label.padEnd(8)} ${value}`);
  if (spread > 1.5)
    say('\n  The turns differ a lot: the machine is busy with something else. Run it again when it is quiet.');
} finally {
  await service.stop();
}
