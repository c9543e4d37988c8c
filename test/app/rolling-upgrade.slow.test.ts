import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { knownMigrations } from '../../src/platform/db/migrate.ts';
import { createDatabase, superuser } from '../support/database.ts';
import { temporaryFolder } from '../support/leftovers.ts';
import { clientOf, launch, type Running, start } from '../support/process.ts';
import { shop } from '../support/vouchers.ts';

/** The version that landed before the latest migrations. */
const previous = '5dbf13a';
const hasHistory = spawnSync('git', ['cat-file', '-e', `${previous}^{commit}`]).status === 0;
if (!hasHistory)
  console.error(`\n*** LEFT OUT: the rolling upgrade. The git history does not contain ${previous}. ***\n`);

const linkPackages = (folder: string) => symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));

/** The previous version, compiled from its own sources. */
function buildPrevious(): string {
  const folder = temporaryFolder();
  const files = execFileSync('git', ['archive', previous], { maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', folder], { input: files });
  linkPackages(folder);
  execFileSync(join('node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' });
  // Their build is slow, and they are not part of this test.
  for (const built of ['dashboard', 'reference.js'])
    cpSync(join('dist', built), join(folder, 'dist', built), { recursive: true });
  return folder;
}

/** This version with one more migration. */
function buildNext(name: string, sql: string): string {
  const folder = join(temporaryFolder(), 'next');
  mkdirSync(folder);
  for (const part of ['package.json', 'dist', 'migrations']) cpSync(part, join(folder, part), { recursive: true });
  linkPackages(folder);
  writeFileSync(join(folder, 'migrations', name), sql);
  return folder;
}

const next = String((knownMigrations().at(-1)?.version ?? 0) + 1).padStart(4, '0');
const expandName = `${next}_more_columns.expand.sql`;
const expandSql = ['accounts', 'contacts', 'units', 'unique_codes', 'identities', 'tokens', 'bookings', 'purchases']
  .map(
    (table) => `alter table ${table} add column later text default 'x'; create index on ${table} (account_id, later);`,
  )
  .join('\n')
  .replaceAll('on accounts (account_id, later)', 'on accounts (later)');

interface Reply {
  status: number;
  text: string;
  from: Running;
}

/** A load balancer and its clients: it uses the servers in turn and drops one that refuses connections. */
function balancer(servers: Running[]) {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const sendTo = (server: Running, path: string, token: string, body: string, key: string) =>
    new Promise<Reply>((done, failed) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key };
      const sent = request(`${server.url}${path}`, { method: 'POST', agent, headers }, (answer: IncomingMessage) => {
        let text = '';
        answer.on('data', (chunk) => (text += chunk));
        answer.on('end', () => done({ status: answer.statusCode ?? 0, text, from: server })).on('error', failed);
      });
      sent.on('error', (error: NodeJS.ErrnoException) =>
        // A connection that the server closed while it was idle: HTTP allows one retry.
        failed(Object.assign(error, { mayRetry: error.code === 'ECONNREFUSED' || sent.reusedSocket })),
      );
      sent.end(body);
    });
  return {
    close: () => agent.destroy(),
    send: async (path: string, token: string, body: object, key: string): Promise<Reply> => {
      // After a failed test. Without the pause, the clients would not let it end.
      if (servers.length === 0) await pause(1000);
      const server = servers[turn++ % servers.length] as Running;
      const text = JSON.stringify(body);
      try {
        return await sendTo(server, path, token, text, key);
      } catch (error) {
        const { code, mayRetry } = error as { code?: string; mayRetry?: boolean };
        if (!mayRetry) throw error;
        if (code === 'ECONNREFUSED' && servers.includes(server)) servers.splice(servers.indexOf(server), 1);
        return sendTo(servers.find((one) => one !== server) ?? server, path, token, text, key);
      }
    },
  };
}

