import { type ComparedRow, compareWrites } from './before.ts';
import { makeFixture } from './fixture.ts';
import { load } from './load/load.ts';
import { freePort } from './load/port.ts';
import { type Receiver, startReceiver } from './load/receiver.ts';
import { asSuperuser, type Service } from './load/service.ts';
import { percentile, ratioOf, type Spread, spreadOf } from './load/statistics.ts';
import type { MachineFacts } from './report/results.ts';
import { machineFacts } from './report/results.ts';
import type { Row, Stage } from './rows/row.ts';
import { takeTurns } from './turns.ts';

/** The contents of docs/performance/events.json. */
export interface EventResults {
  machine: MachineFacts;
  turns: number;
  /** The number of turns of the broken webhook and of the writes. Other load on the machine affects two short turns alike. */
  shortTurns: number;
  /** Deliveries per second of a backlog to one receiver. */
  deliveries: { events: number; perSecond: Spread };
  /** Milliseconds from the start of a write's transaction to the arrival of its event. */
  delays: { writesPerSecond: number; p50: Spread; p99: Spread };
  /** The time until all webhooks but one have the events, relative to that with no broken one. */
  broken: { webhooks: number; events: number; refuses: Spread; hangs: Spread };
  writes: WritesWithEvents[];
  /** All turns of all rows together. */
  allWrites: { none: Compared; all: Compared };
}

export interface WritesWithEvents {
  row: string;
  connections: number;
  /** Requests per second. */
  before: Spread;
  /** Without a webhook. */
  none: ComparedWrites;
  /** With a webhook for all events. */
  all: ComparedWrites;
}

/** Time and CPU time per request, relative to the build before events. */
interface Compared {
  slower: Spread;
  cpu: Spread;
}

interface ComparedWrites extends Compared {
  /** Requests per second. */
  perSecond: Spread;
}

interface Options {
  turns: number;
  shortTurns: number;
  seconds: number;
  say(text: string): void;
}

/** The services may send to this machine. */
export const allowPrivate = { WEBHOOK_PRIVATE_ADDRESSES: 'allow' };

const [backlog, writesPerSecond, webhookCount, burst] = [10_000, 500, 100, 100];

/** `before`: the service of a build without events. `none` and `all`: two of this build. */
export async function benchEvents(
  services: { before: Service; none: Service; all: Service },
  { turns, shortTurns, seconds, say }: Options,
): Promise<EventResults> {
  const receiver = await startReceiver();
  try {
    const sending = await Sending.begin(services.none, receiver, say);
    const deliveries = await sending.measureDeliveries(turns);
    const delays = await sending.measureDelays(turns, 10);
    const broken = await sending.measureBroken(shortTurns);
    const rows = await compareWrites(
      [
        { name: 'before', service: services.before, hasFigures: true },
        { name: 'none', service: services.none, hasFigures: true },
        {
          ...{ name: 'all', service: services.all, hasFigures: true },
          begin: async (accountId) => void (await addWebhook(services.all, accountId, `${receiver.url}/all`)),
          settle: () => receiver.untilQuiet(),
        },
      ],
      { parts: ['contacts'], turns: shortTurns, seconds, say },
    );
    const writes = rows.map((one) => {
      const beside = (id: string) => ({ perSecond: spreadOf(one.rates[id] ?? []), ...comparedWithBefore([one], id) });
      const { row, connections, rates } = one;
      return { row, connections, before: spreadOf(rates.before ?? []), none: beside('none'), all: beside('all') };
    });
    const allWrites = { none: comparedWithBefore(rows, 'none'), all: comparedWithBefore(rows, 'all') };
    const machine = await machineFacts(services.none);
    return { machine, turns, shortTurns, deliveries, delays, broken, writes, allWrites };
  } finally {
    await receiver.stop();
  }
}

function comparedWithBefore(rows: ComparedRow[], id: string): Compared {
  const of = (what: 'rates' | 'cpu', id: string) => rows.flatMap((row) => row[what][id] ?? []);
  return { slower: ratioOf(of('rates', 'before'), of('rates', id)), cpu: ratioOf(of('cpu', id), of('cpu', 'before')) };
}

const addWebhook = async (service: Service, accountId: number, url: string): Promise<number> =>
  (await service.admin('POST', `/accounts/${accountId}/webhooks`, { url, types: ['*'] })).id;

/** Measures the sending of events of one account. */
class Sending {
  readonly #stage: Stage;
  readonly #row: Row;
  readonly #receiver: Receiver;
  readonly #say: (text: string) => void;
  #written = 0;

  private constructor(stage: Stage, row: Row, receiver: Receiver, say: (text: string) => void) {
    [this.#stage, this.#row, this.#receiver, this.#say] = [stage, row, receiver, say];
  }

  static async begin(service: Service, receiver: Receiver, say: (text: string) => void): Promise<Sending> {
    const { stage, rows } = await makeFixture(service, new Set(['contacts']), say);
    const row = rows.find(({ key }) => key === 'contact-new');
    if (!row) throw new Error('There is no row of new contacts.');
    return new Sending(stage, row, receiver, say);
  }

  get #account(): number {
    return this.#stage.groups[0]?.made.accountId ?? 0;
  }

