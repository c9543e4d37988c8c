import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { knownMigrations, migrate } from '../../../../src/platform/db/migrate.ts';
import { type Run, raw } from '../../../../src/platform/db/sql.ts';
import { connectTo, createDatabase, superuser, type TestDatabase } from '../../../support/database.ts';
import { type Everything, everything } from '../../../support/everything.ts';
import { furnish } from '../../../support/furnished.ts';
import { broken } from '../../../support/invariants.ts';
import { endAfterwards, temporaryFolder } from '../../../support/leftovers.ts';
import {
  connectBehind,
  healthy,
  launch,
  over,
  partsOf,
  postgresRuns,
  type Running,
  regulars,
  start,
  superuserUrl,
} from '../../../support/process.ts';

const folder = temporaryFolder();
const newFile = (() => {
  let files = 0;
  return () => join(folder, `${++files}.gz`);
})();
const newFolder = () => join(temporaryFolder(), 'data');
const onServer = ({ url }: TestDatabase) => ({ DATABASE_URL: url });

async function succeed(args: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await regulars([...args, '--json'], env);
  expect([args, code], stderr).toEqual([args, 0]);
  return { ...(stdout === '' ? {} : JSON.parse(stdout)), stderr };
}

/** A command that has begun; its words, and its end. */
function begin(args: string[], env: Record<string, string>) {
  const child = spawn('node', ['dist/cli/regulars.js', ...args], { env: { PATH: process.env.PATH ?? '', ...env } });
  endAfterwards(child);
  let told = '';
  child.stderr.on('data', (chunk) => (told += chunk));
  const ended = once(child, 'close').then(([code]) => ({ code, told }));
  return { child, ended, told: () => told };
}

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

