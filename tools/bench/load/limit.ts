import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';

interface Run {
  database: string;
  connections: number;
  seconds: number;
  /** A pgbench script. `:name` is a variable. */
  script: string;
  variables: Record<string, number | string>;
}

/** The rate of PostgreSQL alone, measured by pgbench, or by the driver if pgbench is missing. */
export async function limit(run: Run): Promise<number> {
  const pgbench = findPgbench();
  return pgbench ? byPgbench(pgbench, run) : byDriver(run);
}

export const limitTool = () => (findPgbench() ? 'pgbench' : 'a bare driver');

function findPgbench(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...versions.map((one) => join(debian, one, 'bin'))];
  return folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path));
}

/** The warm-up in seconds. Each backend plans its statements first, which keeps two cores busy. */
const warmUpSeconds = (connections: number) => (connections < 8 ? 0 : Math.ceil(connections / 32));

/** The rate after the warm-up, from pgbench's progress lines. */
export function rateIn(output: string, warmUp: number): number {
  let [done, seconds, from] = [0, 0, 0];
  for (const [, at, perSecond] of output.matchAll(/^progress: ([\d.]+) s, ([\d.]+) tps/gm)) {
    const took = Number(at) - from;
    from = Number(at);
    if (from < warmUp + 0.5) continue;
    done += Number(perSecond) * took;
    seconds += took;
  }
  if (!(done > 0)) throw new Error(`What pgbench said was not understood:\n${output}`);
  return done / seconds;
}

const mostTries = 4;

/** The time that pgbench took to connect, in seconds. It does not state it if there was no transaction. */
export function connectedIn(output: string): number {
  const stated = /^initial connection time = ([\d.]+) ms/m.exec(output)?.[1];
  return stated === undefined ? Number.POSITIVE_INFINITY : Number(stated) / 1000;
}

async function byPgbench(program: string, { database, connections, seconds, script, variables }: Run): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'regulars-pgbench-'));
  const file = join(folder, 'script.sql');
  writeFileSync(file, script);
  const defines = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  const warmUp = warmUpSeconds(connections);
  const args = ['-n', '-M', 'prepared', '-P', 1, '-c', connections, '-j', 2, '-f', file, ...defines];
  const run = (duration: number) =>
    new Promise<string>((done, failed) =>
      execFile(program, [...args, '-T', duration, database].map(String), (error, stdout, stderr) =>
        error ? failed(new Error(`${error.message}\n${stderr}`)) : done(`${stderr}\n${stdout}`),
      ),
    );
  try {
    // The duration includes the time to connect. On a busy machine, 64 log-ins can take all of it, and then pgbench makes
    // no transaction.
    let connecting = Math.floor(connections / 32);
    for (let tries = 1; ; tries++) {
      const output = await run(connecting + warmUp + Math.max(1, seconds));
      const failures = /number of failed transactions: (\d+)/.exec(output)?.[1] ?? '0';
      if (failures !== '0') throw new Error(`${failures} of pgbench's transactions failed.`);
      const connected = connectedIn(output);
      if (connected <= connecting + 0.5) return rateIn(output, connected + warmUp);
      if (tries === mostTries) throw new Error(`pgbench took too long to connect:\n${output}`);
      connecting = Math.ceil(Math.min(connected, 4 * Math.max(connecting, 1)) * 1.5);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same prepared statements with the driver. */
async function byDriver({ database, connections, seconds, script, variables }: Run): Promise<number> {
  const steps = script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  let done = 0;
  const warmUp = warmUpSeconds(connections) * 1000;
  const begin = performance.now();
  const end = begin + warmUp + seconds * 1000;
  const client = async () => {
    const connection = new pg.Client({ connectionString: database });
    await connection.connect();
    while (performance.now() < end) {
      const values: Record<string, unknown> = { ...variables };
      for (const step of steps) await runStep(connection, step, values);
      if (performance.now() > begin + warmUp) done++;
    }
    await connection.end();
  };
  await Promise.all(Array.from({ length: connections }, client));
  return done / ((performance.now() - begin - warmUp) / 1000);
}

/** Interprets the used part of pgbench's language: \set name random(a, b), one statement per line, \gset. */
async function runStep(connection: pg.Client, step: string, values: Record<string, unknown>): Promise<void> {
  const random = /^\\set (\w+) random\((\d+), (\d+)\)$/.exec(step);
  if (random) {
    const [low, high] = [Number(random[2]), Number(random[3])];
    values[random[1] as string] = low + Math.floor(Math.random() * (high - low + 1));
    return;
  }
  const parameters: unknown[] = [];
  const text = step.replace(/\s*(\\gset|;)$/, '').replace(/(?<!:):([a-z_]\w*)/g, (_, name: string) => {
    parameters.push(values[name]);
    return `$${parameters.length}`;
  });
  const isPlain = /^(begin|commit|set )/.test(text);
  const { rows } = isPlain
    ? await connection.query(step)
    : await connection.query({ name: step.slice(0, 60), text, values: parameters });
  if (step.endsWith('\\gset')) Object.assign(values, rows[0]);
}
