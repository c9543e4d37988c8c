import { describe, expect, it } from 'vitest';
import { openPool } from '../../../src/platform/db/database.ts';
import { appOver } from '../../support/app.ts';
import { countLockWaits, everyNode, openTestDatabase, superuser } from '../../support/database.ts';

const { db, ...database } = await openTestDatabase();
const sql = await superuser(database);
const app = await appOver(db, database);
const { call, account } = app;
const [loud, quiet] = [await account('Loud'), await account('Quiet')];

const write = (of: typeof loud, body: object) => call('POST', '/v1/contact', { token: of.token, body });

async function guest(of: typeof loud, email: string): Promise<number> {
  return (await write(of, { email, full_contact_object: false })).body.id;
}

/** Inserts purchases directly into the database, because that many requests would take long. */
async function purchases(of: typeof loud, contactId: number, count: number, lines: number, text = 'Ale') {
  await sql`
    insert into purchases (account_id, contact_id, unit_id, transaction_reference, order_type_id, created_at, lines)
    select ${of.id}::bigint, ${contactId}::bigint, ${of.root_unit_id}::bigint, ${`${contactId}-`}::text || n, 4, '2026-03-01'::timestamp + n * interval '1 minute',
      (select coalesce(jsonb_agg(jsonb_build_object('description', ${text}::text || line, 'sku', '', 'quantity', '1', 'value', '4.50', 'tags', '[]'::jsonb)), '[]')
       from generate_series(1, ${lines}::int) as line)
    from generate_series(1, ${count}::int) as n`;
  // The service analyzes a table after its own writes. It does not count these rows.
  await sql`analyze purchases`;
}
const search = (of: typeof loud, contactId: number, types = ['purchases']) =>
  call('GET', '/v1/pop/by_date', {
    token: of.token,
    body: { account_id: of.id, contact_id: contactId, start_date: '2026-01-01', end_date: '2026-12-31', types },
  });

describe('large responses', () => {
  it('contain a long list of purchases, newest first, beside the other types', async () => {
    const id = await guest(loud, 'long@gmail.com');
    await purchases(loud, id, 700, 2);
    const { status, body, headers } = await search(loud, id, ['purchases', 'booking', 'wifi']);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(Object.keys(body).sort()).toEqual(['booking', 'purchases', 'wifi']);
    expect(body.purchases.map((one: { transaction_reference: string }) => one.transaction_reference)).toEqual(
      Array.from({ length: 700 }, (_, n) => `${id}-${700 - n}`),
    );
    expect(body.purchases[0]).toMatchObject({
      ...{ contact_id: id, unit_id: loud.root_unit_id, transaction_date: '2026-03-01 11:40:00' },
      transaction_lines: [
        { description: 'Ale1', quantity: '1', value: '4.50' },
        { description: 'Ale2', quantity: '1', value: '4.50' },
      ],
    });
    expect(body.booking.total).toBe(0);
  });
  it.each([
    ['purchases', 10_001, 0, 'Ale'],
    ['lines', 60, 1000, 'Ale'],
    ['bytes', 20, 450, 'x'.repeat(1000)],
  ])('have a limit on their %s, with advice to request fewer days', async (_, count, lines, text) => {
    const id = await guest(loud, `${count}@gmail.com`);
    await purchases(loud, id, count, lines, text);
    const { status, body } = await search(loud, id);
    expect(status).toBe(422);
    expect(body.errors).toEqual({
      end_date: [expect.stringMatching(/^The end date is too far from the start date: .* Ask for fewer days\.$/)],
    });
  });
  it('have a limit for a page of purchases with very many lines, for partners and staff', async () => {
    const id = await guest(loud, 'lines@gmail.com');
    await purchases(loud, id, 25, 1000);
    const page = await call('GET', `/v1/contact/${id}/purchases`, { token: loud.token });
    expect(page).toMatchObject({
      status: 422,
      body: { errors: { page: [expect.stringContaining('/v1/pop/by_date')] } },
    });
    await sql`update purchases set contact_id = null, table_number = '9' where account_id = ${loud.id} and contact_id = ${id}`;
    const waiting = await app.admin('GET', `/accounts/${loud.id}/purchases/waiting?waiting_for=table_number`);
    expect(waiting.status).toBe(422);
  });
});

