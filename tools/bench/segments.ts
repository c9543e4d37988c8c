import { fillNext, turnSegments } from '../../src/features/insight/segments/keep.ts';
import { openPool } from '../../src/platform/db/database.ts';
import { adminToken, asSuperuser, type Service } from './load/service.ts';
import { type Spread, spreadOf } from './load/statistics.ts';
import { type MachineFacts, machineFacts } from './report/results.ts';

/** The contents of docs/performance/segments.json. Times in milliseconds. Each size can be measured in a run of its own. */
export interface SegmentResults {
  rounds: number;
  sizes: SegmentSize[];
  writes: { machine: MachineFacts; rows: WriteResult[] };
}

/** Writes of this build and of an earlier one. */
export interface WriteResult {
  row: string;
  connections: number;
  /** Requests per second. */
  now: Spread;
  before: Spread;
  /** The time per request of this build, relative to the other one. */
  slower: Spread;
}

export interface SegmentSize {
  machine: MachineFacts;
  contacts: number;
  purchases: number;
  home: Spread;
  /** The time of each preview, the slowest first. Null: it took too long. `isExtra`: it has no goal. */
  previews: { name: string; count: number; ms: Spread | null; isExtra: boolean }[];
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

/** Measures segments in accounts of several sizes. The contacts have 10 purchases on average, in 18 months. */
export async function benchSegments(
  service: Service,
  { contacts, rounds, say }: Options,
): Promise<Pick<SegmentResults, 'rounds' | 'sizes'>> {
  const sizes: SegmentSize[] = [];
  for (const size of contacts) {
    say(`Making an account of ${size.toLocaleString('en')} guests with 10 purchases each.`);
    sizes.push(await measure(service, await makeAccount(service, size), size, rounds, say));
  }
  return { rounds, sizes };
}

const purchasesEach = 10;
const unitCount = 20;

/*
 * The guests are not alike, as in a real group. The newest have the highest ids. Some never came, many came once or twice,
 * and some are regulars, with up to 250 purchases. Three of five stopped coming at some time.
 */
const daysKnown = '(1 + floor(540.0 * ($3::integer - n) / $3::integer))::integer';
const purchasesOf = `case when n % 20 < 3 then 0 when n % 20 < 7 then 1 when n % 20 < 10 then 2
  else least(250, ceil(8.5 * power((1 + n * 7919::bigint % 10007) / 10008.0, -0.55)))::integer end`;

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
      `insert into contacts (account_id, id, first_name, last_name, email, mobile_number, city, dob, allow_email, allow_sms, created_at)
       select $1, $2 + n, 'Ana', 'Guest ' || n, 'guest' || n || '@gmail.com', case when n % 2 = 0 then '4477' || lpad(n::text, 8, '0') end,
         (array['Bath', 'Bristol', 'York', 'Leeds'])[1 + n % 4], date '1960-01-01' + n % 15000, n % 3 > 0, n % 5 > 2,
         now() - make_interval(days => ${daysKnown})
       from generate_series(1, $3::integer) as n`,
      ...[id, first, contacts],
    );
    await run(
      `insert into contact_units (account_id, contact_id, unit_id)
       select $1, $2 + n, ($4::bigint[])[1 + n % ${unitCount}] from generate_series(1, $3::integer) as n`,
      ...[id, first, contacts, units],
    );
    // In the order in which tills would have written them.
    await run(
      `insert into contact_days (account_id, contact_id, day, unit_id, purchases, pence)
       select $1, $2 + n, current_date - day, unit_id, count(*), sum(pence) from (
         select n, 1 + lapsed + floor(random() * (days - lapsed))::integer as day,
           ($4::bigint[])[1 + (n + nth / 8) % ${unitCount}] as unit_id, 500 + (random() * 6000)::integer as pence
         from (
           select n, ${daysKnown} as days, ${purchasesOf} as purchases,
             case when n % 5 < 2 then 0 else floor(${daysKnown} * (n % 97) / 97.0)::integer end as lapsed
           from generate_series(1, $3::integer) as n) as guest,
           generate_series(1, purchases) as nth offset 0) as visit
       group by n, day, unit_id order by day desc, n`,
      ...[id, first, contacts, units],
    );
    await run(
      `insert into contact_days as kept (account_id, contact_id, day, unit_id, cancelled_bookings)
       select $1, $2 + n, current_date - n % 200, ($4::bigint[])[1 + n % ${unitCount}], 1 from generate_series(50, $3::integer, 50) as n
       on conflict (account_id, contact_id, day, unit_id) do update set cancelled_bookings = 1`,
      ...[id, first, contacts, units],
    );
    await run(
      `insert into contact_figures (account_id, contact_id, visits, first_visit, last_visit, recent_visits, purchases, purchase_days, pence,
         cancelled_bookings, nps, nps_day, consents)
       select d.account_id, contact_id, count(distinct day) filter (where visited), min(day) filter (where visited), max(day) filter (where visited),
         coalesce((array_agg(distinct day order by day desc) filter (where visited))[1:50], '{}'), sum(purchases),
         count(distinct day) filter (where visited), sum(pence), sum(cancelled_bookings), case when contact_id % 20 = 10 then contact_id % 11 end,
         case when contact_id % 20 = 10 then max(day) end, min(allow_email::integer + 2 * allow_sms::integer)
       from contact_days d join contacts c on c.account_id = d.account_id and c.id = d.contact_id
       where d.account_id = $1 group by d.account_id, contact_id`,
      id,
    );
    // The counts of Home.
    await run(
      `insert into unit_days (account_id, day, unit_id, purchases, pence)
       select account_id, day, unit_id, sum(purchases), sum(pence) from contact_days where account_id = $1 group by 1, 2, 3`,
      id,
    );
    await run(
      `insert into guest_days (account_id, unit_id, day, guests, allow_email, allow_sms, allow_call, allow_snail_mail)
       select c.account_id, coalesce(u.unit_id, 0), c.created_at::date, count(*), count(*) filter (where allow_email),
         count(*) filter (where allow_sms), 0, 0
       from contacts c join contact_units u on u.account_id = c.account_id and u.contact_id = c.id
       where c.account_id = $1 group by grouping sets ((1, u.unit_id, 3), (1, 3))`,
      id,
    );
    await run(`select setval(pg_get_serial_sequence('contacts', 'id'), (select max(id) from contacts))`);
    for (const table of ['contacts', 'contact_units', 'contact_days', 'contact_figures', 'unit_days', 'guest_days'])
      await run(`vacuum (analyze) ${table}`);
    await run('checkpoint');
  });
  return id;
}