/** What is written a moment after its answer (the request log, when a token was used last) is there. */
async function settled(behind: Run): Promise<Everything> {
  for (let before = await everything(behind); ; ) {
    await pause(3000);
    const now = await everything(behind);
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

/** Begins to restore the first half of a file, and has done some of it. */
async function restoreHalf(file: string, env: Record<string, string>) {
  const text = readFileSync(file);
  const restoring = begin(['restore', '-'], env);
  // Whoever is killed reads no more.
  restoring.child.stdin.on('error', () => {});
  restoring.child.stdin.write(text.subarray(0, text.length / 2));
  await expect.poll(restoring.told).toMatch(/\d %:/);
  return { ...restoring, theRest: () => restoring.child.stdin.end(text.subarray(text.length / 2)) };
}

/** Keeps everybody from reading a table, by one of its indexes, until it is let go, and tells how many wait for it. */
async function hold(url: string, index: string) {
  const holder = await connectTo(url);
  await holder`begin`;
  await holder`reindex index ${raw(index)}`;
  const waiting = async () =>
    (await holder`select from pg_locks where relation = ${index}::regclass and not granted`).length;
  return { waiting, letGo: () => holder`commit` };
}

describe('a backup, taken while the service serves, and restored', async () => {
  let service: Running;
  let behind: Run;
  let token = '';
  let before: Everything;
  const file = newFile();
  const servers = [
    await createDatabase('empty'),
    await createDatabase('empty'),
    await createDatabase('empty'),
  ] as const;

  beforeAll(async () => {
    service = await start({ env: { EMAIL_DOMAIN_CHECK: 'list' } });
    behind = await connectBehind(service);
    for (const name of ['Harbour', 'Finch']) {
      const furnished = await furnish(over(service), behind, name);
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
    // Numbers that were given out and are no longer anybody's; text that COPY has to escape; a job that waits.
    await behind`select nextval('contacts_id_seq') from generate_series(1, 1000)`;
    await behind`update contacts set first_name = E'tab\\t newline\\n return\\r back\\\\slash \\\\. nothing \\\\N Zoë 🍷', last_name = ''`;
    await behind`
      select graphile_worker.add_job('some_task', '{"account_id": 1, "text": "a\\tb"}', job_key := 'a key', run_at := now() + interval '1 day', max_attempts := 3)`;
    // More than a stream hands over at once.
    await behind`
      insert into feedback (account_id, contact_id, unit_id, type_id, created_at, comments)
      select account_id, contact_id, unit_id, type_id, created_at, to_jsonb('comment ' || n) from feedback, generate_series(1, 10000) as n`;
    before = await settled(behind);
    const empty = Object.entries(before.tables).filter(([, digest]) => digest.startsWith('0 rows'));
    expect(empty, 'every table has rows: give new ones theirs in test/support/furnished.ts').toEqual([]);
    expect(await behind`select from sessions`).toHaveLength(1);
    expect(before.jobs).toHaveLength(1);
  });

  it('holds one moment, though guests are written while it is taken', async () => {
    const [busy, mine] = [newFile(), /regulars_pat_[\w-]+/.exec(service.output())?.[0] as string];
    const write = async (n: number) => {
      const body = { email: `writer${n}@gmail.com`, allow_email: true, allow_sms: true, notes: [{ text: 'at once' }] };
      return Number((await ask(service, 'POST', '/v1/contact', { token: mine, body })).body.id);
    };
    const earlier = [await write(1), await write(2)];
    // Its moment has come by then, and it has read nothing of guests yet.
    const held = await hold(superuserUrl(service), 'feedback_ratings_pkey');
    const backup = begin(['backup', busy], { DATA_DIR: service.dataDir });
    await expect.poll(held.waiting).toBe(1);
    const later = [await write(3), await write(4), await write(5)];
    await ask(service, 'POST', '/v1/contact', {
      token: mine,
      body: { email: 'writer1@gmail.com', allow_email: false },
    });
    // A migration that writes a table anew, which would be empty to whoever looks from an earlier moment.
    const migrating = behind`alter table notes add column loud text generated always as (upper(text)) stored`;
    await pause(300);
    await held.letGo();
    expect((await backup.ended).code).toBe(0);
    await migrating;
    await behind`alter table notes drop column loud`;

    await succeed(['restore', busy], onServer(servers[0]));
    const copy = await superuser(servers[0]);
    expect(await broken(copy)).toEqual({});
    const written = await copy`
      select c.id, allow_email, (select count(*) from notes n where n.contact_id = c.id) as notes,
        (select count(*) from consent_ledger l where l.contact_id = c.id) as ledger,
        (select count(*) from identities i where i.contact_id = c.id) as identities
      from contacts c where email like 'writer%' order by id`;
    expect([...written]).toEqual(earlier.map((id) => ({ id, allow_email: true, notes: 1, ledger: 2, identities: 1 })));
    // A number that was given out meanwhile is not given out again.
    const [next] = await copy<{ id: number }>`select nextval('contacts_id_seq') as id`;
    expect(next?.id).toBeGreaterThan(Math.max(...later));
    await settled(behind);
  });

  it('is the same on an external server, row by row, but for its sessions', async () => {
    const made = await succeed(['backup', file], { DATA_DIR: service.dataDir });
    expect(made).toMatchObject({
      accounts: 3,
      bytes: statSync(file).size,
      stderr: expect.stringMatching(/100 %: [\d,]+ of [\d,]+ rows\n$/),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    before = await everything(behind);
    const restored = await succeed(['restore', file], onServer(servers[1]));
    expect(restored).toMatchObject({ accounts: 3, taken_at: expect.stringMatching(/^\d{4}-.+Z$/) });
    const copy = await superuser(servers[1]);
    expect(await everything(copy, true)).toEqual(before);
    expect(await copy`select from sessions`).toHaveLength(0);
    const [last] = await copy`select action, actor from audit_trail order by id desc limit 1`;
    expect(last).toEqual({ action: 'regulars restore', actor: expect.stringContaining('command line') });
    const [prior] = await copy`select action from audit_trail order by id desc offset 1 limit 1`;
    expect(prior).toEqual({ action: 'regulars backup' });
    const owners = await copy`select distinct tableowner from pg_tables where schemaname = 'public'`;
    expect([...owners]).toEqual([{ tableowner: 'regulars' }]);
  });

  it('is the same where the login is a superuser’s', async () => {
    const env = { DATABASE_URL: servers[2].superuserUrl };
    await succeed(['restore', file], env);
    const copy = await superuser(servers[2]);
    expect(await everything(copy, true)).toEqual(before);
    const again = newFile();
    expect(await succeed(['backup', again], env)).toMatchObject({ accounts: 3 });
  });

  it('comes back from there, and a service goes on with it', async () => {
    const [copy, again, dataDir] = [await superuser(servers[1]), newFile(), newFolder()];
    await succeed(['backup', again], onServer(servers[1]));
    const there = await everything(copy);
    await succeed(['restore', again], { DATA_DIR: dataDir });
    expect(postgresRuns(dataDir)).toBe(false);
    const next = await start({ dataDir, env: { EMAIL_DOMAIN_CHECK: 'list' } });
    expect(next.output()).not.toContain('This database was empty');
    const restored = await connectBehind(next);
    expect(await everything(restored, true)).toEqual(there);

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

  it('goes through pipes', async () => {
    const database = await createDatabase('empty');
    const through = async (line: string) => {
      const child = spawn('sh', ['-c', line], {
        env: { PATH: process.env.PATH ?? '', DATABASE_URL: servers[1].url, TARGET: database.url },
      });
      let told = '';
      child.stderr.on('data', (chunk) => (told += chunk));
      const [code] = await once(child, 'close');
      return { code, told };
    };
    const regulars = 'node dist/cli/regulars.js';
    const whole = await through(`${regulars} backup - | DATABASE_URL=$TARGET ${regulars} restore -`);
    expect(whole.code, whole.told).toBe(0);
    expect(await everything(await superuser(database), true)).toEqual(await everything(await superuser(servers[1])));
    const cut = await through(`${regulars} backup - | head -c 100 >/dev/null`);
    expect(cut.told).toContain('The reader of the backup closed the pipe. The backup is incomplete.');
  });

  it('ends at once when it is interrupted, and leaves the file that was there', async () => {
    const kept = newFile();
    writeFileSync(kept, 'what was there');
    const held = await hold(superuserUrl(service), 'units_pkey');
    const backup = begin(['backup', kept], { DATA_DIR: service.dataDir });
    await expect.poll(held.waiting).toBe(1);
    expect(partsOf(kept)).toHaveLength(1);
    backup.child.kill('SIGINT');
    expect(await backup.ended).toEqual({
      code: 130,
      told: expect.stringContaining('Interrupted: nothing was changed.'),
    });
    await held.letGo();
    expect([readFileSync(kept, 'utf8'), partsOf(kept)]).toEqual(['what was there', []]);
    await succeed(['backup', kept], { DATA_DIR: service.dataDir });
    expect(gunzipSync(readFileSync(kept)).toString('utf8', 0, 29)).toBe('{"format":"regulars backup","');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const)('leaves nothing where restoring it ends by %s, and can be restored then', async (signal, code) => {
    const database = await createDatabase('empty');
    const behindIt = await superuser(database);
    const restoring = await restoreHalf(file, onServer(database));
    restoring.child.kill(signal);
    expect((await restoring.ended).code).toBe(code);
    expect(await behindIt`select from pg_class where relnamespace = 'public'::regnamespace`).toHaveLength(0);
    await succeed(['restore', file], onServer(database));
    expect((await everything(behindIt, true)).tables).toEqual(before.tables);

    const dataDir = newFolder();
    const embedded = await restoreHalf(file, { DATA_DIR: dataDir });
    embedded.child.kill(signal);
    expect((await embedded.ended).code).toBe(code);
    expect(await succeed(['restore', file], { DATA_DIR: dataDir })).toMatchObject({ accounts: 3 });
    expect(postgresRuns(dataDir)).toBe(false);
  });

  it('has a service that starts meanwhile wait for its end', async () => {
    const database = await createDatabase('empty');
    const restoring = await restoreHalf(file, onServer(database));
    const next = await launch({ env: onServer(database) });
    const behindIt = await superuser(database);
    const waits = async () =>
      (
        await behindIt`
          select from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`
      ).length;
    await expect.poll(waits).toBe(1);
    restoring.theRest();
    expect((await restoring.ended).code).toBe(0);
    await healthy(next);
    expect(next.output()).not.toContain('This database was empty');
    expect(await behindIt`select from accounts`).toHaveLength(3);
    await next.stop();
  });
});

describe('restoring', async () => {
  const source = await createDatabase();
  const file = newFile();
  await regulars(['account', 'create', 'Harbour'], onServer(source));
  await regulars(['user', 'create', 'sam@harbour.example', '--role', 'owner'], onServer(source));
  await succeed(['backup', file], onServer(source));
  const text = gunzipSync(readFileSync(file)).toString();
  const target = await createDatabase('empty');
  const behind = await superuser(target);

  /** Restoring it says so, and changes nothing. */
  async function refused(content: Buffer | string, sentence: string | RegExp, env = onServer(target)) {
    const bad = newFile();
    writeFileSync(bad, typeof content === 'string' ? gzipSync(content) : content);
    const { code, stdout, stderr } = await regulars(['restore', bad], env);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(sentence)]);
    const tables = await behind`select from pg_class where relnamespace = 'public'::regnamespace`;
    expect(tables).toHaveLength(0);
  }

  it('is refused where the file is damaged or cut short, wherever that is, and works with the whole one then', async () => {
    const whole = readFileSync(file);
    for (const share of [0.3, 0.9]) {
      const damaged = Buffer.from(whole);
      const at = Math.floor(whole.length * share);
      damaged[at] = (damaged[at] as number) ^ 0x10;
      await refused(damaged, /can’t be restored: .+\. Nothing was changed\.\n$/);
      await refused(whole.subarray(0, at), /can’t be restored: it is not whole\. Nothing was changed\.\n$/);
    }
    await refused(whole.subarray(0, whole.length - 1), /it is not whole/);
    // What gzip can't know: that it was not gzip's input that was changed.
    await refused(text.replace('Harbour', 'Harvest'), /it is damaged/);
    await refused(text.slice(0, text.lastIndexOf('{"end"')), /it is not whole/);
    await refused(`${text}more\n`, /it is damaged/);
    const [first = ''] = text.split('\n', 1);
    await refused('null\n', /it is not a backup of Regulars/);
    await refused(`${JSON.stringify({ ...JSON.parse(first), migrations: undefined })}\n`, /it is damaged/);
    await refused(`${first}\nnull\n`, /it is damaged/);
    await refused(`${first}\n{"table":"constructor"}\n1\n\\.\n`, /names a table that there is not/);
    expect(await succeed(['restore', file], onServer(await createDatabase('empty')))).toMatchObject({ accounts: 1 });
  });

  it('is refused where the file is another’s, or from a later version', async () => {
    await refused(Buffer.from('not a backup'), /it is not a backup of Regulars\. Nothing was changed\.\n$/);
    await refused('{"format":"something else"}\n', /it is not a backup of Regulars/);
    await refused(
      text.replace('"0001_', '"9999_future.sql","0001_'),
      /with migration 9999_future\.sql, and this version knows them up to .+ restore it with that version or a later one\. Nothing was changed\.\n$/,
    );
    await refused(text.replace('"edition":1', '"edition":2'), /wrote it in a form that this version does not know/);
    await refused(
      text.replace('"name","time_zone"', '"name","time_zone2"'),
      /its tables are not as its migrations make them/,
    );
    const missing = await regulars(['restore', join(folder, 'nowhere.gz')], onServer(target));
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/nowhere\.gz can’t be read: ENOENT/)]);
    const dataDir = newFolder();
    const { code } = await regulars(['restore', 'package.json'], { DATA_DIR: dataDir });
    expect([code, existsSync(dataDir)]).toEqual([1, false]);
  });

  it('is refused where the database holds anything, which stays as it is', async () => {
    const own = await superuser(source);
    const before = await everything(own);
    const { code, stderr } = await regulars(['restore', file], onServer(source));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The database is not empty: the table accounts has rows\. Nothing was changed\. .*set DATA_DIR/,
      ),
    ]);
    expect(await everything(own)).toEqual(before);
    // Also what row-level security hides.
    const hidden = await createDatabase();
    await (await superuser(hidden))`
      insert into request_log (account_id, token_id, at, request_id, method, route, status, duration_ms) values (7, 1, now(), 'x', 'GET', '/', 200, 1)`;
    const other = await regulars(['restore', file], onServer(hidden));
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('the table request_log has rows')]);
    expect(await (await superuser(hidden))`select from request_log`).toHaveLength(1);
  });

  it('takes a database that is migrated and empty', async () => {
    const migrated = await createDatabase();
    await succeed(['restore', file], onServer(migrated));
    expect(await everything(await superuser(migrated), true)).toEqual(await everything(await superuser(source)));
  });

  it('takes what an earlier version left, and brings it up to this one', async () => {
    const [old, next] = [await createDatabase('empty'), await createDatabase('empty')];
    await migrate({ url: old.url }, false, knownMigrations().slice(0, 4));
    const earlier = await superuser(old);
    await earlier`insert into accounts (id, name, root_unit_id) values (1, 'Harbour', 1)`;
    await earlier`insert into units (account_id, id, name, is_root) values (1, 1, 'Harbour', true)`;
    await earlier`insert into contacts (account_id, id, first_name) values (1, 7, 'Zoë')`;
    await earlier`
      insert into purchases (account_id, contact_id, unit_id, transaction_reference, order_type_id, created_at, lines)
      values (1, 7, 1, 'T-1', 4, '2026-03-01 12:00:00', '[{"value": "11.50"}]')`;
    const oldFile = newFile();
    expect(await succeed(['backup', oldFile], onServer(old))).toMatchObject({ rows: 4, accounts: 1 });
    await succeed(['restore', oldFile], onServer(next));
    const restored = await superuser(next);
    expect([...(await restored`select first_name_key, total_pence from contacts, purchases`)]).toEqual([
      { first_name_key: 'zoe', total_pence: 1150 },
    ]);
    const fresh = await everything(await superuser(await createDatabase()));
    const { schema, triggers, tables } = await everything(restored);
    expect([schema, triggers, tables.schema_migrations]).toEqual([
      fresh.schema,
      fresh.triggers,
      fresh.tables.schema_migrations,
    ]);
    const ahead = await regulars(['restore', oldFile], onServer(await createDatabase()));
    expect([ahead.code, ahead.stderr]).toEqual([
      1,
      expect.stringContaining('it was made for a later version than the backup'),
    ]);
  });
});

describe('backing up', () => {
  it('is refused where there is nothing, and changes nothing', async () => {
    const database = await createDatabase('empty');
    const file = newFile();
    const { code, stderr } = await regulars(['backup', file], onServer(database));
    expect([code, stderr]).toEqual([
      1,
      'There is nothing to back up: the service has never been started on this database.\n',
    ]);
    expect(existsSync(file)).toBe(false);
    expect(await (await connectTo(database.url))`select from pg_tables where schemaname = 'public'`).toHaveLength(0);
  });

  it('says where the file can’t be written', async () => {
    const database = await createDatabase();
    const { code, stderr } = await regulars(['backup', join(folder, 'nowhere', 'x.gz')], onServer(database));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/x\.gz can’t be written: ENOENT.+\.\n$/)]);
  });
});
