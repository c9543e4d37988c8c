import { expect, it } from 'vitest';
import { appOver } from '../../../support/app.ts';
import { countTransactions, openTestDatabase } from '../../../support/database.ts';

const { db, ...database } = await openTestDatabase();
let transactions = 0;
const { account, admin, call } = await appOver(
  countTransactions(db, () => transactions++),
  database,
);

it('concurrent lists are read once, and each account gets its own', async () => {
  const [here, elsewhere] = [await account(), await account('Elsewhere')];
  for (let n = 1; n <= 100; n++) await admin('POST', `/accounts/${here.id}/units`, { name: `Venue ${n}` });
  const asked = ['', '?page=2', '?groups=true', '?groups=true&page=2', '?page=2&x=y', '?groups=maybe', '?page=9'];
  const many = Array.from({ length: 42 }, (_, n) => asked[n % asked.length] as string);
  const list = (query: string, { token } = here) => call('GET', `/v1/account/units${query}`, { token });
  const apart = new Map<string, unknown>();
  for (const query of asked) {
    const { status, body } = await list(query);
    apart.set(query, { status, body });
  }
  transactions = 0;
  const [others, ...together] = await Promise.all([list('', elsewhere), ...many.map((query) => list(query))]);
  expect(transactions).toBeLessThanOrEqual(12);
  expect(others?.body.data).toMatchObject([{ name: 'Elsewhere' }]);
  for (const [n, query] of many.entries()) {
    const { status, body } = together[n] as { status: number; body: unknown };
    expect({ status, body }).toEqual(apart.get(query));
  }
  expect(apart.get('?groups=maybe')).toMatchObject({ status: 422 });
  expect(apart.get('?groups=true&page=2')).toMatchObject({ body: { data: [{ folders: [], name: 'Venue 100' }] } });
});

it('a list contains every change whose response came before the request', async () => {
  const { id, token } = await account();
  const before = Array.from({ length: 20 }, () => call('GET', '/v1/account/units', { token }));
  await admin('POST', `/accounts/${id}/units`, { name: 'The Anchor' });
  const { body } = await call('GET', '/v1/account/units', { token });
  expect(body.data).toMatchObject([{ is_root: true }, { name: 'The Anchor' }]);
  await Promise.all(before);
});
