import pg from 'pg';
import type { BesideResult } from './contacts.ts';
import { limit } from './limit.ts';
import { load } from './load.ts';
import type { Service } from './service.ts';

/** Codes to redeem, in each of two groups: one for us, one for pgbench. */
const codes = 1_000_000;
/** Shares no divisor with that, so that steps of it come to every code, and to none twice. */
const stride = 754_877;

/** The lone conditional UPDATE that redeems a code. Which account is seen is a setting of the connection, so it costs nothing. */
const redemption = `
\\set n random(1, ${codes})
update unique_codes set redeemed_at = now(), redeemed_unit_id = :unit where account_id = :account and code_key = 'W' || :n::text and group_id = :group and redeemed_at is null;
`;

interface Options {
  connections: number;
  seconds: number;
  rounds: number;
  say(text: string): void;
}

/** Redemptions over HTTP beside the lone UPDATE in PostgreSQL's own benchmark, turn by turn. */
export async function benchRedemptions(service: Service, options: Options): Promise<BesideResult> {
  const { connections, seconds, rounds, say } = options;
  const { account, token, unit, newGroup } = await prepare(service);
  const [theirs, ours] = [await newGroup(), await newGroup()];
  say(`Making ${codes.toLocaleString('en')} codes for each to redeem.`);
  for (const group of [theirs, ours]) {
    await asSuperuser(service, async (client) => {
      await client.query(
        `insert into unique_codes (account_id, group_id, unique_code) select $1, $2, 'W' || n from generate_series(1, $3) as n`,
        [account, group, codes],
      );
    });
  }
  await asSuperuser(service, async (client) => {
    await client.query('vacuum (analyze) unique_codes');
    await client.query('checkpoint');
  });
  let taken = 0;
  const redeem = async (forSeconds: number) => {
    const first = taken;
    const codeOf = (n: number) => `W${1 + (((first + n) * stride) % codes)}`;
    const measured = await load({
      ...{ url: service.url, path: '/v1/unique_code/redeem', token, connections, seconds: forSeconds },
      body: (n) =>
        JSON.stringify({ account_id: account, unit_id: unit, unique_code_group_id: ours, unique_code: codeOf(n) }),
      check: (n, status, body) => {
        if (status !== 200 || !body.includes(`"unique_code":"${codeOf(n)}"`) || !body.includes('"Redeemed"')) {
          throw new Error(`A redemption answered ${status}: ${body}`);
        }
      },
    });
    taken += measured.requests;
    return measured;
  };
  const result: BesideResult = { name: 'Redeeming vouchers', turns: [], by: '' };
  // As long as a turn: it takes the engine that long to compile what a service that runs for weeks has compiled.
  say('Warming up.');
  await redeem(seconds);
  for (let round = 1; round <= rounds; round++) {
    const { perSecond, by } = await limit({
      database: `${service.database}?options=${encodeURIComponent(`-c app.account_id=${account}`)}`,
      ...{ connections, seconds, script: redemption, variables: { account, unit, group: theirs } },
    });
    result.by = by;
    const measured = await redeem(seconds);
    result.turns.push({ ours: measured, limit: perSecond });
    say(`Turn ${round} of ${rounds}: ${by} ${Math.round(perSecond)} a second, ours ${Math.round(measured.perSecond)}.`);
  }
  const { redeemed } = await service.admin('GET', `/accounts/${account}/unique_code_groups/${ours}/statistics`);
  if (redeemed !== taken) throw new Error(`${taken} redemptions were answered, and ${redeemed} are stored.`);
  return result;
}

export interface GeneratingResult {
  count: number;
  /** Seconds, turn by turn. */
  turns: { ours: number; plain: number }[];
}

/** Generating codes through the admin API beside a plain INSERT of as many rows into the same table, turn by turn. */
export async function benchGenerating(
  service: Service,
  { count, rounds, say }: Pick<Options, 'rounds' | 'say'> & { count: number },
): Promise<GeneratingResult> {
  const { account, newGroup } = await prepare(service);
  const result: GeneratingResult = { count, turns: [] };
  for (let round = 1; round <= rounds; round++) {
    const [theirs, ours] = [await newGroup(), await newGroup()];
    const plain = await timed(() =>
      asSuperuser(service, async (client) => {
        await client.query(
          `insert into unique_codes (account_id, group_id, unique_code)
           select $1, $2, upper(substr(md5($2::bigint || '-' || n), 1, 14)) from generate_series(1, $3) as n`,
          [account, theirs, count],
        );
      }),
    );
    const generated = await timed(async () => {
      const { created } = await service.admin('POST', `/accounts/${account}/unique_code_groups/${ours}/codes`, {
        count,
      });
      if (created !== count) throw new Error(`${created} codes were made, and not ${count}.`);
    });
    result.turns.push({ ours: generated, plain });
    say(`Turn ${round} of ${rounds}: the plain INSERT ${plain.toFixed(1)} s, ours ${generated.toFixed(1)} s.`);
  }
  return result;
}

async function prepare(service: Service) {
  const { id: account } = await service.admin('POST', '/accounts', { name: 'The Harbour Group' });
  const at = `/accounts/${account}`;
  const { token } = await service.admin('POST', `${at}/tokens`, { name: 'bench' });
  const { id: unit } = await service.admin('POST', `${at}/units`, { name: 'The Anchor' });
  let groups = 0;
  const newGroup = async () =>
    (await service.admin('POST', `${at}/unique_code_groups`, { unit_id: unit, name: `Group ${++groups}` })).id;
  return { account, token, unit, newGroup };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}

async function asSuperuser(service: Service, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: service.superuser });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
