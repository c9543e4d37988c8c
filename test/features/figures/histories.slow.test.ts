import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifyAccount } from '../../../src/features/figures/check.ts';
import { keepCounts } from '../../../src/features/figures/keep.ts';
import { followChanges } from '../../../src/features/insight/segments/keep.ts';
import { appOver } from '../../support/app.ts';
import { openTestDatabase, superuser } from '../../support/database.ts';
import { anyPurchase, anyWrite, bodyOf, purchaseBody } from '../../support/guests.ts';
import { violations } from '../../support/invariants.ts';
import { type Running, start } from '../../support/process.ts';

const { db, ...database } = await openTestDatabase();
const { account, admin } = await appOver(db, database);
const sql = await superuser(database);
const env = { DATABASE_URL: database.url, EMAIL_DOMAIN_CHECK: 'list', LOG_LEVEL: 'warn' };
const services: Running[] = await Promise.all([start({ env }), start({ env })]);

const codes = Array.from({ length: 12 }, (_, n) => `CODE${n}`);

async function place() {
  const { id, root_unit_id, token } = await account();
  const { body: unit } = await admin('POST', `/accounts/${id}/units`, { name: 'The Anchor' });
  const { body: udf } = await admin('POST', `/accounts/${id}/udfs`, { name: 'Allergies', type: 'text' });
  const { body: group } = await admin('POST', `/accounts/${id}/unique_code_groups`, {
    unit_id: unit.id,
    name: 'Codes',
  });
  await admin('POST', `/accounts/${id}/unique_code_groups/${group.id}/codes`, { codes });
  return { id, token, units: [root_unit_id, unit.id], udf: udf.id, group: group.id as number };
}
type Place = Awaited<ReturnType<typeof place>>;

const some = fc.nat(1000);
const day = fc.constantFrom('2026-03-01 23:30:00', '2026-03-02 12:00:00', '2199-03-02 12:00:00');
/** Writes, and what staff do. A number stands for one of the contacts or merges that there are by then. */
const anyStep = fc.oneof(
  { weight: 6, arbitrary: anyWrite.map((write) => ({ kind: 'write' as const, write })) },
  { weight: 3, arbitrary: anyPurchase.map((purchase) => ({ kind: 'purchase' as const, purchase })) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('redeem' as const), code: fc.constantFrom(...codes), at: day }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('assign' as const), code: fc.constantFrom(...codes), contact: some }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('booking' as const),
      booking_reference: fc.constantFrom('B1', 'B2'),
      party_datetime: day,
      stage_value: fc.constantFrom(1, 550),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), contact: some, other: some }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('undo' as const), merge: some }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), contact: some }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

async function send(service: Running | undefined, { token }: Place, path: string, body: unknown): Promise<number> {
  const response = await fetch(`${service?.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** One of the ids in a table of the account. */
async function oneOf(table: 'contacts' | 'merges', at: Place, number: number): Promise<number> {
  const rows =
    table === 'contacts'
      ? await sql<{ id: number }>`select id from contacts where account_id = ${at.id} order by id`
      : await sql<{ id: number }>`select id from merges where account_id = ${at.id} and undoes is null order by id`;
  return rows[number % Math.max(1, rows.length)]?.id ?? 0;
}

async function run(step: Step, index: number, service: Running | undefined, at: Place): Promise<number> {
  const base = `/accounts/${at.id}`;
  switch (step.kind) {
    case 'write':
      return send(service, at, '/v1/contact', bodyOf(step.write, `note ${index}`, at));
    case 'purchase':
      return send(service, at, '/v1/purchases', purchaseBody(step.purchase, at.id, at));
    case 'redeem':
      return send(service, at, '/v1/unique_code/redeem', {
        ...{ account_id: at.id, unique_code: step.code, unit_id: at.units[1], redemption_date: step.at },
      });
    case 'booking': {
      const { kind: _, ...changes } = step;
      return send(service, at, '/v1/bookings', { account_id: at.id, ...changes });
    }
    case 'assign': {
      const contact_id = await oneOf('contacts', at, step.contact);
      const body = { unique_code_group_id: at.group, unique_code: step.code, contact_id };
      return (await admin('POST', `${base}/unique_codes/assign`, body)).status;
    }
    case 'merge': {
      const [into, contact_id] = [await oneOf('contacts', at, step.contact), await oneOf('contacts', at, step.other)];
      return (await admin('POST', `${base}/contacts/${into}/merge`, { contact_id })).status;
    }
    case 'undo':
      return (await admin('POST', `${base}/merges/${await oneOf('merges', at, step.merge)}/undo`)).status;
    case 'erase':
      return (await admin('DELETE', `${base}/contacts/${await oneOf('contacts', at, step.contact)}`)).status;
  }
}

/** After the undoing of a merge, a contact can be left without an identity: the survivor keeps what was written since. */
async function wrong() {
  const { 'contacts that own nothing': _, ...others } = await violations(sql);
  return others;
}

it('equal a full recomputation after any history that several processes write, with merges, undos and erasures', async () => {
  const done = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 80, maxLength: 120 }), async (steps) => {
      const at = await place();
      let next = 0;
      const client = async (_: unknown, number: number) => {
        while (next < steps.length) {
          const index = next++;
          const step = steps[index] as Step;
          const send = () => run(step, index, services[number % services.length], at);
          let status = await send();
          // Too many others wrote the same contacts. Nothing was changed, and the response says to try again.
          for (let tries = 1; status === 503 && tries < 20; tries++) status = await send();
          expect([200, 201, 204, 404, 422], step.kind).toContain(status);
          if (status < 300) done.set(step.kind, (done.get(step.kind) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: 6 }, client));
      expect(await wrong()).toEqual({});
      // After the last write, all is counted, by this process or by one of the services.
      const keep = () => db.tenant(at.id, (tx) => keepCounts(tx, at.id));
      await expect.poll(keep, { timeout: 30_000 }).toBe('all');
      const follow = async () => {
        await followChanges(db, at.id);
        return (await sql`select from changes where account_id = ${at.id}`).length;
      };
      await expect.poll(follow, { timeout: 30_000 }).toBe(0);
      expect(await wrong()).toEqual({});
      const counts = { unit_days: 0, code_groups: 0, guests: 0, guest_days: 0, groups: 0 };
      expect(await verifyAccount(db, at.id, { repair: false })).toMatchObject({ different: 0, counts });
    }),
    { numRuns: 10, endOnFailure: true },
  );
  // Each kind of step succeeded at least once, so each was tested.
  expect([...done.keys()].sort()).toEqual([
    'assign',
    'booking',
    'erase',
    'merge',
    'purchase',
    'redeem',
    'undo',
    'write',
  ]);
});
