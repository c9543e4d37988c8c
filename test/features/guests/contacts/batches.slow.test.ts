import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareContact } from '../../../../src/features/guests/write/command.ts';
import { ContactWrite } from '../../../../src/features/guests/write/schema.ts';
import { type Written, writeContacts } from '../../../../src/features/guests/write/write.ts';
import { Invalid } from '../../../../src/shared/problem.ts';
import { reader } from '../../../../src/shared/read.ts';
import { testApp } from '../../../support/app.ts';
import { countStatements, superuser } from '../../../support/database.ts';
import { type AnyWrite, anyWrite, bodyOf, everyGuest, waiting } from '../../../support/guests.ts';
import { violations } from '../../../support/invariants.ts';
import { isMutating } from '../../../support/mutating.ts';

const { db, database, account, admin, call } = await testApp();
const sql = await superuser(database);
const read = reader(ContactWrite);

async function place() {
  const { id, root_unit_id, token } = await account();
  const { body: unit } = await admin('POST', `/accounts/${id}/units`, { name: 'The Anchor' });
  const { body: udf } = await admin('POST', `/accounts/${id}/udfs`, { name: 'Allergies', type: 'text' });
  return { id, token, units: [root_unit_id, unit.id], udf: udf.id };
}

type Place = Awaited<ReturnType<typeof place>>;

/** Runs the writes in batches of these sizes. In the results, ids are replaced by their order of appearance. */
async function run(at: Place, writes: AnyWrite[], sizes: number[]) {
  const seen: number[] = [];
  const nth = (contactId: number) => {
    if (!seen.includes(contactId)) seen.push(contactId);
    return seen.indexOf(contactId);
  };
  const answer = (outcome: Written | Error) => {
    if (outcome instanceof Invalid) return outcome.errors;
    if (outcome instanceof Error) throw outcome;
    const { contact, discarded } = outcome;
    if (!contact) return { id: nth(outcome.id), discarded };
    const { row, parts } = contact;
    return {
      id: nth(outcome.id),
      discarded,
      row: { ...row, id: 0, source_id: row.source_id === null ? null : 'some' },
      units: parts.units.map((unit) => at.units.indexOf(unit.id)).sort(),
      groups: parts.groups.map((group) => `${at.units.indexOf(group.unit_id)} ${group.name}`).sort(),
      udfs: parts.udfs.map((udf) => udf.data),
    };
  };
  const answers: unknown[] = [];
  for (let start = 0, turn = 0; start < writes.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    const commands = await Promise.all(
      writes.slice(start, start + size).map((write, index) => {
        const input = read(bodyOf(write, `note ${start + index}`, at));
        return prepareContact(input, { tokenId: 1, receivedAt: new Date(0) }, () => 'yes');
      }),
    );
    const outcomes = await db.tenant(at.id, (tx, last) => writeContacts(tx, at.id, commands, last));
    answers.push(...outcomes.map(answer));
    start += size;
  }
  return answers;
}

