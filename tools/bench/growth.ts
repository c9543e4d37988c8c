import { fillFigures } from './load/figures.ts';
import { fill } from './load/fill.ts';
import { type Group, newGroups, type Size } from './load/guests.ts';
import { load, type Measured } from './load/load.ts';
import type { Service } from './load/service.ts';
import { ratioOf, type Spread, spreadOf } from './load/statistics.ts';
import { familyOf, memory, type Use, used } from './load/usage.ts';
import { type MachineFacts, machineFacts } from './report/results.ts';
import { newContact } from './rows/contacts.ts';
import { lateMatching, purchaseBy } from './rows/purchases.ts';
import { redeem } from './rows/redeem.ts';
import type { Begun, Row } from './rows/row.ts';
import { bookingSearch, guestSearch, popSearch } from './rows/searches.ts';

/** The contents of docs/performance/growth.json. */
export interface GrowthResults {
  machine: MachineFacts;
  turns: number;
  connections: number;
  /** The same at every size. */
  each: typeof each;
  axes: Axis[];
  /** Megabytes, over the whole run. */
  peakMemory: number | null;
}

export interface Axis {
  /** The axis: contacts or accounts. */
  along: 'contacts' | 'accounts';
  points: number[];
  rows: { row: string; name: string; at: Point[] }[];
}

export interface Point {
  perSecond: Spread;
  p50: Spread;
  p99: Spread;
  /** The time relative to the first point, per turn. */
  slower: Spread;
  /** Microseconds of CPU time per request. */
  serviceCpu: number | null;
  postgresCpu: number | null;
  /** The average batch size, for batched routes. */
  gathered: number | null;
}

export interface GrowthOptions {
  /** Sizes of one account. */
  contacts: number[];
  /** The numbers of accounts over which the same contacts are spread. */
  accounts: number[];
  turns: number;
  say(text: string): void;
}

/** Less activity per contact than in the other rows, because five million contacts would take too long. */
const each = { bookingsEach: 1, purchasesEach: 1 };
const connections = 64;
const mostSpread = 1_000_000;

/**
 * The requests per turn, one or two seconds. Rows that add contacts come last, because they grow the smallest account.
 */
const rows: { row: Row; requests: number }[] = [
  { row: bookingSearch, requests: 3000 },
  { row: popSearch, requests: 1500 },
  { row: guestSearch, requests: 1000 },
  { row: redeem(), requests: 5000 },
  { row: purchaseBy('table_number'), requests: 2000 },
  { row: lateMatching, requests: 2000 },
  { row: newContact, requests: 2000 },
];
const requestsOf = (key: string) => rows.find(({ row }) => row.key === key)?.requests ?? 0;

/** Measures the same requests in small and large accounts, in turns. */
export async function measureGrowth(service: Service, options: GrowthOptions): Promise<GrowthResults> {
  const { contacts, accounts, turns, say } = options;
  const inAll = Math.max(...contacts.filter((size) => size <= mostSpread));
  const of = (size: number, groups: number): Size => {
    const needed = (key: string) => Math.ceil((requestsOf(key) * (turns + 1)) / groups);
    return {
      ...{ contacts: size, ...each, waiting: Math.floor(size / 50) + needed(lateMatching.key) },
      codes: Math.max(size, needed('redeem')),
    };
  };
  const sizes = [
    ...contacts.map((size) => ({ along: 'contacts' as const, point: size, sizes: [of(size, 1)] })),
    ...accounts.map((point) => ({
      ...{ along: 'accounts' as const, point },
      sizes: Array.from({ length: point }, () => of(Math.max(1, Math.round(inAll / point)), point)),
    })),
  ];
  const all = sizes.flatMap((one) => one.sizes);
  say(`Making ${all.length.toLocaleString('en')} accounts.`);
  const groups = await newGroups(service, all);
  const guests = all.reduce((sum, one) => sum + one.contacts, 0);
  say(`Filling them: ${guests.toLocaleString('en')} contacts, and what they did.`);
  await fill(service, groups, say);
  await fillFigures(service, groups, say);
  const stages = sizes.map(({ along, point, sizes }) => ({ along, point, groups: groups.splice(0, sizes.length) }));
  const axes: Axis[] = [];
  for (const along of ['contacts', 'accounts'] as const) {
    const ofAxis = stages.filter((stage) => stage.along === along);
    if (ofAxis.length === 0) continue;
    axes.push(await measureAxis(service, along, ofAxis, turns, say));
  }
  const family = familyOf(service.machine.servicePids, [service.machine.postmaster]);
  const peakMemory = memory(family, 'VmHWM') ?? null;
  return { machine: await machineFacts(service), turns, connections, each, axes, peakMemory };
}

