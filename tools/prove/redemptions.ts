import { Agent } from 'node:http';
import pg from 'pg';
import { Random } from '../../src/shared/random.ts';
import { ask } from './support/client.ts';
import { fingerprint } from './support/fingerprint.ts';
import { every, Fleet } from './support/fleet.ts';
import type { ProofOptions, Verdict } from './support/proof.ts';
import { startProved } from './support/service.ts';

const processes = 3;
/** The number of concurrent clients. */
const clients = 2000;
/** The number of clients that try each code at about the same time. */
const clientsPerCode = 10;
/** One client in this many disconnects before the response. */
const disconnectEvery = 50;
const [killEveryMs, cutEveryMs, killNodeEveryMs, patienceMs] = [1500, 400, 4000, 20_000];
/** Each attempt has a unique second, so that the stored time identifies it. */
const firstSecond = Date.UTC(2026, 0, 1);

interface Attempt {
  /** The second and the code of the attempt. */
  number: number;
  code: number;
  unit: number;
  /** The number of requests. */
  asked: number;
  /** 200 or 422. Absent: no response. */
  answer?: number;
}

/** The events of an account, and the codes that they are about. */
async function eventsOf(database: pg.Client, accountId: number): Promise<{ type: string; code: string }[]> {
  const { rows } = await database.query<{ type: string; code: string }>(
    `select event ->> 'type' as type, event -> 'data' ->> 'unique_code' as code
     from events cross join lateral json_array_elements(entries) as event where account_id = $1`,
    [accountId],
  );
  return rows;
}

/**
 * Thousands of clients redeem the same codes over several processes, while processes are killed and connections are
 * cut. Unanswered requests are retried. At the end the database is compared with the responses.
 */