describe.skipIf(!hasHistory)('a rolling upgrade', () => {
  it('from the previous version to the next one fails no request', async () => {
    // The previous version creates its own schema.
    const database = await createDatabase('empty');
    const env = { DATABASE_URL: database.url, EMAIL_DOMAIN_CHECK: 'off', RATE_LIMIT_PER_MINUTE: '0' };
    const old = await start({ env, cwd: buildPrevious() });
    const place = await shop(clientOf(old));
    const group = await place.newGroup();
    const codes = Array.from({ length: 3000 }, (_, n) => `CODE${n}`);
    for (let n = 0; n < codes.length; n += 1000) await place.add(group, ...codes.slice(n, n + 1000));

    const servers = [old];
    const { send, close } = balancer(servers);
    const failures: unknown[] = [];
    const [written, redeemed]: [string[], string[]] = [[], []];
    const served = new Map<Running, number>();
    const note = ({ from }: Reply) => served.set(from, (served.get(from) ?? 0) + 1);
    let going = true;
    let count = 0;
    const guests = Array.from({ length: 4 }, async () => {
      while (going) {
        const email = `guest${++count}@gmail.com`;
        const bookings = [
          {
            booking_reference: email,
            unit_id: place.unit,
            party_datetime: '2025-03-01 19:30:00',
            table_numbers: ['7'],
          },
        ];
        const body = { account_id: place.id, email, full_contact_object: false, bookings };
        const reply = await send('/v1/contact', place.token, body, email).catch((error) => ({ error }));
        if ('error' in reply || reply.status !== 200) failures.push('error' in reply ? reply.error : reply.text);
        else written.push(email);
        if ('status' in reply) note(reply);
      }
    });
    // Two tills try each voucher at the same time.
    const tills = Array.from({ length: 2 }, async () => {
      while (going) {
        const unique_code = codes.pop();
        if (unique_code === undefined) return;
        const body = { account_id: place.id, unit_id: place.unit, unique_code };
        const replies = await Promise.all(
          [1, 2].map((n) => send('/v1/unique_code/redeem', place.token, body, `${unique_code}-${n}`)),
        ).catch((error) => {
          failures.push(error);
          return [];
        });
        replies.forEach(note);
        const statuses = replies.map(({ status }) => status).sort();
        if (statuses.join() !== '200,422') failures.push({ unique_code, statuses });
        else redeemed.push(unique_code);
      }
    });
    const more = async (server: Running, requests: number) => {
      const before = served.get(server) ?? 0;
      await expect.poll(() => (served.get(server) ?? 0) - before).toBeGreaterThan(requests);
    };

    await more(old, 100);
    const folder = buildNext(expandName, expandSql);
    const present = await start({ env, cwd: folder });
    expect(present.output()).toContain(expandName);
    await more(old, 50);
    // The previous version releases the codes of an erased guest itself.
    const guest = await place.newContact();
    const { group: groupOfGuest } = await place.newCode('OFAGUEST', guest);
    const erased = await clientOf(old).admin('DELETE', `${place.base}/contacts/${guest}`);
    expect([erased.status, (await place.list(groupOfGuest)).body.data]).toEqual([
      204,
      [expect.objectContaining({ unique_code: 'OFAGUEST', contact_id: null })],
    ]);
    servers.push(present);
    await Promise.all([more(old, 50), more(present, 50)]);
    expect(await old.stop()).toBe(0);
    await more(present, 100);
    expect(servers).toEqual([present]);

    // This version does not know the migration. It starts nevertheless, for example after a crash during the upgrade.
    const again = await start({ env });
    servers.push(again);
    await more(again, 50);
    going = false;
    await Promise.all([...guests, ...tills]);
    close();
    expect(failures).toEqual([]);
    const sql = await superuser(database);
    const contacts = await sql<{ value: string }>`select value from identities where account_id = ${place.id}`;
    const stored = new Set(contacts.map(({ value }) => value));
    expect(written.filter((email) => !stored.has(email))).toEqual([]);
    const used = await sql`select from unique_codes where account_id = ${place.id} and redeemed_at is not null`;
    expect(used).toHaveLength(redeemed.length);
    expect(await Promise.all([again.stop(), present.stop()])).toEqual([0, 0]);

    // A migration that removes what this version uses stops it.
    await sql`update schema_migrations set name = 'x.contract-9999.sql' where name = ${expandName}`;
    const refused = await launch({ env });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('The database is newer than this Regulars');
  });
});