const activity = [
  { field: 'visits', op: 'at_least', value: 2, in_last_days: 180 },
  { field: 'average_spend', op: 'at_least', value: 20 },
  { field: 'last_visit', op: 'not_in_last_days', value: 14 },
  { field: 'allow_email', op: 'is', value: true },
];
const spend = { field: 'spend', op: 'at_least', value: 300 };
const mix = { all: [...activity, { any: [spend, { field: 'nps', op: 'at_least', value: 9 }] }] };
const mixWithProfile = {
  all: [
    ...activity.slice(1),
    { field: 'city', op: 'is', value: 'bath' },
    { any: [spend, { field: 'birthday', op: 'in_next_days', value: 30 }] },
  ],
};

/** The sums of any number of days are added up when they are asked for. */
const windowSum = { field: 'spend', op: 'at_least', value: 100, in_last_days: 90 };

/** Larger segments are evaluated when they are asked for, because storing their members takes longer than the limit. */
const mostStored = 2_000_000;

/** Fewer in a very large account, because storing the members of 100 would take an hour. */
const segmentCountOf = (contacts: number) => (contacts > 1_000_000 ? 17 : 100);

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
  const longAgo = new Date(Date.now() - 540 * 86_400_000).toISOString().slice(0, 10);
  const home = await repeat(rounds, async () => void (await (await get(`/overview?from=${longAgo}`)).json()));
  say(`  Home ${shown(home)} ms`);
  const previews: SegmentSize['previews'] = [];
  const extra = [
    { name: 'Six conditions, with a city and a birthday', definition: mixWithProfile },
    { name: 'Spend of the last 90 days', definition: windowSum },
  ];
  for (const { name, definition } of [...presets, { name: 'Six conditions', definition: mix }, ...extra]) {
    let count = 0;
    const preview = async () => {
      ({ count } = (await service.admin('POST', `${at}/segments/preview`, { definition })) as unknown as {
        count: number;
      });
    };
    const ms = await repeat(rounds, preview).catch((error: Error) => {
      if (error.message.includes('takes longer than')) return null;
      throw error;
    });
    previews.push({ name, count, ms, isExtra: extra.some((one) => one.name === name) });
  }
  const timeOf = ({ ms }: SegmentSize['previews'][number]) => ms?.median ?? Infinity;
  previews.sort((a, b) => timeOf(b) - timeOf(a));
  for (const { name, count, ms } of previews)
    say(`  preview ${name.padEnd(44)} ${String(count).padStart(9)} guests ${ms ? `${shown(ms)} ms` : 'refused'}`);

  const segmentCount = segmentCountOf(contacts);
  const stored = presets.filter(({ name }) => previews.some((one) => one.name === name && one.count <= mostStored));
  const ids: number[] = [];
  for (let n = 0; n < segmentCount; n++) {
    const { name, definition } = stored[n % stored.length] as (typeof stored)[number];
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
    ...{
      machine: await machineFacts(service),
      contacts,
      purchases: contacts * purchasesEach,
      home,
      previews,
      segments: segmentCount,
      filled,
      list,
      firstPage,
    },
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
