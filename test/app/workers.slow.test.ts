import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adminToken } from '../support/app.ts';
import { createDatabase, superuser } from '../support/database.ts';
import { temporaryFolder } from '../support/leftovers.ts';
import {
  clientOf,
  connectAsSuperuser,
  isRunning,
  launch,
  postgresRuns,
  type Running,
  start,
} from '../support/process.ts';

interface Line {
  pid: number;
  msg: string;
  [field: string]: unknown;
}

/** What was logged. A line that another process wrote into would not be read. */
const logged = ({ output }: Running): Line[] =>
  output()
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '' && !/^ {2}\S/.test(line))
    .map((line) => JSON.parse(line));

async function workersOf(service: Running): Promise<number[]> {
  const line = () => logged(service).find(({ msg }) => msg === 'workers are listening');
  await expect.poll(line).toBeDefined();
  return line()?.workers as number[];
}

/** Sends a request on a new connection, so that another process may serve it. */
function sendOnNewConnection(service: Running, method: string, path: string, token = adminToken, body?: unknown) {
  const headers = { authorization: token.includes(' ') ? token : `Bearer ${token}` };
  return new Promise<{ status: number; text: string }>((done, failed) => {
    const sent = request(service.url + path, { method, headers, agent: false, timeout: 100_000 }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += chunk)).on('end', () => done({ status: answer.statusCode ?? 0, text }));
    });
    sent.on('error', failed).on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const times = <T>(count: number, one: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => one(n)));

async function startOn(kind: 'empty' | 'migrated', env: Record<string, string>) {
  const database = await createDatabase(kind);
  return { database, service: await start({ env: { DATABASE_URL: database.url, ...env } }) };
}

