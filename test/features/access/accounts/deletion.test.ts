import { describe, expect, it } from 'vitest';
import {
  deleteAccountRows,
  finishDeletion,
  removeAccount,
  resumeDeletions,
} from '../../../../src/features/access/accounts/delete.ts';
import { deleteAccountTask } from '../../../../src/features/access/accounts/schema.ts';
import { claimEmptyDirectory, holdAccount, nextAccountIds } from '../../../../src/features/access/accounts/store.ts';
import { RequestRecorder } from '../../../../src/features/access/requests/recorder.ts';
import { countWaitingInAllAccounts } from '../../../../src/features/activity/purchases/read.ts';
import { recheckDomainTask } from '../../../../src/features/guests/domains/schema.ts';
import { enqueueRechecks } from '../../../../src/features/guests/domains/store.ts';
import { type Database, enterAccount, type Tx } from '../../../../src/platform/db/database.ts';
import { tenantTables } from '../../../../src/platform/db/deletion.ts';
import { raw } from '../../../../src/platform/db/sql.ts';
import { adminToken, testApp } from '../../../support/app.ts';
import { countLockWaits, everyNode, isDistributed, superuser } from '../../../support/database.ts';
import { createFullAccount } from '../../../support/full-account.ts';
import { latch } from '../../../support/latch.ts';
import { signedIn } from '../../../support/staff.ts';

const app = await testApp();
const { admin, call, account, db, database } = app;
const sql = await superuser(database);
const mark = (id: number) => db.transaction((tx) => removeAccount(tx, id));
const units = '/v1/account/units';

