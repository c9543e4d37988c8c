import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { knownMigrations, migrate, mustBeMigrated } from '../../../src/platform/db/migrate.ts';
import { raw } from '../../../src/platform/db/sql.ts';
import { connectTo, countLockWaits, createDatabase, superuser, type TestDatabase } from '../../support/database.ts';

const version = knownMigrations().at(-1)?.version ?? 0;

async function tables(database: TestDatabase): Promise<number> {
  const sql = await superuser(database);
  const rows = await sql`select from pg_tables where schemaname = 'public'`;
  return rows.length;
}

function regulars(args: string[], url: string) {
  const child = spawn('node', ['dist/cli/regulars.js', ...args], { env: { ...process.env, DATABASE_URL: url } });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return once(child, 'close').then(([code]) => ({ code: code as number, output }));
}

describe('migrations', () => {
  it('are numbered without a gap', () => {
    expect(knownMigrations().map((one) => one.version)).toEqual(Array.from({ length: version }, (_, n) => n + 1));
  });

  it('run once if several processes start at the same time', async () => {
    const database = await createDatabase('empty');
    const runs = await Promise.all(Array.from({ length: 4 }, () => regulars(['migrate', '--json'], database.url)));
    expect(runs.map((run) => run.code)).toEqual([0, 0, 0, 0]);
    const applied = runs.map((run) => JSON.parse(run.output) as { applied: string[]; version: number });
    expect(applied.flatMap((run) => run.applied)).toEqual(knownMigrations().map((one) => one.name));
    expect(applied.map((run) => run.version)).toEqual([version, version, version, version]);
    expect((await regulars(['migrate'], database.url)).output).toContain('Nothing to do');
  });

  it('leave a database that is newer than the code unchanged', async () => {
    const database = await createDatabase();
    const sql = await superuser(database);
    await sql`insert into schema_migrations (version, name) values (${version + 1}, 'from the future')`;
    const before = await tables(database);
    await expect(migrate({ url: database.url })).rejects.toThrow(/newer than this Regulars.*Nothing was changed/);
    const start = await regulars(['start'], database.url);
    expect(start).toMatchObject({
      code: 1,
      output: expect.stringContaining('The database is newer than this Regulars'),
    });
    expect(await tables(database)).toBe(before);
  });

  it('that earlier code works with do not stop it; others do', async () => {
    const database = await createDatabase();
    const run = await connectTo(database.url);
    const accepts = async (name: string) => {
      await run`insert into schema_migrations (version, name) values (${version + 1}, ${name})`;
      const results = await Promise.allSettled([migrate({ url: database.url }), mustBeMigrated(run)]);
      await run`delete from schema_migrations where version > ${version}`;
      return results.map(({ status }) => status === 'fulfilled');
    };
    const since = (code: number) => String(code).padStart(4, '0');
    expect(await accepts('9999_later.expand.sql')).toEqual([true, true]);
    expect(await accepts(`9999_later.contract-${since(version)}.sql`)).toEqual([true, true]);
    expect(await accepts(`9999_later.contract-${since(version + 1)}.sql`)).toEqual([false, false]);
    expect(await accepts('9999_later.sql')).toEqual([false, false]);
    expect(await accepts('9999_expand.sql')).toEqual([false, false]);
  });

  it('that run beside earlier code wait for a lock in short turns, so that requests do not wait for long', async () => {
    const database = await createDatabase('empty');
    const first = { version: 1, name: '0001_first.sql', sql: 'create table busy (id int)' };
    const second = { version: 2, name: '0002_second.expand.sql', sql: 'alter table busy add column more int' };
    await migrate({ url: database.url }, false, [first]);
    const [backup, requests] = [await connectTo(database.url), await connectTo(database.url)];
    await backup`begin`;
    await backup`select from busy`;
    let isMigrated = false;
    const migrated = migrate({ url: database.url }, false, [first, second]).then(() => {
      isMigrated = true;
    });
    let longestMs = 0;
    for (const end = Date.now() + 5000; Date.now() < end; await pause(20)) {
      const begin = Date.now();
      await requests`insert into busy (id) values (1)`;
      longestMs = Math.max(longestMs, Date.now() - begin);
    }
    expect(isMigrated).toBe(false);
    // It did wait in the way of requests, and gave up.
    expect(longestMs).toBeGreaterThan(500);
    expect(longestMs).toBeLessThan(4500);
    await backup`commit`;
    await migrated;
  });

  it('that run beside earlier code try again after a deadlock with a request', async () => {
    const database = await createDatabase('empty');
    const first = { version: 1, name: '0001_first.sql', sql: 'create table a (id int); create table b (id int)' };
    const second = {
      ...{ version: 2, name: '0002_second.expand.sql' },
      sql: 'alter table a add column more int; alter table b add column more int',
    };
    await migrate({ url: database.url }, false, [first]);
    const request = await superuser(database);
    const observer = await superuser(database);
    // PostgreSQL ends the migration, not the request.
    await request`set deadlock_timeout = '1h'`;
    await request`begin`;
    await request`select from b`;
    const migrated = migrate({ url: database.url }, false, [first, second]);
    await expect.poll(() => countLockWaits([observer]), { interval: 5 }).toBe(1);
    await request`select from a`;
    await request`commit`;
    expect((await migrated).applied).toEqual([second.name]);
  });

  it('roll back the one that fails, and keep those before it', async () => {
    const database = await createDatabase('empty');
    const broken = [
      { version: 1, name: '0001_fine.sql', sql: 'create table fine (id int)' },
      { version: 2, name: '0002_broken.sql', sql: 'create table half (id int); select 1/0' },
    ];
    await expect(migrate({ url: database.url }, false, broken)).rejects.toThrow(/division by zero/);
    const sql = await superuser(database);
    const names = await sql<{
      tablename: string;
    }>`select tablename from pg_tables where schemaname = 'public' order by 1`;
    expect(names.map((row) => row.tablename)).toEqual(['fine', 'schema_migrations']);
    await expect(migrate({ url: database.url }, false, broken.slice(0, 1))).resolves.toEqual({
      applied: [],
      version: 1,
    });
  });

  it('report what is wrong with a foreign database', async () => {
    const [foreign, other] = [await createDatabase('empty'), await createDatabase('empty')];
    await (await superuser(foreign))`create table users (id int)`;
    await expect(migrate({ url: foreign.url })).rejects.toThrow(
      /holds something else already: .*Give Regulars a database of its own/,
    );
    await (await superuser(other))`alter schema public owner to postgres`;
    await expect(migrate({ url: other.url })).rejects.toThrow(/permission denied .*must own its database/);
  });

  it('are applied by the service and `regulars migrate`; other commands migrate only a new database', async () => {
    const database = await createDatabase('empty');
    const first = [{ version: 1, name: '0001_first.sql', sql: 'create table first (id int)' }];
    const second = [...first, { version: 2, name: '0002_second.sql', sql: 'create table second (id int)' }];
    expect((await migrate({ url: database.url }, true, first)).applied).toEqual(['0001_first.sql']);
    await expect(migrate({ url: database.url }, true, second)).rejects.toThrow(
      /waits for 1 migration.*regulars migrate/,
    );
    expect((await migrate({ url: database.url }, false, second)).applied).toEqual(['0002_second.sql']);
  });

  it('combine the codes of a group that differ only by case, and keep the assigned one', async () => {
    const database = await createDatabase('empty');
    await migrate({ url: database.url }, false, knownMigrations().slice(0, 3));
    const sql = await superuser(database);
    await sql`insert into accounts (id, name, root_unit_id) values (1, 'Harbour', 1)`;
    await sql`insert into units (account_id, id, name, is_root) values (1, 1, 'Harbour', true)`;
    await sql`insert into contacts (account_id, id) values (1, 7)`;
    await sql`insert into unique_code_groups (account_id, id, unit_id, name) values (1, 1, 1, 'a'), (1, 2, 1, 'b')`;
    await sql`
      insert into unique_codes (account_id, group_id, unique_code, contact_id)
      values (1, 1, 'abc', null), (1, 1, 'ABC', 7), (1, 1, 'x', null), (1, 1, 'X', null), (1, 2, 'aBc', null), (1, 2, '01', null)`;
    await migrate({ url: database.url });
    const rows =
      await sql`select group_id, unique_code, contact_id, assigned_at is not null as dated from unique_codes order by id`;
    expect([...rows]).toEqual([
      { group_id: 1, unique_code: 'ABC', contact_id: 7, dated: true },
      { group_id: 1, unique_code: 'x', contact_id: null, dated: false },
      { group_id: 2, unique_code: 'aBc', contact_id: null, dated: false },
      { group_id: 2, unique_code: '01', contact_id: null, dated: false },
    ]);
  });

  it('keep idempotency records by a hash of the key, and the newest 50,000 learnt domains', async () => {
    const database = await createDatabase('empty');
    const before = knownMigrations().filter(({ version }) => version < 12);
    await migrate({ url: database.url }, false, before);
    const sql = await superuser(database);
    await sql`insert into accounts (id, name, root_unit_id) values (1, 'One', 1), (2, 'Two', 1)`;
    await sql`
      insert into kept_answers (account_id, key, fingerprint, discarded_fields) values (1, 'ana@gmail.com', '', '[]'), (2, 'b', '', '[]')`;
    await sql`
      insert into email_domains (domain, takes_mail, checked_at)
      select format('d%s.example', n), true, now() - make_interval(secs => n) from generate_series(1, 50010) as n`;
    await sql`
      insert into email_domains (domain, takes_mail, vouched_for) values
        ('learnt-no.example', false, false), ('refused.example', false, true), ('vouched.example', true, true)`;
    await migrate({ url: database.url });
    const sha = (key: string) => createHash('sha256').update(key).digest('hex');
    const kept = await sql<{ key: string }>`select key from idempotency_records order by account_id`;
    expect(kept.map(({ key }) => key)).toEqual([sha('ana@gmail.com'), sha('b')]);
    const [left] = await sql`
      select count(*) filter (where not vouched_for) as learnt, count(*) filter (where vouched_for) as vouched,
        count(*) filter (where domain in ('learnt-no.example', 'd50001.example')) as gone from email_domains`;
    expect(left).toEqual({ learnt: 50_000, vouched: 2, gone: 0 });
  });

  it('translate sentences of the audit trail, the merges and the possible duplicates into codes, in every account', async () => {
    const database = await createDatabase('empty');
    await migrate(
      { url: database.url },
      false,
      knownMigrations().filter(({ version }) => version < 14),
    );
    const sql = await superuser(database);
    await sql`
      insert into accounts (id, name, root_unit_id, deleted_at) values (1, 'One', 1, null), (2, 'Deleted', 1, now())`;
    await sql`insert into contacts (account_id, id) values (1, 7), (1, 8), (2, 9), (2, 10)`;
    await sql`
      insert into merges (account_id, id, contact_id, into_contact_id, reason, actor) values
        (1, 1, 7, 8, 'same mobile number', 'token 1'), (2, 2, 9, 10, 'by hand', 'jo@example.com')`;
    await sql`
      insert into possible_duplicates (account_id, contact_id, other_contact_id, reason) values
        (1, 7, 8, 'same mobile number'), (2, 9, 10, 'by hand')`;
    const sentences = [
      ['Create a unit', '{name}'],
      ['Change one’s password', '{current_password,new_password}'],
      ['regulars account rename', '{}'],
      ['regulars booking-source rename', '{name}'],
      ['regulars voucher import', '{}'],
      ['A text that was never ours', '{name}'],
    ];
    for (const [action, fields] of sentences)
      await sql`
        insert into audit_trail (actor, action, ids, fields) values ('sam', ${action}, '{}', ${fields}::text[])`;
    await migrate({ url: database.url });
    const events = await sql`select action, fields from audit_trail order by id`;
    expect([...events]).toEqual([
      { action: 'unit.create', fields: ['name'] },
      { action: 'user.change_password', fields: ['current_password', 'new_password'] },
      { action: 'account.update', fields: ['name'] },
      { action: 'booking_source.update', fields: ['name'] },
      { action: 'unique_code.create', fields: ['file'] },
      { action: 'A text that was never ours', fields: ['name'] },
    ]);
    for (const table of ['merges', 'possible_duplicates']) {
      const rows = await sql<{ reason: string }>`select reason from ${raw(table)} order by id`;
      expect(rows.map(({ reason }) => reason)).toEqual(['same_mobile', 'staff']);
    }
    const run = await connectTo(database.url);
    await expect(run`update audit_trail set action = ''`).rejects.toThrow('append-only');
    await run`set app.account_id = 1`;
    await expect(run`update merges set reason = ''`).rejects.toThrow('append-only');
    expect(await run`select from possible_duplicates`).toHaveLength(1);
  });
});
