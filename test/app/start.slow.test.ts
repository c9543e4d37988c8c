import { execFileSync, execSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedBuffers } from '../../src/platform/db/embedded/cluster.ts';
import { connectTo } from '../support/database.ts';
import { temporaryFolder } from '../support/leftovers.ts';
import { connectAsSuperuser, launch, postgresRuns, start } from '../support/process.ts';

const secrets = (output: string) => ({
  email: /Admin\s+(\S+)/.exec(output)?.[1],
  password: /Password\s+(\S+)/.exec(output)?.[1],
  account: /Account\s+(\d+)/.exec(output)?.[1],
  token: /Token\s+(regulars_pat_\S+)/.exec(output)?.[1],
  curl: /^\s*(curl .*)$/m.exec(output)?.[1],
});

describe('the first start on an empty database', () => {
  it('prints everything needed to begin once, and all of it works; later starts print no secret', async () => {
    const first = await start();
    const output = first.output();
    expect(output).toContain(`Dashboard   ${first.url}/`);
    expect(output).toContain(`API docs    ${first.url}/docs`);
    const { email, password, account, token, curl } = secrets(output);

    const pasted = JSON.parse(execSync(`${curl} --silent`, { encoding: 'utf8' }));
    expect(pasted.data[0]).toMatchObject({ is_root: true, deleted: 'N' });
    const admin = await fetch(`${first.url}/admin/v1/accounts/${account}`, {
      headers: { authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}` },
    });
    expect(await admin.json()).toMatchObject({ id: Number(account), time_zone: 'UTC' });
    for (const page of ['/', '/docs']) expect((await fetch(first.url + page)).status).toBe(200);
    expect(await first.stop()).toBe(0);

    const second = await start({ dataDir: first.dataDir });
    for (const secret of [password, token] as string[]) expect(second.output()).not.toContain(secret);
    expect(second.output()).not.toMatch(/regulars_pat_|Password/);
    expect(second.output()).toContain(`API docs    ${second.url}/docs`);
    const again = await fetch(`${second.url}/v1/account/units`, { headers: { authorization: `Bearer ${token}` } });
    expect(again.status).toBe(200);
    expect(await second.stop()).toBe(0);
  });

  it('prints no secret if the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = (server.address() as { port: number }).port;
    const dataDir = join(temporaryFolder(), 'data');
    const refused = await launch({ dataDir, env: { PORT: String(port) } });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain(`Port ${port} on 127.0.0.1 is already in use`);
    expect(refused.output()).not.toContain('regulars_pat_');
    expect(postgresRuns(dataDir)).toBe(false);
    server.close();
    expect(secrets((await start({ dataDir })).output()).token).toBeDefined();
  });
});

describe('npm start', () => {
  it('forwards SIGTERM: the service exits with 0, and PostgreSQL stops', async () => {
    const service = await start({ command: ['npm', 'start'] });
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(postgresRuns(service.dataDir)).toBe(false);
  });

  it('ends the service if npm itself is killed', async () => {
    const service = await start({ command: ['npm', 'start'] });
    service.child.kill('SIGKILL');
    await expect.poll(() => postgresRuns(service.dataDir)).toBe(false);
  });
});

describe('the embedded server', () => {
  it('is a real PostgreSQL with durable data, accessible only from this machine with its secret', async () => {
    const service = await start();
    const { dataDir } = service;
    const port = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
    const secret = readFileSync(join(dataDir, 'postgres', 'regulars.secret'), 'utf8');
    const sql = await connectAsSuperuser(service);
    const [settings] = await sql`
      select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
        current_setting('full_page_writes') as full_page_writes, current_setting('listen_addresses') as listen_addresses,
        current_setting('unix_socket_directories') as unix_socket_directories, current_setting('data_checksums') as data_checksums,
        pg_size_bytes(current_setting('shared_buffers')) = pg_size_bytes(${sharedBuffers()}) as has_its_share`;
    expect(settings).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      data_checksums: 'on',
      has_its_share: true,
    });
    await sql.end();
    for (const [user, password] of [
      ['regulars', 'wrong'],
      ['regulars', ''],
      ['postgres', ''],
      ['postgres', secret],
    ]) {
      const stranger = connectTo(`postgres://${user}:${password}@127.0.0.1:${port}/regulars`);
      await expect(stranger).rejects.toThrow(/password/i);
    }
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
    if (outside) {
      await expect(connectTo(`postgres://regulars:${secret}@${outside}:${port}/regulars`)).rejects.toThrow(
        /ECONNREFUSED/,
      );
    }
    expect(execFileSync('stat', ['-c', '%a', join(dataDir, 'postgres')], { encoding: 'utf8' }).trim()).toBe('700');
    expect(
      execFileSync('stat', ['-c', '%a', join(dataDir, 'postgres', 'regulars.secret')], { encoding: 'utf8' }).trim(),
    ).toBe('600');
  });
});

it.each([
  ['512 MB', 2 ** 29, '128MB'],
  ['3 GB', 3 * 2 ** 30, '384MB'],
  ['256 GB', 2 ** 38, '4096MB'],
])('with %s of memory, PostgreSQL uses a share of it for shared buffers', (_, memory, share) => {
  expect(sharedBuffers(memory)).toBe(share);
});

describe('a start that fails', () => {
  it('reports all invalid settings at once', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const refused = await launch({
      dataDir,
      env: { PORT: 'eighty', LOG_LEVEL: 'loud', BODY_LIMIT_BYTES: '-1', PUBLIC_URL: 'nowhere', WORKERS: 'many' },
    });
    expect(await refused.ended).toBe(1);
    for (const name of ['PORT', 'LOG_LEVEL', 'BODY_LIMIT_BYTES', 'PUBLIC_URL', 'WORKERS'])
      expect(refused.output()).toContain(`${name} must`);
    expect(postgresRuns(dataDir)).toBe(false);
  });

  it('reports another Regulars that uses the folder, and leaves it running', async () => {
    const first = await start();
    const second = await launch({ dataDir: first.dataDir });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(
      `Another Regulars already runs on DATA_DIR ${first.dataDir} (regulars service, process ${first.child.pid})`,
    );
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
  });

  it('is reported by all but one of several concurrent starts on a new folder', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const all = await Promise.all([1, 2, 3].map(() => launch({ dataDir })));
    const ended = () => all.filter((service) => service.child.exitCode !== null);
    await expect.poll(() => ended().length).toBe(2);
    for (const loser of ended())
      expect([loser.child.exitCode, loser.output()]).toEqual([1, expect.stringContaining('Another Regulars')]);
    const winner = all.find((service) => service.child.exitCode === null);
    await expect.poll(() => secrets(winner?.output() ?? '').token).toBeDefined();
    expect(await winner?.stop()).toBe(0);
  });
});