/** The remaining rows of the account in each table with an account_id. */
async function rowsOf(id: number): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c join pg_attribute on attrelid = c.oid and attname = 'account_id'
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'audit_trail'`;
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ n: number }>`select count(*) as n from ${raw(name)} where account_id = ${id}`;
    if (row && row.n > 0) rows[name] = row.n;
  }
  return rows;
}
const exists = async (id: number) => (await sql`select from accounts where id = ${id}`).length > 0;

/** An account with rows in every table, and some thousands in those that grow. */
async function large(word: string) {
  const { ids, token } = await createFullAccount(app, sql, word);
  const id = ids.account_id;
  await sql`insert into contacts (account_id, id, source_id) select ${id}, 1000000 + n, ${ids.source_id} from generate_series(1, 2500) n`;
  // Some were merged, and some of these merges undone.
  await sql`
    insert into contacts (account_id, id, merged_into) select ${id}, 500000 + n, 1000000 + n % 400 + 1 from generate_series(1, 700) n`;
  await sql`
    insert into merges (account_id, id, contact_id, into_contact_id, reason, actor)
    select ${id}, 1000000 + n, 500000 + n, 1000000 + n % 400 + 1, 'test', 'test' from generate_series(1, 700) n`;
  await sql`
    insert into merges (account_id, id, undoes, contact_id, into_contact_id, reason, actor)
    select ${id}, 500000 + n, 1000000 + n, 500000 + n, 1000000 + n % 400 + 1, 'test', 'test' from generate_series(1, 700) n`;
  await sql`
    insert into identities (account_id, kind, value, contact_id)
    select ${id}, 'email', 'guest' || n || '@gmail.com', 1000000 + n from generate_series(1, 2500) n`;
  // All of one guest.
  await sql`
    insert into consent_ledger (account_id, contact_id, channel, from_given, to_given, applied)
    select ${id}, 1000001, 'sms', false, true, true from generate_series(1, 3000) n`;
  await sql`
    insert into purchases (account_id, contact_id, unit_id, transaction_reference, order_type_id, created_at, lines)
    select ${id}, 1000001, ${ids.unit_id}, 'many ' || n, 1, now(), '[]' from generate_series(1, 2500) n`;
  await sql`
    insert into contact_units (account_id, contact_id, unit_id) select ${id}, 1000000 + n, ${ids.unit_id} from generate_series(1, 2500) n`;
  return { id, token, ids };
}

/** Notes how many rows each transaction deletes from the accounts' tables. */
async function watchDeletions() {
  await sql`create schema if not exists watch`;
  await sql`create table if not exists watch.deleted (at xid8 not null default pg_current_xact_id(), name text, n bigint)`;
  await sql`create or replace function watch.note() returns trigger language plpgsql security definer as $$
    begin insert into watch.deleted (name, n) select tg_table_name, count(*) from gone; return null; end $$`;
  for (const { name } of await db.transaction(tenantTables))
    await sql`create or replace trigger watch after delete on ${raw(name)} referencing old table as gone
      for each statement execute function watch.note()`;
  return async () => {
    const rows = await sql<{ n: number; tables: number }>`
      select sum(n) as n, count(distinct name) filter (where n > 0) as tables from watch.deleted group by at having sum(n) > 0`;
    await sql`drop schema watch cascade`;
    return rows.map(({ n, tables }) => ({ n: Number(n), tables }));
  };
}

/** The database, with something done before each transaction in an account. */
const before = (work: () => void): Database => ({
  ...db,
  tenant: async (accountId, run) => {
    work();
    return db.tenant(accountId, run);
  },
});

describe('a deleted account', () => {
  it('is inaccessible everywhere at once, before its rows are deleted', async () => {
    const [gone, stays] = [await createFullAccount(app, sql, 'Gone'), await account('Staying')];
    const id = gone.ids.account_id;
    const staff = await signedIn(app, 'staff', [id, stays.id]);
    const { body: reaching } = await admin('POST', `/accounts/${stays.id}/tokens`, { name: 'both', user_id: staff.id });
    const waiting = async () => (await countWaitingInAllAccounts(db)).membership_number;
    expect(await waiting()).toBe(1);
    const had = await rowsOf(id);

    expect((await admin('DELETE', `/accounts/${id}`)).status).toBe(204);
    const { request_log: _, ...left } = await rowsOf(id);
    const { request_log: __, ...all } = had;
    expect(left).toEqual(all);

    expect((await admin('GET', '/accounts')).body.data.map((one: { id: number }) => one.id)).not.toContain(id);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['GET', '/units', undefined],
      ['GET', '/overview', undefined],
      ['GET', '/contacts', undefined],
      ['POST', '/tokens', { name: 'x' }],
    ] as const)
      expect((await admin(method, `/accounts/${id}${path}`, body)).status, `${method} ${path}`).toBe(404);
    expect((await call('GET', units, { token: gone.token })).status).toBe(401);
    expect((await call('POST', '/v1/contact', { token: gone.token, body: { email: 'x@gmail.com' } })).status).toBe(401);
    const other = await call('GET', units, { token: reaching.token, query: { account_id: String(id) } });
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ['account_id']]);
    expect((await call('GET', units, { token: reaching.token })).status).toBe(200);
    expect((await admin('GET', `/users/${staff.id}`)).body.account_ids).toEqual([stays.id]);
    const session = await staff.call('GET', '/session');
    expect(session.body.accounts.map((one: { id: number }) => one.id)).toEqual([stays.id]);
    expect((await staff.call('GET', `/accounts/${id}/units`)).status).toBe(404);
    const granted = await admin('PATCH', `/users/${staff.id}`, { account_ids: [id] });
    expect(Object.keys(granted.body.errors)).toEqual(['account_ids.0']);
    expect(await waiting()).toBe(0);
    expect(await db.transaction((tx) => nextAccountIds(tx, 0, 1000))).not.toContain(id);
    expect(await db.tenant(id, (tx) => holdAccount(tx, id))).toBeUndefined();

    const trail = await call('GET', '/admin/v1/audit', { token: adminToken, query: { account_id: String(id) } });
    expect(trail.body.data[0]).toMatchObject({ action: 'account.delete', subject: 'The Gone Group' });
    await finishDeletion(db, id);
    expect(await rowsOf(id)).toEqual({});
    expect(await exists(id)).toBe(false);
  });

  it('is rejected within 100 ms by a process that has just cached its token', async () => {
    const { id, token } = await account();
    expect((await call('GET', units, { token })).status).toBe(200);
    // Behind the back of the app, as by another process.
    await mark(id);
    await expect.poll(async () => (await call('GET', units, { token })).status, { interval: 10 }).toBe(401);
  });

  it('does not count as an existing account at the first start', async () => {
    const empty = await testApp();
    const only = await empty.account();
    const isEmpty = () => empty.db.transaction(claimEmptyDirectory);
    expect(await isEmpty()).toBe(false);
    await empty.admin('DELETE', `/accounts/${only.id}`);
    expect(await isEmpty()).toBe(true);
  });

  it('does not remove request log entries of other accounts', async () => {
    const [gone, stays] = [await account(), await account()];
    const entry = {
      ...{ request_id: 'deleted-1', method: 'GET', route: '/', status: 200, duration_ms: 1, at: new Date() },
      ...{ address: null, error_fields: [], discarded_fields: [] },
    };
    const dropped: number[] = [];
    const failed: unknown[] = [];
    const recorder = new RequestRecorder(db, {
      ...{ batch: () => {}, dropped: (n) => dropped.push(n), failed: (error) => failed.push(error) },
    });
    await mark(gone.id);
    recorder.record(gone.id, { ...entry, token_id: gone.token_id });
    recorder.record(stays.id, { ...entry, token_id: stays.token_id });
    await recorder.close();
    const rows = await sql<{ account_id: number }>`
      select account_id from request_log where request_id = 'deleted-1'`;
    expect([rows.map((row) => row.account_id), dropped, failed]).toEqual([[stays.id], [], []]);
  });
});

describe('the rows of a deleted account', () => {
  it('are found through the catalogue: every tenant table, referencing tables first', async () => {
    const tables = (await db.transaction(tenantTables)).map(({ name }) => name);
    const all = await sql<{ name: string }>`
      select relname::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity and relname not in ('accounts', 'user_accounts')`;
    expect([...tables].sort()).toEqual(all.map(({ name }) => name).sort());
    expect(tables.indexOf('unique_codes')).toBeLessThan(tables.indexOf('contacts'));
    expect(tables.indexOf('contacts')).toBeLessThan(tables.indexOf('sources'));
  });

  // A distributed server has no such triggers.
  it.skipIf(isDistributed())(
    'are deleted in small transactions over one connection while other requests are served',
    async () => {
      const [{ id }, other] = [await large('Busy'), await account()];
      await mark(id);
      const deletions = await watchDeletions();
      let [open, most, batches] = [0, 0, 0];
      const counting: Database = {
        ...db,
        tenant: async (accountId, work) => {
          most = Math.max(most, ++open);
          return db.tenant(accountId, work).finally(() => open--);
        },
      };
      const deleting = finishDeletion(counting, id, { batch: 500, onBatch: () => batches++ });
      let isDone = false;
      void deleting.finally(() => {
        isDone = true;
      });
      const statuses = new Set<number>();
      for (let n = 0; !isDone; n++) {
        const body = { email: `served${n}@gmail.com` };
        statuses.add((await call('POST', '/v1/contact', { token: other.token, body })).status);
      }
      expect(await deleting).toBe(true);
      expect([...statuses]).toEqual([200]);
      expect(most).toBe(1);
      const each = await deletions();
      expect(each.length).toBe(batches);
      expect(batches).toBeGreaterThan(30);
      expect(Math.max(...each.map(({ n }) => n))).toBe(500);
      // No deletion cascades: each transaction changes one table.
      expect(Math.max(...each.map(({ tables }) => tables))).toBe(1);
      expect(await rowsOf(id)).toEqual({});
      expect(await exists(id)).toBe(false);
      expect((await call('GET', units, { token: other.token })).status).toBe(200);
    },
  );

  it('are deleted completely after any number of interruptions and failures', async () => {
    const { id } = await large('Broken');
    await mark(id);
    let rounds = 0;
    for (let isDone = false; !isDone; rounds++) {
      const stopping = new AbortController();
      let batches = 0;
      if (rounds % 2 === 0)
        isDone = await finishDeletion(db, id, {
          ...{ batch: 700, signal: stopping.signal },
          onBatch: () => ++batches === 6 && stopping.abort(),
        });
      else {
        const failing = before(() => {
          if (++batches === 12) throw Object.assign(new Error('cut'), { code: 'ECONNRESET' });
        });
        isDone = await finishDeletion(failing, id, { batch: 700 }).catch((error: Error) => {
          expect(error.message).toBe('cut');
          return false;
        });
      }
      if (!isDone) expect(await exists(id)).toBe(true);
    }
    expect(rounds).toBeGreaterThan(3);
    expect(await rowsOf(id)).toEqual({});
    expect(await exists(id)).toBe(false);
    // Once more is nothing to do.
    expect(await finishDeletion(db, id)).toBe(true);
  });

  it('can be deleted by several jobs at once, of the same account and of others', async () => {
    const all = [await large('First'), await large('Second')];
    for (const { id } of all) await mark(id);
    const work = (id: number) => finishDeletion(db, id, { batch: 800 });
    expect(await Promise.all(all.flatMap(({ id }) => [work(id), work(id)]))).toEqual([true, true, true, true]);
    for (const { id } of all) expect([await rowsOf(id), await exists(id)]).toEqual([{}, false]);
  });

  it('include those of a write that began before the deletion', async () => {
    const { id } = await account();
    const [begun, finished] = [latch(), latch()];
    const writing = db.tenant(id, async (tx: Tx) => {
      expect(await holdAccount(tx, id)).toBeDefined();
      begun.open();
      await finished.opened;
      await tx`insert into sources (account_id, id, name) values (${id}, 77, 'late')`;
      await tx`insert into contacts (account_id, source_id) values (${id}, 77)`;
      // It completes, because the account existed when it began.
      expect((await tx`select time_zone from accounts where id = ${id}`).length).toBe(1);
    });
    await begun.opened;
    expect((await admin('DELETE', `/accounts/${id}`)).status).toBe(204);
    const deleting = finishDeletion(db, id);
    const nodes = await everyNode(database);
    await expect.poll(() => countLockWaits(nodes)).toBe(1);
    finished.open();
    await writing;
    expect(await deleting).toBe(true);
    expect([await rowsOf(id), await exists(id)]).toEqual([{}, false]);
  });

  it('include the jobs for its contacts’ domains, and no others', async () => {
    const [{ id }, other] = [await account('Jobs'), await account('Other jobs')];
    for (const of of [id, other.id])
      await db.tenant(of, (tx) => enqueueRechecks(tx, of, ['harbour.example', 'anchor.example']));
    const jobs = () => sql<{ key: string }>`
      select key from graphile_worker.jobs where task_identifier = ${recheckDomainTask} order by key`;
    expect(await jobs()).toHaveLength(4);
    await mark(id);
    expect(await finishDeletion(db, id)).toBe(true);
    expect((await jobs()).map(({ key }) => key.split(' ')[1])).toEqual([`${other.id}`, `${other.id}`]);
  });
  it('are kept if the account is not marked as deleted, even if a job exists', async () => {
    const { id } = await account();
    const had = await rowsOf(id);
    await deleteAccountRows(db, { account_id: id }, new AbortController().signal);
    expect(await rowsOf(id)).toEqual(had);
    expect((await admin('GET', `/accounts/${id}`)).status).toBe(200);
  });

  it('get a job in the transaction of the deletion; a stopped or killed job leaves another', async () => {
    const { id } = await account();
    const jobs = () => sql<{ attempts: number; max: number; locked: boolean }>`
      select attempts, max_attempts as max, locked_at is not null as locked from graphile_worker.jobs
      where key = ${`${deleteAccountTask} ${id}`}`;
    const undone = db.transaction(async (tx) => {
      await removeAccount(tx, id);
      throw new Error('not kept');
    });
    await expect(undone).rejects.toThrow('not kept');
    expect([...(await jobs())]).toEqual([]);
    expect((await admin('GET', `/accounts/${id}`)).status).toBe(200);
    await admin('DELETE', `/accounts/${id}`);
    expect([...(await jobs())]).toEqual([{ attempts: 0, max: 25, locked: false }]);

    const lock = () => sql`
      update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed', attempts = 1 where key = ${`${deleteAccountTask} ${id}`}`;
    await lock();
    await deleteAccountRows(db, { account_id: id }, AbortSignal.abort());
    expect([...(await jobs())]).toEqual([{ attempts: 0, max: 25, locked: false }]);
    await lock();
    await db.transaction(resumeDeletions);
    expect([...(await jobs())]).toEqual([{ attempts: 0, max: 25, locked: false }]);
    expect(await exists(id)).toBe(true);
  });
});

describe('app.erasing', () => {
  it('permits DELETE on the consent ledger and the merges, no UPDATE, and nothing on the audit trail', async () => {
    const { ids } = await createFullAccount(app, sql, 'Erasing');
    const attempt = (statement: string) =>
      db.transaction(async (tx) => {
        await enterAccount(tx, ids.account_id);
        await tx`set local app.erasing = 'on'`;
        const { count } = await tx([statement] as unknown as TemplateStringsArray);
        return count;
      });
    for (const statement of [
      'delete from audit_trail',
      'update audit_trail set actor = actor',
      'truncate audit_trail',
      'update consent_ledger set rule = rule',
      'truncate consent_ledger',
      'update merges set actor = actor',
      'truncate merges',
    ])
      await expect(attempt(statement), statement).rejects.toThrow('append-only');
    expect(await attempt('delete from merges')).toBeGreaterThan(0);
    expect(await attempt('delete from consent_ledger')).toBeGreaterThan(0);
  });
});
