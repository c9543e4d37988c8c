import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appOver } from '../../../support/app.ts';
import { openTestDatabase, superuser } from '../../../support/database.ts';
import {
  type AnyWrite,
  anyPurchase,
  anyWrite,
  bodyOf,
  everyGuest,
  purchaseBody,
  waiting,
} from '../../../support/guests.ts';
import { violations } from '../../../support/invariants.ts';
import { type Running, start } from '../../../support/process.ts';

const { db, ...database } = await openTestDatabase();
const { account, admin, call } = await appOver(db, database);
const sql = await superuser(database);

const env = { DATABASE_URL: database.url, EMAIL_DOMAIN_CHECK: 'list', LOG_LEVEL: 'warn' };
const services: Running[] = await Promise.all([start({ env }), start({ env }), start({ env })]);

async function place() {
  const { id, root_unit_id, token } = await account();
  const { body: unit } = await admin('POST', `/accounts/${id}/units`, { name: 'The Anchor' });
  const { body: udf } = await admin('POST', `/accounts/${id}/udfs`, { name: 'Allergies', type: 'text' });
  return { id, token, units: [root_unit_id, unit.id], udf: udf.id };
}

type Place = Awaited<ReturnType<typeof place>>;

interface Request {
  path: string;
  body: unknown;
}

async function send(service: Running | undefined, { token }: Place, { path, body }: Request): Promise<number> {
  const response = await fetch(`${service?.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

const contactWrite = (at: Place) => (write: AnyWrite, index: number) => ({
  path: '/v1/contact',
  body: bodyOf(write, `note ${index}`, at),
});

/** Twelve clients share them out, each with one request at a time to one of the processes. Gives the status of each. */
async function race(at: Place, requests: Request[]): Promise<number[]> {
  const statuses: number[] = [];
  let next = 0;
  const client = async (_: unknown, number: number) => {
    while (next < requests.length) {
      const index = next++;
      const status = await send(services[number % services.length], at, requests[index] as Request);
      expect([200, 422]).toContain(status);
      statuses[index] = status;
    }
  };
  await Promise.all(Array.from({ length: 12 }, client));
  return statuses;
}

const deadlocks = async () =>
  Number((await sql`select deadlocks from pg_stat_database where datname = current_database()`)[0]?.deadlocks);

describe('several processes that write the same contacts concurrently', () => {
  it('store what the same writes store one by one, without a deadlock', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyWrite, { minLength: 100, maxLength: 150 }), async (writes) => {
        const [together, apart] = [await place(), await place()];
        for (const at of [together, apart]) {
          for (const body of waiting(at.id, at)) await call('POST', '/v1/purchases', { token: at.token, body });
        }
        const statuses = await race(together, writes.map(contactWrite(together)));
        // A transaction that waits for another's locks writes its notes later, so the ids of the notes give an order.
        const notes = await sql<{ n: number }>`
          select substr(text, 6)::int as n from notes where account_id = ${together.id} order by id`;
        const order = notes.map((note) => note.n);
        const answered = statuses.flatMap((status, index) => (status === 200 ? [index] : []));
        expect([...order].sort((a, b) => a - b)).toEqual(answered);
        for (const index of order) {
          const body = bodyOf(writes[index] as AnyWrite, `note ${index}`, apart);
          expect((await call('POST', '/v1/contact', { token: apart.token, body })).status).toBe(200);
        }
        expect(await everyGuest(sql, together.id)).toEqual(await everyGuest(sql, apart.id));
      }),
      { numRuns: 8, endOnFailure: true },
    );
    expect(await violations(sql)).toEqual({});
    expect(await deadlocks()).toBe(0);
  });

  it('leave no purchase waiting for a key that exists, in either order', async () => {
    const either = fc.oneof(
      anyWrite.map((write) => ({ write, purchase: undefined })),
      anyPurchase.map((purchase) => ({ write: undefined, purchase })),
    );
    let matched = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(either, { minLength: 100, maxLength: 150 }), async (sent) => {
        const at = await place();
        const requests = sent.map(({ write, purchase }, index) =>
          write
            ? contactWrite(at)(write, index)
            : { path: '/v1/purchases', body: purchaseBody(purchase as NonNullable<typeof purchase>, at.id, at) },
        );
        await race(at, requests);
        expect(await violations(sql)).toEqual({});
        const [late] = await sql<{ n: number }>`
          select count(*) as n from purchases where account_id = ${at.id} and matched_by is not null`;
        matched += late?.n ?? 0;
      }),
      { numRuns: 8, endOnFailure: true },
    );
    expect(matched).toBeGreaterThan(8);
    expect(await deadlocks()).toBe(0);
  });

  it('store and respond to the other writes if PostgreSQL rejects one', async () => {
    const at = await place();
    // No client can cause this. It represents an unforeseen error.
    await sql`alter table notes add constraint no_thirteen check (text <> 'note 13') not valid`;
    const writes = Array.from(
      { length: 60 },
      (_, n) => ({ email: `guest${n}@gmail.com`, rules: [] }) as unknown as AnyWrite,
    );
    const expected = writes.map((_, n) => (n === 13 ? 500 : 200));
    const statuses = await Promise.all(writes.map(contactWrite(at)).map((request) => send(services[0], at, request)));
    await sql`alter table notes drop constraint no_thirteen`;
    expect(statuses).toEqual(expected);
    const stored = await sql<{ email: string }>`select email from contacts where account_id = ${at.id}`;
    expect(stored).toHaveLength(59);
    expect(stored.map((contact) => contact.email)).not.toContain('guest13@gmail.com');
  });

  it('create one contact for one person', async () => {
    const at = await place();
    const write = { email: 'new@gmail.com', mobile_number: '07700900009', rules: [] } as unknown as AnyWrite;
    expect(await race(at, Array(90).fill(write).map(contactWrite(at)))).toEqual(Array(90).fill(200));
    expect(await sql`select from contacts where account_id = ${at.id}`).toHaveLength(1);
    expect(await sql`select from notes where account_id = ${at.id}`).toHaveLength(90);
  });

  it('create one group and one source for one name', async () => {
    const at = await place();
    const writes = Array.from(
      { length: 90 },
      (_, n) =>
        ({
          email: `guest${n}@gmail.com`,
          source_name: n % 2 ? 'Till' : 'TILL',
          units: [{ unit: 1, groups: [{ name: n % 2 ? 'News' : 'NEWS', folder_name: 'Loyal' }] }],
          rules: [],
        }) as unknown as AnyWrite,
    );
    expect(await race(at, writes.map(contactWrite(at)))).toEqual(Array(90).fill(200));
    const [made] = await sql`
      select (select count(*) from sources where account_id = ${at.id}) as sources,
        (select count(*) from groups where account_id = ${at.id}) as groups,
        (select count(*) from folders where account_id = ${at.id}) as folders`;
    expect(made).toEqual({ sources: 1, groups: 1, folders: 1 });
    expect(await sql`select from contact_groups where account_id = ${at.id}`).toHaveLength(90);
  });
});
