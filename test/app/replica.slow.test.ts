import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/config.ts';
import { openPool } from '../../src/platform/db/database.ts';
import { openReplica } from '../../src/platform/db/open/replica.ts';
import { connectTo, createDatabase } from '../support/database.ts';
import { clientOf, type Running, start } from '../support/process.ts';
import { type Server, startReplication } from '../support/replication.ts';
import { fromOurPage, type SignedIn, signedIn } from '../support/staff.ts';
import { shop } from '../support/vouchers.ts';

const bound = 10;
const names = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name);

describe('DATABASE_READ_URL', () => {
  let replica: Server;
  let primaryUrl: string;
  let services: Running[];
  let place: Awaited<ReturnType<typeof shop>>;
  let [writer, reader]: SignedIn[] = [];
  let replay: (state: 'pause' | 'resume') => Promise<unknown>;
  /** The latest state of the replica in each process that serves requests. */
  const states = (service: Running): string[] => {
    const lines = service.output().match(/\{.*"read replica: .*\}/g) ?? [];
    const latest = new Map(lines.map((line) => JSON.parse(line)).map(({ pid, msg }) => [pid, msg as string]));
    return [...latest.values()];
  };
  const all = () => services.flatMap(states);
  const isUsed = () => expect.poll(all).toEqual(Array(3).fill('read replica: in use'));

  beforeAll(async () => {
    const { primary, ...rest } = await startReplication();
    replica = rest.replica;
    primaryUrl = primary.url;
    const env = {
      ...{ DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url, READ_STALENESS_SECONDS: String(bound) },
      EMAIL_DOMAIN_CHECK: 'off',
    };
    services = [await start({ env }), await start({ env: { ...env, WORKERS: '2' } })];
    const client = clientOf(services[0] as Running);
    place = await shop(client);
    [writer, reader] = [await signedIn(client as never, 'owner'), await signedIn(client as never, 'owner')];
    replay = async (action) => {
      const sql = await connectTo(replica.superuserUrl);
      await (action === 'pause' ? sql`select pg_wal_replay_pause()` : sql`select pg_wal_replay_resume()`);
      await sql.end();
    };
  });

  /** A GET of the dashboard, at either machine, with the cookies of the session. */
  const get = (
    who: SignedIn | undefined,
    path: string,
    { machine = 0, cookies = '', accept = 'application/json' } = {},
  ) =>
    clientOf(services[machine] as Running).call('GET', `/admin/v1${place.base}${path}`, {
      headers: { ...fromOurPage, accept, cookie: `${who?.cookie}; ${cookies}` },
    });

  it('serves lists, figures and exports from the replica, and the session that wrote sees its write', async () => {
    await isUsed();
    const group = await place.newGroup('Summer');
    await place.add(group, 'BEFORE');
    await expect.poll(async () => (await get(reader, `/unique_code_groups/${group}/codes`)).body.total).toBe(1);
    const { body: figures } = await get(reader, '/overview');
    await replay('pause');
    const paused = Date.now();

    // The write of a session, and writes of others that no cookie tells of.
    const answer = await writer?.call('POST', `${place.base}/units`, { name: 'New venue' });
    expect(answer?.status).toBe(201);
    const cookies = String(answer?.headers['set-cookie']).split(';')[0];
    expect(cookies).toBe('regulars_written=1');
    expect(answer?.headers['set-cookie']).toContain(`Max-Age=${bound + 1}; Path=/admin; HttpOnly`);
    await place.add(group, 'AFTER');
    const guest = await place.newContact();

    // The session that wrote, at both machines.
    for (const machine of [0, 1])
      expect(names((await get(writer, '/units', { cookies, machine })).body)).toContain('New venue');
    // Programs without a session.
    const { body: asProgram } = await clientOf(services[0] as Running).admin('GET', `${place.base}/units`);
    expect(names(asProgram)).toContain('New venue');
    // Others read from the replica, and the cookie is what makes the difference.
    for (const who of [reader, writer]) expect(names((await get(who, '/units')).body)).not.toContain('New venue');
    for (const machine of [0, 1])
      expect(names((await get(reader, '/units', { machine })).body)).not.toContain('New venue');
    const codes = `/unique_code_groups/${group}/codes`;
    expect((await get(reader, codes)).body.total).toBe(1);
    const csv = (await get(reader, codes, { accept: 'text/csv' })).body as string;
    expect([csv.includes('BEFORE'), csv.includes('AFTER')]).toEqual([true, false]);
    expect((await get(reader, '/contacts/search')).body.data).toEqual([]);
    expect((await get(reader, '/overview')).body).toEqual(figures);
    expect((await get(writer, '/overview', { cookies })).body).not.toEqual(figures);
    // One object is always read from the primary.
    expect((await get(reader, `/contacts/${guest}`)).status).toBe(200);
    // All of this was within the bound. Otherwise the machine was too slow for the test.
    expect(Date.now() - paused).toBeLessThan(bound * 1000);

    // Above the bound, reads go to the primary.
    const isSeen = async () => names((await get(reader, '/units')).body).includes('New venue');
    while (!(await isSeen())) {
      expect(Date.now() - paused).toBeLessThan((bound + 2) * 1000);
      await pause(100);
    }
    await expect.poll(all).toContain(`read replica: more than ${bound} s behind, reads go to the primary`);
    await replay('resume');
    await isUsed();
    expect(await isSeen()).toBe(true);
  });

  it('applies row-level security on the replica too', async () => {
    const other = await shop(clientOf(services[0] as Running));
    const db = openPool({ url: replica.url, connections: 1 });
    const accounts = async (id: number) => {
      const rows = await db.tenant(id, (tx) => tx<{ id: number }>`select distinct account_id as id from units`);
      return rows.map((row) => row.id);
    };
    await expect.poll(() => accounts(other.id)).toEqual([other.id]);
    expect(await accounts(place.id)).toEqual([place.id]);
    expect(await db.transaction((tx) => tx`select from units`)).toHaveLength(0);
    await db.close();
  });

  it('is not used if it is the primary itself, or a database of another server', async () => {
    const { url } = await createDatabase();
    const stateOf = (databaseReadUrl: string, databaseUrl: string) => {
      const primary = openPool({ url: databaseUrl, connections: 2 });
      return new Promise<string>((done) => {
        const config = readConfig({ DATABASE_URL: databaseUrl, DATABASE_READ_URL: databaseReadUrl });
        const opened = openReplica(config, primary, {
          connections: 2,
          onEvent: async (state) => {
            expect(opened?.database()).toBeUndefined();
            await opened?.close();
            await primary.close();
            done(state);
          },
        });
      });
    };
    expect(await stateOf(primaryUrl, primaryUrl)).toContain(
      'not available, reads go to the primary: it is not a replica',
    );
    expect(await stateOf(replica.url, url)).toContain('it is not a replica of the database in DATABASE_URL');
  });

  it('a read does not wait for a replica that is frozen, and the next ones do not ask it', async () => {
    await isUsed();
    replica.signal('SIGSTOP');
    const timed = async (machine: number) => {
      const began = performance.now();
      const { status } = await get(reader, '/units', { machine });
      expect(status).toBe(200);
      return performance.now() - began;
    };
    // More reads than connections.
    const first = await Promise.all(Array.from({ length: 30 }, (_, n) => timed(n % 2)));
    await expect
      .poll(() => all().filter((state) => /not available, reads go to the primary: it does not respond/.test(state)))
      .toHaveLength(3);
    const later = [];
    for (let n = 0; n < 10; n++) later.push(await timed(n % 2));
    replica.signal('SIGCONT');
    // Otherwise no read was on the replica, and this test would prove nothing.
    expect(Math.max(...first)).toBeGreaterThan(1000);
    expect(Math.max(...first)).toBeLessThan(8000);
    expect(Math.max(...later)).toBeLessThan(1000);
    await isUsed();
  });

  it('fails no read if the replica is killed, and uses it again when it is back', async () => {
    const statuses: number[] = [];
    let going = true;
    const reading = (async () => {
      for (; going; await pause(5))
        statuses.push((await get(reader, '/units', { machine: statuses.length % 2 })).status);
    })();
    await expect.poll(() => statuses.length).toBeGreaterThan(20);
    await replica.kill();
    await expect
      .poll(() => all().filter((state) => /not available, reads go to the primary/.test(state)))
      .toHaveLength(3);
    const then = statuses.length;
    await expect.poll(() => statuses.length).toBeGreaterThan(then + 20);
    await replica.start();
    await isUsed();
    going = false;
    await reading;
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0]);
  });
});
