import { expect, it } from 'vitest';
import { countLoggedRequests } from '../../../../src/features/access/requests/count-store.ts';
import { openTestDatabase, superuser } from '../../../support/database.ts';

it('counts the requests of a token since a time, without rejected ones and unknown paths', async () => {
  const { db, ...database } = await openTestDatabase();
  const sql = await superuser(database);
  await sql`insert into accounts (id, name, root_unit_id) values (1, 'One', 1)`;
  await sql`insert into tokens (account_id, id, name, hash, created_by) values (1, 1, 'x', 'x', 'x'), (1, 2, 'y', 'y', 'y')`;
  const add = (count: number, secondsAgo: number, { token = 1, status = 200, route = '/v1/contact' } = {}) => sql`
    insert into request_log (account_id, token_id, at, request_id, address, method, route, status, duration_ms)
    select 1, ${token}, now() - make_interval(secs => ${secondsAgo}), 'r', '192.0.2.1', 'GET', ${route}, ${status}, 1
    from generate_series(1, ${count})`;
  await add(6000, 120);
  await add(7000, 30);
  // A long request is logged after requests that came later.
  await add(1, 90);
  await add(10, 20, { status: 429 });
  await add(10, 20, { route: 'unmatched' });
  await add(10, 20, { token: 2 });
  await add(10, 20, { status: 422 });
  const count = (tokenId: number, secondsAgo: number) =>
    db.tenant(1, (tx) => countLoggedRequests(tx, { accountId: 1, tokenId }, new Date(Date.now() - secondsAgo * 1000)));
  expect(await count(1, 60)).toBe(7010);
  expect(await count(1, 100)).toBe(7011);
  expect(await count(1, 1000)).toBe(13_011);
  expect(await count(2, 60)).toBe(10);
  expect(await count(3, 60)).toBe(0);
});