export async function proveRedemptions(options: ProofOptions): Promise<Verdict> {
  const { seed, short, say, signal } = options;
  const wanted = short ? 30_000 : 1_000_000;
  const chance = new Random(seed);
  // This process may run the embedded PostgreSQL, so it is not killed.
  const service = await startProved(options, { LOG_LEVEL: 'error' });
  const database = new pg.Client({ connectionString: service.superuser });
  await database.connect();
  try {
    const account = await service.admin('POST', '/accounts', { name: 'The Harbour Group' });
    const at = `/accounts/${account.id}`;
    const { token } = await service.admin('POST', `${at}/tokens`, { name: 'till' });
    const units: number[] = [];
    for (let n = 0; n < 5; n++) units.push((await service.admin('POST', `${at}/units`, { name: `Venue ${n}` })).id);
    const newGroup = async (name: string) =>
      (await service.admin('POST', `${at}/unique_code_groups`, { unit_id: units[0], name })).id;
    const [raced, spared] = [await newGroup('Raced for'), await newGroup('Left alone')];
    const codes = Math.ceil(wanted / clientsPerCode);
    say(`${codes.toLocaleString('en')} codes to redeem, and the same codes in a group that no request names.`);
    for (const group of [raced, spared]) {
      await database.query(
        `insert into unique_codes (account_id, group_id, unique_code) select $1, $2, 'R' || n from generate_series(0, $3 - 1) as n`,
        [account.id, group, codes],
      );
    }
    // The columns that a redemption must not change.
    const others = {
      unique_codes: `case when group_id = ${raced} then to_jsonb(r) - 'redeemed_at' - 'redeemed_unit_id' else to_jsonb(r) end`,
    };
    const before = await fingerprint(database, others);
    const fleet = await Fleet.start(processes, { DATABASE_URL: service.database, LOG_LEVEL: 'error' }, chance);
    const sent: Attempt[] = [];
    const tally = { requests: 0, hungUp: 0, cut: 0, retries: 0, unanswered: 0, turnedAway: 0, nodes: 0 };
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
    const kills = every(killEveryMs, () => fleet.killOne());
    const cuts = every(cutEveryMs, async () => {
      const { rowCount } = await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'regulars service'
         order by state = 'idle', random() limit 2`,
      );
      tally.cut += rowCount ?? 0;
    });
    const nodeKills = every(killNodeEveryMs, async () => {
      const worker = service.cluster?.workers[chance.below(service.cluster.workers.length)];
      if (!worker) return;
      await worker.kill(true);
      await worker.start();
      tally.nodes++;
    });

    const redeem = (attempt: Attempt) => {
      tally.requests++;
      attempt.asked++;
      const disconnects = chance.once(disconnectEvery);
      if (disconnects) tally.hungUp++;
      const body = JSON.stringify({
        ...{
          account_id: account.id,
          unit_id: attempt.unit,
          unique_code_group_id: raced,
          unique_code: `R${attempt.code}`,
        },
        redemption_date: new Date(firstSecond + attempt.number * 1000).toISOString(),
      });
      const question = { token, body, patienceMs: disconnects ? chance.below(20) : patienceMs };
      return ask(agent, `${fleet.url()}/v1/unique_code/redeem`, question);
    };
    /** Sends the request until a response tells the outcome. Counts every try. */
    const client = async () => {
      while (tally.requests < wanted && !signal.aborted) {
        const number = sent.length;
        const code = Math.floor(number / clientsPerCode) % codes;
        const attempt: Attempt = { number, code, asked: 0, unit: units[chance.below(units.length)] as number };
        sent.push(attempt);
        for (;;) {
          const answer = await redeem(attempt);
          if (answer?.status === 200 || answer?.status === 422) {
            attempt.answer = answer.status;
            if (answer.status === 422 && !answer.body.includes('already been redeemed')) throw new Error(answer.body);
            break;
          }
          if (answer && answer.status !== 503) throw new Error(`An answer was ${answer.status}: ${answer.body}`);
          if (answer) tally.turnedAway++;
          else tally.unanswered++;
          // Some clients give up and do not know the outcome.
          if (chance.once(5) || tally.requests >= wanted || signal.aborted) break;
          tally.retries++;
        }
      }
    };
    const begin = performance.now();
    const progress = setInterval(() => {
      const share = Math.floor((tally.requests / wanted) * 100);
      say(`  ${String(share).padStart(3)} %: ${tally.requests.toLocaleString('en')} attempts, ${fleet.killed} kills.`);
    }, 5000);
    try {
      await Promise.all(Array.from({ length: clients }, client));
    } finally {
      clearInterval(progress);
      await Promise.all([kills.end(), cuts.end(), nodeKills.end()]);
      agent.destroy();
      // Running transactions end before the check.
      await fleet.stop();
    }
    const seconds = (performance.now() - begin) / 1000;
    const { rows } = await database.query<Stored>(
      `select substr(unique_code, 2)::int as code, extract(epoch from redeemed_at)::float8 * 1000 as at, redeemed_unit_id::int as unit
       from unique_codes where group_id = $1 order by id`,
      [raced],
    );
    const after = await fingerprint(database, others);
    const { wrong, redeemed, lost, doubled } = checkCodes(sent, rows);
    // Counts follow in the background.
    const counts =
      /^(unit_days|unique_code_days|unique_code_sums|changed_unique_codes|changed_unit_days|counted_contacts|guest_days|group_guests)$/;
    const events = await eventsOf(database, account.id);
    if (events.some(({ type }) => type !== 'voucher.redeemed')) wrong.push('There are events of other types.');
    if (events.length !== redeemed || new Set(events.map(({ code }) => code)).size !== redeemed)
      wrong.push(`There are ${events.length} events of ${redeemed} redemptions.`);
    for (const name of Object.keys(before)) {
      if (before[name] !== after[name] && name !== 'events' && !counts.test(name))
        wrong.push(`Something else changed: ${name}.`);
    }
    wrong.push(...fleet.wrong);
    return {
      wrong,
      tally: {
        attempts: tally.requests,
        'of these, retries': tally.retries,
        'clients at once': clients,
        'processes killed with -9': fleet.killed,
        'processes that ended by themselves': fleet.died,
        ...(service.cluster && { 'nodes of the distributed PostgreSQL killed with -9': tally.nodes }),
        'connections cut by clients': tally.hungUp,
        'connections cut at the database': tally.cut,
        'answered 503': tally.turnedAway,
        'never answered': tally.unanswered,
        'answered 200': sent.filter(({ answer }) => answer === 200).length,
        'answered 422': sent.filter(({ answer }) => answer === 422).length,
        'codes redeemed': redeemed,
        'events of these': events.length,
        'redeemed twice': doubled,
        'answered 200 and lost': lost,
        'attempts a second': Math.round(tally.requests / seconds),
      },
    };
  } finally {
    await database.end();
    await service.stop();
  }
}

interface Stored {
  code: number;
  at: number | null;
  unit: number | null;
}

/** Holds what is stored against what was answered. */
function checkCodes(sent: Attempt[], stored: Stored[]) {
  const wrong: string[] = [];
  let [redeemed, lost, doubled] = [0, 0, 0];
  const won = new Map<number, Attempt>();
  const refused = new Set<number>();
  for (const attempt of sent) {
    if (attempt.answer === 422) refused.add(attempt.code);
    if (attempt.answer !== 200) continue;
    if (won.has(attempt.code)) {
      doubled++;
      wrong.push(`The code R${attempt.code} was answered 200 twice.`);
    }
    won.set(attempt.code, attempt);
  }
  for (const { code, at, unit } of stored) {
    const winner = won.get(code);
    if (at === null) {
      if (winner) lost++;
      if (winner || refused.has(code)) wrong.push(`The code R${code} was said to be redeemed, and is not.`);
      continue;
    }
    redeemed++;
    const attempt = sent[(at - firstSecond) / 1000];
    if (!attempt || attempt.code !== code || attempt.unit !== unit) {
      wrong.push(`The code R${code} has a stored time that no request sent.`);
    } else if (winner && winner !== attempt) {
      lost++;
      wrong.push(`The code R${code} was answered 200 to one, and is stored as another’s.`);
    } else if (attempt.answer === 422 && attempt.asked === 1) {
      wrong.push(`The code R${code} is stored as by one who asked once, and was refused.`);
    }
  }
  return { wrong, redeemed, lost, doubled };
}
