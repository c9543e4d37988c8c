import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findManyPops } from '../../../../src/features/activity/presence/read.ts';
import { appOver } from '../../../support/app.ts';
import { countStatements, countTransactions, openTestDatabase } from '../../../support/database.ts';

const { db, ...database } = await openTestDatabase();
let transactions = 0;
const { admin, account, call } = await appOver(
  countTransactions(db, () => transactions++),
  database,
);
const [here, elsewhere] = [await account(), await account('Elsewhere')];
const { body: unit } = await admin('POST', `/accounts/${here.id}/units`, { name: 'The “Anchor”' });

let count = 0;
const fresh = (prefix: string) => `${prefix}-${++count}`;
const written = async (body: object, { token } = here): Promise<number> => {
  const answer = await call('POST', '/v1/contact', { token, body: { full_contact_object: false, ...body } });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body.id;
};
/** So many of each kind, a minute apart; every third at another unit. */
const activity = (many: number, items?: object[]) => {
  const each = Array.from({ length: many }, (_, n) => ({
    ...(n % 3 === 0 ? {} : { unit_id: unit.id }),
    at: new Date(Date.UTC(2025, 2, 5, 10, n)).toISOString().slice(0, 19).replace('T', ' '),
  }));
  const some = [{ description: '"Pale"\n ale', sku: 'ALE\\1', quantity: 2, value: 11.5, tags: ['drinks'] }];
  return {
    purchases: each.map(({ at, ...where }, n) => ({
      ...{ ...where, transaction_reference: fresh('T'), created_at: at, items: items ?? (n % 2 ? some : []) },
    })),
    bookings: each.map(({ at, ...where }) => ({ ...where, booking_reference: fresh('B'), party_datetime: at })),
    wifi: each.map(({ at, ...where }) => ({ ...where, created_at: at, mac_address: fresh('mac') })),
  };
};

// Lines that can't be compressed, so that they take more room than one of many has.
const longBill = Array.from({ length: 40 }, () => ({
  description: randomBytes(60).toString('hex'),
  quantity: 1,
  value: 1,
}));
const guests = [
  await written({ email: 'few@gmail.com', ...activity(7) }),
  await written({ email: 'none@gmail.com' }),
  await written({ email: 'page@gmail.com', ...activity(100) }),
  await written({ email: 'many@gmail.com', ...activity(104) }),
  await written({ email: 'bill@gmail.com', ...activity(2, longBill) }),
];
const byPhone = await written({ mobile_number: '07700900001', ...activity(60) });
const merged = await written({ email: 'merged@gmail.com', mobile_number: '07700900001', ...activity(55) });
const stranger = await written({ email: 'stranger@gmail.com', ...activity(1) }, elsewhere);

const anySearch = fc.record(
  {
    account_id: fc.constantFrom(...Array(12).fill(here.id), elsewhere.id, 'x'),
    contact_id: fc.constantFrom(...guests, ...guests, byPhone, merged, stranger, 999_999, 'x'),
    start_date: fc.constantFrom('2025-03-01', '2025-03-01', '2025-03-05', '2025-03-06', 'x'),
    end_date: fc.constantFrom('2025-03-31', '2025-03-31', '2025-03-05', '2025-02-01'),
    types: fc.subarray(['purchases', 'booking', 'wifi', 'wifi'], { minLength: 1 }),
    page: fc.constantFrom(undefined, undefined, 1, 2, 3, 'x'),
  },
  { requiredKeys: ['account_id', 'start_date', 'types', 'page'] },
);
type AnySearch = typeof anySearch extends fc.Arbitrary<infer T> ? T : never;

const search = async ({ page, ...body }: AnySearch) => {
  const path = `/v1/pop/by_date${page === undefined ? '' : `?page=${page}`}`;
  const answer = await call('GET', path, { token: here.token, body });
  // As it was written: also the order of the keys counts.
  return `${answer.status} ${JSON.stringify(answer.body)}`;
};
const march = { account_id: here.id, start_date: '2025-03-01', end_date: '2025-03-31' } as const;
const all = ['purchases', 'booking', 'wifi'];

describe('concurrent presence searches', () => {
  it('get the same responses as separate searches, with errors per request', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(anySearch, { minLength: 2, maxLength: 40 }), async (searches) => {
        const together = await Promise.all(searches.map(search));
        const apart: string[] = [];
        for (const one of searches) apart.push(await search(one));
        expect(together).toEqual(apart);
        for (const answer of together) seen.add(answer.slice(0, 3));
      }),
      { numRuns: 25 },
    );
    expect([...seen].sort()).toEqual(['200', '422']);
  });

  it('run in at most a few transactions', async () => {
    const one = { ...march, contact_id: guests[0] as number, types: all, page: undefined };
    await search(one);
    transactions = 0;
    const answers = await Promise.all(Array.from({ length: 40 }, () => search(one)));
    expect(transactions).toBeLessThanOrEqual(4);
    expect(new Set(answers).size).toBe(1);
  });

  it('need as many statements as a single search', async () => {
    const statements = async (many: number) => {
      let made = 0;
      const searches = Array.from({ length: many }, (_, n) => ({
        input: { ...march, contact_id: guests[n % guests.length] as number, types: all as ['purchases'] },
        slice: { limit: 100, offset: 0 },
        paginate: () => ({}) as never,
      }));
      await db.tenant(here.id, (tx) =>
        findManyPops(
          countStatements(tx, () => made++),
          here.id,
          searches,
        ),
      );
      return made;
    };
    expect(await statements(1)).toBe(4);
    // And two that count the bookings and the wifi interactions of those whose page is full.
    expect(await statements(40)).toBe(6);
  });

  it('do not batch a contact with many rows', async () => {
    const found = await db.tenant(here.id, (tx) =>
      findManyPops(
        tx,
        here.id,
        guests.map((contact_id) => ({
          input: { ...march, contact_id, types: ['purchases'] },
          slice: { limit: 100, offset: 0 },
          paginate: () => ({}) as never,
        })),
      ),
    );
    const bought = found.map((pops) => (pops as { purchases: unknown[] } | undefined)?.purchases.length);
    expect(bought).toEqual([7, 0, undefined, undefined, undefined]);
    const [, , , many, bill] = await Promise.all(
      guests.map(async (contact_id) => {
        const body = { ...march, contact_id, types: ['purchases'] };
        return (await call('GET', '/v1/pop/by_date', { token: here.token, body })).body.purchases;
      }),
    );
    expect([many.length, bill.length, bill[0].transaction_lines.length]).toEqual([104, 2, 40]);
  });

  it('find all activity of merged contacts under either id, page by page', async () => {
    const pages = await Promise.all(
      [byPhone, merged].flatMap((contact_id) =>
        [1, 2].map(async (page) => {
          const body = { ...march, contact_id, types: ['booking'] };
          return (await call('GET', `/v1/pop/by_date?page=${page}`, { token: here.token, body })).body.booking;
        }),
      ),
    );
    expect(pages.map(({ total, data }) => [total, data.length])).toEqual([
      ...[
        [115, 100],
        [115, 15],
      ],
      ...[
        [115, 100],
        [115, 15],
      ],
    ]);
    const today = new Set(pages.flatMap(({ data }) => data.map((pop: { contact_id: string }) => pop.contact_id)));
    expect(today.size).toBe(1);
  });
});
