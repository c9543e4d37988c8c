import { expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { isDistributed } from '../../support/database.ts';

const { account, call, db } = await testApp();

it('a later migration adds a tenant table with row-level security and foreign keys, on a distributed server too', async () => {
  const [one, other] = [await account('One'), await account('Other')];
  const { body: contact } = await call('POST', '/v1/contact', { token: one.token, body: { email: 'ana@gmail.com' } });
  await db.transaction(async (tx) => {
    await tx`create table stamps (account_id bigint not null, contact_id bigint not null, count integer not null, primary key (account_id, contact_id))`;
    await tx`select add_tenant_table('stamps')`;
    await tx`alter table stamps add constraint stamps_contact foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade`;
  });
  const insert = (accountId: number, contactId: number) =>
    db.tenant(
      accountId,
      (tx) => tx`insert into stamps (account_id, contact_id, count) values (${one.id}, ${contactId}, 1)`,
    );
  await insert(one.id, contact.id);
  await expect(insert(other.id, contact.id)).rejects.toThrow(/row-level security/);
  await expect(insert(one.id, 999_999)).rejects.toThrow(/stamps_contact/);
  const seen = (accountId: number) => db.tenant(accountId, (tx) => tx`select from stamps where account_id = ${one.id}`);
  expect([(await seen(one.id)).length, (await seen(other.id)).length]).toEqual([1, 0]);
  if (!isDistributed()) return;
  const [table] = await db.transaction(
    (
      tx,
    ) => tx`select colocationid = (select colocationid from pg_dist_partition where logicalrelid = 'contacts'::regclass) as colocated
      from pg_dist_partition where logicalrelid = 'stamps'::regclass`,
  );
  expect(table).toEqual({ colocated: true });
});
