import { fillNext, turnSegments } from '../../src/features/insight/segments/keep.ts';
import { openPool } from '../../src/platform/db/database.ts';
import { adminToken, asSuperuser, type Service } from './load/service.ts';
import { type Spread, spreadOf } from './load/statistics.ts';

/** The contents of docs/performance/segments.json. Times in milliseconds. */
export interface SegmentResults {
  sizes: SegmentSize[];
}

export interface SegmentSize {
  contacts: number;
  purchases: number;
  /** The time of each preview, the slowest first. */
  previews: { name: string; count: number; ms: Spread }[];
  segments: number;
  /** From the creation of the last segment until all members are stored. */
  filled: number;
  list: Spread;
  firstPage: Spread;
  exportPerSecond: number;
  exported: number;
  /** The turn of the day of all segments, and the contacts that it looked at. */
  turn: number;
  crossing: number;
}

interface Options {
  contacts: number[];
  rounds: number;
  say(text: string): void;
}

/** Measures segments in accounts of several sizes. Each contact has 10 purchases in 18 months. */
export async function benchSegments(service: Service, { contacts, rounds, say }: Options): Promise<SegmentResults> {
  const sizes: SegmentSize[] = [];
  for (const size of contacts) {
    say(`Making an account of ${size.toLocaleString('en')} guests with 10 purchases each.`);
    sizes.push(await measure(service, await makeAccount(service, size), size, rounds, say));
  }
  return { sizes };
}

const purchasesEach = 10;
const unitCount = 20;

async function makeAccount(service: Service, contacts: number): Promise<number> {
  const { id } = await service.admin('POST', '/accounts', { name: `${contacts} guests` });
  const units: number[] = [];
  for (let n = 0; n < unitCount; n++)
    units.push((await service.admin('POST', `/accounts/${id}/units`, { name: `Pub ${n}` })).id);
  await asSuperuser(service, async (client) => {
    const run = (text: string, ...values: unknown[]) => client.query(text, values);
    for (const setting of ['session_replication_role = replica', 'synchronous_commit = off', "work_mem = '256MB'"])
      await run(`set ${setting}`);
    const { rows } = await client.query<{ first: string }>('select coalesce(max(id), 0) as first from contacts');
    const first = Number(rows[0]?.first ?? 0);
    await run(
      `insert into contacts (account_id, id, first_name, last_name, email, city, dob, allow_email, allow_sms, created_at)
       select $1, $2 + n, 'Ana', 'Guest ' || n, 'guest' || n || '@gmail.com', (array['Bath', 'Bristol', 'York', 'Leeds'])[1 + n % 4],
         date '1960-01-01' + n % 15000, n % 3 > 0, n % 5 > 2, now() - make_interval(days => n % 540)
       from generate_series(1, $3::integer) as n`,
      ...[id, first, contacts],
    );
    await run(
      `insert into contact_units (account_id, contact_id, unit_id)
       select $1, $2 + n, ($4::bigint[])[1 + n % ${unitCount}] from generate_series(1, $3::integer) as n`,
      ...[id, first, contacts, units],
    );
    // Recent days and some guests are busier than others. The rows are in the order in which tills would have written them.
    await run(
      `insert into contact_days (account_id, contact_id, day, unit_id, purchases, pence)
       select $1, $2 + n, current_date - day, unit_id, count(*), sum(pence) from (
         select n, (540 * power(random(), 1.5))::integer % greatest(1, 540 - n % 400) + n % 160 as day,
           ($4::bigint[])[1 + (n + nth / 8) % ${unitCount}] as unit_id, 500 + (random() * 6000)::integer as pence
         from generate_series(1, $3::integer) as n, generate_series(1, ${purchasesEach}) as nth offset 0) as visit
       group by n, day, unit_id order by day desc, n`,
      ...[id, first, contacts, units],
    );
    await run(
      `insert into contact_figures (account_id, contact_id, visits, first_visit, last_visit, recent_visits, purchases, purchase_days, pence,
         nps, nps_day)
       select account_id, contact_id, count(distinct day), min(day), max(day), (array_agg(distinct day order by day desc))[1:50],
         sum(purchases), count(distinct day), sum(pence), case when contact_id % 20 = 0 then contact_id % 11 end,
         case when contact_id % 20 = 0 then max(day) end
       from contact_days where account_id = $1 group by account_id, contact_id`,
      id,
    );
    await run(`select setval(pg_get_serial_sequence('contacts', 'id'), (select max(id) from contacts))`);
    for (const table of ['contacts', 'contact_units', 'contact_days', 'contact_figures'])
      await run(`vacuum (analyze) ${table}`);
    await run('checkpoint');
  });
  return id;
}

const mix = {
  all: [
    { field: 'visits', op: 'at_least', value: 2, in_last_days: 180 },
    { field: 'average_spend', op: 'at_least', value: 20 },
    { field: 'city', op: 'is', value: 'bath' },
    { field: 'allow_email', op: 'is', value: true },
    { field: 'last_visit', op: 'not_in_last_days', value: 14 },
    {
      any: [
        { field: 'spend', op: 'at_least', value: 100, in_last_days: 90 },
        { field: 'birthday', op: 'in_next_days', value: 30 },
      ],
    },
  ],
};

