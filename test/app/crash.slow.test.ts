import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/port.ts';
import {
  connectAsSuperuser,
  healthy,
  isHealthy,
  isRunning,
  launch,
  postgresRuns,
  postmasterPid,
  type Running,
  start,
} from '../support/process.ts';

/** Creates units with four clients until the service stops responding. Returns the names of the acknowledged units. */
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

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number);
}

describe('after kill -9', () => {
  it.each(['the service', 'PostgreSQL', 'both'])(
    'of %s, the next start has every write that got a response',
    async (victim) => {
      const first = await start();
      const { body: account } = await first.admin('POST', '/accounts', { name: 'Crash' });
      const writing = writeUntilItStops(first, account.id as number);
      await expect.poll(() => writing.answered.length).toBeGreaterThan(50);

      const postmaster = postmasterPid(first.dataDir);
      if (victim !== 'the service') process.kill(postmaster, 'SIGKILL');
      if (victim !== 'PostgreSQL') await first.stop('SIGKILL');
      const answered = [...(await writing.finish())];
      if (victim === 'PostgreSQL') {
        // The service brings it back by itself; a restart then finds the same.
        // Until the old backends notice, it may still be healthy with them.
        await expect.poll(() => postmasterPid(first.dataDir)).not.toBe(postmaster);
        await healthy(first);
        expect(await first.stop()).toBe(0);
      }

      const second = await start({ dataDir: first.dataDir });
      const names = await unitNames(second, account.id as number);
      expect(answered.filter((name) => !names.has(name))).toEqual([]);
      expect(await second.stop()).toBe(0);
      expect(postgresRuns(first.dataDir)).toBe(false);
    },
  );

  it('of PostgreSQL, the running service responds with 503 until PostgreSQL is back, and then works as before', async () => {
    const service = await start();
    for (let round = 0; round < 3; round++) {
      // Held back, so that there is something to see.
      if (round === 0) chmodSync(join(service.dataDir, 'postgres', 'global'), 0);
      process.kill(postmasterPid(service.dataDir), 'SIGKILL');
      if (round === 0) {
        await expect.poll(async () => (await service.admin('GET', '/accounts')).status).toBe(503);
        chmodSync(join(service.dataDir, 'postgres', 'global'), 0o700);
      }
      const returns = () => service.output().split('PostgreSQL is running again').length - 1;
      await expect.poll(returns).toBe(round + 1);
      expect(await isHealthy(service)).toBe(true);
      expect((await service.admin('GET', '/accounts')).status).toBe(200);
    }
    expect(await service.stop()).toBe(0);
  });
});

describe('a PostgreSQL server that accepts connections but does not respond', () => {
  it('makes the service unhealthy, but not unresponsive, until it responds again', async () => {
    const service = await start();
    const postmaster = postmasterPid(service.dataDir);
    const server = [postmaster, ...childrenOf(postmaster)];
    // Some may have ended meanwhile.
    const tell = (signal: NodeJS.Signals) => {
      for (const pid of server.filter(isRunning)) process.kill(pid, signal);
    };
    tell('SIGSTOP');
    try {
      const answer = await fetch(`${service.url}/health`, { signal: AbortSignal.timeout(30_000) });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    } finally {
      tell('SIGCONT');
    }
    await healthy(service);
    expect(await service.stop()).toBe(0);
  });
});

describe('a PostgreSQL server that outlived its service', () => {
  it('is restarted by the next service, with its programs and settings', async () => {
    const first = await start();
    const orphan = postmasterPid(first.dataDir);
    await first.stop('SIGKILL');
    expect(isRunning(orphan)).toBe(true);
    const second = await start({ dataDir: first.dataDir });
    expect(postmasterPid(first.dataDir)).not.toBe(orphan);
    expect(isRunning(orphan)).toBe(false);
    expect(await second.stop()).toBe(0);
  });

  it.each(['another program', 'another cluster’s server'])(
    'is not assumed from a pid file whose number now belongs to %s',
    async (what) => {
      const other = await start();
      const { dataDir, stop } = await start();
      await stop();
      const pid = what === 'another program' ? process.pid : postmasterPid(other.dataDir);
      writeFileSync(
        join(dataDir, 'postgres', 'postmaster.pid'),
        `${pid}\n${dataDir}/postgres\n1\n45999\n\n127.0.0.1\n`,
      );
      const next = await start({ dataDir });
      expect(await next.stop()).toBe(0);
      expect((await fetch(`${other.url}/health`)).status).toBe(200);
    },
  );
});

describe('a shutdown', () => {
  it('does not wait for idle connections or incomplete requests', async () => {
    const service = await start();
    const { port, hostname } = new URL(service.url);
    const sockets = [
      '',
      'GET /health HTTP/1.1\r\nHost:',
      'POST /admin/v1/accounts HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{',
    ].map((text) => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(text);
      return socket;
    });
    await pause(300);
    expect(await service.stop()).toBe(0);
    expect(postgresRuns(service.dataDir)).toBe(false);
    for (const socket of sockets) socket.destroy();
  });

  it('leaves no PostgreSQL server that was just being restarted', async () => {
    const service = await start();
    process.kill(postmasterPid(service.dataDir), 'SIGKILL');
    await pause(100);
    expect(await service.stop()).toBe(0);
    await pause(500);
    const file = join(service.dataDir, 'postgres', 'postmaster.pid');
    const left = existsSync(file) ? postmasterPid(service.dataDir) : undefined;
    expect(left !== undefined && isRunning(left)).toBe(false);
    expect(await (await start({ dataDir: service.dataDir })).stop()).toBe(0);
  });

  it('also works while the start waits for a database', async () => {
    const service = await launch({ env: { DATABASE_URL: `postgres://x:x@127.0.0.1:${await freePort()}/x` } });
    await expect.poll(service.output).toContain('waiting for PostgreSQL');
    expect(await service.stop()).toBe(0);
  });
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('completes requests in flight, stops PostgreSQL and exits with 0', async () => {
    const service = await start();
    const { body: account } = await service.admin('POST', '/accounts', { name: 'In flight' });
    const lock = await connectAsSuperuser(service);
    // The request waits in the database for as long as we hold this lock.
    await lock`begin`;
    await lock`lock table units in access exclusive mode`;
    const inFlight = service.admin('POST', `/accounts/${account.id}/units`, { name: 'Last orders' });
    await expect.poll(async () => (await lock`select from pg_locks where not granted`).length).toBe(1);

    service.child.kill(signal);
    service.child.kill(signal);
    const answers = () =>
      service.admin('GET', '/accounts').then(
        () => true,
        () => false,
      );
    await expect.poll(answers).toBe(false);
    expect(service.child.exitCode).toBeNull();
    await lock`commit`;
    await lock.end();
    const answered = await inFlight;
    expect(answered).toMatchObject({ status: 201, body: { name: 'Last orders' } });
    // The client must not reuse this connection.
    expect(answered.headers.get('connection')).toBe('close');
    expect(await service.ended).toBe(0);
    expect(postgresRuns(service.dataDir)).toBe(false);

    const next = await start({ dataDir: service.dataDir });
    expect(await unitNames(next, account.id as number)).toContain('Last orders');
    await next.stop();
  });
});
