import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFixture } from './fixture.ts';
import { type CpuProfile, type Frame, flame, percent, shares, stacks } from './flame.ts';
import { startService } from './load/service.ts';
import { writeFile } from './report/document.ts';
import { newContact } from './rows/contacts.ts';
import { HttpServerLoad } from './turns.ts';

const [connections, warmUp, seconds] = [64, 4, 10];

/** Profiles a service while contacts are written, and draws a flame graph of its main thread. */
export async function profile(say: (text: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'regulars-flame-'));
  try {
    say('Starting a service under node --cpu-prof over an embedded PostgreSQL (fsync on) in an empty folder.');
    const service = await startService({}, { nodeArguments: ['--cpu-prof', `--cpu-prof-dir=${folder}`] });
    const stop = () => void service.stop().finally(() => process.exit(1));
    process.once('SIGTERM', stop);
    let [from, until, perSecond] = [0, 0, 0];
    try {
      const { stage } = await makeFixture(service, new Set(['contacts']), say);
      const { ask, stored } = await newContact.begin(stage);
      const counter = { next: 0 };
      const asked = new HttpServerLoad(service.url, ask, { counter });
      await asked.measure(connections, warmUp);
      // The requests are built first. The service is idle meanwhile, and idle time is left out.
      from = microseconds();
      ({ perSecond } = await asked.measure(connections, seconds));
      until = microseconds();
      await stored?.(counter.next);
    } finally {
      await service.stop();
      process.off('SIGTERM', stop);
    }
    const all = stacks(mainThread(folder, service.machine.servicePids[0] ?? 0), from, until);
    writeFile('flame.svg', flame(all, `The service's main thread: new contact writes at ${connections} connections`));
    printShares(all, say, until - from);
    say(`\n${Math.round(perSecond)} writes per second under the profiler. Written: docs/performance/flame.svg`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The clock of the profiles. */
const microseconds = () => Number(process.hrtime.bigint() / 1000n);

/** Each thread writes a profile. The main thread has number 0. */
function mainThread(folder: string, pid: number): CpuProfile {
  const name = readdirSync(folder).find((one) => one.includes(`.${pid}.0.`));
  if (name === undefined) throw new Error('The service left no profile.');
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile;
}

function printShares(all: Frame, say: (text: string) => void, whole: number): void {
  say(`\nThe main thread was busy for ${percent(all.total / whole)} of the time. Of that, by home:\n`);
  const table = (rows: [string, number][]) => {
    for (const [name, share] of rows) say(`  ${percent(share).padStart(7)}  ${name}`);
  };
  const byHome = shares(all, ({ home }) => home);
  const ours = byHome.filter(([home]) => home.startsWith('ours'));
  table([['our code', ours.reduce((sum, [, share]) => sum + share, 0)]]);
  table(ours.map(([home, share]) => [`   ${home.slice('ours: '.length)}`, share]));
  table(byHome.filter(([home]) => !home.startsWith('ours')));
  say('\nThe 15 functions with the most time of their own:\n');
  table(shares(all, ({ name }) => name).slice(0, 15));
}
