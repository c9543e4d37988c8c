import { expect, it } from 'vitest';
import { createDatabase, superuser } from '../../../support/database.ts';
import { start } from '../../../support/process.ts';

const guests = 3000;

it('an action continues after its process stopped or was killed, and each member has one code', async () => {
  const { url, ...database } = await createDatabase();
  const sql = await superuser({ url, ...database });
  await sql`insert into accounts (id, name, root_unit_id, figures_filled_at) values (1, 'Harbour', 1, now())`;
  await sql`insert into units (account_id, id, name, is_root) values (1, 1, 'Harbour', true)`;
  await sql`insert into contacts (account_id, id, city) select 1, n, 'Bath' from generate_series(1, ${guests}) n`;
  await sql`insert into unique_code_groups (account_id, id, unit_id, name) values (1, 1, 1, 'Summer')`;
  await sql`
    insert into unique_codes (account_id, group_id, unique_code) select 1, 1, 'CODE-' || n from generate_series(1, ${guests}) n`;
  await sql`
    insert into segments (account_id, id, name, definition) values (1, 1, 'Bathers', '{"field": "city", "op": "is", "value": "Bath"}')`;
  const env = { DATABASE_URL: url };
  const done = async () => (await sql<{ done: number }>`select done from segment_actions`)[0]?.done ?? 0;
  const more = async (than: number) => {
    await expect.poll(done, { interval: 20 }).toBeGreaterThan(than);
    return done();
  };

  const first = await start({ env });
  const answer = await first.admin('POST', '/accounts/1/segments/1/assign_codes', { unique_code_group_id: 1 });
  expect([answer.status, answer.body]).toMatchObject([202, { state: 'waiting', total: guests }]);
  await more(0);
  await first.stop('SIGKILL');
  const killedAt = await done();
  expect(killedAt).toBeLessThan(guests);
  const second = await start({ env });
  await more(killedAt);
  expect(await second.stop()).toBe(0);
  const stoppedAt = await done();
  expect(stoppedAt).toBeLessThan(guests);
  const third = await start({ env });
  await expect
    .poll(async () => (await third.admin('GET', `/accounts/1/segment_actions/${answer.body.id}`)).body.state)
    .toBe('done');
  expect((await third.admin('GET', `/accounts/1/segment_actions/${answer.body.id}`)).body).toMatchObject({
    ...{ total: guests, done: guests, skipped: 0, left: 0, error: null },
  });
  expect(await third.stop()).toBe(0);
  const [counted] = await sql<{ codes: number; contacts: number }>`
    select count(contact_id)::int as codes, count(distinct contact_id)::int as contacts from unique_codes`;
  expect(counted).toEqual({ codes: guests, contacts: guests });
});
