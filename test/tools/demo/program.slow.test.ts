import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { users } from '../../../tools/demo/users.ts';
import { groupName } from '../../../tools/demo/venues.ts';
import { healthy, launch, postgresRuns, type Running } from '../../support/process.ts';

const demo = (dataDir: string | undefined, guests: number) =>
  launch({
    command: ['node', 'dist/dev/tools/demo/main.js', '--guests', String(guests)],
    ...(dataDir === undefined ? {} : { dataDir }),
  });
const loading = /\d+ %: .* things that happened/;
/** Only to end what hangs: loading takes its time on a machine that is busy. */
const seconds = 300;
const patienceMs = 3 * seconds * 1000;

async function whileLoading(service: Running): Promise<void> {
  while (!loading.test(service.output())) await pause(20);
}

describe('npm run demo', { timeout: patienceMs }, () => {
  it('loads once and serves; all users it names can sign in', async () => {
    const first = await demo(undefined, 20);
    await healthy(first, seconds);
    expect(first.output()).toMatch(loading);
    expect(first.output()).toContain(`Dashboard   ${first.url}/`);
    for (const { email, password, role } of users) {
      expect(first.output()).toMatch(new RegExp(`${role} +${email} +${password}`));
      const answer = await fetch(`${first.url}/admin/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      expect(await answer.json()).toMatchObject({ user: { email, role }, accounts: [{ name: groupName }] });
    }
    expect(await first.stop('SIGINT')).toBe(0);

    const second = await demo(first.dataDir, 20);
    await healthy(second, seconds);
    expect(second.output()).not.toMatch(loading);
    for (const { email } of users) expect(second.output()).toContain(email);
    expect((await second.admin('GET', '/accounts')).body).toMatchObject({ total: 1 });
    expect(await second.stop('SIGINT')).toBe(0);
  });

  it('starts again if loading was interrupted or killed', async () => {
    const interrupted = await demo(undefined, 400);
    const { dataDir } = interrupted;
    await whileLoading(interrupted);
    expect(await interrupted.stop('SIGINT')).toBe(0);
    expect(interrupted.output()).not.toContain('ready');
    expect(postgresRuns(dataDir)).toBe(false);

    const killed = await demo(dataDir, 400);
    await whileLoading(killed);
    await killed.stop('SIGKILL');

    const whole = await demo(dataDir, 20);
    await healthy(whole, seconds);
    const { body: accounts } = await whole.admin('GET', '/accounts');
    expect(accounts).toMatchObject({ total: 1, data: [{ name: groupName }] });
    const [{ id }] = accounts.data as [{ id: number }];
    const { body: guests } = await whole.admin('GET', `/accounts/${id}/contacts`);
    expect(guests.total).toBeGreaterThanOrEqual(20);
    expect(guests.total).toBeLessThan(60);
    expect(await whole.stop('SIGINT')).toBe(0);
  });

  it('is rejected if there are other accounts', async () => {
    const service = await launch();
    await healthy(service, seconds);
    await service.stop();
    const refused = await demo(service.dataDir, 20);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('has other accounts or users, so the demo is not loaded');
    const after = await launch({ dataDir: service.dataDir });
    await healthy(after, seconds);
    expect((await after.admin('GET', '/accounts')).body).toMatchObject({ total: 1, data: [{ name: 'Sample group' }] });
  });
});
