import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnonymousPurchases, type PurchasesStored } from '../../../../src/features/activity/purchases/schema.ts';
import { preparePurchases, writePurchases } from '../../../../src/features/activity/purchases/write.ts';
import { Invalid } from '../../../../src/shared/problem.ts';
import { reader } from '../../../../src/shared/read.ts';
import { testApp } from '../../../support/app.ts';
import { countStatements, superuser } from '../../../support/database.ts';
import { type AnyPurchase, anyPurchase, everyGuest, purchaseBody } from '../../../support/guests.ts';
import { violations } from '../../../support/invariants.ts';
import { isMutating } from '../../../support/mutating.ts';

const { db, database, account, admin, call } = await testApp();
const sql = await superuser(database);
const read = reader(AnonymousPurchases);

/** An account with two guests, one of whom is two contacts that became one, and most of what purchases may name. */
async function place() {
  const { id, root_unit_id, token } = await account();
  const { body: unit } = await admin('POST', `/accounts/${id}/units`, { name: 'The Anchor' });
  const write = async (note: string, body: object): Promise<number> => {
    const answer = await call('POST', '/v1/contact', { token, body: { ...body, notes: [{ text: note }] } });
    expect(answer.status).toBe(200);
    return answer.body.id;
  };
  const booking = (booking_reference: string, hour: number, table_numbers: string[]) => ({
    ...{ booking_reference, unit_id: unit.id, table_numbers },
    party_datetime: `2026-03-01 ${hour}:00:00`,
    party_enquirytime: '2026-02-01 09:00:00',
  });
  await write('by phone', {
    mobile_number: '07700900001',
    membership_number: 'M1',
    bookings: [booking('B1', 17, ['1'])],
  });
  await write('Ana', { email: 'ana@gmail.com', mobile_number: '07700900001', card_reference: 'C1' });
  const rui = await write('Rui', {
    email: 'rui@gmail.com',
    membership_number: 'M2',
    bookings: [booking('B2', 19, ['2'])],
  });
  const group = { account_id: id, unit_id: root_unit_id, name: 'Summer' };
  const { body: codes } = await call('POST', '/v1/unique_code/group', { token, body: group });
  await admin('POST', `/accounts/${id}/unique_code_groups/${codes.id}/codes`, { codes: ['X1', 'X2'] });
  const assigned = { unique_code_group_id: codes.id, unique_code: 'X1', contact_id: rui };
  await admin('POST', `/accounts/${id}/unique_codes/assign`, assigned);
  return { id, units: [root_unit_id, unit.id], udf: 0 };
}

type Place = Awaited<ReturnType<typeof place>>;

/** Stores them in batches of these sizes, and gives what each was answered: contacts by their first note. */
async function run(at: Place, sent: AnyPurchase[], sizes: number[]) {
  const answers: (PurchasesStored | Error)[] = [];
  for (let start = 0, turn = 0; start < sent.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    const commands = sent
      .slice(start, start + size)
      .map((one) => preparePurchases(read(purchaseBody(one, at.id, at)), '1970-01-01 00:00:00Z'));
    answers.push(...(await db.tenant(at.id, (tx, last) => writePurchases(tx, at.id, commands, last))));
    start += size;
  }
  const notes = await sql<{ contact_id: number; text: string }>`
    select distinct on (contact_id) contact_id, text from notes where account_id = ${at.id} order by contact_id, id`;
  const called = new Map(notes.map(({ contact_id, text }) => [contact_id, text]));
  return answers.map((answer) => {
    if (answer instanceof Invalid) return answer.errors;
    if (answer instanceof Error) throw answer;
    return answer.purchases.map(({ id: _, contact_id, ...one }) => ({ ...one, contact: called.get(contact_id ?? 0) }));
  });
}

describe('a batch of anonymous purchases', () => {
  it.skipIf(isMutating)('stores and returns exactly what the same requests do one by one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          anyPurchase.map((one) => ({
            ...one,
            transaction_reference: `P${Number(one.transaction_reference.slice(1)) % 4}`,
          })),
          { minLength: 2, maxLength: 25 },
        ),
        fc.array(fc.integer({ min: 2, max: 12 }), { minLength: 1, maxLength: 4 }),
        async (sent, sizes) => {
          const [together, apart] = [await place(), await place()];
          expect(await run(together, sent, sizes)).toEqual(await run(apart, sent, [1]));
          expect(await everyGuest(sql, together.id)).toEqual(await everyGuest(sql, apart.id));
        },
      ),
      { numRuns: 40 },
    );
    expect(await violations(sql)).toEqual({});
  });

  it('needs the same number of statements for any number of purchases', async () => {
    const statements = async (count: number) => {
      const at = await place();
      const commands = Array.from({ length: count }, (_, n) => {
        const keys = {
          booking_reference: 'B1',
          membership_number: 'M1',
          card_reference: 'C1',
          table_number: '1',
        } as const;
        const input = read(
          purchaseBody(
            { ...keys, unique_code: 'X1', transaction_reference: `P${n}`, unit: 1, created_at: undefined, quantity: 1 },
            at.id,
            at,
          ),
        );
        return preparePurchases(input, '1970-01-01 00:00:00Z');
      });
      let made = 0;
      await db.tenant(at.id, (tx, last) =>
        writePurchases(
          countStatements(tx, () => made++),
          at.id,
          commands,
          last,
        ),
      );
      return made;
    };
    expect(await statements(150)).toBe(await statements(1));
  });
});
