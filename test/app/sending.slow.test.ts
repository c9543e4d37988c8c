import { expect, it } from 'vitest';
import type { Sending } from '../../src/app/sending/sending.ts';
import { readConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { testApp } from '../support/app.ts';
import { superuser } from '../support/database.ts';
import { receiver, until } from '../support/receiver.ts';
import { webhookAccount } from '../support/webhooks.ts';

/** The thread runs compiled code, so all of it is taken from there. */
async function startSending(
  ...[config, log, db, connect]: [...ConstructorParameters<typeof Sending>, ...StartArguments]
) {
  const path = new URL('../../dist/app/sending/sending.js', import.meta.url).href;
  const compiled = (await import(path)) as { Sending: typeof Sending };
  return new compiled.Sending(config, log).start(db, connect);
}
type StartArguments = Parameters<Sending['start']>;

const deliveredBy = async (sending: Sending) =>
  (await sending.metrics())
    .find(({ name }) => name === 'regulars_webhook_attempts_total')
    ?.values.find(({ labels }) => labels.result === 'delivered')?.value;

it('sends from a thread that starts with the first webhook, and counts its deliveries', async () => {
  const app = await testApp({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  const written: string[] = [];
  const log = createLog('info', { write: (line) => written.push(line) });
  const sending = await startSending(readConfig({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' }), log, app.db, {
    url: app.database.url,
  });
  const account = await webhookAccount(app);
  expect(await deliveredBy(sending)).toBe(0);
  const to = await receiver();
  await account.create(to.url);
  await account.write();
  await until(() => to.all.length === 1);
  await until(async () => (await deliveredBy(sending)) === 1);
  await sending.stop();
  await account.write();
  expect([to.all.length, written]).toEqual([1, []]);
});

it('replaces a thread that fails', async () => {
  const app = await testApp({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  const account = await webhookAccount(app);
  const to = await receiver();
  await account.create(to.url);
  const written: string[] = [];
  const log = createLog('info', { write: (line) => written.push(line) });
  const sql = await superuser(app.database);
  // Without its last migration, a thread refuses the database.
  const [last] = await sql<object>`
    delete from schema_migrations where version = (select max(version) from schema_migrations) returning *`;
  const sending = await startSending(readConfig({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' }), log, app.db, {
    url: app.database.url,
  });
  await until(() => written.length >= 2);
  for (const line of written) expect(line).toContain('the thread that sends to webhooks ended');
  await sql`insert into schema_migrations select * from json_populate_record(null::schema_migrations, ${JSON.stringify(last)}::json)`;
  await account.write();
  await until(() => to.all.length === 1);
  await sending.stop();
});
