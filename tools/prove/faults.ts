import { setTimeout as pause } from 'node:timers/promises';
import { recheckDomainTask } from '../../src/features/guests/domains/schema.ts';
import type { Connection } from '../../src/platform/db/connection.ts';
import { only } from '../../src/platform/db/sql.ts';
import { Random } from '../../src/shared/random.ts';
import { askAdmin } from '../bench/load/service.ts';
import type { Postgres } from '../servers/postgres.ts';
import { type Counts, happen, nodesOf, type Scene, schedule, secondsForAll } from './faults/chaos.ts';
import { type CheckResult, checkAccount, checkDatabase } from './faults/check.ts';
import { Disk } from './faults/disk.ts';
import { checkEvents, type EventCheck, FeedReader } from './faults/feed.ts';
import { clients, Load } from './faults/load.ts';
import { codes, type Place } from './faults/script.ts';
import { distributed, type Setup, singleServers } from './faults/setups.ts';
import { every, type Fleet } from './support/fleet.ts';
import type { ProofOptions, Verdict } from './support/proof.ts';

/**
 * The maximum time until every process accepts writes after the database is back. Longer in the short form, which runs
 * on shared machines, and with the three servers of a distributed PostgreSQL.
 */
const recoveryMs = { long: 5000, short: 15_000, distributed: 45_000 };
/** The number of answered writes that are sent again at the end. */
const repeated = 300;

/** The result of one scene. */
interface Findings extends Counts, CheckResult, Omit<EventCheck, 'wrong'> {
  seconds: number;
  slowestRecoveryMs: number;
  tally: Load['tally'];
  fleet: Fleet;
  cantFill: string | undefined;
}

/**
 * Clients write and read while processes are killed, PostgreSQL is killed, stopped and paused, connections are cut and
 * the disk is full. At the end the database is compared with the responses and checked for consistency.
 */
export async function proveFaults(terms: ProofOptions): Promise<Verdict> {
  const found: Findings[] = [];
  const setups = terms.citus === undefined ? singleServers : [distributed(terms.citus)];
  for (const [index, way] of setups.entries()) {
    const disk = new Disk();
    try {
      if (disk.cantFill) terms.say(`  THE DISK WILL NOT BE FULL: ${disk.cantFill}`);
      const chance = new Random(terms.seed + index);
      await way.stage(disk, chance, terms.signal, async (scene) => {
        found.push(await runScene(way, scene, chance, terms));
      });
    } finally {
      disk.remove();
    }
  }
  const sum = (count: (findings: Findings) => number) => found.reduce((total, one) => total + count(one), 0);
  const cantFill = found.find((one) => one.cantFill)?.cantFill;
  return {
    wrong: found.flatMap(({ wrong }) => wrong),
    tally: {
      'seconds under load': Math.round(sum((one) => one.seconds)),
      'clients at once': clients,
      'processes of the service killed with -9': sum((one) => one.fleet.killed),
      'processes of the service stopped by a signal': sum((one) => one.fleet.restarted),
      'kills of PostgreSQL with -9': sum((one) => one.postgresKills),
      'kills of a node of a distributed PostgreSQL with -9': sum((one) => one.workerKills),
      'restarts of PostgreSQL': sum((one) => one.restarts),
      'times PostgreSQL hung': sum((one) => one.halts),
      'connections cut': sum((one) => one.cuts),
      [`times the disk was full${cantFill ? ' (LEFT OUT: no file system may be mounted here)' : ''}`]: sum(
        (one) => one.fullDisks,
      ),
      'clients that hung up': sum((one) => one.tally.hungUp),
      requests: sum((one) => one.tally.requests),
      'of these, retries': sum((one) => one.tally.retries),
      'answered 503': sum((one) => one.tally.turnedAway),
      'broken off without an answer': sum((one) => one.tally.unanswered),
      'writes answered': sum((one) => one.tally.answered),
      'answers replayed': sum((one) => one.tally.replayed),
      'writes given up': sum((one) => one.tally.gaveUp),
      'of these, done all the same': sum((one) => one.storedUnanswered),
      lost: sum((one) => one.lost),
      doubled: sum((one) => one.doubled),
      'half-written': sum((one) => one.half),
      events: sum((one) => one.events),
      'writes without their event': sum((one) => one.missing),
      'events without their write': sum((one) => one.unfounded),
      'ms until the slowest recovery': Math.round(Math.max(...found.map((one) => one.slowestRecoveryMs))),
    },
  };
}

