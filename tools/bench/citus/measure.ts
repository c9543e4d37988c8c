import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { load, type Measured } from '../load/load.ts';
import { type Spread, spreadOf } from '../load/statistics.ts';
import { postgresSeconds, used } from '../load/usage.ts';
import { type MachineFacts, machineFacts } from '../report/results.ts';
import { newContact } from '../rows/contacts.ts';
import { purchaseBy } from '../rows/purchases.ts';
import { redeem } from '../rows/redeem.ts';
import type { Begun, Row } from '../rows/row.ts';
import { fullestWorker, type Node, type System, startSystem } from './systems.ts';

/** The contents of docs/performance/citus.json. */
export interface CitusResults {
  machine: MachineFacts;
  turns: number;
  connections: number;
  accounts: number;
  shards: number;
  /** Milliseconds of CPU time per second of each node without requests. They are subtracted below. */
  idle: { workers: number; nodes: NodeCost[] }[];
  /** The number of accounts on each worker. */
  placed: { workers: number; accounts: number[] }[];
  /** The accounts of the fullest of four workers with other numbers of shards. */
  fullest: { shards: number; accounts: number }[];
  rows: CitusRow[];
}

interface NodeCost {
  kind: Node['kind'];
  cost: number;
}

export interface CitusRow {
  row: string;
  name: string;
  /** A single server (no workers) first. */
  systems: SystemResult[];
}

export interface SystemResult {
  workers: number;
  perSecond: Spread;
  /** Milliseconds. */
  p50: Spread;
  /** Microseconds of CPU time per write, of the service. */
  service: number;
  /** The same of each server, by turn. */
  nodes: { kind: Node['kind']; turns: number[] }[];
}

export interface CitusOptions {
  /** The folder of PostgreSQL programs with Citus. */
  binFolder: string;
  accounts: number;
  shards: number;
  turns: number;
  connections: number;
  say(text: string): void;
}

const workerCounts = [0, 1, 2, 4];
const [idleSeconds, idleWindows] = [30, 5];
/** A turn is one write in each account. Its parts alternate between the systems, because other load comes and goes. */
const parts = 4;
/** The parts before the first turn. Each connection to a worker reads the definitions of a shard when it first uses it. */
const warmUp = parts;
/** The new contacts do not change the other rows. */
const rows: Row[] = [newContact, purchaseBy('card_reference'), redeem()];
const each = { contacts: 20, bookingsEach: 2, purchasesEach: 3, waiting: 0 };

/** Measures the same writes on a single server and on clusters with one, two and four workers, in turns. */
export async function measureCitus(options: CitusOptions): Promise<CitusResults> {
  const { binFolder, accounts, shards, turns, connections, say } = options;
  if (accounts % parts !== 0) throw new Error(`The number of accounts is a multiple of ${parts}.`);
  const sizes = Array.from({ length: accounts }, () => ({ ...each, codes: turns + 1 }));
  const folder = mkdtempSync(join(tmpdir(), 'regulars-citus-'));
  // Under root, another user runs PostgreSQL.
  chmodSync(folder, 0o755);
  const stops: (() => Promise<void>)[] = [];
  const toStop = (one: () => Promise<void>) => void stops.push(one);
  const stop = async () => {
    for (const one of stops.splice(0)) await one();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().finally(() => process.exit(1)));
  try {
    // All of them end before one that failed is reported, so that none starts while they are stopped.
    const started = await Promise.allSettled(
      workerCounts.map((workers) =>
        startSystem(join(folder, String(workers)), { binFolder, workers, sizes, shards, toStop }),
      ),
    );
    const systems = started.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
    say('Measuring. The single server is shown as 0 workers.');
    const largest = systems.at(-1) as System;
    const idle = await measureIdle(systems);
    const results: CitusRow[] = [];
    for (const row of rows) results.push(await measureRow(systems, row, idle, options));
    const facts = await Promise.all(systems.map(({ service }) => machineFacts(service)));
    return {
      machine: facts[0] as MachineFacts,
      ...{ turns, connections, accounts, shards, rows: results },
      idle: systems.map(({ workers, nodes }) => ({
        workers,
        nodes: nodes.map(({ kind, postmaster }) => ({ kind, cost: 1000 * (idle.get(postmaster) ?? 0) })),
      })),
      placed: systems.map(({ workers, accountsOfWorker }) => ({ workers, accounts: accountsOfWorker })),
      fullest: await Promise.all(
        [32, 64, 128, 256, 1024].map(async (count) => ({
          shards: count,
          accounts: await fullestWorker(largest, count),
        })),
      ),
    };
  } finally {
    await stop();
  }
}