  #admin(method: string, path: string, body?: unknown) {
    return this.#stage.service.admin(method, `/accounts/${this.#account}${path}`, body);
  }

  /** Writes new contacts. Returns the number of events. */
  async #write(requests: number, perSecond?: number): Promise<number> {
    const before = await this.#countEvents();
    const { ask } = await this.#row.begin(this.#stage);
    const { url } = this.#stage.service;
    await load({ ...ask, url, connections: 16, requests, from: this.#written, ...(perSecond && { perSecond }) });
    this.#written += requests;
    return (await this.#countEvents()) - before;
  }

  #countEvents(): Promise<number> {
    return asSuperuser(this.#stage.service, async (client) => {
      const { rows } = await client.query('select coalesce(sum(size), 0) as n from events where account_id = $1', [
        this.#account,
      ]);
      return Number(rows[0]?.n);
    });
  }

  async #remove(webhookIds: number[]): Promise<void> {
    for (const id of webhookIds) await this.#admin('DELETE', `/webhooks/${id}`);
    await this.#receiver.untilQuiet();
  }

  /** Sends the same events several times. */
  async measureDeliveries(turns: number): Promise<EventResults['deliveries']> {
    const since = new Date().toISOString();
    const events = await this.#write(backlog);
    const id = await addWebhook(this.#stage.service, this.#account, `${this.#receiver.url}/backlog`);
    const rates: number[] = [];
    for (let turn = 0; turn <= turns; turn++) {
      const begin = performance.now();
      await this.#admin('POST', `/webhooks/${id}/replay`, { since });
      await this.#receiver.until(events);
      rates.push((events * 1000) / (performance.now() - begin));
      await this.#receiver.untilQuiet();
    }
    this.#say(`  ${events} events to one receiver: ${rates.map(Math.round).join(' ')} a second`);
    await this.#remove([id]);
    // The first turn warms up.
    return { events, perSecond: spreadOf(rates.slice(1)) };
  }

  async measureDelays(turns: number, seconds: number): Promise<EventResults['delays']> {
    const id = await addWebhook(this.#stage.service, this.#account, `${this.#receiver.url}/delays`);
    const shares: { p50: number; p99: number }[] = [];
    for (let turn = 0; turn <= turns; turn++) {
      const events = await this.#write(writesPerSecond * seconds, writesPerSecond);
      const { delays } = await this.#receiver.until(events);
      const sorted = Float64Array.from(delays).sort();
      shares.push({ p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) });
    }
    await this.#remove([id]);
    const measured = shares.slice(1);
    this.#say(`  delays at ${writesPerSecond} writes a second, in ms: ${JSON.stringify(measured)}`);
    return {
      writesPerSecond,
      p50: spreadOf(measured.map(({ p50 }) => p50)),
      p99: spreadOf(measured.map(({ p99 }) => p99)),
    };
  }

  /** All webhooks get all events. The last one works, refuses connections, or never answers. */
  async measureBroken(turns: number): Promise<EventResults['broken']> {
    const { service } = this.#stage;
    const ids: number[] = [];
    for (let n = 1; n < webhookCount; n++)
      ids.push(await addWebhook(service, this.#account, `${this.#receiver.url}/${n}`));
    let events = 0;
    const contender = (id: string, url: () => string | Promise<string>, answering: number) => ({
      ...{ id, name: id },
      measure: async () => {
        const last = await addWebhook(service, this.#account, await url());
        const begin = performance.now();
        events = await this.#write(burst);
        await this.#receiver.until(events * answering);
        const perSecond = 1000 / (performance.now() - begin);
        await this.#remove([last]);
        return { perSecond };
      },
    });
    const taken = await takeTurns(
      [
        contender('works', () => `${this.#receiver.url}/last`, webhookCount),
        contender('refuses', async () => `http://127.0.0.1:${await freePort()}/`, webhookCount - 1),
        contender('hangs', () => `${this.#receiver.url}/hang`, webhookCount - 1),
      ],
      { turns: turns + 1, seconds: 0 },
    );
    await this.#remove(ids);
    const rates = (id: string) => (taken.get(id) ?? []).slice(1).map(({ perSecond }) => perSecond);
    const [refuses, hangs] = ['refuses', 'hangs'].map((id) => ratioOf(rates('works'), rates(id)));
    if (!refuses || !hangs) throw new Error('There were no turns.');
    this.#say(
      `  one of ${webhookCount} refuses: ${refuses.median.toFixed(2)} times the time; hangs: ${hangs.median.toFixed(2)}`,
    );
    return { webhooks: webhookCount, events, refuses, hangs };
  }
}
