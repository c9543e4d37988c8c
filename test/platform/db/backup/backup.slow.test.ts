import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/platform/db/sql.ts';
import { createDatabase, superuser } from '../../../support/database.ts';
import { type DatabaseSnapshot, snapshotDatabase, withoutBackground } from '../../../support/database-snapshot.ts';
import { createFullAccount } from '../../../support/full-account.ts';
import { violations } from '../../../support/invariants.ts';
import {
  clientOf,
  connectAsSuperuser,
  healthy,
  launch,
  partsOf,
  postgresRuns,
  type Running,
  start,
  superuserUrl,
} from '../../../support/process.ts';
import { begin, hold, newFile, newFolder, onServer, restoreHalf, succeed } from './commands.ts';

async function ask(
  { url }: Running,
  method: string,
  path: string,
  options: { token?: string; body?: unknown; headers?: object } = {},
) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  expect(response.status, `${method} ${path}: ${JSON.stringify(body)}`).toBeLessThan(300);
  return { body };
}

/** Waits for rows that are written shortly after the response: the request log and the last use of a token. */
async function settled(sql: Run): Promise<DatabaseSnapshot> {
  for (let before = await snapshotDatabase(sql); ; ) {
    await pause(3000);
    const now = await snapshotDatabase(sql);
    if (JSON.stringify(now) === JSON.stringify(before)) return now;
    before = now;
  }
}

const owner = { email: 'olivia@harbour.example', password: 'quite-long-enough' };
const signIn = (service: Running) =>
  ask(service, 'POST', '/admin/v1/session', {
    body: owner,
    headers: { origin: service.url, 'sec-fetch-site': 'same-origin' },
  });

