import { expect, it } from 'vitest';
import { DayTurn } from '../../../src/app/jobs/day-turn.ts';
import { turnDays, verifyAccount } from '../../../src/features/figures/check.ts';
import { refreshFigures } from '../../../src/features/figures/refresh-store.ts';
import { eraseContact } from '../../../src/features/guests/erasure/erase.ts';
import { mergeContacts, undoMerge } from '../../../src/features/guests/write/merge.ts';
import { type Database, openPool, type Tx } from '../../../src/platform/db/database.ts';
import { testApp } from '../../support/app.ts';
import { isDistributed, superuser } from '../../support/database.ts';
import { gate } from '../../support/domains.ts';
import { fresh } from '../../support/till.ts';
import { accepted, shop } from '../../support/vouchers.ts';

const { admin, call, database, db } = await testApp();
const sql = await superuser(database);
const home = await shop({ admin, call });

const figures = async (contact: number) => accepted(await admin('GET', `${home.base}/contacts/${contact}/figures`));
const booking = (party_datetime: string, booking_reference = fresh('B')) => ({
  bookings: [{ booking_reference, unit_id: home.unit, party_datetime }],
});

/** Runs work whose transaction commits when another one waits for its locks, and returns the results of both. */
async function during<T>(
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<T>,
  through: Database = db,
): Promise<T> {
  const [done, commit] = [gate(), gate()];
  const holding = through.tenant(home.id, async (tx) => {
    await first(tx);
    done.release();
    await commit.after;
  });
  await done.after;
  const other = second();
  const waiting = async () =>
    (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length;
  try {
    await expect.poll(waiting, { timeout: 10_000 }).toBeGreaterThan(0);
  } finally {
    commit.release();
    await holding;
  }
  return other;
}

it('a redemption that waits for the undo of a merge counts for the contact of the code', async () => {
  const [goes, stays] = [await home.newContact(), await home.newContact()];
  const { unique_code } = await home.newCode(fresh('CODE'), goes);
  const merge = await home.merge(goes, stays);
  await during(
    (tx) => undoMerge(tx, home.id, merge.id, 'staff'),
    () => home.redeemed({ unique_code }),
  );
  expect(await figures(goes)).toMatchObject({ visits: 1, vouchers_redeemed: 1 });
  expect(await figures(stays)).toMatchObject({ visits: 0, vouchers_redeemed: 0 });
});

// On a distributed server, it waits on a worker, which this test does not see.
it.skipIf(isDistributed())('a purchase that waits for a merge counts for the survivor', async () => {
  const reference = fresh('B');
  const [goes, stays] = [await home.newContact(booking('2026-03-01 12:00:00', reference)), await home.newContact()];
  const purchases = [
    { transaction_reference: fresh('T'), created_at: '2026-03-02 12:00:00', items: [{ quantity: 1, value: 10 }] },
  ];
  const body = { account_id: home.id, booking_reference: reference, purchases };
  await during(
    (tx) => mergeContacts(tx, home.id, stays, goes, 'staff'),
    async () => accepted(await call('POST', '/v1/purchases', { token: home.token, body })),
  );
  expect(await figures(stays)).toMatchObject({ visits: 2, spend: 10 });
});

it('an erasure that waits for a recount leaves nothing', async () => {
  const contact = await home.newContact(booking('2026-03-01 12:00:00'));
  await during(
    (tx) => refreshFigures(tx, home.id, { merged: [contact] }),
    () => db.tenant(home.id, (tx) => eraseContact(tx, home.id, contact)),
  );
  const left = await sql`
    select contact_id from contact_days where contact_id = ${contact} union all select contact_id from contact_figures where contact_id = ${contact}`;
  expect(left).toHaveLength(0);
});

const consentsOf = async (contact: number) =>
  (await sql`select consents from contact_figures where contact_id = ${contact}`).map(({ consents }) => consents);

it('a consent is kept beside the figures, also that of a contact without figures before', async () => {
  const email = `${fresh('mail')}@gmail.com`;
  const contact = await home.newContact({ email, allow_email: true, ...booking('2026-03-01 12:00:00') });
  expect(await consentsOf(contact)).toEqual([1]);
  await home.newContact({ email, mobile_number: `447700${fresh('').slice(-6).padStart(6, '0')}`, allow_sms: true });
  expect(await consentsOf(contact)).toEqual([3]);
  await home.newContact({ email, allow_email: false });
  expect(await consentsOf(contact)).toEqual([2]);
  const later = await home.newContact({ email: `${fresh('mail')}@gmail.com`, allow_email: true });
  expect(await consentsOf(later)).toEqual([]);
  const { unique_code } = await home.newCode(fresh('CODE'), later);
  await home.redeemed({ unique_code });
  expect(await consentsOf(later)).toEqual([1]);
});

it('a first visit that waits for a change of consent keeps the new consent', async () => {
  const contact = await home.newContact({ email: `${fresh('mail')}@gmail.com` });
  const { unique_code } = await home.newCode(fresh('CODE'), contact);
  await during(
    async (tx) => {
      await tx`update contacts set allow_email = true where account_id = ${home.id} and id = ${contact}`;
      await refreshFigures(tx, home.id, { consented: [contact] });
    },
    () => home.redeemed({ unique_code }),
  );
  expect(await consentsOf(contact)).toEqual([1]);
});

it('a change of consent that waits for a first visit is kept', async () => {
  const email = `${fresh('mail')}@gmail.com`;
  const contact = await home.newContact({ email });
  const day = { kind: 'vouchers' as const, contact_id: contact, unit_id: home.unit, day: '2026-03-01' };
  await during(
    (tx) => refreshFigures(tx, home.id, { added: [{ ...day, counts: { vouchers_redeemed: 1 } }] }),
    () => home.newContact({ email, allow_email: true }),
  );
  expect(await consentsOf(contact)).toEqual([1]);
  await sql`delete from contact_days where contact_id = ${contact}`;
  await sql`delete from contact_figures where contact_id = ${contact}`;
});

it('a consent that differs is found and repaired', async () => {
  const contact = await home.newContact({ email: `${fresh('mail')}@gmail.com`, ...booking('2026-03-01 12:00:00') });
  await sql`update contact_figures set consents = 4 where contact_id = ${contact}`;
  expect(await verifyAccount(db, home.id, { repair: true })).toMatchObject({ different: 1, listed: [contact] });
  expect(await consentsOf(contact)).toEqual([0]);
});

it('rows without a contact are found, do not stop the turn of a day, and are removed', async () => {
  const strays = Array.from({ length: 400 }, (_, n) => 900_000_000 + n);
  await sql`
    insert into contact_figures (account_id, contact_id, next_day)
    select ${home.id}::bigint, stray.id, '2026-03-01' from unnest(${strays}::bigint[]) as stray (id) on conflict do nothing`;
  expect(await turnDays(db, home.id)).toBe(400);
  expect(await verifyAccount(db, home.id, { repair: false })).toMatchObject({ different: 400 });
  await verifyAccount(db, home.id, { repair: true });
  expect(await verifyAccount(db, home.id, { repair: false })).toMatchObject({ different: 0 });
});

it('the turn of a day is repeated after a conflict, and once more for writes that commit after midnight', async () => {
  let now = new Date('2199-04-01T12:00:00Z');
  const later = openPool({ url: database.url, connections: 6, isDistributed: isDistributed(), now: () => now });
  const failures: unknown[] = [];
  const turn = new DayTurn(later, (error) => failures.push(error));
  try {
    await turn.turn(0);
    const due = [
      await home.newContact(booking('2199-04-02 12:00:00')),
      await home.newContact(booking('2199-04-02 12:00:00')),
    ];
    const [stays, late] = [await home.newContact(), await home.newContact()];
    now = new Date('2199-04-02T00:00:01Z');
    await during(
      (tx) => mergeContacts(tx, home.id, stays, due[0] ?? 0, 'staff'),
      () => turn.turn(10),
      later,
    );
    expect(await figures(stays)).toMatchObject({ visits: 1 });
    expect(await figures(due[1] ?? 0)).toMatchObject({ visits: 1 });
    // A write that began before midnight.
    now = new Date('2199-04-01T23:59:59Z');
    const added = [
      { kind: 'bookings' as const, contact_id: late, unit_id: home.unit, day: '2199-04-02', counts: { bookings: 1 } },
    ];
    await later.tenant(home.id, (tx) => refreshFigures(tx, home.id, { added }));
    now = new Date('2199-04-02T00:00:20Z');
    expect([await turn.turn(20_000), await turn.turn(70_000)]).toEqual([0, isDistributed() ? 0 : 1]);
    expect(failures).toEqual([]);
  } finally {
    await turn.stop();
    await later.close();
  }
});
