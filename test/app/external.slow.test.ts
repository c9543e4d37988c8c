import { connect, createServer } from 'node:net';
import { describe, expect, inject, it } from 'vitest';
import { openPool } from '../../src/platform/db/database.ts';
import { checkServer } from '../../src/platform/db/open/external.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { connectTo, createDatabase, superuser } from '../support/database.ts';
import { freePort } from '../support/port.ts';
import { healthy, launch, type Running, start } from '../support/process.ts';

describe('DATABASE_URL', () => {
  it('serves several processes that start at once on an empty database; one of them prints the secrets', async () => {
    const database = await createDatabase('empty');
    const env = { DATABASE_URL: database.url };
    const services = await Promise.all([1, 2, 3].map(() => start({ env })));
    expect(services.filter((service) => service.output().includes('regulars_pat_'))).toHaveLength(1);
    const token = services.map((service) => /regulars_pat_[\w-]+/.exec(service.output())?.[0]).find(Boolean);
    for (const service of services) {
      const response = await fetch(`${service.url}/v1/account/units`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(200);
    }
    const sql = await superuser(database);
    expect(await sql`select from accounts`).toHaveLength(1);
    // An ordinary role was enough: it owns everything.
    const owners = await sql<{
      owner: string;
    }>`select distinct tableowner as owner from pg_tables where schemaname = 'public'`;
    expect(owners.map((row) => row.owner)).toEqual(['regulars']);
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0, 0]);
  });

  it('lets every process reject a revoked token', async () => {
    const database = await createDatabase('empty');
    const env = { DATABASE_URL: database.url };
    const [one, two] = [await start({ env }), await start({ env })];
    const { body: account } = await one.admin('POST', '/accounts', { name: 'x' });
    const { body: made } = await one.admin('POST', `/accounts/${account.id}/tokens`, { name: 'x' });
    const status = async ({ url }: Running) =>
      (await fetch(`${url}/v1/account/units`, { headers: { authorization: `Bearer ${made.token}` } })).status;
    expect([await status(one), await status(two)]).toEqual([200, 200]);
    await two.admin('DELETE', `/accounts/${account.id}/tokens/${made.id}`);
    expect(await status(two)).toBe(401);
    await new Promise((done) => setTimeout(done, 100));
    expect(await status(one)).toBe(401);
  });

  it('separates accounts even with the login of a superuser', async () => {
    const database = await createDatabase('empty');
    const service = await start({ env: { DATABASE_URL: database.superuserUrl } });
    const { body: account } = await service.admin('POST', '/accounts', { name: 'Theirs' });
    const { role } = await checkServer(database.superuserUrl);
    expect(role).toBe('regulars_service');
    const db = openPool({ url: database.superuserUrl, role, connections: 1 });
    expect(await db.transaction((tx) => tx`select from units`)).toHaveLength(0);
    expect(await db.tenant(account.id as number, (tx) => tx`select from units`)).toHaveLength(1);
    expect(await db.tenant(-1, (tx) => tx`select from units`)).toHaveLength(0);
    await db.close();
    await service.stop();
  });

  it('reports a server it cannot use, without the password', async () => {
    const wrong = inject('serverUrl').replace(/regulars:[^@]+@/, 'regulars:not-the-password@');
    const refused = await launch({ env: { DATABASE_URL: `${wrong}/postgres` } });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(
      /DATABASE_URL: can't use the server at 127\.0\.0\.1:\d+: password authentication failed/,
    );
    expect(refused.output()).not.toContain('not-the-password');
    const missing = await launch({ env: { DATABASE_URL: `${inject('serverUrl')}/no_such_database` } });
    expect(await missing.ended).toBe(1);
    expect(missing.output()).toContain('database "no_such_database" does not exist');
    await expect(checkServer(`postgres://x:secret@127.0.0.1:${await freePort()}/x`)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('waits for an unavailable server, also if it becomes unavailable during the start', async () => {
    const database = await createDatabase('empty');
    const proxy = await cuttingProxy(database.url, 4);
    const service = await start({ env: { DATABASE_URL: proxy.url } });
    expect(proxy.cut()).toBe(4);
    expect(service.output()).toContain('waiting for PostgreSQL at 127.0.0.1:');
    expect(service.output()).toContain('Your first request');
    await service.stop();
  });

  it('separates accounts even if the URL contains options', async () => {
    const database = await createDatabase('empty');
    const url = `${database.superuserUrl}?options=-c%20statement_timeout%3D60000&application_name=x`;
    const service = await start({ env: { DATABASE_URL: url } });
    const sql = await superuser(database);
    const owners = await sql<{
      owner: string;
    }>`select distinct tableowner as owner from pg_tables where schemaname = 'public'`;
    expect(owners.map((row) => row.owner)).toEqual(['regulars_service']);
    const db = openPool({ url, role: 'regulars_service', connections: 1 });
    const [settings] = await db.transaction(
      (tx) => tx`select current_user as who, current_setting('statement_timeout') as timeout`,
    );
    expect(settings).toEqual({ who: 'regulars_service', timeout: '1min' });
    expect(await db.transaction((tx) => tx`select from units`)).toHaveLength(0);
    await db.close();
    await service.stop();
  });

  it('ignores the environment variables of PostgreSQL’s own programs', async () => {
    const database = await createDatabase('empty');
    const env = {
      DATABASE_URL: database.url,
      PGSSLMODE: 'require',
      PGOPTIONS: '-c default_transaction_read_only=on',
      PGUSER: 'nobody',
    };
    expect(await (await start({ env })).stop()).toBe(0);
  });

  it('waits for a server that becomes available later', async () => {
    const database = await createDatabase('empty');
    const port = await freePort();
    const real = new URL(database.url);
    const service = await launch({ env: { DATABASE_URL: database.url.replace(`:${real.port}/`, `:${port}/`) } });
    await expect.poll(service.output).toContain(`waiting for PostgreSQL at 127.0.0.1:${port}`);
    const door = createServer((client) => {
      const server = connect(Number(real.port), '127.0.0.1');
      client.pipe(server).pipe(client);
      for (const end of [client, server]) end.on('error', () => client.destroy());
    }).listen(port, '127.0.0.1');
    await healthy(service);
    expect(await service.stop()).toBe(0);
    door.close();
  });

  it('reconnects after its connections were cut', async () => {
    const database = await createDatabase('empty');
    const service = await start({ env: { DATABASE_URL: database.url } });
    const sql = await connectTo(`${inject('superuserUrl')}/postgres`);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database.name}`;
    await expect.poll(async () => (await service.admin('GET', '/accounts')).status).toBe(200);
    await service.stop();
  });
});
