import { describe, expect, inject, it, vi } from 'vitest';
import type { Tx } from '../../../src/platform/db/database.ts';
import { raw } from '../../../src/platform/db/sql.ts';
import { present } from '../../../src/shared/present.ts';
import { testApp } from '../../support/app.ts';
import { connectTo, everyNode, isDistributed, superuser } from '../../support/database.ts';
import { createFullAccount } from '../../support/full-account.ts';

/** Every table that may be seen from all accounts, and why. A table that is not here must keep accounts apart. */
const directory: Record<string, string> = {
  accounts: 'the accounts themselves',
  users: 'a user may belong to several accounts',
  user_accounts: 'says which',
  schema_migrations: 'the state of the schema',
  sessions: 'a user’s, in whichever accounts',
  audit_trail: 'also what concerns no account; ids and names of venues and lists, nothing about guests',
  figure_checks: 'how many contacts were checked and repaired, of all accounts',
  email_domains: 'what DNS said of domains; nothing about anybody’s guests',
};

const app = await testApp();
const { db, database } = app;
const sql = await superuser(database);

const catalogue = await sql<{
  name: string;
  enabled: boolean;
  forced: boolean;
  policies: string[];
  has_account: boolean;
  owner: string;
}>`
  select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced, pg_get_userbyid(c.relowner) as owner,
    array(select pg_get_expr(polqual, polrelid) from pg_policy where polrelid = c.oid and polcmd = '*' and polpermissive) as policies,
    exists (select from pg_attribute where attrelid = c.oid and attname = 'account_id' and attnotnull) as has_account
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  order by 1`;
const tenantTables = catalogue.filter((table) => !(table.name in directory));

describe('the catalogue', () => {
  it('has the expected tables, and the role of the service cannot bypass their policies', async () => {
    expect(tenantTables.map((table) => table.name)).toContain('units');
    for (const name of Object.keys(directory)) expect(catalogue.map((table) => table.name)).toContain(name);
    const [role] = await db.transaction(
      (tx) => tx`select rolsuper, rolbypassrls from pg_roles where rolname = current_user`,
    );
    expect(role).toEqual({ rolsuper: false, rolbypassrls: false });
  });
  it.each(tenantTables)('has forced row-level security with one policy on $name', (table) => {
    expect(table).toMatchObject({
      enabled: true,
      forced: true,
      has_account: true,
      policies: ['(account_id = current_account_id())'],
    });
  });
  it.each(tenantTables)('has account_id first in every key of $name', async ({ name }) => {
    const keys = await sql<{ definition: string }>`
      select pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = ${name}::regclass and contype in ('p', 'u')
      union all select pg_get_indexdef(indexrelid) from pg_index where indrelid = ${name}::regclass and indisunique`;
    expect(keys.length).toBeGreaterThan(0);
    for (const { definition } of keys) expect(definition).toMatch(/\(account_id[,)]/);
    const foreign = await sql<{ definition: string }>`
      select pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = ${name}::regclass and contype = 'f'`;
    for (const { definition } of foreign) expect(definition).toMatch(/\(account_id[,)]|REFERENCES users/);
  });
});

describe('a statement in the scope of another account', async () => {
  const [ours, theirs] = [
    (await createFullAccount(app, sql, 'Ours')).ids,
    (await createFullAccount(app, sql, 'Theirs')).ids,
  ];
  // The request log is written a moment after the answer.
  await vi.waitFor(async () => expect(await sql`select from request_log`).toHaveLength(12), { timeout: 120_000 });

  const tenant = <T>(work: (tx: Tx) => Promise<T>) => db.tenant(ours.account_id, work);
  const snapshot = (name: string) =>
    sql`select * from ${raw(name)} as r where account_id = ${theirs.account_id} order by r::text`;
  const appendOnly = ['consent_ledger', 'merges'];
  // A distributed server refuses before row-level security does.
  const notMoved = (name: string) => {
    if (isDistributed()) return /modifying the partition value/;
    return appendOnly.includes(name) ? /append-only/ : /row-level security/;
  };

  it.each(tenantTables)('finds and changes no row in $name', async ({ name }) => {
    const before = await snapshot(name);
    expect(before.length, `${name} has rows to attack: give it some in test/support/full-account.ts`).toBeGreaterThan(
      0,
    );

    const seen = await tenant((tx) => tx<{ account_id: number }>`select account_id from ${raw(name)}`);
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen.map((row) => row.account_id))).toEqual(new Set([ours.account_id]));
    expect(await tenant((tx) => tx`select from ${raw(name)} where account_id = ${theirs.account_id}`)).toHaveLength(0);

    const updated = await tenant(
      (tx) => tx`update ${raw(name)} set account_id = account_id where account_id = ${theirs.account_id}`,
    );
    expect(updated.count).toBe(0);
    const deleted = await tenant((tx) => tx`delete from ${raw(name)} where account_id = ${theirs.account_id}`);
    expect(deleted.count).toBe(0);

    const [row] = before;
    // Those that PostgreSQL fills by itself can't be given.
    const columns = raw(
      (
        await sql<{ list: string }>`
          select string_agg(quote_ident(column_name), ', ') as list from information_schema.columns
          where table_schema = 'public' and table_name = ${name} and is_generated = 'NEVER'`
      )[0]?.list ?? '',
    );
    await expect(
      tenant(
        (tx) =>
          tx`insert into ${raw(name)} (${columns}) select ${columns} from jsonb_populate_record(null::${raw(name)}, ${JSON.stringify({ ...row, id: 999_999 })}::jsonb)`,
      ),
    ).rejects.toThrow(/row-level security/);
    const moved = tenant((tx) => tx`update ${raw(name)} set account_id = ${theirs.account_id}`);
    await expect(moved).rejects.toThrow(notMoved(name));
    expect(await snapshot(name)).toEqual(before);
  });

  it.runIf(isDistributed())('finds no row of it on any shard, by a direct connection to a worker', async () => {
    let shards = 0;
    const [, ...workers] = await everyNode(database);
    for (const [index, url] of inject('workerUrls').entries()) {
      const names = await present(workers[index], 'worker')<{ name: string }>`
        select relname::text as name from pg_class where relkind = 'r' and relname ~ ${`^(${tenantTables.map(({ name }) => name).join('|')})_[0-9]+$`}`;
      const worker = await connectTo(`${url.replace(/\/\/postgres:[^@]*@/, '//regulars@')}/${database.name}`);
      for (const { name } of names) {
        await worker`set app.account_id = ''`;
        expect(await worker`select from ${raw(name)}`, name).toHaveLength(0);
        await worker`set app.account_id = ${raw(String(ours.account_id))}`;
        expect(await worker`select from ${raw(name)} where account_id <> ${ours.account_id}`, name).toHaveLength(0);
        shards++;
      }
      const seen = await worker`select from ${raw(names.find(({ name }) => name.startsWith('units_'))?.name ?? '')}`;
      expect(seen.length).toBeLessThan(3);
    }
    // Each table has four shards.
    expect(shards).toBe(4 * tenantTables.length);
  });

  it.each(tenantTables)('finds no row in $name outside an account', async ({ name }) => {
    expect(await db.transaction((tx) => tx`select from ${raw(name)}`)).toHaveLength(0);
    // Also on a connection on which an account was entered before.
    await Promise.all(Array.from({ length: 10 }, () => tenant((tx) => tx`select 1`)));
    const left = await Promise.all(
      Array.from({ length: 10 }, () => db.transaction((tx) => tx`select from ${raw(name)}`)),
    );
    expect(left.flat()).toHaveLength(0);
  });
});