describe('a batch of writes', () => {
  it.skipIf(isMutating)('stores and returns exactly what the same writes do one by one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyWrite, { minLength: 2, maxLength: 25 }),
        fc.array(fc.integer({ min: 2, max: 12 }), { minLength: 1, maxLength: 4 }),
        async (writes, sizes) => {
          const [together, apart] = [await place(), await place()];
          for (const at of [together, apart]) {
            for (const body of waiting(at.id, at)) {
              const { body: stored } = await call('POST', '/v1/purchases', { token: at.token, body });
              expect(stored.purchases[0].matched_by).toBe(null);
            }
          }
          const answers = await run(together, writes, sizes);
          expect(answers).toEqual(await run(apart, writes, [1]));
          expect(await everyGuest(sql, together.id)).toEqual(await everyGuest(sql, apart.id));
        },
      ),
      { numRuns: 60 },
    );
    expect(await violations(sql)).toEqual({});
  });

  it('releases a number that two contacts had and only one was identified by, when both change it in one batch', async () => {
    const guest = (n: number, mobile: number) =>
      ({ email: `guest${n}@gmail.com`, mobile_number: `0770090000${mobile}`, rules: [] }) as unknown as AnyWrite;
    const writes = [guest(1, 1), guest(2, 1), guest(1, 2), guest(2, 3)];
    const [together, apart] = [await place(), await place()];
    await run(together, writes, [2]);
    await run(apart, writes, [1]);
    for (const { id } of [apart, together]) {
      const owned = await sql<{ value: string }>`
        select value from identities where account_id = ${id} and kind = 'mobile' order by value`;
      expect(owned.map(({ value }) => value)).toEqual(['447700900002', '447700900003']);
    }
  });

  it('keeps a membership with the contact that added it, even if that contact is merged in the same batch', async () => {
    const member = (email: string | undefined, mobile_number: string | undefined) =>
      ({ email, mobile_number, membership_number: 'M1', rules: [] }) as unknown as AnyWrite;
    const [rui, ana] = ['guest2@gmail.com', 'guest1@gmail.com'];
    const mo = '07700900003';
    for (const [writes, holds] of [
      // Mo has it, and turns out to be Ana: an undo gives it back to Mo.
      [[{ ...member(ana, undefined), membership_number: undefined }, member(undefined, mo), member(ana, mo)], 'Mo'],
      // Rui takes it, so it is Ana's own when she brings it again.
      [[member(undefined, mo), member(rui, undefined), member(ana, undefined), member(ana, mo)], 'Ana'],
    ] as [AnyWrite[], string][]) {
      for (const size of [1, writes.length]) {
        const at = await place();
        await run(at, writes, [size]);
        const [holder] = await sql<{ email: string | null }>`
          select c.email from identities i join contacts c on c.account_id = i.account_id and c.id = i.contact_id
          where i.account_id = ${at.id} and i.kind = 'membership'`;
        expect([size, holder?.email]).toEqual([size, holds === 'Ana' ? ana : null]);
      }
    }
  });

  it.each([true, false])('applies a withdrawal of the same batch to a merge (full object: %s)', async (full) => {
    const at = await place();
    const [ana, phone] = [{ email: 'guest1@gmail.com' }, { mobile_number: '07700900001' }];
    const write = (body: object) => ({ ...body, rules: [], full_contact_object: full }) as unknown as AnyWrite;
    await run(at, [write({ ...ana, allow_email: true, allow_sms: true }), write({ ...phone, allow_email: true })], [1]);
    const batch = [
      write({ ...phone, allow_email: false, allow_sms: true, allow_call: true }),
      write({ ...ana, allow_sms: false }),
      write({ ...ana, ...phone }),
    ];
    await run(at, batch, [batch.length]);
    const { body } = await call('GET', '/v1/contacts', {
      token: at.token,
      query: { account_id: String(at.id), ...ana },
    });
    expect(body).toMatchObject({ mobile_number: '447700900001', allow_email: '', allow_sms: '', allow_call: '1' });
    expect(await violations(sql)).toEqual({});
  });

  it('needs the same number of statements for any number of writes', async () => {
    const write = (n: number): AnyWrite =>
      ({
        email: `guest${n}@gmail.com`,
        mobile_number: `0771${String(n).padStart(7, '0')}`,
        units: [{ unit: 1, groups: [{ name: 'News', folder_name: undefined }] }],
        source_name: 'Wifi',
        allow_email: true,
        udf: 'nuts',
        feedback: '7',
        membership_number: `M${n}`,
        purchases: [{ transaction_reference: `P${n}`, unit: 1, provider_id: 7, quantity: 2 }],
        bookings: [
          { booking_reference: `B${n}`, unit: 1, party_datetime: '2026-03-01 19:30:00', table_numbers: ['1'] },
        ],
        stays: [
          {
            ...{ stay_reference: `S${n}`, provider_id: 7, unit: 1, booker: true, guest: true, booking_status_id: 3 },
            checkout_date: '2026-03-03 11:00:00',
          },
        ],
        wifi: [{ unit: 1, interaction_type: 'connected' }],
        rules: ['detach_existing_groups'],
      }) as unknown as AnyWrite;
    const statements = async (count: number) => {
      const at = await place();
      const commands = await Promise.all(
        Array.from({ length: count }, (_, n) => {
          const input = read(bodyOf(write(n), `note ${n}`, at));
          return prepareContact(input, { tokenId: 1, receivedAt: new Date(0) }, () => 'yes');
        }),
      );
      let made = 0;
      let again = 0;
      await db.tenant(at.id, (tx, last) =>
        writeContacts(
          countStatements(tx, () => made++),
          at.id,
          commands,
          last,
        ),
      );
      await db.tenant(at.id, (tx, last) =>
        writeContacts(
          countStatements(tx, () => again++),
          at.id,
          commands,
          last,
        ),
      );
      return { made, again };
    };
    // Not more: with many, the whole account is one lock.
    const [many, one] = [await statements(150), await statements(1)];
    expect(many.made).toBeLessThanOrEqual(one.made);
    expect(many.again).toBeLessThanOrEqual(one.again);
  });
});
