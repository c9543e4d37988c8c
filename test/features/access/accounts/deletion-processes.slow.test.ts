import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockClass } from '../../../../src/platform/db/migrate.ts';
import { connectTo, createDatabase, superuser } from '../../../support/database.ts';
import { endAfterwards, temporaryFolder } from '../../../support/leftovers.ts';
import { regulars, start } from '../../../support/process.ts';

const guests = 6000;

/** A database with an account of some thousands of guests, and one that stays. */
async function place() {
  const { url, ...database } = await createDatabase();
  const sql = await superuser({ url, ...database });
  await sql`insert into accounts (id, name, root_unit_id) values (1, 'Gone', 1), (2, 'Staying', 2)`;
  await sql`insert into units (account_id, id, name, is_root) values (1, 1, 'Gone', true), (2, 2, 'Staying', true)`;
  await sql`insert into contacts (account_id, id) select 1, n from generate_series(1, ${guests}) n`;
  const left = async () =>
    Number((await sql<{ n: number }>`select count(*) as n from contacts where account_id = 1`)[0]?.n);
  const isGone = async () => (await sql`select from accounts where id = 1`).length === 0;
  /** Waits until some guests are deleted, then keeps every process from deleting more. */
  async function pauseDeletion() {
    await expect.poll(left).toBeLessThan(guests);
    const holder = await connectTo(url);
    await holder`select pg_advisory_lock(${lockClass}, 4)`;
    expect(await left()).toBeGreaterThan(0);
    return () => holder.end();
  }
  return { env: { DATABASE_URL: url }, sql, left, isGone, halt: pauseDeletion };
}

function deleting(env: Record<string, string>) {
  const child = spawn('node', ['dist/cli/regulars.js', 'account', 'delete', '1', '--yes'], {
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  endAfterwards(child);
  let told = '';
  child.stderr.on('data', (chunk) => (told += chunk));
  return { child, ended: once(child, 'close').then(([code]) => ({ code, told })) };
}

describe('regulars account delete', () => {
  it('deletes everything itself if no service is running, and reports progress', async () => {
    const { env, isGone, sql } = await place();
    const { code, stdout, stderr } = await regulars(['account', 'delete', '1', '--yes'], env);
    expect([code, stdout]).toEqual([0, 'The account 1 is deleted.\n']);
    expect(stderr).toMatch(/100 %: 6,\d{3} of 6,\d{3} rows\n$/);
    expect(await isGone()).toBe(true);
    const trail = await sql<{ action: string }>`select action from audit_trail order by id desc limit 1`;
    expect(trail[0]?.action).toBe('account.delete');
  });

  it('leaves the remaining rows to the service when it is interrupted', async () => {
    const { env, isGone, halt } = await place();
    const { child, ended } = deleting(env);
    const resume = await halt();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 130,
      told: expect.stringContaining('Interrupted: the account is deleted'),
    });
    expect(await isGone()).toBe(false);
    expect((await regulars(['account', 'list', '--json'], env)).stdout).not.toContain('Gone');
    expect((await regulars(['unit', 'list', '--account', '1'], env)).stderr).toBe('There is no such account.\n');
    await resume();
    const service = await start({ env });
    await expect.poll(isGone).toBe(true);
    expect(await service.stop()).toBe(0);
  });
});

describe('the service', () => {
  it('responds at once, stops during the deletion, and continues after a restart or a kill', async () => {
    const { env, isGone, halt, left } = await place();
    const first = await start({ env });
    expect((await first.admin('DELETE', '/accounts/1')).status).toBe(204);
    expect(await left()).toBeGreaterThan(0);
    const resume = await halt();
    expect(await first.stop()).toBe(0);
    const second = await start({ env });
    expect((await second.admin('GET', '/accounts/1')).status).toBe(404);
    await second.stop('SIGKILL');
    await resume();
    expect(await isGone()).toBe(false);
    const third = await start({ env });
    await expect.poll(isGone).toBe(true);
    expect((await third.admin('GET', '/accounts/2')).status).toBe(200);
    expect(await third.stop()).toBe(0);
  });

  it('completes the deletion of an account that was marked when the backup was taken', async () => {
    const { env, halt } = await place();
    const { child, ended } = deleting(env);
    const resume = await halt();
    const file = join(temporaryFolder(), 'backup.gz');
    expect(await regulars(['backup', file], env)).toMatchObject({ code: 0 });
    child.kill('SIGINT');
    await ended;
    await resume();
    const { url, ...copy } = await createDatabase('empty');
    const there = { DATABASE_URL: url };
    expect(await regulars(['restore', file], there)).toMatchObject({ code: 0 });
    const sql = await superuser({ url, ...copy });
    expect([...(await sql`select id, deleted_at is not null as deleted from accounts order by id`)]).toEqual([
      { id: 1, deleted: true },
      { id: 2, deleted: false },
    ]);
    expect([...(await sql`select task_identifier as task from graphile_worker.jobs`)]).toEqual([
      { task: 'delete_account_rows' },
    ]);
    const list = await regulars(['account', 'list', '--json'], there);
    expect(JSON.parse(list.stdout).data).toMatchObject([{ id: 2 }]);
    const service = await start({ env: there });
    await expect.poll(() => sql`select from contacts where account_id = 1`).toHaveLength(0);
    await expect.poll(() => sql`select from accounts where id = 1`).toHaveLength(0);
    expect((await service.admin('GET', '/accounts/2')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});
