import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchBookings } from '../../../../src/features/activity/bookings/write.ts';
import { appOver } from '../../../support/app.ts';
import { countStatements, countTransactions, openTestDatabase } from '../../../support/database.ts';

const { db, ...database } = await openTestDatabase();
let transactions = 0;
const { account, call } = await appOver(
  countTransactions(db, () => transactions++),
  database,
);
const [here, elsewhere] = [await account(), await account('Elsewhere')];

const book = async (who: object, bookings: object[], { token } = here): Promise<number> => {
  const body = { ...who, full_contact_object: false, bookings };
  const answer = await call('POST', '/v1/contact', { token, body });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body.id;
};
const numbered = Array.from({ length: 10 }, (_, n) => `B-${n}`);
await book(
  { email: 'ana@gmail.com' },
  numbered.map((booking_reference) => ({ booking_reference, provider_id: 7, deposit_paid: 5 })),
);
// The same references of another partner, and of none, made later and earlier.
await book({ email: 'rui@gmail.com' }, [
  { booking_reference: 'B-1', provider_id: 8 },
  { booking_reference: 'B-2' },
  { booking_reference: '"B"\n{1}', party_size: 3 },
]);
await book({ mobile_number: '07700900001' }, [{ booking_reference: 'B-merged', provider_id: 7 }]);
const survivor = await book({ email: 'mo@gmail.com', mobile_number: '07700900001' }, []);
await book({ email: 'ana@gmail.com' }, [{ booking_reference: 'B-elsewhere' }], elsewhere);

const anySearch = fc.record(
  {
    account_id: fc.constantFrom(...Array(12).fill(here.id), elsewhere.id, 'x'),
    booking_reference: fc.constantFrom(...numbered, '"B"\n{1}', 'B-merged', 'B-elsewhere', 'B-none', ''),
    provider_id: fc.constantFrom(7, 7, 8, 9, 'x'),
  },
  { requiredKeys: ['account_id'] },
);
const search = async (body: object, token = here.token) => {
  const answer = await call('GET', '/v1/bookings', { token, body });
  // As it was written: also the order of the keys counts.
  return `${answer.status} ${JSON.stringify(answer.body)}`;
};
const found = async (body: object) => JSON.parse((await search({ account_id: here.id, ...body })).slice(4));

describe('concurrent booking searches', () => {
  it('get the same responses as separate searches, with one 404 or 422 per request', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anySearch, fc.constantFrom(here.token, here.token, elsewhere.token)), {
          minLength: 2,
          maxLength: 60,
        }),
        async (searches) => {
          const together = await Promise.all(searches.map(([body, token]) => search(body, token)));
          const apart: string[] = [];
          for (const [body, token] of searches) apart.push(await search(body, token));
          expect(together).toEqual(apart);
          for (const answer of together) seen.add(answer.slice(0, 3));
        },
      ),
      { numRuns: 25 },
    );
    expect([...seen].sort()).toEqual(['200', '404', '422']);
  });

  it('each return their own booking', async () => {
    const sent = [...numbered, '"B"\n{1}', 'B-merged'];
    const bookings = await Promise.all(sent.map((booking_reference) => found({ booking_reference })));
    expect(bookings.map(({ booking_reference }) => booking_reference)).toEqual(sent);
    expect(bookings.at(-1).contact_id).toBe(String(survivor));
    const [last, ofSeven, ofEight] = await Promise.all(
      [{}, { provider_id: 7 }, { provider_id: 8 }].map((whose) => found({ booking_reference: 'B-1', ...whose })),
    );
    expect([last.id, ofSeven.deposit_paid, ofEight.deposit_paid]).toEqual([ofEight.id, '5.00', '0.00']);
  });

  it('run in at most a few transactions, with one statement each', async () => {
    await found({ booking_reference: 'B-1' });
    transactions = 0;
    await Promise.all(Array.from({ length: 40 }, (_, n) => found({ booking_reference: numbered[n % 10] })));
    expect(transactions).toBeLessThanOrEqual(4);
    let statements = 0;
    const wanted = numbered.map((booking_reference) => ({ booking_reference }));
    await db.tenant(here.id, (tx) =>
      searchBookings(
        countStatements(tx, () => statements++),
        here.id,
        wanted,
      ),
    );
    expect(statements).toBe(1);
  });
});
