import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { clientOf, type Running, start } from '../support/process.ts';
import { fromOurPage, signIn, staffPassword } from '../support/staff.ts';
import { shop } from '../support/vouchers.ts';

const times = <T>(count: number, one: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => one(n)));

const perMinute = 60;

/** Processes that share a database and nothing else: each has its own data directory and port. */
describe('three machines on one database', () => {
  let services: Running[];
  let clients: ReturnType<typeof clientOf>[];
  const machine = (n: number) => clients[n % 3] as ReturnType<typeof clientOf>;
  beforeAll(async () => {
    const { url } = await createDatabase();
    const env = { DATABASE_URL: url, RATE_LIMIT_PER_MINUTE: String(perMinute), TRUSTED_PROXIES: 'loopback' };
    services = await times(3, () => start({ env }));
    expect(new Set(services.map(({ dataDir }) => dataDir)).size).toBe(3);
    clients = services.map(clientOf);
  });

  it('redeem a voucher once', async () => {
    const place = await shop(machine(0));
    for (let round = 0; round < 2; round++) {
      const { unique_code } = await place.newCode();
      const answers = await times(15, (n) => place.redeem({ unique_code }, machine(n) as never));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(14).fill(422)]);
    }
  });

  it('run each job once', async () => {
    const accounts = await times(6, (n) => machine(n).account(`Deleted ${n}`));
    await times(6, (n) => machine(n + 1).admin('DELETE', `/accounts/${accounts[n]?.id}`));
    const deleted = () =>
      services.flatMap(({ output }) =>
        output()
          .split('\n')
          .filter((line) => line.includes('deleted all rows of an account'))
          .map((line) => JSON.parse(line).account_id as number),
      );
    await expect.poll(() => deleted().length).toBeGreaterThanOrEqual(6);
    await pause(3000);
    expect(deleted().sort()).toEqual(accounts.map(({ id }) => id).sort());
  });

  it('end a session everywhere', async () => {
    const email = 'sam@harbour.example';
    await machine(0).admin('POST', '/users', { email, password: staffPassword, role: 'owner', account_ids: [] });
    const cookie = await signIn(machine(0) as never, email);
    const session = (n: number, method = 'GET') =>
      machine(n).call(method, '/admin/v1/session', { headers: { ...fromOurPage, cookie } });
    const statuses = async () => (await times(3, (n) => session(n))).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await session(1, 'DELETE')).status).toBe(204);
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  it('allow ten wrong passwords per minute, user and network together', async () => {
    const email = 'olivia@harbour.example';
    await machine(0).admin('POST', '/users', { email, password: staffPassword, role: 'owner', account_ids: [] });
    const attempt = async (n: number, password: string, from: string) => {
      const headers = { ...fromOurPage, 'x-forwarded-for': from };
      return (await machine(n).call('POST', '/admin/v1/session', { body: { email, password }, headers })).status;
    };
    // Each machine alone would allow five without a wait.
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push(await attempt(n, `wrong ${n}`, '192.0.2.1'));
    expect(statuses).toEqual(Array(12).fill(401));
    // The right password is not tried, and the answer does not say so.
    expect(await attempt(0, staffPassword, '192.0.2.1')).toBe(401);
    expect(await attempt(0, staffPassword, '192.0.2.2')).toBe(201);
  });

  it('limit the requests of a token together, at most two seconds late', async () => {
    const { token } = await machine(0).account('Limited');
    const { token: other } = await machine(0).account('Not limited');
    // The limit is counted per minute, so the test must not cross the end of one.
    if (Date.now() % 60_000 > 20_000) await pause(60_000 - (Date.now() % 60_000) + 100);
    const admitted: boolean[] = [];
    const everyMs = 100;
    for (let n = 0; n < 120; n++) {
      const { status } = await machine(n).call('GET', '/v1/account/units', { token });
      expect([200, 429]).toContain(status);
      admitted.push(status === 200);
      await pause(everyMs);
    }
    const total = admitted.filter(Boolean).length;
    expect(total).toBeGreaterThanOrEqual(perMinute);
    // Two seconds of requests more. Without a common count each machine would admit its 40.
    expect(total).toBeLessThanOrEqual(perMinute + 2000 / everyMs + 10);
    expect(admitted.slice(-9)).toEqual(Array(9).fill(false));
    expect((await machine(1).call('GET', '/v1/account/units', { token: other })).status).toBe(200);
  });
});
