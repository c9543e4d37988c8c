import { parseArgs } from 'node:util';
import { findCitus, hasCitus } from '../servers/citus.ts';
import { compareWrites } from './before.ts';
import { measureCitus } from './citus/measure.ts';
import { printCitus, publishCitus } from './citus/report.ts';
import { compare } from './compare.ts';
import { allowPrivate, benchEvents } from './events.ts';
import { publishEvents } from './events-report.ts';
import { explain } from './explain.ts';
import { makeFixture } from './fixture.ts';
import { profile } from './flame-run.ts';
import { benchGenerating } from './generate.ts';
import { measureGrowth } from './growth.ts';
import { printGrowth, publishGrowth } from './growth-report.ts';
import { type Service, startService } from './load/service.ts';
import { spreadOf } from './load/statistics.ts';
import { benchPages, type Dashboard, pagesOf } from './pages.ts';
import { publish } from './report/publish.ts';
import { printResults } from './report/report.ts';
import { machineFacts } from './report/results.ts';
import { benchSegments } from './segments.ts';
import { publishSizes, publishWrites } from './segments-report.ts';

const usage = `npm run bench                    every row at 1, 16, 64 and 256 connections, compared with PostgreSQL alone and an empty route
npm run bench -- --peers         also compares with other programs
npm run bench -- --growth        rates in small and large accounts, and spread over few and many accounts (30 minutes)
npm run bench -- --citus         CPU time per server on clusters with 1, 2 and 4 workers, compared with a single server (15 minutes)
These commands rewrite docs/performance.md. The following only print:
npm run bench -- contacts redeem purchases search units    some of the rows
npm run bench -- contacts --connections 64 --turns 5 --seconds 4
npm run bench -- redeem --workers 2
npm run bench -- --growth --contacts 10000,100000 --accounts 1,100 --turns 3
npm run bench -- --citus --shards 8 --accounts 1000 --turns 3
npm run bench -- generate        generates a million vouchers, compared with a plain INSERT of as many rows
npm run bench -- segments        segments in accounts of up to five million guests; rewrites docs/performance.md (90 minutes)
npm run bench -- segments --contacts 1000000    one of these sizes; rewrites its column
npm run bench -- writes --build ../earlier      writes, compared with a build before the figures; rewrites docs/performance.md
npm run bench -- events --build ../earlier      events and webhooks, compared with a build before them; rewrites docs/performance.md (15 minutes)
npm run bench -- flame           flame graph of the service; rewrites docs/performance/flame.svg
npm run bench -- explain         plans of the hot statements; rewrites docs/performance/explain.md
npm run bench -- pages           dashboard: size of the first load, and time of navigation
npm run bench -- pages --url http://127.0.0.1:8080 --email … --password …    for a running service, such as the demo`;

const say = (text: string) => void process.stdout.write(`${text}\n`);
const started: Service[] = [];
const rowParts = ['contacts', 'redeem', 'purchases', 'search', 'units'];
const asked = ask();
if (asked) await run(asked);
else {
  process.stderr.write(`${usage}\n`);
  process.exitCode = 1;
}

/** Undefined: invalid arguments. */
function ask() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        ...{ peers: { type: 'boolean', default: false }, growth: { type: 'boolean', default: false } },
        ...{ citus: { type: 'boolean', default: false }, shards: { type: 'string' } },
        ...{ connections: { type: 'string' }, turns: { type: 'string' }, seconds: { type: 'string' } },
        ...{ contacts: { type: 'string' }, accounts: { type: 'string' }, workers: { type: 'string' } },
        ...{ url: { type: 'string' }, build: { type: 'string' } },
        ...{ email: { type: 'string', default: '' }, password: { type: 'string', default: '' } },
      },
    });
    const known = [...rowParts, 'generate', 'pages', 'segments', 'writes', 'events', 'flame', 'explain'];
    if (positionals.some((one) => !known.includes(one))) return undefined;
    const compares = positionals.some((one) => one === 'writes' || one === 'events');
    if (compares !== (values.build !== undefined) || (compares && positionals.length > 1))
      throw new Error('`writes` and `events` take --build, the folder of another build, and nothing else.');
    const numbers = (
      name: 'connections' | 'turns' | 'seconds' | 'contacts' | 'accounts' | 'shards',
      usual: number[],
    ) => {
      const list = values[name]?.split(',').map(Number) ?? usual;
      if (!list.every((one) => one > 0)) throw new Error(`--${name} takes numbers above 0.`);
      return list;
    };
    const { peers, growth, citus, workers, build, url, email, password } = values;
    return {
      ...{
        peers,
        growth,
        citus,
        workers,
        build,
        wanted: new Set(positionals),
        dashboard: url === undefined ? undefined : { url, email, password },
      },
      connections: numbers('connections', citus ? [64] : [1, 16, 64, 256]),
      turns: numbers('turns', growth ? [5] : [citus ? 2 : 3])[0] ?? 3,
      seconds: numbers('seconds', [1.5])[0] ?? 1.5,
      contacts: numbers('contacts', [10_000, 100_000, 1_000_000, 5_000_000]),
      accounts: numbers('accounts', citus ? [1000] : [1, 100, 10_000]),
      shards: numbers('shards', [64])[0] ?? 64,
      // Published results always use the same settings.
      whole:
        positionals.length === 0 &&
        ['connections', 'turns', 'seconds', 'contacts', 'accounts', 'shards', 'workers'].every(
          (name) => !(name in values),
        ),
    };
  } catch (error) {
    say(String(error));
    return undefined;
  }
}