async function runScene(
  way: Setup,
  scene: Scene,
  chance: Random,
  { seed, short, say, signal }: ProofOptions,
): Promise<Findings> {
  const { fleet, postgres } = scene;
  const seconds = short ? secondsForAll(scene) : way.longSeconds;
  say(`${way.name}, for ${seconds} seconds:`);
  const places = await createAccounts(scene, way.accounts);
  const loads = places.map((place, n) => new Load(place, () => fleet.urls(), seed + n));
  const counts: Counts = { postgresKills: 0, workerKills: 0, restarts: 0, halts: 0, cuts: 0, fullDisks: 0 };
  const wrong: string[] = [];
  let slowestRecoveryMs = 0;
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  const clientsAtWork = loads.map((load) => load.begin());
  const readers = places.map((place) => new FeedReader(place, () => fleet.urls()));
  const followers = readers.map((reader) => reader.begin());
  const turnedAway = () => loads.reduce((sum, { tally }) => sum + tally.turnedAway, 0);
  const jobs = every(150, async () => {
    const connection = await postgres.connect().catch(() => undefined);
    if (connection) await enqueueJob(connection, places).catch(() => {}); // The database is unavailable, so no job can be enqueued.
    await connection?.close();
  });
  try {
    for (const fault of schedule(scene, seconds, chance, short)) {
      await pause(Math.max(0, fault.at - elapsed()) * 1000, undefined, { signal });
      const at = elapsed();
      const before = turnedAway();
      const words = await happen(scene, fault, counts);
      const back = await waitForPostgres(scene);
      const away = (back - began) / 1000 - at;
      const stalls = measureStalls();
      const slowest = Math.max(...(await Promise.all(loads.map((load) => waitForFleet(scene, load, back)))));
      const lateMs = slowest - stalls.end();
      slowestRecoveryMs = Math.max(slowestRecoveryMs, slowest);
      const sentence = `${at.toFixed(1)} s: ${words}, back after ${away.toFixed(1)} s, recovered ${Math.round(slowest)} ms later`;
      say(`  ${sentence}; ${turnedAway() - before} answers of 503.`);
      const bound = recoveryMs[scene.cluster ? 'distributed' : short ? 'short' : 'long'];
      if (lateMs > bound) wrong.push(`A process did not recover in ${bound} ms: ${sentence}.`);
    }
    await pause(Math.max(0, seconds - elapsed()) * 1000, undefined, { signal });
  } finally {
    await Promise.all([...clientsAtWork.map((one) => one.end()), jobs.end()]);
  }
  const underLoad = elapsed();
  await fleet.complete();
  for (const load of loads) {
    if (!(await repeatSome(load))) wrong.push('What was answered could not be sent again.');
    load.close();
  }
  if (!(await waitForJob(scene, places))) wrong.push('A job was not done within 15 seconds.');
  await Promise.all(followers.map((one) => one.end()));
  // Running transactions end before the check.
  await fleet.stop();
  for (const node of nodesOf(scene)) {
    if (!node.isRunning()) await node.start();
    await node.waitUntilBack();
  }
  const connection = await postgres.connect();
  try {
    await waitForPrepared(scene);
    const checks: CheckResult[] = [];
    for (const [n, { account }] of places.entries())
      checks.push(await checkAccount(connection, account, loads[n]?.writes ?? []));
    const events: EventCheck[] = [];
    for (const [n, { account }] of places.entries())
      events.push(await checkEvents(connection.run, account, readers[n]?.ids ?? []));
    wrong.push(...checks.flatMap((check) => check.wrong), ...(await checkDatabase(connection)));
    wrong.push(...events.flatMap((check) => check.wrong));
    const sumEvents = (of: (check: EventCheck) => number) => events.reduce((total, check) => total + of(check), 0);
    const sum = (of: (check: CheckResult) => number) => checks.reduce((total, check) => total + of(check), 0);
    return {
      ...counts,
      ...{ lost: sum(({ lost }) => lost), doubled: sum(({ doubled }) => doubled), half: sum(({ half }) => half) },
      ...{ storedUnanswered: sum(({ storedUnanswered }) => storedUnanswered), slowestRecoveryMs, seconds: underLoad },
      ...{ events: sumEvents((one) => one.events), missing: sumEvents((one) => one.missing) },
      unfounded: sumEvents((one) => one.unfounded),
      ...{ tally: sumOf(loads.map(({ tally }) => tally)), fleet, cantFill: scene.disk.cantFill },
      wrong: [...wrong, ...fleet.wrong, ...loads.flatMap((load) => load.wrong)],
    };
  } finally {
    await connection.close();
  }
}

