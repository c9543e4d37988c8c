import { parseArgs } from 'node:util';
import { type BesideResult, benchContacts } from './contacts.ts';
import { benchPages, type Dashboard, pagesOf } from './pages.ts';
import { startService } from './service.ts';
import { benchSize } from './size.ts';
import { benchGenerating, benchRedemptions } from './vouchers.ts';

const usage = `npm run bench                    everything
npm run bench -- contacts        writing contacts, beside the same transaction in pgbench
npm run bench -- redeem          redeeming vouchers, beside the lone UPDATE in pgbench
npm run bench -- generate        generating a million vouchers, beside a plain INSERT of as many rows
npm run bench -- size            searching and matching, in a small account and in a large one
npm run bench -- size --contacts 100000    with a large account of another size
npm run bench -- pages           the dashboard: what its first load weighs, and how long a change of page takes
npm run bench -- pages --url http://127.0.0.1:8080 --email … --password …    of a service that runs, such as the demo`;
const parts = ['contacts', 'redeem', 'generate', 'size', 'pages'];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    contacts: { type: 'string', default: '1000000' },
    url: { type: 'string' },
    email: { type: 'string', default: '' },
    password: { type: 'string', default: '' },
  },
});
const large = Number(values.contacts);
if (positionals.some((one) => !parts.includes(one)) || !(large >= 20_000)) {
  process.stderr.write(`${usage}\n`);
  process.exit(1);
}
const wanted = new Set(positionals.length > 0 ? positionals : parts);

const say = (text: string) => process.stdout.write(`${text}\n`);
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const round = (value: number, places = 0) => Number(value.toFixed(places));
const byTurn = (ratios: number[]) => `by turn: ${ratios.map((ratio) => round(ratio, 2)).join(', ')}`;

if (values.url !== undefined) {
  await pages({ url: values.url, email: values.email, password: values.password });
  process.exit();
}

say('Starting a service over an embedded PostgreSQL (fsync on) in an empty folder.');
const service = await startService();
try {
  const options = { connections: 64, seconds: 6, rounds: 3, say };
  if (wanted.has('contacts')) tell(await benchContacts(service, options), 'the same transaction', 1.5);
  if (wanted.has('redeem')) tell(await benchRedemptions(service, options), 'the lone conditional UPDATE', 0.8);
  if (wanted.has('generate')) await generate();
  if (wanted.has('size')) await size();
  if (wanted.has('pages')) await pages(await pagesOf(service, say));
} finally {
  await service.stop();
}

/** Turn by turn, so that what else the machine does falls on both. */
function tell({ name, turns, by }: BesideResult, limit: string, toReach: number) {
  const ratios = turns.map(({ ours, limit }) => ours.perSecond / limit);
  const spread = Math.max(...ratios) / Math.min(...ratios);
  say(`\n${name}, over HTTP, 64 connections, beside ${limit} in ${by}; the median of ${turns.length} turns:\n`);
  const rows = [
    ['ours', `${round(median(turns.map(({ ours }) => ours.perSecond)))} a second`],
    [by, `${round(median(turns.map(({ limit }) => limit)))} a second`],
    ['ratio', `${round(median(ratios), 2)}   (${byTurn(ratios)}; to reach: ${toReach})`],
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
  say('');
}

async function generate() {
  const { count, turns } = await benchGenerating(service, { count: 1_000_000, rounds: 3, say });
  const ratios = turns.map(({ ours, plain }) => ours / plain);
  say(`\nGenerating ${count.toLocaleString('en')} vouchers, beside a plain INSERT … SELECT of as many rows:\n`);
  say(`  took longer by ${round(median(ratios), 2)}   (${byTurn(ratios)}; to stay below: 2)\n`);
}

/** The same questions to two accounts of one database. */
async function size() {
  const [turns, connections, small] = [5, 16, 10_000];
  const results = await benchSize(service, { sizes: [small, large], turns, connections, say });
  const [few, many] = [small.toLocaleString('en'), large.toLocaleString('en')];
  say(
    `\nOver HTTP, ${connections} connections, in an account of ${few} contacts and in one of ${many}; answers a second, the median of ${turns} turns:\n`,
  );
  say(`  ${''.padEnd(16)} ${few.padStart(10)} ${many.padStart(10)}   slower by (to stay below: 1.5)`);
  for (const result of results) {
    const ratios = result.small.map((rate, turn) => rate / (result.large[turn] ?? Number.NaN));
    const rates = [result.small, result.large].map((all) => String(round(median(all))).padStart(10)).join(' ');
    say(`  ${result.name.padEnd(16)} ${rates}   ${round(median(ratios), 2)}   (${byTurn(ratios)})`);
  }
}

async function pages(dashboard: Dashboard) {
  const rounds = 10;
  const { first, changes } = await benchPages(dashboard, rounds);
  say(`\nThe first load: ${round(first.kilobytes)} kB of compressed JavaScript (to stay below: 300),`);
  say(`  the first page painted after ${round(first.milliseconds)} ms.`);
  say(`\nFrom a click to the new page's title painted, in ms; the times after the first, of ${rounds} rounds:\n`);
  say(
    `  ${'to'.padEnd(12)} ${'first'.padStart(7)} ${'median'.padStart(7)} ${'slowest'.padStart(8)}   (to stay below: 100)`,
  );
  for (const { to, first, later } of changes) {
    const [once, usually, worst] = [first, median(later), Math.max(...later)].map((time) => String(round(time)));
    say(`  ${to.padEnd(12)} ${once?.padStart(7)} ${usually?.padStart(7)} ${worst?.padStart(8)}`);
  }
}