type Asked = NonNullable<ReturnType<typeof ask>>;

async function run(asked: Asked): Promise<void> {
  const { wanted, whole } = asked;
  if (asked.dashboard) return printPages(asked.dashboard);
  if (asked.citus) return runCitus(asked);
  if (wanted.delete('flame')) {
    await profile(say);
    if (wanted.size === 0) return;
  }
  say('Starting a service over an embedded PostgreSQL (fsync on) in an empty folder.');
  const service = await startService({
    ...(asked.workers !== undefined && { WORKERS: asked.workers }),
    ...(wanted.has('events') && allowPrivate),
  });
  stopWhenInterrupted(service);
  try {
    if (asked.growth) {
      const results = await measureGrowth(service, { ...asked, say });
      printGrowth(results, say);
      if (whole) publishGrowth(results);
      return;
    }
    const parts = new Set(wanted.size === 0 ? rowParts : rowParts.filter((part) => wanted.has(part)));
    if (parts.size > 0) {
      const { stage, rows } = await makeFixture(service, parts, say);
      const results = await compare(stage, rows, { ...asked, say });
      printResults(results, say);
      if (whole) publish(results);
    }
    if (wanted.has('generate')) await printGenerating(service);
    if (wanted.has('segments'))
      publishSizes(await benchSegments(service, { contacts: asked.contacts, rounds: 5, say }));
    if (asked.build !== undefined) await runCompared(service, asked.build, wanted.has('events'));
    if (wanted.has('explain')) await explain(service, say);
    if (wanted.has('pages')) await printPages(await pagesOf(service, say));
  } finally {
    await service.stop();
  }
}

/** An interrupt stops all processes and deletes their folders, which can be large. */
function stopWhenInterrupted(service: Service): void {
  started.push(service);
  if (started.length > 1) return;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void Promise.allSettled(started.map((one) => one.stop())).then(() => process.exit(1)));
  }
}

async function runCitus({ accounts, shards, turns, connections, whole }: Asked): Promise<void> {
  const binFolder = findCitus();
  if (binFolder === undefined || !hasCitus(binFolder)) {
    const where = process.env.TEST_CITUS ?? '/usr/lib/postgresql/*/bin';
    process.stderr.write(
      `There is no PostgreSQL with Citus in ${where}. Install it, or set TEST_CITUS to the folder of its programs.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const results = await measureCitus({
    binFolder,
    accounts: accounts[0] ?? 1,
    shards,
    turns,
    connections: connections[0] ?? 1,
    say,
  });
  printCitus(results, say);
  if (whole) publishCitus(results);
}

/** Compares with another build. */
async function runCompared(service: Service, folder: string, withEvents: boolean): Promise<void> {
  const begin = async (...how: Parameters<typeof startService>) => {
    const other = await startService(...how);
    stopWhenInterrupted(other);
    others.push(other);
    return other;
  };
  const others: Service[] = [];
  try {
    const before = await begin({}, { folder });
    if (withEvents) {
      const all = await begin(allowPrivate);
      publishEvents(await benchEvents({ before, none: service, all }, { turns: 5, shortTurns: 11, seconds: 1.5, say }));
      return;
    }
    const builds = [
      { name: 'now', service, hasFigures: true },
      { name: 'before', service: before, hasFigures: false },
    ];
    const rows = await compareWrites(builds, { parts: ['contacts', 'purchases'], turns: 5, seconds: 3, say });
    publishWrites(await machineFacts(service), rows);
  } finally {
    for (const other of others) await other.stop();
  }
}

async function printGenerating(service: Service): Promise<void> {
  const { count, turns } = await benchGenerating(service, { count: 1_000_000, rounds: 3, say });
  const ratios = turns.map(({ ours, plain }) => ours / plain);
  const { median, min, max } = spreadOf(ratios);
  say(`\nGenerating ${count.toLocaleString('en')} vouchers, compared with a plain INSERT … SELECT of as many rows:\n`);
  say(
    `  took longer by ${median.toFixed(2)}   (${min.toFixed(2)}–${max.toFixed(2)}; to stay below: 2, ${median < 2 ? 'reached' : 'not reached'})\n`,
  );
}

async function printPages(dashboard: Dashboard): Promise<void> {
  const rounds = 10;
  const { first, changes } = await benchPages(dashboard, rounds);
  say(`\nThe first load: ${Math.round(first.kilobytes)} kB of compressed JavaScript (to stay below: 300),`);
  say(`  the first page painted after ${Math.round(first.milliseconds)} ms.`);
  say(`\nFrom a click to the new page's title painted, in ms; the times after the first, of ${rounds} rounds:\n`);
  say(
    `  ${'to'.padEnd(12)} ${'first'.padStart(7)} ${'median'.padStart(7)} ${'slowest'.padStart(8)}   (to stay below: 100)`,
  );
  for (const { to, first, later } of changes) {
    const { median, max } = spreadOf(later);
    const [once, usually, worst] = [first, median, max].map((time) => String(Math.round(time)));
    say(`  ${to.padEnd(12)} ${once?.padStart(7)} ${usually?.padStart(7)} ${worst?.padStart(8)}`);
  }
}
