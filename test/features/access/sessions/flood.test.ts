import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { fromOurPage, signedIn, staffPassword } from '../../../support/staff.ts';

const app = await testApp({ TRUSTED_PROXIES: '10.7.2.0/24' });
const sql = await superuser(app.database);

const attempt = async (email: string, from: string, password: string) => {
  const headers = { ...fromOurPage, 'x-forwarded-for': from };
  const body = { email, password };
  return app.call('POST', '/admin/v1/session', { body, headers, remoteAddress: '10.7.2.1' });
};

it('a correct password signs in during wrong attempts from 200 addresses; requests rejected for load do not count as wrong', async () => {
  const { email, id } = await signedIn(app, 'owner');
  let [going, wrong, refused] = [true, 0, 0];
  /** Refused for wrong passwords without having sent one that was checked. */
  let accused = 0;
  const clients = Array.from({ length: 200 }, async (_, client) => {
    let own = 0;
    for (let n = 0; going; n++) {
      const { status, body, headers } = await attempt(email, `203.0.113.${client}`, `guess ${client} ${n}`);
      if (status === 401) [wrong, own] = [wrong + 1, own + 1];
      else if (status === 429) {
        refused++;
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
        const isLoad = body.errors[0].message.startsWith('Too many passwords are being checked');
        if (!isLoad && own === 0) accused++;
      } else expect.fail(`It was answered ${status}.`);
      await pause(500);
    }
  });
  // Clients are refused several times each.
  await expect.poll(() => refused, { interval: 100 }).toBeGreaterThan(1000);
  const before = wrong;
  expect((await attempt(email, '198.51.100.7', staffPassword)).status).toBe(201);
  // Those that were being checked already, and few more: not the hundred that wait.
  expect(wrong - before).toBeLessThan(50);
  going = false;
  await Promise.all(clients);
  expect(accused).toBe(0);
  expect(await sql`select from audit_trail where action = 'user.wrong_password' and user_id = ${id}`).toHaveLength(
    wrong,
  );
});
