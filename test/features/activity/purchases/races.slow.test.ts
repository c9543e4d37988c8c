import { afterAll, describe, expect, it } from 'vitest';
import { openPool } from '../../../../src/platform/db/database.ts';
import { appOver } from '../../../support/app.ts';
import { openTestDatabase } from '../../../support/database.ts';
import {
  type Caller,
  fresh,
  keys,
  named,
  type Place,
  place,
  type Stored,
  type Way,
  way,
} from '../../../support/till.ts';

describe('concurrent requests through two apps', async () => {
  const { db, ...database } = await openTestDatabase();
  const otherDb = openPool({ url: database.url, connections: 5 });
  afterAll(() => otherDb.close());
  const apps = [await appOver(db, database), await appOver(otherDb, database)] as const;
  const pairs = 100;

  /** The app for the nth request of a side, so that pairs meet within an app as well as across. */
  const app = (n: number) => apps[n % 2] as Caller;
  const shuffled = (all: (() => Promise<unknown>)[]) => {
    const order = all.map((one) => ({ one, at: Math.random() })).sort((a, b) => a.at - b.at);
    return Promise.all(order.map(({ one }) => one()));
  };
  const expectNoneWaits = async (at: Place) => {
    const { waiting, waiting_for } = await at.staff('waiting/counts');
    expect([waiting, waiting_for]).toEqual([0, Object.fromEntries(keys.map((key) => [key, 0]))]);
  };

  it.each(named)('with a purchase and %s leave no purchase waiting', async (_, { key, prepare }) => {
    const at = await place(apps[0]);
    const values = Array.from({ length: pairs }, () => fresh('value'));
    const brings: ((by?: Caller) => Promise<number>)[] = [];
    for (const value of values) brings.push(await prepare(at, value));
    const contacts: number[] = [];
    const purchases: number[] = [];
    const jobs = values.map((value, n) => [
      async () => {
        purchases[n] = (await at.sent({ [key]: value }, app(n))).id;
      },
      async () => {
        contacts[n] = (await brings[n]?.(app(n >> 1))) as number;
      },
    ]);
    // In rounds: what comes at once is written together, and only the start of a batch can meet another.
    for (let n = 0; n < pairs; n += 10) await shuffled(jobs.slice(n, n + 10).flat());
    await expectNoneWaits(at);
    const found = await Promise.all(contacts.map((contact) => at.read(contact)));
    expect(found.map((all) => all.map(({ id, matched_by }) => [id, matched_by]))).toEqual(
      purchases.map((id) => [[id, key]]),
    );
  });
  it('of all kinds match each purchase to one contact, once', async () => {
    const at = await place(apps[0]);
    const kinds = [
      'a booking on the contact write',
      'a code that is assigned',
      'a membership',
      'a card',
      'a table on the contact write',
      'a table that the booking platform reports',
    ].map(way);
    const jobs: (() => Promise<unknown>)[] = [];
    const owners: { purchase: Stored; contacts: number[] }[] = [];
    for (let n = 0; n < 60; n++) {
      // Each waits for two things, which two people bring.
      const [one, two] = [kinds[n % kinds.length] as Way, kinds[(n + 1 + (n % 4)) % kinds.length] as Way];
      if (one.key === two.key) continue;
      const [first, second] = [fresh('value'), fresh('value')];
      const bringers = [await one.prepare(at, first), await two.prepare(at, second)];
      const entry = { contacts: [] as number[] } as { purchase: Stored; contacts: number[] };
      owners.push(entry);
      const body = { [one.key]: first, [two.key]: second, purchases: [at.bill()] };
      const send = async (by: Caller) => {
        entry.purchase = await at.sent(body, by);
      };
      jobs.push(
        () => send(app(n)),
        () => send(app(n + 1)),
        ...bringers.map((bring, side) => async () => void entry.contacts.push(await bring(app(n + side)))),
      );
    }
    await shuffled(jobs);
    await expectNoneWaits(at);
    for (const { purchase, contacts } of owners) {
      const theirs = (await Promise.all(contacts.map(at.read))).flat();
      expect(theirs.map(({ id }) => id)).toEqual([purchase.id]);
    }
  });
  it('with the same purchase, on a contact and anonymously, store it once, on the contact', async () => {
    const at = await place(apps[0]);
    const membership_number = fresh('M');
    const member = await at.written({ membership_number });
    const bills = Array.from({ length: pairs }, () => at.bill());
    const contacts: number[] = [];
    await shuffled(
      bills.flatMap((one, n) => [
        () => at.sent({ membership_number: n % 2 ? membership_number : fresh('M'), purchases: [one] }, app(n)),
        async () => {
          contacts[n] = await at.written({ purchases: [{ ...one, provider_id: 12 }] }, app(n >> 1));
        },
      ]),
    );
    await expectNoneWaits(at);
    expect(await at.read(member)).toEqual([]);
    const found = await Promise.all(contacts.map((contact) => at.read(contact)));
    expect(found.map((all) => all.map(({ matched_by }) => matched_by))).toEqual(bills.map(() => [null]));
  });
});
