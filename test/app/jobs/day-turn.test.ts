import { expect, it } from 'vitest';
import { DayTurn } from '../../../src/app/jobs/day-turn.ts';
import { openPool } from '../../../src/platform/db/database.ts';
import { testApp } from '../../support/app.ts';
import { isDistributed, superuser } from '../../support/database.ts';

const { admin, call, database } = await testApp();
const sql = await superuser(database);

async function booked(time_zone: string) {
  const { body: account } = await admin('POST', '/accounts', { name: time_zone, time_zone });
  const { body: token } = await admin('POST', `/accounts/${account.id}/tokens`, { name: 'test' });
  const body = {
    email: 'ana@gmail.com',
    bookings: [{ booking_reference: 'B', party_datetime: '2199-03-02 19:00:00' }],
  };
  const { body: contact } = await call('POST', '/v1/contact', { token: token.token, body });
  const path = `/accounts/${account.id}/contacts/${contact.id}/figures`;
  return { id: account.id as number, visits: async () => (await admin('GET', path)).body.visits as number };
}

it('begins a day in each time zone at its midnight, and enqueues the check of a seventh of the accounts', async () => {
  const [london, tokyo] = [await booked('Europe/London'), await booked('Asia/Tokyo')];
  let now = new Date('2199-03-01T12:00:00Z');
  const db = openPool({ url: database.url, connections: 2, isDistributed: isDistributed(), now: () => now });
  const failures: unknown[] = [];
  const turn = new DayTurn(db, (error) => failures.push(error));
  const visits = async () => [await london.visits(), await tokyo.visits()];
  const checks = () =>
    sql<{ key: string }>`select key from graphile_worker.jobs where task_identifier = 'repair_figures'`;
  try {
    await turn.turn();
    expect([await visits(), (await checks()).length]).toEqual([[0, 0], 0]);
    now = new Date('2199-03-01T15:00:01Z');
    expect(await turn.turn()).toBe(1);
    expect(await visits()).toEqual([0, 1]);
    now = new Date('2199-03-02T00:00:01Z');
    expect(await turn.turn()).toBe(1);
    expect(await visits()).toEqual([1, 1]);
    expect(await turn.turn()).toBe(0);
    for (let day = 3; day < 10; day++) {
      now = new Date(`2199-03-0${day}T16:00:00Z`);
      await turn.turn();
    }
    expect((await checks()).map(({ key }) => key).sort()).toEqual(
      [london, tokyo].map(({ id }) => `repair_figures ${id}`).sort(),
    );
    expect(failures).toEqual([]);
  } finally {
    await turn.stop();
    await db.close();
  }
});
