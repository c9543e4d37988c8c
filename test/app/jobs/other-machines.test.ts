import { expect, it } from 'vitest';
import { OtherMachines } from '../../../src/app/jobs/other-machines.ts';
import type { Database } from '../../../src/platform/db/database.ts';
import type { OwnLimits, TokenKey } from '../../../src/platform/http/limits.ts';
import { isDistributed, openTestDatabase, superuser } from '../../support/database.ts';

const { db, ...database } = await openTestDatabase();
const sql = await superuser(database);
const accounts = 300;
await sql`insert into accounts (id, name, root_unit_id) select n, 'One', 1 from generate_series(1, ${accounts}) as n`;
await sql`
  insert into tokens (account_id, id, name, hash, created_by)
  select n, 2 * n + token, 'x', ('h' || n || ' ' || token)::bytea, 'x' from generate_series(1, ${accounts}) as n, generate_series(0, 1) as token`;
const all: TokenKey[] = Array.from({ length: accounts }, (_, n) => ({ accountId: n + 1, tokenId: 2 * (n + 1) }));
const [one, two] = [all[0] as TokenKey, { accountId: 1, tokenId: 3 }];

/** Entries of requests that began so many seconds ago. */
const add = (count: number, secondsAgo: number, { token = one, status = 200, route = '/v1/contact' } = {}) => sql`
  insert into request_log (account_id, token_id, at, request_id, address, method, route, status, duration_ms)
  select ${token.accountId}, ${token.tokenId}, now() - make_interval(secs => ${secondsAgo}), 'r', '192.0.2.1', 'GET', ${route}, ${status}, 1
  from generate_series(1, ${count})`;

/** Counts for these tokens, in a window that began so many seconds ago. */
function machine({ secondsAgo = 60, tokens = [one, two], through = db as Database } = {}) {
  const counts = new Map<string, number>();
  const state = { windowStart: new Date(Date.now() - secondsAgo * 1000), tokens };
  const limits: Pick<OwnLimits, 'busyTokens' | 'raise'> = {
    busyTokens: () => state,
    raise: ({ accountId, tokenId }, _, count) => void counts.set(`${accountId} ${tokenId}`, count),
  };
  const machines = new OtherMachines(through, limits as OwnLimits);
  const count = async () => {
    counts.clear();
    await machines.count();
    return counts;
  };
  return { count, state };
}

/** Counts the transactions. */
function counting() {
  const sent = { transactions: 0 };
  const through: Database = {
    ...db,
    transaction: (work, lane) => {
      sent.transactions++;
      return db.transaction(work, lane);
    },
  };
  return { sent, through };
}

it('counts the requests of each token in the window, without rejected ones and unknown paths', async () => {
  await add(1200, 120);
  await add(1500, 30);
  // A long request is logged after requests that came later.
  await add(1, 90);
  await add(10, 20, { status: 429 });
  await add(10, 20, { route: 'unmatched' });
  await add(10, 20, { token: two });
  await add(10, 5, { status: 422 });
  const inWindow = async (secondsAgo: number) => [...(await machine({ secondsAgo }).count()).values()].sort();
  expect(await inWindow(60)).toEqual([10, 1510]);
  expect(await inWindow(100)).toEqual([10, 1511]);
  expect(await inWindow(1000)).toEqual([10, 2711]);

  // Again, with what came meanwhile. Entries that had their numbers earlier are not missed.
  const { count, state } = machine();
  const ofOne = async () => (await count()).get('1 2');
  expect([await ofOne(), await ofOne()]).toEqual([1510, 1510]);
  await add(5, 1);
  expect(await ofOne()).toBe(1515);
  const [{ last } = { last: 0 }] = await sql<{ last: number }>`select max(id) as last from request_log`;
  await sql`
    insert into request_log (account_id, id, token_id, at, request_id, address, method, route, status, duration_ms)
    overriding system value select 1, ${last} + n, 2, now(), 'r', '192.0.2.1', 'GET', '/v1/contact', 200, 1 from unnest(array[9, 8]) as n`;
  expect(await ofOne()).toBe(1517);
  await sql`
    insert into request_log (account_id, id, token_id, at, request_id, address, method, route, status, duration_ms)
    overriding system value values (1, ${last} + 7, 2, now(), 'r', '192.0.2.1', 'GET', '/v1/contact', 200, 1)`;
  expect(await ofOne()).toBe(1518);

  // The next window.
  state.windowStart = new Date(Date.now() - 3000);
  expect(await ofOne()).toBe(8);
});

it('uses few transactions for many accounts, and one that fails stops no other', async () => {
  const tokens = all.slice(1);
  for (const token of tokens) await add(1, 5, { token });
  const { sent, through } = counting();
  const { count, state } = machine({ tokens, through });
  // The start of the window is searched once.
  expect([(await count()).size, sent.transactions]).toEqual([tokens.length, 6]);
  expect([(await count()).size, sent.transactions]).toEqual([tokens.length, 9]);
  // No token is busy when a window begins.
  state.tokens = [];
  await count();
  state.tokens = tokens;
  state.windowStart = new Date(state.windowStart.getTime() + 1);
  expect([(await count()).size, sent.transactions]).toEqual([tokens.length, 12]);

  if (isDistributed()) return;
  await sql`create function fail() returns boolean language plpgsql as $$ begin
    if current_setting('app.account_id') = '9' then raise 'a lost node'; end if; return true; end $$`;
  await sql`alter policy own_account on request_log using (account_id = current_account_id() and fail())`;
  const seen = await count();
  expect([seen.size, seen.has('9 18'), seen.has('10 20')]).toEqual([tokens.length - 1, false, true]);
  // It is not asked again before the next window.
  sent.transactions = 0;
  expect([(await count()).size, sent.transactions]).toEqual([tokens.length - 1, 3]);
  await sql`alter policy own_account on request_log using (account_id = current_account_id())`;
  state.windowStart = new Date(state.windowStart.getTime() + 1);
  expect((await count()).size).toBe(tokens.length);
});