const segmentCount = 100;

async function measure(
  service: Service,
  account: number,
  contacts: number,
  rounds: number,
  say: (text: string) => void,
): Promise<SegmentSize> {
  const at = `/accounts/${account}`;
  const get = async (path: string, accept = 'application/json') => {
    const response = await fetch(`${service.url}/admin/v1${at}${path}`, {
      headers: { authorization: `Bearer ${adminToken}`, accept },
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  };
  const { data: presets } = (await (await get('/segment_presets')).json()) as {
    data: { name: string; definition: object }[];
  };
  const previews: SegmentSize['previews'] = [];
  for (const { name, definition } of [...presets, { name: 'six conditions', definition: mix }]) {
    let count = 0;
    const ms = await repeat(rounds, async () => {
      count = ((await service.admin('POST', `${at}/segments/preview`, { definition })) as unknown as { count: number })
        .count;
    });
    previews.push({ name, count, ms });
  }
  previews.sort((a, b) => b.ms.median - a.ms.median);
  for (const { name, count, ms } of previews)
    say(`  preview ${name.padEnd(36)} ${String(count).padStart(9)} guests ${shown(ms)} ms`);

  const ids: number[] = [];
  for (let n = 0; n < segmentCount; n++) {
    const { name, definition } = presets[n % presets.length] as (typeof presets)[number];
    const varied = JSON.parse(
      JSON.stringify(definition).replace(/"in_last_days":(\d+)/g, (_, days) => `"in_last_days":${Number(days) + n}`),
    );
    ids.push((await service.admin('POST', `${at}/segments`, { name: `${name} ${n}`, definition: varied })).id);
  }
  const filled = await timed(() => untilStored(service, account));
  const list = await repeat(rounds, async () => void (await (await get('/segments?limit=100')).json()));
  const firstPage = await repeat(
    segmentCount,
    async (n) => void (await (await get(`/segments/${ids[n]}/contacts`)).json()),
  );
  const [largest] = await asSuperuser(service, async (client) => {
    const { rows } = await client.query<{ id: string; members: string }>(
      'select id, members from segments where account_id = $1 order by members desc limit 1',
      [account],
    );
    return rows;
  });
  const exported = Number(largest?.members ?? 0);
  const taken = await timed(async () => {
    const { body } = await get(`/segments/${largest?.id}/contacts`, 'text/csv');
    let lines = -1;
    if (body) for await (const part of body) for (const byte of part as Uint8Array) if (byte === 10) lines++;
    if (lines !== exported) throw new Error(`The export has ${lines} rows instead of ${exported}.`);
  });
  const { crossing, turn } = await measureTurn(service, account);
  const result = {
    ...{ contacts, purchases: contacts * purchasesEach, previews, segments: segmentCount, filled, list, firstPage },
    ...{ exported, exportPerSecond: Math.round(exported / (taken / 1000)), turn, crossing },
  };
  say(
    `  ${segmentCount} segments: members stored after ${Math.round(filled)} ms, listed in ${shown(list)} ms, first page ${shown(firstPage)} ms`,
  );
  say(
    `  export ${result.exportPerSecond.toLocaleString('en')} contacts a second (${exported}), the turn of the day ${Math.round(turn)} ms (${crossing} contacts)`,
  );
  return result;
}

/** Stores the members as they were yesterday, and measures the turn to today. */
async function measureTurn(service: Service, account: number): Promise<{ turn: number; crossing: number }> {
  const yesterday = new Date(Date.now() - 86_400_000);
  const pool = (now: () => Date) => openPool({ url: service.database, connections: 1, now });
  const [before, today] = [pool(() => yesterday), pool(() => new Date())];
  try {
    // Without a change that waits, the service does not notice it.
    await asSuperuser(service, (client) =>
      client.query('update segments set evaluated_day = null where account_id = $1', [account]),
    );
    while (await fillNext(before, account));
    let crossing = 0;
    const turn = await timed(async () => {
      crossing = await turnSegments(today, account);
    });
    return { turn, crossing };
  } finally {
    await before.close();
    await today.close();
  }
}

const shown = ({ median, min, max }: Spread) => `${Math.round(median)} (${Math.round(min)}–${Math.round(max)})`;

async function untilStored(service: Service, account: number): Promise<void> {
  await asSuperuser(service, async (client) => {
    for (;;) {
      const { rowCount } = await client.query(
        'select from segments where account_id = $1 and evaluated_day is null union all select from changes where account_id = $1',
        [account],
      );
      if (rowCount === 0) return;
      await new Promise((done) => setTimeout(done, 100));
    }
  });
}

/** The first time is a warm-up. */
async function repeat(rounds: number, work: (n: number) => Promise<void>): Promise<Spread> {
  const times: number[] = [];
  await work(0);
  for (let n = 0; n < rounds; n++) times.push(await timed(() => work(n)));
  return spreadOf(times);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
