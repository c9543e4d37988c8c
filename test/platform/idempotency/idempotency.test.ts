import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { routes } from '../../../src/app/http-app.ts';
import { Sweeper } from '../../../src/app/jobs/sweeper.ts';
import { deleteOldRecords } from '../../../src/platform/idempotency/store.ts';
import { testApp } from '../../support/app.ts';
import { connectTo } from '../../support/database.ts';
import { shop } from '../../support/vouchers.ts';

const { call, admin, account, db, database } = await testApp();
const home = await shop({ admin, call });
const sql = await connectTo(database.superuserUrl);

/** As it is stored. */
const hashed = (key: string) => createHash('sha256').update(key).digest('hex');
const headersFor = (key: string) => ({ 'idempotency-key': key });
const post = (path: string, body: object, key?: string, token = home.token) =>
  call('POST', path, { token, body, ...(key === undefined ? {} : { headers: headersFor(key) }) });
const guest = () => ({ email: `${randomUUID()}@gmail.com` });
const replayed = { 'idempotent-replayed': 'true' };
const count = async (table: string) =>
  Number((await sql<{ n: number }>([`select count(*) as n from ${table}`] as never))[0]?.n);

describe('a request with an Idempotency-Key', () => {
  it('gets the same response when repeated, and is executed once', async () => {
    const key = randomUUID();
    const body = { ...guest(), notes: [{ text: 'Likes the window.' }], wifi: [] };
    const first = await post('/v1/contact', body, key);
    expect(first.status).toBe(200);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    await post('/v1/contact', { ...body, first_name: 'Ana' });
    const again = await post('/v1/contact', body, key);
    expect(again).toMatchObject({ status: 200, body: first.body, headers: replayed });
    const notes = await call('GET', `/v1/contact/${first.body.id}/notes`, { token: home.token });
    // One by the key, and one without.
    expect(notes.body.total).toBe(2);
  });

  it('has the same discarded fields when repeated', async () => {
    const key = randomUUID();
    const body = { ...guest(), dob: 'never', rules: [{ rule_name: 'discard_invalid_data' }] };
    const first = await post('/v1/contact', body, key);
    expect(first).toMatchObject({ status: 200, headers: { 'discarded-fields': 'dob' } });
    expect(await post('/v1/contact', body, key)).toMatchObject({
      status: 200,
      body: first.body,
      headers: { ...replayed, 'discarded-fields': 'dob' },
    });
  });

  it('works on every POST of the interface', async () => {
    const posts = routes.filter(({ access, method }) => access === 'partner' && method === 'POST');
    const unit_id = home.unit;
    const booking = { booking_reference: randomUUID(), party_datetime: '2026-03-01 19:30:00', unit_id };
    await post('/v1/contact', { ...guest(), bookings: [booking] });
    const [booked] = await sql<{
      id: number;
    }>`select id from bookings where booking_reference = ${booking.booking_reference}`;
    const { unique_code } = await home.newCode();
    const sent: Record<string, [path: string, body: object, table: string]> = {
      '/v1/contact': ['/v1/contact', guest(), 'contacts'],
      '/v1/purchases': [
        '/v1/purchases',
        {
          account_id: home.id,
          table_number: '12',
          purchases: [
            {
              transaction_reference: randomUUID(),
              unit_id,
              created_at: '2026-03-01 20:05:00',
              items: [{ description: 'Ale', quantity: 1, value: 5 }],
            },
          ],
        },
        'purchases',
      ],
      '/v1/bookings': [
        '/v1/bookings',
        { booking_reference: booking.booking_reference, table_numbers: ['13'] },
        'bookings',
      ],
      '/v1/bookings/:booking_id': [`/v1/bookings/${booked?.id}`, { table_numbers: ['14'] }, 'bookings'],
      '/v1/unique_code/group': [
        '/v1/unique_code/group',
        { account_id: home.id, unit_id, name: randomUUID() },
        'unique_code_groups',
      ],
      '/v1/unique_code/redeem': [
        '/v1/unique_code/redeem',
        { account_id: home.id, unit_id, unique_code },
        'unique_codes',
      ],
    };
    expect(Object.keys(sent).sort()).toEqual(posts.map(({ path }) => path).sort());
    for (const [path, body, table] of Object.values(sent)) {
      const key = randomUUID();
      const first = await post(path, body, key);
      expect([path, first.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)]);
      const rows = await count(table);
      expect(await post(path, body, key), path).toMatchObject({
        status: first.status,
        body: first.body,
        headers: replayed,
      });
      expect(await count(table), path).toBe(rows);
      // The same key with something else, and at another address.
      const other = await post(path, { ...body, account_id: home.id, anything: 1 }, key);
      expect([path, other.status, Object.keys(other.body.errors)]).toEqual([path, 422, ['Idempotency-Key']]);
      const elsewhere = await post('/v1/contact', guest(), key);
      expect([elsewhere.status, Object.keys(elsewhere.body.errors)]).toEqual([422, ['Idempotency-Key']]);
    }
  });

  it('is the same for any order of its fields', async () => {
    const key = randomUUID();
    const { email } = guest();
    const first = await post('/v1/contact', { email, first_name: 'Ana', notes: [{ text: 'a' }] }, key);
    const again = await post('/v1/contact', { notes: [{ text: 'a' }], first_name: 'Ana', email }, key);
    expect(again).toMatchObject({ status: 200, body: first.body, headers: replayed });
  });

  it('is executed once if sent concurrently, in one process or in several', async () => {
    const body = { ...guest(), notes: [{ text: 'once' }] };
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 40 }, () => post('/v1/contact', body, key)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    const { id } = answers[0]?.body ?? {};
    expect((await call('GET', `/v1/contact/${id}/notes`, { token: home.token })).body.total).toBe(1);
  });

  it('is batched with others; their errors and repeats do not affect it', async () => {
    const keyed = Array.from({ length: 60 }, (_, n) => ({
      key: randomUUID(),
      body: { ...guest(), first_name: `G${n}` },
    }));
    const bad = { key: randomUUID(), body: { email: 'not an e-mail' } };
    const all = [...keyed, bad, ...keyed.slice(0, 10)];
    const answers = await Promise.all(all.map(({ key, body }) => post('/v1/contact', body, key)));
    expect(answers.map(({ status }) => status)).toEqual(all.map((one) => (one === bad ? 422 : 200)));
    for (const [n, { body, headers }] of answers.slice(61).entries()) {
      expect(body).toEqual(answers[n]?.body);
      // Two batches are written at a time: either of the two may be the first.
      const tags = [headers, answers[n]?.headers].map((one) => one?.['idempotent-replayed']);
      expect(tags.sort()).toEqual(['true', undefined]);
    }
  });

  it('that was rejected can be corrected and sent with the same key', async () => {
    const key = randomUUID();
    expect((await post('/v1/contact', { email: 'not an e-mail' }, key)).status).toBe(422);
    const corrected = await post('/v1/contact', guest(), key);
    expect(corrected.status).toBe(200);
    expect(corrected.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('is separate per account', async () => {
    const key = randomUUID();
    const away = await account();
    const body = guest();
    const here = await post('/v1/contact', body, key);
    const there = await post('/v1/contact', body, key, away.token);
    expect(there.status).toBe(200);
    expect(there.body.id).not.toBe(here.body.id);
    expect(there.headers).not.toHaveProperty('idempotent-replayed');
  });

  it.each([' ', 'a b', 'é'.repeat(3), 'x'.repeat(256)])('rejects the key %j', async (key) => {
    const { status, body } = await post('/v1/contact', guest(), key);
    expect([status, body.errors]).toEqual([422, { 'Idempotency-Key': [expect.stringMatching(/\.$/)] }]);
  });

  it('is deleted after a day', async () => {
    const [old, young] = [randomUUID(), randomUUID()];
    const body = guest();
    const { id } = (await post('/v1/contact', body, old)).body;
    await post('/v1/contact', guest(), young);
    await sql`update idempotency_records set created_at = now() - interval '25 hours' where key = ${hashed(old)}`;
    expect((await post('/v1/contact', { ...body, first_name: 'Other' }, old)).body.id).toBe(id);
    await sql`update idempotency_records set created_at = now() - interval '25 hours' where key = ${hashed(old)}`;
    const sweeper = new Sweeper(db, { ofAccounts: [deleteOldRecords] }, (error) => expect.fail(String(error)));
    expect(await sweeper.sweep()).toBe(1);
    sweeper.close();
    const left = await sql<{
      key: string;
    }>`select key from idempotency_records where key = any(${[old, young].map(hashed)}::text[])`;
    expect(left.map(({ key }) => key)).toEqual([hashed(young)]);
  });

  it('stores nothing about an erased contact', async () => {
    const key = randomUUID();
    const sent = guest();
    const { id, email } = (await post('/v1/contact', sent, key)).body;
    const reference = randomUUID();
    await post('/v1/contact', { email, bookings: [{ booking_reference: reference }] });
    const query = { account_id: String(home.id), booking_reference: reference };
    const booking = (await call('GET', '/v1/bookings', { token: home.token, query })).body.id;
    const change = { path: `/v1/bookings/${booking}`, body: { table_numbers: ['12'] }, key: randomUUID() };
    expect((await post(change.path, change.body, change.key)).status).toBe(200);
    expect((await admin('DELETE', `/accounts/${home.id}/contacts/${id}`)).status).toBe(204);
    const kept = await sql`
      select fingerprint, body, discarded_fields, contact_id from idempotency_records where key = any(${[key, change.key].map(hashed)}::text[])`;
    const nothing = { fingerprint: Buffer.alloc(0), body: null, discarded_fields: [], contact_id: null };
    expect([...kept]).toEqual(Array(2).fill(nothing));
    // A late retry does not create the contact again.
    for (const again of [await post('/v1/contact', sent, key), await post(change.path, change.body, change.key)])
      expect([again.status, again.body.errors['Idempotency-Key'][0]]).toEqual([
        422,
        expect.stringContaining('was erased since'),
      ]);
    // Nor is anything else done with the key.
    expect((await post('/v1/contact', guest(), key)).body.errors['Idempotency-Key'][0]).toContain('was erased since');
    expect((await call('GET', '/v1/contacts', { token: home.token, query: { email } })).status).toBe(404);
  });

  it('stores only a hash of the key, because the key may contain a guest’s e-mail', async () => {
    const { email } = guest();
    const key = `signup:${email}`;
    expect((await post('/v1/contact', { email }, key)).status).toBe(200);
    expect(await sql`select from idempotency_records where position(${email} in key) > 0`).toHaveLength(0);
    expect(await sql`select from idempotency_records where key = ${hashed(key)}`).toHaveLength(1);
  });

  it('is supported for POST only', async () => {
    const headers = headersFor(randomUUID());
    for (const query of [{ email: 'a@gmail.com' }, { email: 'b@gmail.com' }])
      expect((await call('GET', '/v1/contacts', { token: home.token, query, headers })).status).toBe(404);
  });
});
