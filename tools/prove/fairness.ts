import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import type { Service } from '../bench/load/service.ts';
import type { Flood, Flooded } from './fairness/flood.ts';
import { ask } from './support/client.ts';
import type { ProofOptions, Verdict } from './support/proof.ts';
import { startProved } from './support/service.ts';

/**
 * The limit of the quiet account's p99 under a flood, as a multiple of its usual p99. One contact write of 1,000 purchases
 * occupies the process for 30 to 50 ms. The other account's requests wait for that, so the limit is higher.
 */
const [maxRatio, maxRatioOfLargeWrites] = [5, 8];
const largeWrites = '48 contact writes of 1,000 purchases';
/**
 * The machine is shared, so a flood counts as unfair only after this many slow or rejected measurements in a row. The p99 is
 * that of a few requests: one garbage collection, or another program, decides it.
 */
const tries = 12;

/** One account floods the service in several ways. Another account's requests must stay nearly as fast as usual. */
export async function proveFairness(options: ProofOptions): Promise<Verdict> {
  const { short, say, signal } = options;
  const requests = short ? 250 : 1000;
  const service = await startProved(options, { LOG_LEVEL: 'error' });
  const wrong: string[] = [];
  const tally: Record<string, number> = {};
  try {
    const quiet = await createAccount(service, 'The quiet group', 20, 3);
    const loud = await createAccount(service, 'The loud group', 10_000, 3);
    const probe = () => measure(service.url, quiet, requests, signal);
    await probe();
    for (const [name, flood] of Object.entries(floods(service.url, loud))) {
      const most = name === largeWrites ? maxRatioOfLargeWrites : maxRatio;
      let times = Infinity;
      let refused: string[] = [];
      const isUnfair = () => times > most || refused.length > 0;
      for (let attempt = 1; attempt <= tries && isUnfair() && !signal.aborted; attempt++) {
        const usual = await probe();
        const flooding = startFlood(flood);
        await pause(1000);
        const under = await probe();
        const { answered, bytes } = await flooding.end();
        times = under.p99 / usual.p99;
        const report = Object.entries(answered).map(([status, count]) => `${count} × ${status}`);
        say(
          `  ${name}: p50 ${shown(usual.p50)} → ${shown(under.p50)}, p99 ${shown(usual.p99)} → ${shown(under.p99)} ms, ` +
            `${times.toFixed(1)} times; the flood was answered ${report.join(', ')}, ${(bytes / 2 ** 20).toFixed(0)} MB`,
        );
        refused = [...usual.wrong, ...under.wrong];
        if (!('200' in answered)) wrong.push(`${name}: the flood itself got no answer at all.`);
      }
      wrong.push(...refused);
      tally[`% of the usual p99 under ${name}`] = Math.round(times * 100);
      if (times > most) wrong.push(`${name}: the other account’s p99 was ${times.toFixed(1)} times its usual.`);
    }
    return { tally, wrong };
  } finally {
    await service.stop();
  }
}

const shown = (milliseconds: number) => milliseconds.toFixed(1);

interface Group {
  accountId: number;
  unitId: number;
  token: string;
  /** The contact that has all purchases. */
  contactId: number;
}

/** Creates an account with one contact that has many purchases. */
async function createAccount(
  service: Pick<Service, 'url' | 'superuser' | 'admin'>,
  name: string,
  purchases: number,
  lines: number,
): Promise<Group> {
  const account = await service.admin('POST', '/accounts', { name });
  const unit = await service.admin('POST', `/accounts/${account.id}/units`, { name: 'The Anchor' });
  const { token } = await service.admin('POST', `/accounts/${account.id}/tokens`, { name: 'till' });
  const written = await fetch(`${service.url}/v1/contact`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'regular@gmail.com', full_contact_object: false }),
  });
  const { id: contactId } = (await written.json()) as { id: number };
  const client = new pg.Client({ connectionString: service.superuser });
  await client.connect();
  await client.query(
    `insert into purchases (account_id, contact_id, unit_id, transaction_reference, order_type_id, created_at, lines)
     select $1, $2, $3, 'T' || n, 4, '2026-03-01'::timestamp + n * interval '1 minute',
       (select jsonb_agg(jsonb_build_object('description', 'Item ' || line, 'sku', 'SKU-' || line, 'quantity', '1', 'value', '4.50', 'tags', '[]'::jsonb))
        from generate_series(1, $5::int) as line)
     from generate_series(1, $4::int) as n`,
    [account.id, contactId, unit.id, purchases, lines],
  );
  // The service analyses only tables that it writes to. These rows bypass it.
  await client.query('analyze purchases');
  await client.end();
  return { accountId: account.id, unitId: unit.id, token, contactId };
}

/** The floods: what a faulty client sends as fast as it can. */
function floods(url: string, { accountId, unitId, token, contactId }: Group): Record<string, Flood> {
  const search = {
    ...{ account_id: accountId, contact_id: contactId, types: ['purchases'] },
    ...{ start_date: '2026-01-01', end_date: '2026-12-31' },
  };
  const items = [{ description: 'Item', sku: 'SKU', quantity: 1, value: 4.5 }];
  const purchases = Array.from({ length: 1000 }, (_, n) => {
    return { transaction_reference: `F#-${n}`, unit_id: unitId, created_at: '2026-04-01 12:00:00', items };
  });
  return {
    '48 searches of 10,000 purchases': {
      ...{ url: `${url}/v1/pop/by_date`, token, method: 'GET', connections: 48 },
      body: JSON.stringify(search),
    },
    '256 contact writes': {
      ...{ url: `${url}/v1/contact`, token, method: 'POST', connections: 256 },
      body: JSON.stringify({ email: 'flood#@gmail.com', first_name: 'Flood', notes: [{ text: 'Flood' }] }),
    },
    [largeWrites]: {
      ...{ url: `${url}/v1/contact`, token, method: 'POST', connections: 48 },
      body: JSON.stringify({ email: 'bulk#@gmail.com', purchases }),
    },
  };
}

interface Measured {
  p50: number;
  p99: number;
  wrong: string[];
}

/** The requests of the quiet account, one after the other, as a till sends them. */
async function measure(url: string, group: Group, requests: number, signal: AbortSignal): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { accountId, contactId, token } = group;
  const search = { account_id: accountId, contact_id: contactId, start_date: '2026-01-01', end_date: '2026-12-31' };
  const calls = [
    ['POST', '/v1/contact', { email: 'till@gmail.com', first_name: 'Till', full_contact_object: false }],
    ['GET', '/v1/pop/by_date', { ...search, types: ['purchases', 'booking'] }],
    ['GET', '/v1/account/units', {}],
  ] as const;
  const times: number[] = [];
  const wrong: string[] = [];
  for (let n = 0; n < requests && !signal.aborted; n++) {
    const [method, path, body] = calls[n % calls.length] as (typeof calls)[number];
    const began = performance.now();
    const answer = await ask(agent, `${url}${path}`, { method, token, body: JSON.stringify(body), patienceMs: 60_000 });
    times.push(performance.now() - began);
    if (answer?.status !== 200)
      wrong.push(`The quiet account’s ${path} was answered ${answer?.status ?? 'not at all'}.`);
  }
  agent.destroy();
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), wrong };
}

function startFlood(flood: Flood): { end(): Promise<Flooded> } {
  const worker = new Worker(new URL('./fairness/flood.js', import.meta.url), { workerData: flood });
  const ended = new Promise<Flooded>((done, failed) => {
    worker.once('message', done);
    worker.once('error', failed);
  });
  return {
    end: () => {
      worker.postMessage('over');
      return ended;
    },
  };
}