interface Turn {
  measured: Measured;
  use: Use;
  gathered: number | null;
}

async function measureAxis(
  service: Service,
  along: Axis['along'],
  stages: { point: number; groups: Group[] }[],
  turns: number,
  say: (text: string) => void,
): Promise<Axis> {
  const axis: Axis = { along, points: stages.map(({ point }) => point), rows: [] };
  for (const { row, requests } of rows) {
    const running: { begun: Begun; turns: Turn[] }[] = [];
    for (const { groups } of stages) running.push({ begun: await row.begin({ service, groups }), turns: [] });
    // The first turn is a warm-up.
    for (let turn = 0; turn <= turns; turn++) {
      for (let place = 0; place < running.length; place++) {
        const one = running[(turn + place) % running.length] as (typeof running)[number];
        const taken = await takeTurn(service, one.begun, turn * requests, requests);
        if (turn > 0) one.turns.push(taken);
      }
    }
    for (const { begun } of running) await begun.stored?.(requests * (turns + 1));
    const first = ratesOf(running[0]?.turns ?? []);
    axis.rows.push({ row: row.key, name: row.name, at: running.map((one) => pointOf(one.turns, first)) });
    const rates = running.map(
      (one, place) => `${axis.points[place]}: ${Math.round(spreadOf(ratesOf(one.turns)).median)}`,
    );
    say(`  ${row.name} by ${along}, per second: ${rates.join(', ')}.`);
  }
  return axis;
}

const ratesOf = (turns: Turn[]) => turns.map(({ measured }) => measured.perSecond);

async function takeTurn(service: Service, { ask }: Begun, from: number, requests: number): Promise<Turn> {
  const before = await batches(service);
  const { done: measured, use } = await used(service.machine, () =>
    load({ ...ask, url: service.url, connections, from, requests }),
  );
  const after = await batches(service);
  const count = after.count - before.count;
  return { measured, use, gathered: count > 0 ? (after.sum - before.sum) / count : null };
}

/** The numbers of batches and of batched requests so far, without the request log. */
async function batches({ url }: Service): Promise<{ count: number; sum: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const total = (name: string) =>
    [...text.matchAll(new RegExp(`^regulars_batch_size_${name}\\{batch="/v1[^}]*\\} (\\d+)`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  return { count: total('count'), sum: total('sum') };
}

function pointOf(turns: Turn[], first: number[]): Point {
  const middle = (values: (number | null | undefined)[]) => {
    const known = values.filter((value) => value !== null && value !== undefined);
    return known.length === 0 ? null : spreadOf(known).median;
  };
  const cpu = (of: 'service' | 'postgres') =>
    middle(turns.map(({ use, measured }) => use[of] && (use[of] / measured.requests) * 1e6));
  return {
    perSecond: spreadOf(ratesOf(turns)),
    p50: spreadOf(turns.map(({ measured }) => measured.p50)),
    p99: spreadOf(turns.map(({ measured }) => measured.p99)),
    slower: ratioOf(first, ratesOf(turns)),
    ...{ serviceCpu: cpu('service'), postgresCpu: cpu('postgres') },
    gathered: middle(turns.map(({ gathered }) => gathered)),
  };
}