describe('a backup taken from a running service', async () => {
  let service: Running;
  let sql: Run;
  let token = '';
  let before: DatabaseSnapshot;
  const file = newFile();
  const servers = [
    await createDatabase('empty'),
    await createDatabase('empty'),
    await createDatabase('empty'),
  ] as const;

  beforeAll(async () => {
    service = await start({ env: { EMAIL_DOMAIN_CHECK: 'list' } });
    sql = await connectAsSuperuser(service);
    for (const name of ['Harbour', 'Finch']) {
      const furnished = await createFullAccount(clientOf(service), sql, name, { isServed: true });
      token = furnished.token;
      await service.admin('POST', '/users', {
        ...owner,
        email: `${name}-${owner.email}`.toLowerCase(),
        role: 'staff',
        account_ids: [furnished.ids.account_id],
      });
    }
    await service.admin('POST', '/users', { ...owner, role: 'owner', account_ids: [] });
    await service.admin('POST', '/email_domains', { domain: 'harbour.example' });
    await signIn(service);
    // Ids that were assigned and are no longer used, text that COPY must escape, and a waiting job.
    await sql`select nextval('contacts_id_seq') from generate_series(1, 1000)`;
    await sql`update contacts set first_name = E'tab\\t newline\\n return\\r back\\\\slash \\\\. nothing \\\\N Zoë 🍷', last_name = ''`;
    await sql`
      select graphile_worker.add_job('some_task', '{"account_id": 1, "text": "a\\tb"}', job_key := 'a key', run_at := now() + interval '1 day', max_attempts := 3)`;
    // More rows than one chunk of a stream.
    await sql`
      insert into feedback (account_id, contact_id, unit_id, type_id, created_at, comments)
      select account_id, contact_id, unit_id, type_id, created_at, to_jsonb('comment ' || n) from feedback, generate_series(1, 10000) as n`;
    before = await settled(sql);
    const empty = Object.entries(before.tables).filter(([, digest]) => digest.startsWith('0 rows'));
    expect(empty, 'every table has rows: give new ones theirs in test/support/full-account.ts').toEqual([]);
    expect(await sql`select from sessions`).toHaveLength(1);
    expect(before.jobs).toHaveLength(1);
  });

  it('contains the data of one moment, although contacts are written meanwhile', async () => {
    const [busy, mine] = [newFile(), /regulars_pat_[\w-]+/.exec(service.output())?.[0] as string];
    const write = async (n: number) => {
      const body = { email: `writer${n}@gmail.com`, allow_email: true, allow_sms: true, notes: [{ text: 'at once' }] };
      return Number((await ask(service, 'POST', '/v1/contact', { token: mine, body })).body.id);
    };
    const earlier = [await write(1), await write(2)];
    // The backup has its snapshot by then, and has not read any contact yet.
    const held = await hold(superuserUrl(service), 'feedback_ratings_pkey');
    const backup = begin(['backup', busy], { DATA_DIR: service.dataDir });
    await expect.poll(held.waiting).toBe(1);
    const later = [await write(3), await write(4), await write(5)];
    await ask(service, 'POST', '/v1/contact', {
      token: mine,
      body: { email: 'writer1@gmail.com', allow_email: false },
    });
    // A migration that rewrites a table: an earlier snapshot would see it empty.
    const migrating = sql`alter table notes add column loud text generated always as (upper(text)) stored`;
    await pause(300);
    await held.release();
    expect((await backup.ended).code).toBe(0);
    await migrating;
    await sql`alter table notes drop column loud`;

    await succeed(['restore', busy], onServer(servers[0]));
    const copy = await superuser(servers[0]);
    expect(await violations(copy)).toEqual({});
    const written = await copy`
      select c.id, allow_email, (select count(*) from notes n where n.contact_id = c.id) as notes,
        (select count(*) from consent_ledger l where l.contact_id = c.id) as ledger,
        (select count(*) from identities i where i.contact_id = c.id) as identities
      from contacts c where email like 'writer%' order by id`;
    expect([...written]).toEqual(earlier.map((id) => ({ id, allow_email: true, notes: 1, ledger: 2, identities: 1 })));
    // An id that was assigned meanwhile is not assigned again.
    const [next] = await copy<{ id: number }>`select nextval('contacts_id_seq') as id`;
    expect(next?.id).toBeGreaterThan(Math.max(...later));
    await settled(sql);
  });

  it('is restored to an external server with the same rows, except for sessions', async () => {
    const made = await succeed(['backup', file], { DATA_DIR: service.dataDir });
    expect(made).toMatchObject({
      accounts: 3,
      bytes: statSync(file).size,
      stderr: expect.stringMatching(/100 %: [\d,]+ of [\d,]+ rows\n$/),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    before = await snapshotDatabase(sql);
    const restored = await succeed(['restore', file], onServer(servers[1]));
    expect(restored).toMatchObject({ accounts: 3, taken_at: expect.stringMatching(/^\d{4}-.+Z$/) });
    const copy = await superuser(servers[1]);
    expect(await snapshotDatabase(copy, true)).toEqual(before);
    expect(await copy`select from sessions`).toHaveLength(0);
    const [last] = await copy`select action, actor from audit_trail order by id desc limit 1`;
    expect(last).toEqual({ action: 'backup.restore', actor: expect.stringContaining('command line') });
    const [prior] = await copy`select action from audit_trail order by id desc offset 1 limit 1`;
    expect(prior).toEqual({ action: 'backup.create' });
    const owners = await copy`select distinct tableowner from pg_tables where schemaname = 'public'`;
    expect([...owners]).toEqual([{ tableowner: 'regulars' }]);
  });

  it('is restored by a superuser with the same rows', async () => {
    const env = { DATABASE_URL: servers[2].superuserUrl };
    await succeed(['restore', file], env);
    const copy = await superuser(servers[2]);
    expect(await snapshotDatabase(copy, true)).toEqual(before);
    const again = newFile();
    expect(await succeed(['backup', again], env)).toMatchObject({ accounts: 3 });
  });

  it('can be taken again from the restored database, and a service runs on it', async () => {
    const [copy, again, dataDir] = [await superuser(servers[1]), newFile(), newFolder()];
    await succeed(['backup', again], onServer(servers[1]));
    const there = await snapshotDatabase(copy);
    await succeed(['restore', again], { DATA_DIR: dataDir });
    expect(postgresRuns(dataDir)).toBe(false);
    const next = await start({ dataDir, env: { EMAIL_DOMAIN_CHECK: 'list' } });
    expect(next.output()).not.toContain('This database was empty');
    const restored = await connectAsSuperuser(next);
    expect(withoutBackground(await snapshotDatabase(restored, true))).toEqual(withoutBackground(there));

    const [guest] = await restored<{ id: number; account_id: number }>`
      select id, account_id from contacts where email = 'rui@gmail.com' and account_id = (select max(id) from accounts)`;
    const path = `/v1/contact/${guest?.id}?account_id=${guest?.account_id}`;
    const [old, now] = [await ask(service, 'GET', path, { token }), await ask(next, 'GET', path, { token })];
    expect(JSON.stringify(now.body)).toBe(JSON.stringify(old.body).replaceAll(service.url, next.url));
    await signIn(next);
    const { body } = await ask(next, 'POST', '/v1/contact', { token, body: { email: 'new@gmail.com' } });
    expect(body.id).toBe(Number(there.sequences.contacts_id_seq) + 1);
    await next.stop();
  });

  it('works through pipes', async () => {
    const database = await createDatabase('empty');
    const through = async (line: string) => {
      const child = spawn('sh', ['-c', line], {
        env: { PATH: process.env.PATH ?? '', DATABASE_URL: servers[1].url, TARGET: database.url },
      });
      let stderr = '';
      child.stderr.on('data', (chunk) => (stderr += chunk));
      const [code] = await once(child, 'close');
      return { code, stderr };
    };
    const regulars = 'node dist/cli/regulars.js';
    const whole = await through(`${regulars} backup - | DATABASE_URL=$TARGET ${regulars} restore -`);
    expect(whole.code, whole.stderr).toBe(0);
    expect(await snapshotDatabase(await superuser(database), true)).toEqual(
      await snapshotDatabase(await superuser(servers[1])),
    );
    const cut = await through(`${regulars} backup - | head -c 100 >/dev/null`);
    expect(cut.stderr).toContain('The reader of the backup closed the pipe. The backup is incomplete.');
  });

  it('stops at once when interrupted, and leaves the existing file', async () => {
    const kept = newFile();
    writeFileSync(kept, 'what was there');
    const held = await hold(superuserUrl(service), 'units_pkey');
    const backup = begin(['backup', kept], { DATA_DIR: service.dataDir });
    await expect.poll(held.waiting).toBe(1);
    expect(partsOf(kept)).toHaveLength(1);
    backup.child.kill('SIGINT');
    expect(await backup.ended).toEqual({
      code: 130,
      stderr: expect.stringContaining('Interrupted: nothing was changed.'),
    });
    await held.release();
    expect([readFileSync(kept, 'utf8'), partsOf(kept)]).toEqual(['what was there', []]);
    await succeed(['backup', kept], { DATA_DIR: service.dataDir });
    expect(gunzipSync(readFileSync(kept)).toString('utf8', 0, 29)).toBe('{"format":"regulars backup","');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const)('leaves no rows if the restore ends by %s, and can be restored afterwards', async (signal, code) => {
    const database = await createDatabase('empty');
    const sql = await superuser(database);
    const restoring = await restoreHalf(file, onServer(database));
    restoring.child.kill(signal);
    expect((await restoring.ended).code).toBe(code);
    expect(await sql`select from pg_class where relnamespace = 'public'::regnamespace`).toHaveLength(0);
    await succeed(['restore', file], onServer(database));
    expect((await snapshotDatabase(sql, true)).tables).toEqual(before.tables);

    const dataDir = newFolder();
    const embedded = await restoreHalf(file, { DATA_DIR: dataDir });
    embedded.child.kill(signal);
    expect((await embedded.ended).code).toBe(code);
    expect(await succeed(['restore', file], { DATA_DIR: dataDir })).toMatchObject({ accounts: 3 });
    expect(postgresRuns(dataDir)).toBe(false);
  });

  it('makes a starting service wait until the restore ends', async () => {
    const database = await createDatabase('empty');
    const restoring = await restoreHalf(file, onServer(database));
    const next = await launch({ env: onServer(database) });
    const sql = await superuser(database);
    const waits = async () =>
      (
        await sql`
          select from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`
      ).length;
    await expect.poll(waits).toBe(1);
    restoring.sendSecondHalf();
    expect((await restoring.ended).code).toBe(0);
    await healthy(next);
    expect(next.output()).not.toContain('This database was empty');
    expect(await sql`select from accounts`).toHaveLength(3);
    await next.stop();
  });
});