const secondsOf = (nodes: Node[]) => nodes.map(({ postmaster }) => postgresSeconds(postmaster) ?? Number.NaN);

/** CPU seconds per second of each postmaster without requests. The median, because maintenance comes and goes. */
async function measureIdle(systems: System[]): Promise<Map<number, number>> {
  const nodes = systems.flatMap((system) => system.nodes);
  // What the setup left behind, such as statistics, is done first.
  await pause(idleSeconds * 1000);
  const rates: number[][] = nodes.map(() => []);
  for (let window = 0; window < idleWindows; window++) {
    const [before, begin] = [secondsOf(nodes), performance.now()];
    await pause((idleSeconds * 1000) / idleWindows);
    const [after, took] = [secondsOf(nodes), (performance.now() - begin) / 1000];
    for (const [place, of] of rates.entries()) of.push(((after[place] ?? 0) - (before[place] ?? 0)) / took);
  }
  return new Map(nodes.map(({ postmaster }, place) => [postmaster, spreadOf(rates[place] ?? []).median]));
}

/** A part of a turn: CPU seconds of the service and of each server. */
interface Part {
  measured: Measured;
  service: number;
  nodes: number[];
}

async function measureRow(
  systems: System[],
  row: Row,
  idle: Map<number, number>,
  { accounts, turns, connections, say }: CitusOptions,
): Promise<CitusRow> {
  const running: { system: System; begun: Begun; parts: Part[] }[] = [];
  for (const system of systems) running.push({ system, begun: await row.begin(system), parts: [] });
  const requests = accounts / parts;
  const all = warmUp + turns * parts;
  for (let part = 0; part < all; part++) {
    for (let place = 0; place < running.length; place++) {
      const { system, begun, parts } = running[(part + place) % running.length] as (typeof running)[number];
      const taken = await takePart(system, begun, { connections, requests, from: part * requests }, idle);
      if (part >= warmUp) parts.push(taken);
    }
  }
  for (const { begun } of running) await begun.stored?.(all * requests);
  const results = running.map(({ system, parts }) => resultOf(system, parts, accounts));
  const rates = results.map(({ workers, perSecond }) => `${workers}: ${Math.round(perSecond.median)}`);
  say(`  ${row.name} by workers, per second: ${rates.join(', ')}.`);
  return { row: row.key, name: row.name, systems: results };
}

/** Adds up the parts of each turn, so that each turn has the same accounts. */
function resultOf({ workers, nodes }: System, taken: Part[], accounts: number): SystemResult {
  const turns = Array.from({ length: taken.length / parts }, (_, turn) =>
    taken.slice(turn * parts, (turn + 1) * parts),
  );
  const each = (of: (part: Part) => number) =>
    turns.map((turn) => (turn.reduce((sum, part) => sum + of(part), 0) / accounts) * 1e6);
  return {
    workers,
    perSecond: spreadOf(taken.map(({ measured }) => measured.perSecond)),
    p50: spreadOf(taken.map(({ measured }) => measured.p50)),
    service: spreadOf(each(({ service }) => service)).median,
    nodes: nodes.map(({ kind }, place) => ({ kind, turns: each((part) => part.nodes[place] ?? Number.NaN) })),
  };
}

async function takePart(
  { service, nodes }: System,
  { ask }: Begun,
  range: { connections: number; requests: number; from: number },
  idle: Map<number, number>,
): Promise<Part> {
  const [before, begin] = [secondsOf(nodes), performance.now()];
  const { done: measured, use } = await used(service.machine, () => load({ ...ask, url: service.url, ...range }));
  const [after, took] = [secondsOf(nodes), (performance.now() - begin) / 1000];
  return {
    measured,
    service: use.service ?? Number.NaN,
    nodes: nodes.map(
      ({ postmaster }, place) =>
        (after[place] ?? Number.NaN) - (before[place] ?? Number.NaN) - took * (idle.get(postmaster) ?? 0),
    ),
  };
}
