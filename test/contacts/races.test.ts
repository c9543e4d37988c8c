import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { testApp } from '../support/app.ts';
import { superuser } from '../support/database.ts';

const { account, admin, call, database } = await testApp();
const behind = await superuser(database);

/** Deletes something in a transaction that stays open until the write has run into it. */
async function whileDeleted(table: string, id: number, write: () => ReturnType<typeof call>) {
  const statement = (text: string) => behind([text] as unknown as TemplateStringsArray);
  await statement('begin');
  await statement(`delete from ${table} where id = ${id}`);
  const writing = write();
  for (let tries = 0; tries < 200; tries++) {
    const [waiting] =
      await behind`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    if (waiting) break;
    await pause(10);
  }
  await statement('commit');
  return writing;
}

describe('what a write refers to, deleted by somebody else at that very moment', async () => {
  const { id, token, root_unit_id } = await account();
  const at = `/accounts/${id}`;
  const made = async (path: string, body: object) => (await admin('POST', `${at}/${path}`, body)).body.id as number;
  const write = (body: object) => call('POST', '/v1/contact', { token, body });

  it('is a 422 as if it had never been there: a source', async () => {
    const source_id = await made('sources', { name: 'Wifi' });
    const { body } = await whileDeleted('sources', source_id, () => write({ email: 'ana@gmail.com', source_id }));
    expect(body.errors).toEqual({ source_id: [expect.any(String)] });
  });
  it('is a 422 as if it had never been there: a user-defined field', async () => {
    const udf = await made('udfs', { name: 'Allergies', type: 'text' });
    const udfs = [{ id: udf, data: 'nuts' }];
    const { body } = await whileDeleted('udfs', udf, () => write({ email: 'ana@gmail.com', udfs }));
    expect(body.errors).toEqual({ 'udfs.0.id': [expect.any(String)] });
  });
  it('is a 422 as if it had never been there: a group by its id', async () => {
    const group = await made('groups', { name: 'News', unit_id: root_unit_id });
    const units = [{ id: root_unit_id, groups: [{ id: group }] }];
    const { body } = await whileDeleted('groups', group, () => write({ email: 'ana@gmail.com', units }));
    expect(body.errors).toEqual({ 'units.0.groups.0.id': [expect.any(String)] });
  });
  it('is made again: a group by its name', async () => {
    const group = await made('groups', { name: 'News', unit_id: root_unit_id });
    const units = [{ id: root_unit_id, groups: [{ name: 'News' }] }];
    const { status, body } = await whileDeleted('groups', group, () => write({ email: 'rui@gmail.com', units }));
    expect(status).toBe(200);
    expect(body.units[0].groups).toEqual([{ id: expect.any(Number), name: 'News' }]);
    expect(body.units[0].groups[0].id).not.toBe(group);
  });
  it('is nothing to write to: the account', async () => {
    const other = await account('Going');
    const { body } = await whileDeleted('accounts', other.id, () =>
      call('POST', '/v1/contact', { token: other.token, body: { email: 'ana@gmail.com' } }),
    );
    expect(body.errors).toEqual({ account_id: [expect.any(String)] });
  });
});

describe('more groups than a request may name', () => {
  it('are refused at once, however they are spread over units', async () => {
    const { token, root_unit_id } = await account();
    const groups = Array.from({ length: 501 }, (_, n) => ({ name: `group ${n}` }));
    const units = [
      { id: root_unit_id, groups },
      { id: root_unit_id, groups },
    ];
    const { body } = await call('POST', '/v1/contact', { token, body: { email: 'ana@gmail.com', units } });
    expect(body.errors).toEqual({ units: ['The units may not name more than 1000 groups.'] });
  });
});

describe('merging, undoing and erasing one family at once', () => {
  it('does each once or says why not, and never fails on our side', async () => {
    const { id, token } = await account();
    const write = async (body: object) => (await call('POST', '/v1/contact', { token, body })).body;
    for (let turn = 0; turn < 8; turn++) {
      const [a, b, c] = [
        await write({ email: `a${turn}@gmail.com` }),
        await write({ email: `b${turn}@gmail.com` }),
        await write({ email: `c${turn}@gmail.com` }),
      ];
      const merge = (into: number, contact_id: number) =>
        admin('POST', `/accounts/${id}/contacts/${into}/merge`, { contact_id });
      const { body: first } = await merge(b.id, a.id);
      const answers = await Promise.all([
        merge(c.id, b.id),
        admin('POST', `/accounts/${id}/merges/${first.id}/undo`),
        merge(b.id, c.id),
        admin('DELETE', `/accounts/${id}/contacts/${a.id}`),
        write({ email: `a${turn}@gmail.com`, notes: [{ text: 'still here' }] }).then(() => ({ status: 200 })),
      ]);
      for (const { status } of answers) expect([200, 204, 404, 422]).toContain(status);
    }
    const loose = await behind`
      select c.id from contacts c join contacts m on m.account_id = c.account_id and m.id = c.merged_into where m.merged_into is not null`;
    expect(loose).toHaveLength(0);
  });
});
