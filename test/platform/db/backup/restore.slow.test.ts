import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { knownMigrations, migrate } from '../../../../src/platform/db/migrate.ts';
import { connectTo, createDatabase, superuser } from '../../../support/database.ts';
import { snapshotDatabase } from '../../../support/database-snapshot.ts';
import { temporaryFolder } from '../../../support/leftovers.ts';
import { regulars } from '../../../support/process.ts';
import { newFile, newFolder, onServer, succeed } from './commands.ts';

describe('regulars restore', async () => {
  const source = await createDatabase();
  const file = newFile();
  await regulars(['account', 'create', 'Harbour'], onServer(source));
  await regulars(['user', 'create', 'sam@harbour.example', '--role', 'owner'], onServer(source));
  await succeed(['backup', file], onServer(source));
  const text = gunzipSync(readFileSync(file)).toString();
  const target = await createDatabase('empty');
  const sql = await superuser(target);

  /** Expects that the restore fails with this message and changes nothing. */
  async function refused(content: Buffer | string, sentence: string | RegExp, env = onServer(target)) {
    const bad = newFile();
    writeFileSync(bad, typeof content === 'string' ? gzipSync(content) : content);
    const { code, stdout, stderr } = await regulars(['restore', bad], env);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(sentence)]);
    const tables = await sql`select from pg_class where relnamespace = 'public'::regnamespace`;
    expect(tables).toHaveLength(0);
  }

  it('rejects a file that is damaged or truncated anywhere, and then accepts the complete file', async () => {
    const whole = readFileSync(file);
    for (const share of [0.3, 0.9]) {
      const damaged = Buffer.from(whole);
      const at = Math.floor(whole.length * share);
      damaged[at] = (damaged[at] as number) ^ 0x10;
      await refused(damaged, /can’t be restored: .+\. Nothing was changed\.\n$/);
      await refused(whole.subarray(0, at), /can’t be restored: it is not whole\. Nothing was changed\.\n$/);
    }
    await refused(whole.subarray(0, whole.length - 1), /it is not whole/);
    // Changes that gzip cannot detect.
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

  it('rejects a file of another program or of a later version', async () => {
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
    const missing = await regulars(['restore', join(temporaryFolder(), 'nowhere.gz')], onServer(target));
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/nowhere\.gz can’t be read: ENOENT/)]);
    const dataDir = newFolder();
    const { code } = await regulars(['restore', 'package.json'], { DATA_DIR: dataDir });
    expect([code, existsSync(dataDir)]).toEqual([1, false]);
  });

  it('rejects a database that is not empty, and leaves it unchanged', async () => {
    const own = await superuser(source);
    const before = await snapshotDatabase(own);
    const { code, stderr } = await regulars(['restore', file], onServer(source));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The database is not empty: the table accounts has rows\. Nothing was changed\. .*set DATA_DIR/,
      ),
    ]);
    expect(await snapshotDatabase(own)).toEqual(before);
    // Rows hidden by row-level security count too.
    const hidden = await createDatabase();
    await (await superuser(hidden))`
      insert into request_log (account_id, token_id, at, request_id, method, route, status, duration_ms) values (7, 1, now(), 'x', 'GET', '/', 200, 1)`;
    const other = await regulars(['restore', file], onServer(hidden));
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('the table request_log has rows')]);
    expect(await (await superuser(hidden))`select from request_log`).toHaveLength(1);
  });

  it('accepts a database that is migrated and empty', async () => {
    const migrated = await createDatabase();
    await succeed(['restore', file], onServer(migrated));
    expect(await snapshotDatabase(await superuser(migrated), true)).toEqual(
      await snapshotDatabase(await superuser(source)),
    );
  });

  it('accepts a backup of an earlier version, and migrates it', async () => {
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
    const fresh = await snapshotDatabase(await superuser(await createDatabase()));
    const { schema, triggers, tables } = await snapshotDatabase(restored);
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

describe('a backup from before the actions and reasons were codes', () => {
  it('is restored with codes, and with the table of that time under its present name', async () => {
    const [old, next] = [await createDatabase('empty'), await createDatabase('empty')];
    await migrate({ url: old.url }, false, knownMigrations().slice(0, 13));
    const earlier = await superuser(old);
    await earlier`insert into accounts (id, name, root_unit_id) values (1, 'Harbour', 1)`;
    await earlier`insert into units (account_id, id, name, is_root) values (1, 1, 'Harbour', true)`;
    await earlier`insert into contacts (account_id, id, merged_into) values (1, 7, null), (1, 8, 7), (1, 9, null)`;
    await earlier`
      insert into merges (account_id, contact_id, into_contact_id, reason, actor) values (1, 8, 7, 'same mobile number', 'token 1')`;
    await earlier`
      insert into possible_duplicates (account_id, contact_id, other_contact_id, reason) values (1, 7, 9, 'same mobile number')`;
    await earlier`
      insert into audit_trail (account_id, actor, action, ids, fields) values (1, 'sam', 'Create a unit', '{}', '{name}')`;
    await earlier`
      insert into kept_answers (account_id, key, fingerprint, body, discarded_fields) values (1, 'k', 'f', '{}', '[]')`;
    const oldFile = newFile();
    await succeed(['backup', oldFile], onServer(old));
    await succeed(['restore', oldFile], onServer(next));
    const restored = await superuser(next);
    const [row] = await restored`
      select (select reason from merges) as merge, (select reason from possible_duplicates) as pair,
        (select action from audit_trail order by id limit 1) as action, (select key from idempotency_records) as key`;
    expect(row).toEqual({ merge: 'same_mobile', pair: 'same_mobile', action: 'unit.create', key: 'k' });
    const fresh = await snapshotDatabase(await superuser(await createDatabase()));
    const { schema, triggers } = await snapshotDatabase(restored);
    expect([schema, triggers]).toEqual([fresh.schema, fresh.triggers]);
  });
});

describe('regulars backup', () => {
  it('rejects an empty database, and changes nothing', async () => {
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

  it('reports a file that cannot be written', async () => {
    const database = await createDatabase();
    const { code, stderr } = await regulars(['backup', join(temporaryFolder(), 'nowhere', 'x.gz')], onServer(database));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/x\.gz can’t be written: ENOENT.+\.\n$/)]);
  });
});
