import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { routes } from '../../src/app/http-app.ts';
import { adminToken } from '../support/app.ts';
import { createFullAccount } from '../support/full-account.ts';
import { clientOf, connectAsSuperuser, healthy, postmasterPid, regulars, start } from '../support/process.ts';
import { fromOurPage } from '../support/staff.ts';

/** Every text that the test sends is one of these, and every number one of those. */
const canary = 'xylophone';
const email = `${canary}.guest+tag@gmail.com`;
const mobiles = ['07700900001', '447700900001', '+44 7700 900 001'];
const password = `${canary}-battery-staple`;

/** Replaces every text by one that the log must not contain. */
function replaceTexts(node: unknown): unknown {
  if (typeof node === 'string')
    return /@/.test(node) ? email : /^[\d +]{9,}$/.test(node) ? mobiles[0] : `${canary} ${node}`;
  if (Array.isArray(node)) return node.map(replaceTexts);
  if (typeof node === 'object' && node !== null)
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, replaceTexts(value)]));
  return node;
}

it('the log contains no token, password, e-mail, number or text of a guest, at any level', async () => {
  const service = await start({ env: { LOG_LEVEL: 'trace', EMAIL_DOMAIN_CHECK: 'list' } });
  const sql = await connectAsSuperuser(service);
  const { admin, call, account } = clientOf(service);
  const { token, ids } = await createFullAccount({ admin, call, account }, sql, canary);
  const user = { email: `${canary}@harbour.example`, password, account_ids: [ids.account_id] };
  await admin('POST', '/users', user);
  const signIn = await call('POST', '/admin/v1/session', {
    body: { email: user.email, password },
    headers: fromOurPage,
  });
  expect(signIn.status).toBe(201);
  const cookie = String(signIn.headers['set-cookie']).split(';')[0] as string;
  const basic = `Basic ${Buffer.from(`${user.email}:${password}`).toString('base64')}`;

  // Every route with invalid input, by every kind of client.
  for (const [number, { method, path, example }] of routes.entries()) {
    const address = path.replace(':account_id', String(ids.account_id)).replace(/:\w+/g, mobiles[1] as string);
    const query = new URLSearchParams({ email, mobile_number: mobiles[0] as string, search: canary }).toString();
    const sent = replaceTexts(example?.input ?? { email });
    const credentials = [`Bearer ${token}`, `Bearer ${adminToken}`, `Bearer ${email}`];
    // A password takes its time.
    if (number % 20 === 0) credentials.push(basic);
    for (const authorization of credentials) {
      if (method === 'DELETE' && authorization !== `Bearer ${email}`) continue;
      await call(method, `${address}?${query}`, {
        headers: { authorization, cookie, referer: `https://${canary}.example/${email}`, 'user-agent': email },
        ...(method === 'GET' ? {} : { body: sent }),
      });
    }
  }
  // Malformed requests.
  await call('POST', '/v1/contact', { token, body: `{"email":"${email}","mobile_number":"${mobiles[0]}"` });
  await call('POST', '/v1/contact', { token, body: `email=${email}`, headers: { 'content-type': 'text/plain' } });
  await call('POST', `/v1/${email}/${mobiles[0]}?token=${token}`, { token, body: { email } });
  await call('GET', `/v1/account/units?%zz${email}`, { token });
  await call('POST', '/v1/contact', { token, body: { email }, headers: { 'idempotency-key': `${email} ${canary}` } });

  // An internal error with a long message from PostgreSQL.
  await sql`alter table contacts add constraint faulty check (last_name <> 'xylophone-row') not valid`;
  const fault = { email: `second.${email}`, mobile_number: mobiles[2], first_name: canary, last_name: `${canary}-row` };
  expect((await call('POST', '/v1/contact', { token, body: fault })).status).toBe(500);
  expect(
    (await call('POST', '/v1/contact', { token, body: fault, headers: { 'idempotency-key': canary } })).status,
  ).toBe(500);
  await sql`alter table contacts drop constraint faulty`;
  // The database goes, in the middle of what is written.
  const writing = Array.from({ length: 200 }, (_, n) =>
    call('POST', '/v1/contact', { token, body: { ...fault, email: `n${n}.${email}` } }).catch(() => undefined),
  );
  process.kill(postmasterPid(service.dataDir), 'SIGKILL');
  await Promise.all(writing);
  await healthy(service);
  // The command line, which prints its results only to the terminal.
  await regulars(['user', 'create', `third.${email}`, '--password', password], service.env);
  const pgSecrets = ['regulars.secret', 'superuser.secret'].map((name) =>
    readFileSync(join(service.dataDir, 'postgres', name), 'utf8').trim(),
  );
  await expect.poll(service.output).toContain('"route":"/v1/purchases"');
  await service.stop();

  const printed = service.output().split('\n');
  const lines = printed.filter((line) => line.startsWith('{'));
  // The first start prints its secrets once, and not as a line of the log.
  const shown = printed.filter((line) => !line.startsWith('{')).join('\n');
  const own = [...shown.matchAll(/regulars_pat_\S+|(?<=[Pp]assword:?\s+)\S+/g)].map(([secret]) => secret);
  expect(own.length).toBeGreaterThanOrEqual(2);
  expect(lines.length).toBeGreaterThan(300);
  expect(lines.filter((line) => JSON.parse(line).status === 500).length).toBeGreaterThanOrEqual(2);
  const postgresLog = readFileSync(join(service.dataDir, 'postgres', 'server.log'), 'utf8');
  expect(postgresLog).toContain('violates check constraint');
  const secrets = [
    canary,
    ...mobiles,
    token,
    adminToken,
    cookie.split('=')[1] as string,
    basic.slice(6),
    ...pgSecrets,
    ...own,
  ];
  for (const text of [...lines, ...postgresLog.split('\n')]) {
    for (const secret of secrets) expect(text).not.toContain(secret);
    // Ids are random, and now and then one has the digits of a mobile number in it.
    expect(text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')).not.toMatch(
      /regulars_pat_|[\w.+-]+@[\w-]+\.\w|(?:\+|\b0|\b44)7\d{3}[ -]?\d{6}/,
    );
  }
});