function sumOf<Tally extends Record<string, number>>(tallies: Tally[]): Tally {
  const sum: Record<string, number> = {};
  for (const tally of tallies) for (const [name, count] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + count;
  return sum as Tally;
}

/** A lost node keeps what it had prepared until the coordinator says how it ended. */
async function waitForPrepared({ cluster }: Scene): Promise<void> {
  for (const worker of cluster?.workers ?? []) {
    const connection = await worker.connect();
    const deadline = performance.now() + 30_000;
    try {
      while ((await connection.run`select from pg_prepared_xacts`).length > 0) {
        if (performance.now() > deadline) throw new Error('A prepared transaction was not finished.');
        await pause(100);
      }
    } finally {
      await connection.close();
    }
  }
}

/** Waits until PostgreSQL accepts writes on every node. Starts it if no service does, as an operator would. */
async function waitForPostgres(scene: Scene): Promise<number> {
  const back = await Promise.all(nodesOf(scene).map((node) => waitForNode(node, scene.line !== undefined)));
  return Math.max(...back);
}

async function waitForNode(node: Postgres, isOurs: boolean): Promise<number> {
  let isBack = false;
  const back = node.waitUntilBack().finally(() => {
    isBack = true;
  });
  while (isOurs && !isBack) {
    if (!node.isRunning()) await node.start().catch(() => {});
    await Promise.race([back, pause(50)]);
  }
  return back;
}

/** Waits until every process has answered a write. Returns the milliseconds of the slowest. */
async function waitForFleet({ fleet, cluster }: Scene, load: Load, back: number): Promise<number> {
  let since = back;
  if (fleet.urls().length === 0) {
    // All processes were killed. The time of the new ones counts from their start.
    await fleet.complete();
    since = performance.now();
  }
  const isOver = (url: string) =>
    !fleet.urls().includes(url) || performance.now() - since > 2 * recoveryMs[cluster ? 'distributed' : 'short'];
  const each = fleet.urls().map(async (url) => {
    await load.waitForWrite(url, () => isOver(url));
    return performance.now() - since;
  });
  return Math.max(0, ...(await Promise.all(each)));
}

/** The longest stall of this process, measured by a timer of 50 ms. A stalled machine cannot recover either. */
function measureStalls(): { end(): number } {
  let lost = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    lost += Math.max(0, now - last - 100);
    last = now;
  }, 50);
  return {
    end: () => {
      clearInterval(timer);
      return lost;
    },
  };
}

/** Creates accounts, on a distributed PostgreSQL each on another node. */
async function createAccounts(scene: Scene, count: number): Promise<Place[]> {
  const places = new Map<number, Place>();
  while (places.size < count) {
    const place = await createAccount(scene);
    places.set((await scene.cluster?.workerOf(place.account)) ?? places.size, place);
  }
  return [...places.values()];
}

/** An account, and the codes to redeem. */
async function createAccount({ fleet, postgres }: Scene): Promise<Place> {
  const admin = (path: string, body: object) => askAdmin(fleet.url(), 'POST', path, body);
  const { id: account } = await admin('/accounts', { name: 'The Harbour Group' });
  const at = `/accounts/${account}`;
  const { token } = await admin(`${at}/tokens`, { name: 'till' });
  const units: number[] = [];
  for (let n = 0; n < 4; n++) units.push((await admin(`${at}/units`, { name: `Venue ${n}` })).id);
  const { id: group } = await admin(`${at}/unique_code_groups`, { unit_id: units[0], name: 'Summer' });
  const connection = await postgres.connect();
  await connection.run`
    insert into unique_codes (account_id, group_id, unique_code)
    select ${account}::bigint, ${group}::bigint, 'R' || n from generate_series(0, ${codes.raced}::int - 1) as n
    union all select ${account}, ${group}, 'O' || client || '-' || n
    from generate_series(0, ${clients}::int - 1) as client, generate_series(0, ${codes.own}::int - 1) as n`;
  const entries = JSON.stringify([{ at: new Date().toISOString(), made: codes.raced + clients * codes.own }]);
  await connection.run`
    insert into changed_unique_codes (account_id, group_id, entries) values (${account}, ${group}, ${entries}::jsonb)`;
  await connection.close();
  return { account, token, units, group };
}

/** Sends answered writes again. Each must get the same response. */
async function repeatSome(load: Load): Promise<boolean> {
  const answered = load.writes.filter(({ key, answer }) => key !== undefined && answer?.status === 200);
  const step = Math.max(1, Math.floor(answered.length / repeated));
  let replayed = 0;
  for (let place = 0; place < answered.length; place += step)
    if (await load.repeat(answered[place] as (typeof answered)[number])) replayed++;
  return replayed > 0;
}

/** Enqueues a job. Returns its id. */
async function enqueueJob({ run }: Connection, [place]: Place[]): Promise<number> {
  const payload = JSON.stringify({ account_id: place?.account, domain: 'harbour.example' });
  return only(await run<{ id: number }>`select id from graphile_worker.add_job(${recheckDomainTask}, ${payload}::json)`)
    .id;
}

/** Waits until the job has run. (The running job of a killed process stays locked for hours.) */
async function waitForJob({ postgres }: Scene, places: Place[]): Promise<boolean> {
  const connection = await postgres.connect();
  try {
    const job = await enqueueJob(connection, places);
    for (let tries = 0; tries < 300; tries++) {
      if ((await connection.run`select from graphile_worker.jobs where id = ${job}`).length === 0) return true;
      await pause(50);
    }
    return false;
  } finally {
    await connection.close();
  }
}