describe('connections to the database', () => {
  it('are not all taken by one account: another account’s transaction starts at once', async () => {
    const small = openPool({ url: database.url, connections: 4 });
    const ends: (() => void)[] = [];
    const holding = Array.from({ length: 10 }, () =>
      small.tenant(loud.id, async (tx) => {
        await tx`select 1`;
        await new Promise<void>((done) => ends.push(done));
      }),
    );
    await expect.poll(() => ends.length).toBe(2);
    expect(small.pool()).toEqual({ size: 4, busy: 2, waiting: 8 });
    expect(await small.tenant(quiet.id, (tx) => tx`select 1 as one`)).toHaveLength(1);
    expect(await small.transaction((tx) => tx`select 1 as one`)).toHaveLength(1);
    while (ends.length < 10) {
      for (const end of ends) end();
      await new Promise((turn) => setTimeout(turn, 5));
    }
    for (const end of ends) end();
    await Promise.all(holding);
    expect(small.pool()).toEqual({ size: 4, busy: 0, waiting: 0 });
    await small.close();
  });
});

describe('large requests', () => {
  it('of one account wait for each other, but not small ones of another account', async () => {
    const items = [{ description: 'x'.repeat(200), quantity: 1, value: 1 }];
    const large = (n: number) => ({
      email: `large${n}@gmail.com`,
      purchases: Array.from({ length: 300 }, (_, place) => ({ transaction_reference: `L${n}-${place}`, items })),
    });
    const order: string[] = [];
    const note = async (name: string, answer: Promise<{ status: number }>) => {
      expect((await answer).status).toBe(200);
      order.push(name);
    };
    await note('warm', write(quiet, { email: 'small@gmail.com' }));
    const all = Array.from({ length: 8 }, (_, n) => note('large', write(loud, large(n))));
    all.push(note('small', write(quiet, { email: 'small@gmail.com' })));
    await Promise.all(all);
    // All but the first two large ones were still waiting when the small one, which came last, was answered.
    expect(order.indexOf('small')).toBeLessThanOrEqual(3);
  });
});

describe('large requests that wait for the database', () => {
  it('do not prevent large requests of other accounts from being read', async () => {
    const [one, other] = [await account('One'), await account('Other')];
    const blocker = await superuser(database);
    await blocker`begin`;
    for (const { id } of [one, other]) await blocker`select from units where account_id = ${id} and is_root for update`;
    const body = (n: number) => ({
      email: `wait${n}@gmail.com`,
      purchases: Array.from({ length: 300 }, (_, place) => {
        const items = [{ description: 'x'.repeat(200), quantity: 1, value: 1 }];
        return { transaction_reference: `W${n}-${place}`, items };
      }),
    });
    const stuck = [one, one, other, other].map((of, n) => write(of, body(n)));
    const nodes = await everyNode(database);
    await expect.poll(() => countLockWaits(nodes)).toBeGreaterThan(1);
    expect((await write(quiet, body(9))).status).toBe(200);
    await blocker`rollback`;
    for (const { status } of await Promise.all(stuck)) expect(status).toBe(200);
  });
});

describe('invented session cookies', () => {
  it('do not prevent the authentication of partners', async () => {
    const { token } = (await app.admin('POST', `/accounts/${quiet.id}/tokens`, { name: 'another till' })).body;
    const cookie = (n: number) => `regulars_session=${String(n).padStart(43, 'x')}`;
    const flood = Array.from({ length: 500 }, (_, n) =>
      call('GET', '/admin/v1/session', { headers: { cookie: cookie(n) } }),
    );
    expect((await call('GET', '/v1/account/units', { token })).status).toBe(200);
    // They count as wrong tokens do.
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });
});

describe('/metrics', () => {
  it('serves concurrent requests with one reading, and then does not wait for the database', async () => {
    const other = await appOver(db, database);
    const read = async () => String((await other.call('GET', '/metrics')).body);
    const waits = /^regulars_purchases_waiting\{key="table_number"\} (\d+)$/m;
    expect(await read()).toMatch(waits);
    const blocker = await superuser(database);
    await blocker`begin`;
    await blocker`lock table purchases in access exclusive mode`;
    const answers = await Promise.all(Array.from({ length: 64 }, read));
    for (const answer of answers) expect(answer).toMatch(waits);
    await blocker`rollback`;
  });
});
