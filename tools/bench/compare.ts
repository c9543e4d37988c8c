import { type EmptyRoute, startEmptyRoute } from './load/empty-route.ts';
import { limitTool } from './load/limit.ts';
import { type Ask, expectAnswer } from './load/load.ts';
import { startProcess } from './load/service.ts';
import { ratioOf, spreadOf } from './load/statistics.ts';
import { familyOf, memory } from './load/usage.ts';
import { peers as allPeers, type RunningPeer } from './peers/peers.ts';
import { goals } from './report/goals.ts';
import {
  machineFacts,
  type Other,
  type OwnResult,
  type PeersResult,
  type Results,
  type RowResult,
} from './report/results.ts';
import type { Begun, Row, Stage } from './rows/row.ts';
import { type Contender, HttpServerLoad, inSql, type Turn, takeTurns } from './turns.ts';

export interface Options {
  connections: number[];
  turns: number;
  /** The duration of a turn at 64 connections, where most goals are. Other turns are shorter. */
  seconds: number;
  peers: boolean;
  say(text: string): void;
}

/** The number of connections of most goals. */
const mainConnections = 64;
/** PostgreSQL alone is measured at 1 and 64 connections. The server allows 100, and the service uses some of them. */
const sqlConnections = [1, mainConnections];

/** A row during the measurement. `n` continues over all turns. */
interface Running {
  row: Row;
  begun: Begun;
  counter: { next: number };
  ours: HttpServerLoad;
}

/** Measures all rows at all numbers of connections: ours, PostgreSQL alone and the empty route, in turns. */
export async function compare(stage: Stage, rows: Row[], options: Options): Promise<Results> {
  const { service } = stage;
  const empty = await startEmptyRoute();
  try {
    const results: RowResult[] = [];
    const running: Running[] = [];
    for (const row of rows) {
      const begun = await row.begin(stage);
      const counter = { next: 0 };
      const ours = new HttpServerLoad(service.url, begun.ask, { machine: service.machine, counter });
      const one: Running = { row, begun, counter, ours };
      // The engine needs this long to compile the hot code, as in a service that runs for weeks.
      if (running.length === 0) await ours.measure(mainConnections, 8 * options.seconds);
      running.push(one);
      results.push(...(await measureRow(stage, one, empty, options)));
      await begun.stored?.(counter.next);
    }
    return {
      machine: await machineFacts(service),
      sqlBy: limitTool(),
      turns: options.turns,
      rows: results,
      peers: options.peers ? await comparePeers(stage, running, options) : [],
      peakMemory: memory(familyOf(service.machine.servicePids, [service.machine.postmaster]), 'VmHWM') ?? null,
    };
  } finally {
    await empty.stop();
  }
}

async function measureRow(stage: Stage, one: Running, empty: EmptyRoute, options: Options): Promise<RowResult[]> {
  const { row, begun, counter, ours } = one;
  const { measured } = await ours.measure(mainConnections, 2 * options.seconds);
  const answer = await empty.answering(measured?.answer ?? '{}');
  const nothing = new HttpServerLoad(empty.url, askEmpty(begun.ask, answer));
  await nothing.measure(mainConnections, options.seconds / 2);
  const hasUnbatchedGoal = goals.some(({ row: key, versus }) => key === row.key && versus === 'unbatched');
  const results: RowResult[] = [];
  for (const connections of options.connections) {
    const contenders: Contender[] = [ours.contender('ours', 'ours', connections)];
    if (begun.limit && sqlConnections.includes(connections)) contenders.push(inSql(stage, begun.limit, connections));
    contenders.push({
      ...{ id: 'empty', name: 'an empty route' },
      // The empty route varies little, so a shorter turn is enough.
      measure: () => nothing.measure(connections, options.seconds / 4),
    });
    const unbatched =
      hasUnbatchedGoal && connections === 1 ? await startUnbatched(stage, begun.ask, counter) : undefined;
    if (unbatched) contenders.push(unbatched.contender);
    try {
      const seconds = connections === mainConnections ? options.seconds : 0.4 * options.seconds;
      const taken = await takeTurns(contenders, { turns: options.turns, seconds });
      results.push(resultOf(row, connections, contenders, taken));
    } finally {
      await unbatched?.stop();
    }
    const last = results.at(-1) as RowResult;
    const rates = [{ name: 'ours', perSecond: last.ours.perSecond }, ...last.others].map(
      ({ name, perSecond }) => `${name} ${Math.round(perSecond.median)}`,
    );
    options.say(`  ${row.name}, ${connections} connections: ${rates.join(', ')} per second.`);
  }
  return results;
}

