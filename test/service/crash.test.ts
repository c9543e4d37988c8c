import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectTo } from '../support/database.ts';
import { healthy, isHealthy, postgresRuns, postmasterPid, type Running, start } from '../support/process.ts';

/** Writes units as fast as four clients can until the service stops answering; gives the names that were answered. */
function writeUntilItStops(service: Running, accountId: number) {
  const answered: string[] = [];
  let going = true;
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let n = 0; going; n++) {
      const name = `venue ${client}-${n}`;
      try {
        const { status } = await service.admin('POST', `/accounts/${accountId}/units`, { name });
        if (status === 201) answered.push(name);
        else await pause(20);
      } catch {
        if (service.child.exitCode !== null || service.child.signalCode !== null) return;
      }
    }
  });
  return {
    answered,
    finish: async () => {
      going = false;
      await Promise.all(clients);
      return answered;
    },
  };
}

async function unitNames(service: Running, accountId: number): Promise<Set<string>> {
  const names = new Set<string>();
  for (let page = 1; ; page++) {
    const { body } = await service.admin('GET', `/accounts/${accountId}/units?page=${page}`);
    for (const unit of body.data as { name: string }[]) names.add(unit.name);
    if (body.next_page_url === null) return names;
  }
}

describe('after kill -9', () => {
  it.each(['the service', 'PostgreSQL', 'both'])(
    'of %s, the next start comes up with every answered write',
    async (victim) => {
      const first = await start();
      const { body: account } = await first.admin('POST', '/accounts', { name: 'Crash' });
      const writing = writeUntilItStops(first, account.id as number);
      await expect.poll(() => writing.answered.length, { timeout: 10_000 }).toBeGreaterThan(50);

      const postmaster = postmasterPid(first.dataDir);
      if (victim !== 'the service') process.kill(postmaster, 'SIGKILL');
      if (victim !== 'PostgreSQL') await first.stop('SIGKILL');
      const answered = [...(await writing.finish())];
      if (victim === 'PostgreSQL') {
        // The service brings it back by itself; a restart then finds the same.
        await healthy(first);
        expect(postmasterPid(first.dataDir)).not.toBe(postmaster);
        expect(await first.stop()).toBe(0);
      }

      const second = await start({ dataDir: first.dataDir });
      const names = await unitNames(second, account.id as number);
      expect(answered.filter((name) => !names.has(name))).toEqual([]);
      expect(await second.stop()).toBe(0);
      expect(postgresRuns(first.dataDir)).toBe(false);
    },
  );

  it('of PostgreSQL, the running service answers 503 until it has it back, and then serves as before', async () => {
    const service = await start();
    for (let round = 0; round < 3; round++) {
      process.kill(postmasterPid(service.dataDir), 'SIGKILL');
      const returns = () => service.output().split('PostgreSQL is back').length - 1;
      await expect.poll(returns, { timeout: 15_000 }).toBe(round + 1);
      expect(await isHealthy(service)).toBe(true);
      expect((await service.admin('GET', '/accounts')).status).toBe(200);
    }
    expect(await service.stop()).toBe(0);
  });
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('finishes what is in flight, answers it, stops PostgreSQL and exits 0', async () => {
    const service = await start();
    const { body: account } = await service.admin('POST', '/accounts', { name: 'In flight' });
    const secret = readFileSync(join(service.dataDir, 'postgres', 'regulars.secret'), 'utf8');
    const port = readFileSync(join(service.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
    const lock = await connectTo(`postgres://postgres:${secret}@127.0.0.1:${port}/regulars`);
    // The request waits in the database for as long as we hold this lock.
    await lock`begin`;
    await lock`lock table units in access exclusive mode`;
    const inFlight = service.admin('POST', `/accounts/${account.id}/units`, { name: 'Last orders' });
    await expect
      .poll(async () => (await lock`select from pg_locks where not granted`).length, { timeout: 5000 })
      .toBe(1);

    service.child.kill(signal);
    service.child.kill(signal);
    await pause(500);
    expect(service.child.exitCode).toBeNull();
    await expect(service.admin('GET', '/accounts')).rejects.toThrow();
    await lock`commit`;
    await lock.end();
    expect(await inFlight).toMatchObject({ status: 201, body: { name: 'Last orders' } });
    expect(await service.ended).toBe(0);
    expect(postgresRuns(service.dataDir)).toBe(false);

    const next = await start({ dataDir: service.dataDir });
    expect(await unitNames(next, account.id as number)).toContain('Last orders');
    await next.stop();
  });
});
