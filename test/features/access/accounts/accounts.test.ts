import { describe, expect, it } from 'vitest';
import { finishDeletion } from '../../../../src/features/access/accounts/delete.ts';
import { raw } from '../../../../src/platform/db/sql.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';

const { admin, call, account, database, db } = await testApp();
const sql = await superuser(database);

describe('accounts', () => {
  it('are created with a root unit, the built-in look-ups and UTC as the default time zone', async () => {
    const { status, body } = await admin('POST', '/accounts', { name: 'The Harbour Group' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'The Harbour Group',
      time_zone: 'UTC',
      root_unit_id: expect.any(Number),
    });
    const units = await admin('GET', `/accounts/${body.id}/units`);
    expect(units.body.data).toEqual([{ id: body.root_unit_id, name: 'The Harbour Group', is_root: true }]);
    expect((await admin('GET', `/accounts/${body.id}/feedback_categories`)).body.data).toEqual([
      { id: 1, name: 'food' },
      { id: 2, name: 'drink' },
      { id: 3, name: 'service' },
      { id: 4, name: 'NPS' },
    ]);
  });

  it('can be read, listed, renamed and moved to another time zone', async () => {
    const { id } = await account('Old name');
    const changed = await admin('PATCH', `/accounts/${id}`, { name: 'New name', time_zone: 'europe/london' });
    expect(changed.body).toMatchObject({ id, name: 'New name', time_zone: 'Europe/London' });
    expect((await admin('PATCH', `/accounts/${id}`, {})).body).toEqual(changed.body);
    expect((await admin('GET', `/accounts/${id}`)).body).toEqual(changed.body);
    expect((await admin('GET', '/accounts')).body.data).toContainEqual(changed.body);
  });

  it.each(['+01:00', 'Mars/Olympus', '7', 'GMT+1x'])('reject the time zone %s', async (time_zone) => {
    const before = (await admin('GET', '/accounts')).body.total;
    const { status, body } = await admin('POST', '/accounts', { name: 'x', time_zone });
    expect(status).toBe(422);
    expect(Object.keys(body.errors)).toEqual(['time_zone']);
    expect((await admin('GET', '/accounts')).body.total).toBe(before);
  });

  it('are deleted with everything in them; other accounts are unchanged', async () => {
    const [gone, stays] = [await account(), await account()];
    await admin('POST', `/accounts/${gone.id}/groups`, { unit_id: gone.root_unit_id, name: 'Newsletter' });
    await admin('POST', `/accounts/${gone.id}/sources`, { name: 'Wifi' });
    expect((await admin('DELETE', `/accounts/${gone.id}`)).status).toBe(204);
    expect((await admin('GET', `/accounts/${gone.id}`)).status).toBe(404);
    expect((await admin('GET', `/accounts/${gone.id}/units`)).status).toBe(404);
    expect((await call('GET', '/v1/account/units', { token: gone.token })).status).toBe(401);
    expect((await call('GET', '/v1/account/units', { token: stays.token })).status).toBe(200);
    await finishDeletion(db, gone.id);
    for (const table of ['units', 'folders', 'groups', 'sources', 'tokens', 'feedback_categories']) {
      expect(await sql`select from ${raw(table)} where account_id = ${gone.id}`, table).toHaveLength(0);
    }
    expect((await admin('DELETE', `/accounts/${gone.id}`)).status).toBe(404);
  });

  it('can be deleted during writes: later writes get a 404', async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < 10; round++) {
      const { id, root_unit_id } = await account();
      const writes = Array.from({ length: 12 }, (_, n) => {
        if (n % 3 === 0) return admin('POST', `/accounts/${id}/groups`, { unit_id: root_unit_id, name: `g${n}` });
        return n % 3 === 1
          ? admin('POST', `/accounts/${id}/units`, { name: 'u' })
          : admin('POST', `/accounts/${id}/tokens`, { name: 't' });
      });
      const answers = await Promise.all([...writes, admin('DELETE', `/accounts/${id}`)]);
      for (const answer of answers) statuses.add(answer.status);
      expect(answers.at(-1)?.status).toBe(204);
    }
    expect([...statuses].filter((status) => ![201, 204, 404].includes(status))).toEqual([]);
  });

  it('have exactly one root unit: PostgreSQL rejects a second one, and its deletion', async () => {
    const { id, root_unit_id } = await account();
    await expect(sql`insert into units (account_id, name, is_root) values (${id}, 'second', true)`).rejects.toThrow(
      /units_one_root/,
    );
    await expect(
      sql`update units set deleted_at = now() where account_id = ${id} and id = ${root_unit_id}`,
    ).rejects.toThrow(/units_root_stays/);
  });
});