/** The same requests. They change nothing, so `n` can restart. */
function askEmpty(ask: Ask, answer: string): Ask {
  return { ...ask, check: (_, status, body) => expectAnswer(status, body, answer) };
}

/**
 * A second service on the same database without batching: each request is its own batch. The time of a single client is
 * compared with this service.
 */
async function startUnbatched(stage: Stage, ask: Ask, counter: { next: number }) {
  const own = await startProcess({ DATABASE_URL: stage.service.database, BATCHING: 'off' });
  const asked = new HttpServerLoad(own.url, ask, { counter });
  await asked.measure(mainConnections, 2);
  return {
    contender: asked.contender('unbatched', 'ours with batching off', 1),
    stop: () => own.end('SIGTERM'),
  };
}

function resultOf(row: Row, connections: number, contenders: Contender[], taken: Map<string, Turn[]>): RowResult {
  const ours = taken.get('ours') ?? [];
  const rates = (turns: Turn[]) => turns.map(({ perSecond }) => perSecond);
  const others = contenders
    .filter(({ id }) => id !== 'ours')
    .map(({ id, name }): Other => {
      const theirs = taken.get(id) ?? [];
      const [a, b] = id === 'unbatched' ? [theirs, ours] : [ours, theirs];
      return { id, name, perSecond: spreadOf(rates(theirs)), ratio: ratioOf(rates(a), rates(b)) };
    });
  return { row: row.key, name: row.name, connections, ours: oursOf(ours), others };
}

function oursOf(turns: Turn[]): OwnResult {
  const measured = turns.flatMap((turn) => turn.measured ?? []);
  const perRequest = (of: 'service' | 'postgres') => {
    const costs = turns.flatMap(({ use, measured }) =>
      use?.[of] === undefined ? [] : use[of] / (measured?.requests ?? 0),
    );
    return costs.length === 0 ? null : spreadOf(costs).median * 1e6;
  };
  const peaks = turns.flatMap(({ use }) => use?.peak ?? []);
  return {
    perSecond: spreadOf(measured.map(({ perSecond }) => perSecond)),
    p50: spreadOf(measured.map(({ p50 }) => p50)),
    p99: spreadOf(measured.map(({ p99 }) => p99)),
    p99OverP50: spreadOf(measured.map(({ p50, p99 }) => p99 / p50)),
    serviceCpu: perRequest('service'),
    postgresCpu: perRequest('postgres'),
    memory: peaks.length === 0 ? null : Math.max(...peaks),
    answerBytes: Buffer.byteLength(measured[0]?.answer ?? ''),
  };
}

/** The rows that peers support, with their names. */
const peersDo: Record<string, 'contact' | 'redeem'> = { 'contact-new': 'contact', redeem: 'redeem' };

/** Measures other programs, each with its own database on the same server, in turns with ours. */
async function comparePeers(stage: Stage, rows: Running[], options: Options): Promise<PeersResult[]> {
  const { say, seconds, turns } = options;
  const running: { name: string; version: string; peer: RunningPeer }[] = [];
  try {
    for (const peer of allPeers) {
      say(`Starting ${peer.name} ${peer.version}.`);
      await peer.install(say);
      running.push({ name: peer.name, version: peer.version, peer: await peer.start(stage.service, say) });
    }
    const results: PeersResult[] = [];
    for (const { row, begun, ours, counter } of rows) {
      const which = peersDo[row.key];
      if (which === undefined) continue;
      const contenders = [ours.contender('ours', 'ours', mainConnections)];
      for (const { name, peer } of running) {
        const asked = new HttpServerLoad(peer[which].url, peer[which]);
        await asked.measure(mainConnections, seconds);
        contenders.push(asked.contender(name, name, mainConnections));
      }
      const taken = await takeTurns(contenders, { turns, seconds });
      await begun.stored?.(counter.next);
      results.push({
        ...resultOf(row, mainConnections, contenders, taken),
        versions: Object.fromEntries(running.map(({ name, version }) => [name, version])),
        memory: Object.fromEntries(
          running.map(({ name, peer }) => [name, memory(familyOf(peer.pids()), 'VmRSS') ?? null]),
        ),
      });
      say(`  ${row.name} compared with peers.`);
    }
    return results;
  } finally {
    for (const { peer } of running) await peer.stop();
  }
}