async function metric(service: Running, name: string): Promise<number> {
  const { text } = await sendOnNewConnection(service, 'GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1));
}

describe('several workers behind one port', () => {
  it('all respond, after one migration and one greeting, and share limits and revocations', async () => {
    const settings = { WORKERS: '3', RATE_LIMIT_PER_MINUTE: '20', EMAIL_DOMAIN_CHECK: 'list' };
    const { service } = await startOn('empty', settings);
    const workers = await workersOf(service);
    expect(new Set(workers).size).toBe(3);
    expect(workers).not.toContain(service.child.pid);
    expect(service.output().match(/Token\s+regulars_pat_/g)).toHaveLength(1);
    expect(service.output().match(/Regulars is ready/g)).toHaveLength(1);
    expect(logged(service).filter(({ migrations }) => migrations)).toMatchObject([{ pid: service.child.pid }]);

    const { id, token } = await clientOf(service).account('Shared');
    const statuses = (await times(30, () => sendOnNewConnection(service, 'GET', '/admin/v1/users'))).map(
      ({ status }) => status,
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const answering = () => logged(service).filter(({ route }) => route === '/admin/v1/users');
    await expect.poll(() => answering().length).toBe(30);
    expect(new Set(answering().map(({ pid }) => pid))).toEqual(new Set(workers));
    // Each worker responds for all workers.
    const counted = 'regulars_http_requests_total{method="GET",route="/admin/v1/users",status="200"}';
    expect(await times(6, () => metric(service, counted))).toEqual(Array(6).fill(30));
    expect(await metric(service, 'regulars_db_connections{state="size"}')).toBe(30);

    // A domain that none of them knew is known to all of them at once.
    const guest = (n: number) =>
      sendOnNewConnection(service, 'POST', '/v1/contact', token, { email: `n${n}@harbour-group.co.uk` });
    expect((await times(6, guest)).map(({ status }) => status)).toEqual(Array(6).fill(422));
    expect(
      (await service.admin('POST', '/email_domains', { domain: 'harbour-group.co.uk', takes_mail: true })).status,
    ).toBe(201);
    const taken = async () => (await times(6, guest)).map(({ status }) => status);
    await expect.poll(taken).toEqual(Array(6).fill(200));

    // Limits are those of the service, not of each process.
    let minute: number;
    let admitted: number[];
    do {
      minute = Math.floor(Date.now() / 60_000);
      const { body } = await service.admin('POST', `/accounts/${id}/tokens`, { name: 'limited' });
      const unit = () => sendOnNewConnection(service, 'GET', '/v1/account/units', body.token as string);
      admitted = (await times(30, unit)).map(({ status }) => status);
    } while (Math.floor(Date.now() / 60_000) !== minute);
    expect(admitted.filter((status) => status === 200)).toHaveLength(20);
    expect(admitted.filter((status) => status === 429)).toHaveLength(10);
    const wrong = (n: number) => `Basic ${Buffer.from(`admin@regulars.local:wrong ${n}`).toString('base64')}`;
    const refusals = await times(8, (n) => sendOnNewConnection(service, 'GET', '/admin/v1/users', wrong(n)));
    expect(refusals.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const strange = (n: number) =>
      sendOnNewConnection(service, 'GET', '/v1/account/units', `no token ${n}`.replaceAll(' ', '-'));
    const strangers = (await times(130, strange)).map(({ status }) => status);
    expect(strangers.filter((status) => status === 401).length).toBeLessThanOrEqual(120);
    expect(new Set(strangers)).toEqual(new Set([401, 429]));
    expect(await service.stop()).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    logged(service);
  });

  it('lose no acknowledged write if one is killed, and another takes its place', async () => {
    const { service, database } = await startOn('migrated', { WORKERS: '2' });
    const [victim = 0, stuck = 0] = await workersOf(service);
    const { body: account } = await service.admin('POST', '/accounts', { name: 'Killed' });
    const answered: string[] = [];
    let [going, failed] = [true, 0];
    const clients = times(4, async (client) => {
      for (let n = 0; going; n++) {
        const name = `venue ${client}-${n}`;
        const write = sendOnNewConnection(service, 'POST', `/admin/v1/accounts/${account.id}/units`, adminToken, {
          name,
        });
        const answer = await write.catch(() => undefined);
        if (answer?.status === 201) answered.push(name);
        else failed++;
      }
    });
    const counted = `regulars_http_requests_total{method="POST",route="/admin/v1/accounts/:account_id/units",status="201"}`;
    await expect.poll(() => answered.length).toBeGreaterThan(30);
    const before = await metric(service, counted);
    process.kill(victim, 'SIGKILL');
    const then = answered.length;
    // The other one continues meanwhile.
    await expect.poll(() => answered.length).toBeGreaterThan(then + 5);
    expect(await metric(service, counted)).toBeGreaterThanOrEqual(before);
    const replaced = () => logged(service).filter(({ msg }) => msg === 'worker replaced');
    await expect.poll(() => replaced().length).toBe(1);
    going = false;
    await clients;
    // Each of four clients had one request under way with it, and perhaps another before it was known to be gone.
    expect(failed).toBeLessThanOrEqual(8);
    const sql = await superuser(database);
    const kept = new Set((await sql<{ name: string }>`select name from units`).map(({ name }) => name));
    expect(answered.filter((name) => !kept.has(name))).toEqual([]);

    // Nor does a caller wait for ever whose connection was on its way to one that died.
    process.kill(stuck, 'SIGSTOP');
    const [served, closed]: [number[], number[]] = [[], []];
    const sockets = Array.from({ length: 6 }, (_, n) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.on('error', () => {}).on('close', () => closed.push(n));
      socket.on('data', () => served.push(n)).write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
      return socket;
    });
    await expect.poll(() => served.length).toBe(5);
    const again = replaced()[0]?.worker as number;
    process.kill(stuck, 'SIGKILL');
    await expect.poll(() => closed.length).toBe(1);
    expect(served).not.toContain(closed[0]);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => replaced().length).toBe(2);
    expect(await metric(service, 'regulars_workers_replaced_total')).toBe(2);

    // One that takes the place of one that did not last is given more time.
    process.kill(again, 'SIGKILL');
    const ended = () => logged(service).filter(({ msg }) => msg === 'worker ended: by SIGKILL');
    await expect.poll(() => ended().length).toBe(3);
    expect(ended().map(({ worker, again_in_ms }) => [worker, again_in_ms])).toEqual([
      [victim, 100],
      [stuck, 100],
      [again, 200],
    ]);
    expect(await service.stop()).toBe(0);
  });

  it('replace one that hangs', async () => {
    const { service } = await startOn('migrated', { WORKERS: '2' });
    const [victim = 0, other = 0] = await workersOf(service);
    // It still has its connections, and answers nothing.
    process.kill(victim, 'SIGSTOP');
    await expect.poll(() => isRunning(victim)).toBe(false);
    await expect.poll(() => metric(service, 'regulars_workers_replaced_total')).toBe(1);
    expect(logged(service)).toContainEqual(
      expect.objectContaining({ msg: 'worker hangs and was killed', worker: victim }),
    );
    expect(isRunning(other)).toBe(true);
    expect((await sendOnNewConnection(service, 'GET', '/health')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
  it('stop serving a database with an unexpected schema, and resume when it is correct', async () => {
    const { service, database } = await startOn('migrated', { WORKERS: '2' });
    const [victim = 0] = await workersOf(service);
    const sql = await superuser(database);
    await sql`insert into schema_migrations (version, name) values (9999, 'of a later version')`;
    process.kill(victim, 'SIGTERM');
    const said = (msg: string) => logged(service).find((line) => line.msg === msg);
    await expect
      .poll(() => said('replacing a worker failed'))
      .toMatchObject({
        reason: expect.stringContaining('Restart the whole service'),
      });
    expect(said('worker ended: exit code 0')).toMatchObject({ worker: victim, code: 0 });
    expect((await sendOnNewConnection(service, 'GET', '/health')).status).toBe(200);
    await sql`delete from schema_migrations where version = 9999`;
    await expect.poll(() => said('worker replaced')).toBeDefined();
    expect(await service.stop()).toBe(0);
  });
});

describe('the end of the main process', () => {
  it('ends all workers: at once by kill -9, after the requests in flight by SIGTERM', async () => {
    const killed = await start({ env: { WORKERS: '2' } });
    const orphans = await workersOf(killed);
    expect((await killed.admin('POST', '/accounts', { name: 'Kept' })).status).toBe(201);
    await killed.stop('SIGKILL');
    await expect.poll(() => orphans.filter(isRunning)).toEqual([]);

    // The next one has the port, PostgreSQL and what was answered.
    const service = await start({ dataDir: killed.dataDir, env: { WORKERS: '2', PORT: new URL(killed.url).port } });
    const workers = await workersOf(service);
    const { body } = await service.admin('GET', '/accounts');
    const account = (body.data as { id: number; name: string }[]).find(({ name }) => name === 'Kept');
    const lock = await connectAsSuperuser(service);
    await lock`begin`;
    await lock`lock table units in access exclusive mode`;
    const path = `/admin/v1/accounts/${account?.id}/units`;
    const inFlight = times(4, (n) =>
      sendOnNewConnection(service, 'POST', path, adminToken, { name: `Last orders ${n}` }),
    );
    await expect.poll(async () => (await lock`select from pg_locks where not granted`).length).toBe(4);
    // A service manager or a terminal signals all of them, more than once.
    for (const pid of [service.child.pid as number, ...workers, service.child.pid as number])
      process.kill(pid, 'SIGTERM');
    const asked = () => sendOnNewConnection(service, 'GET', '/health').then(() => 'answered', String);
    await expect.poll(asked).toMatch(/ECONNREFUSED/);
    expect(service.child.exitCode).toBeNull();
    await lock`commit`;
    await lock.end();
    expect((await inFlight).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await service.ended).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    expect(postgresRuns(service.dataDir)).toBe(false);
    expect(logged(service).filter(({ msg }) => msg.startsWith('worker ended'))).toEqual([]);
  });
});

describe('a start that fails', () => {
  it('is reported as by a single process if the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => other.once('listening', listening));
    const { port } = other.address() as AddressInfo;
    const database = await createDatabase('empty');
    const said = async (workers: string) => {
      const refused = await launch({ env: { DATABASE_URL: database.url, PORT: String(port), WORKERS: workers } });
      expect(await refused.ended).toBe(1);
      expect(refused.output()).not.toContain('regulars_pat_');
      return refused
        .output()
        .split('\n')
        .filter((line) => !line.startsWith('{'));
    };
    const [one, several] = await Promise.all([said('1'), said('2')]);
    expect(one.join('\n')).toContain(`Regulars can't start. Port ${port} on 127.0.0.1 is already in use`);
    expect(several).toEqual(one);
    other.close();
  });

  it('is reported if a worker does not start, and leaves no worker running', async () => {
    const database = await createDatabase('empty');
    const script = join(temporaryFolder(), 'ends.cjs');
    writeFileSync(script, 'if (require("cluster").worker?.id === 2) setTimeout(() => process.exit(3), 50);');
    const env = { DATABASE_URL: database.url, WORKERS: '2', NODE_OPTIONS: `--require ${script}` };
    const refused = await launch({ env });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain("Regulars can't start. A worker ended while it started: exit code 3.");
    expect(refused.output()).not.toContain('regulars_pat_');
    await expect(sendOnNewConnection(refused, 'GET', '/health')).rejects.toThrow(/ECONNREFUSED/);
  });
});
