import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { actionWords } from '../../src/shared/actions.ts';
import { connectTo, createDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/leftovers.ts';
import { partsOf, postgresRuns, regulars, start } from '../support/process.ts';

describe('regulars', () => {
  it('works on a new embedded database without the service, and then stops PostgreSQL', async () => {
    const env = { DATA_DIR: join(temporaryFolder(), 'data') };
    const created = await regulars(
      ['account', 'create', 'The Harbour Group', '--time-zone', 'Europe/London', '--json'],
      env,
    );
    expect(created.code).toBe(0);
    expect(JSON.parse(created.stdout)).toMatchObject({ name: 'The Harbour Group', time_zone: 'Europe/London' });
    expect(postgresRuns(env.DATA_DIR)).toBe(false);
    const list = await regulars(['account', 'list'], env);
    expect(list.stdout).toMatch(/^id +name +time_zone +root_unit_id\n1 +The Harbour Group +Europe\/London +1\n$/);
  });

  it('does not mistake a wrong folder for an empty database', async () => {
    const env = { DATA_DIR: join(temporaryFolder(), 'data') };
    const { code, stderr } = await regulars(['account', 'list'], env);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`There is no database in DATA_DIR ${env.DATA_DIR} yet.`),
    ]);
    expect(existsSync(env.DATA_DIR)).toBe(false);
  });

  it('makes the first start print how to create an owner', async () => {
    const env = { DATA_DIR: join(temporaryFolder(), 'data') };
    await regulars(['account', 'create', 'Mine'], env);
    const service = await start({ dataDir: env.DATA_DIR });
    expect(service.output()).toContain('No user can sign in yet. Create an owner: npx regulars user create');
    await regulars(['user', 'create', 'me@harbour.example', '--role', 'owner'], env);
    await service.stop();
    const next = await start({ dataDir: env.DATA_DIR });
    expect(next.output()).not.toContain('No user can sign in');
    await next.stop();
  });

  it('works beside the running service and leaves its PostgreSQL running', async () => {
    const service = await start();
    const env = { DATA_DIR: service.dataDir };
    const made = JSON.parse((await regulars(['token', 'create', 'Till', '--json'], env)).stdout);
    const status = async () =>
      (await fetch(`${service.url}/v1/account/units`, { headers: { authorization: `Bearer ${made.token}` } })).status;
    expect(await status()).toBe(200);
    expect((await regulars(['token', 'revoke', String(made.id)], env)).stdout).toBe(
      `The token ${made.id} is revoked.\n`,
    );
    expect(await status()).toBe(401);
    const { stdout } = await regulars(['token', 'list'], env);
    expect(stdout).toContain('command line');
    expect(stdout).not.toContain(made.token);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  it('keeps PostgreSQL running for a command after the service stops; the last one stops it', async () => {
    const service = await start();
    const env = { DATA_DIR: service.dataDir };
    const commands = Array.from({ length: 4 }, (_, n) => regulars(['unit', 'create', `Venue ${n}`, '--json'], env));
    expect(await service.stop()).toBe(0);
    const results = await Promise.all(commands);
    expect(results.map((result) => [result.code, result.stderr])).toEqual(Array(4).fill([0, '']));
    expect(postgresRuns(service.dataDir)).toBe(false);
    const units = JSON.parse((await regulars(['unit', 'list', '--json'], env)).stdout);
    expect(units.data.map((unit: { name: string }) => unit.name)).toEqual(
      expect.arrayContaining(['Venue 0', 'Venue 1', 'Venue 2', 'Venue 3']),
    );
  });
});

describe('the commands of regulars', async () => {
  const database = await createDatabase();
  const env = { DATABASE_URL: database.url };
  const run = (line: string, ...more: string[]) => regulars([...line.split(' '), ...more], env);
  const json = async (line: string, ...more: string[]) => {
    const { stdout, stderr, code } = await run(line, ...more, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  await run('account create', 'Harbour');

  it('manage units, folders and groups', async () => {
    const unit = await json('unit create', 'The Anchor');
    expect(await json(`unit rename ${unit.id}`, 'The New Anchor')).toEqual({ ...unit, name: 'The New Anchor' });
    const folder = await json(`folder create --unit ${unit.id}`, 'Loyalty');
    const group = await json(`group create --unit ${unit.id} --folder loyalty`, 'VIP');
    expect(group).toMatchObject({ folder_id: folder.id, unit_id: unit.id });
    expect((await json(`group list --unit ${unit.id}`)).data).toEqual([group]);
    expect(await json(`group show ${group.id}`)).toEqual(group);
    await json(`group delete ${group.id}`);
    await json(`folder delete ${folder.id}`);
    await json(`unit delete ${unit.id}`);
    expect((await json('unit list')).total).toBe(1);
  });

  it('record changes in the audit trail, without secrets', async () => {
    const client = await connectTo(database.url);
    const trail = () => client<{ id: number }>`select * from audit_trail order by id`;
    const before = (await trail()).length;
    const unit = await json('unit create', 'The Trail');
    await json('unit list');
    await json(`unit show ${unit.id}`);
    await run(`unit delete 999`);
    const user = await json('user create', 'trail@harbour.example', '--role', 'viewer', '--password', 'very-secret-1');
    await json(`user delete ${user.id}`);
    const entries = (await trail()).slice(before);
    expect(entries).toMatchObject([
      { action: 'unit.create', account_id: 1, subject: 'The Trail', ids: { id: unit.id }, fields: ['name'] },
      {
        action: 'user.create',
        account_id: null,
        subject: 'trail@harbour.example',
        fields: ['email', 'role', 'password'],
      },
      { action: 'user.delete', account_id: null, subject: null, ids: { id: user.id } },
    ]);
    for (const entry of entries)
      expect(entry).toMatchObject({ user_id: null, actor: expect.stringMatching(/^command line/) });
    expect(JSON.stringify(entries)).not.toContain('very-secret-1');
    expect((await json('audit')).data[0]).toMatchObject({ action: 'user.delete', ids: { id: user.id } });
    expect((await run('audit --account 1')).stdout).toContain('Created the venue The Trail');
    expect((await run('audit --account 999')).stdout).toBe('none\n');
    await client.end();
  });

  it.each([
    ['udf', '--type date'],
    ['source', ''],
    ['provider', ''],
    ['feedback-category', ''],
    ['booking-source', ''],
  ])('manage every %s', async (command, options) => {
    const made = await json(`${command} create ${options}`.trim(), 'First');
    expect(await json(`${command} rename ${made.id}`, 'Second')).toEqual({ ...made, name: 'Second' });
    expect((await json(`${command} list`)).data).toContainEqual({ ...made, name: 'Second' });
    await json(`${command} delete ${made.id}`);
    expect((await run(`${command} show ${made.id}`)).code).toBe(1);
  });

  it('create, import, assign, find, export and count vouchers, with progress', async () => {
    const group = await json('voucher-group create --unit 1', 'Summer');
    const made = await run(`voucher generate ${group.id} 12000 --prefix SUM- --length 8`);
    expect([made.code, made.stdout]).toEqual([0, '12,000 codes were generated.\n']);
    expect(made.stderr).toContain('100 %: 12,000 of 12,000 codes\n');
    const file = join(temporaryFolder(), 'codes.txt');
    writeFileSync(file, 'own-1\r\n\n  own-2\nOWN-1\n');
    const imported = await run(`voucher import ${group.id}`, file);
    expect(imported.stdout).toBe('2 codes are new. 1 code is already in the group, or repeated in the file.\n');
    expect((await json('voucher find', 'OWN-2')).data).toMatchObject([{ unique_code: 'own-2', contact_id: null }]);
    const csv = join(temporaryFolder(), 'codes.csv');
    expect((await run(`voucher export ${group.id}`, csv)).stdout).toBe(`12,002 codes are in ${csv}.\n`);
    const lines = readFileSync(csv, 'utf8').split('\r\n');
    expect([lines.length, lines[0]?.slice(0, 21)]).toEqual([12_004, 'id,unique_code,status']);
    expect(lines[1]).toMatch(/^\d+,SUM-[2-9C-Y]{8},Active,,,,,/);
    const nowhere = await run(`voucher export ${group.id}`, join(csv, 'codes.csv'));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringMatching(/^\S+ can’t be written: ENOTDIR.+\.\n$/)]);
    const pipe = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reading = readFile(pipe, 'utf8');
    expect((await run(`voucher export ${group.id}`, pipe)).stdout).toBe(`12,002 codes are in ${pipe}.\n`);
    expect([await reading, statSync(pipe).isFIFO()]).toEqual([readFileSync(csv, 'utf8'), true]);
    const again = await run(`voucher import ${group.id}`, csv);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('looks like a table with column names.')]);
    const cut = spawn('sh', ['-c', `node dist/cli/regulars.js voucher export ${group.id} | head -1`], {
      env: { ...process.env, ...env },
    });
    let said = '';
    for (const stream of [cut.stdout, cut.stderr]) stream.on('data', (chunk) => (said += chunk));
    await once(cut, 'close');
    expect(said).toMatch(/^id,unique_code,[\w,]+\r\n$/);
    expect((await run(`voucher give ${group.id} 999`)).stderr).toContain(
      'contact_ids.0: The contact id is not a contact',
    );
    expect(await json(`voucher-group statistics ${group.id}`)).toMatchObject({
      made: 12_002,
      assigned: 0,
      redeemed: 0,
    });
    expect((await run(`voucher-group statistics ${group.id}`)).stdout).toContain('12,002 made');
    await json(`voucher-group delete ${group.id}`);
    expect((await json('voucher find', 'OWN-2')).total).toBe(0);
  });

  it('list, show, count and export segments, without a trace in the audit trail', async () => {
    const client = await connectTo(database.superuserUrl);
    const definition = { field: 'city', op: 'is', value: 'Bath' };
    await client`insert into contacts (account_id, id, first_name, city, allow_email) values (1, 7001, 'Ana', 'bath', true), (1, 7002, 'Rui', 'Bath', false)`;
    const [segment] = await client<{ id: number }>`
      insert into segments (account_id, name, definition) values (1, 'Bathers', ${JSON.stringify(definition)}::jsonb) returning id`;
    const trail = async () => (await client`select from audit_trail`).length;
    const before = await trail();
    const counts = { count: 2, contactable: { email: 1, sms: 0, call: 0, snail_mail: 0 } };
    expect((await json('segment list')).data).toMatchObject([
      { id: segment?.id, name: 'Bathers', definition, ...counts },
    ]);
    expect((await run('segment list')).stdout).toMatch(/^id +name +count +email .+\n\d+ +Bathers +2 +1 .*\n$/);
    expect(await json(`segment show ${segment?.id}`)).toMatchObject({ name: 'Bathers', definition, ...counts });
    const shown = (await run(`segment show ${segment?.id}`)).stdout;
    expect(shown).toContain('"value":"Bath"');
    expect(shown).toContain('snail_mail');
    expect(await json(`segment count ${segment?.id}`)).toEqual(counts);
    const { stdout } = await run(`segment export ${segment?.id}`);
    expect(stdout.split('\r\n').map((line) => line.split(',').slice(0, 4).join())).toEqual([
      ...['id,gender,title,first_name', '7001,,,Ana', '7002,,,Rui', ''],
    ]);
    const file = join(temporaryFolder(), 'guests.csv');
    expect((await run(`segment export ${segment?.id} --output`, file)).stdout).toBe(`2 guests are in ${file}.\n`);
    expect(readFileSync(file, 'utf8')).toBe(stdout);
    expect((await run('segment count 999')).stderr).toBe('There is no such segment.\n');
    expect(await trail()).toBe(before);

    // Actions on all members.
    const codes = await json('voucher-group create --unit 1', 'Spring');
    const refused = await run(`segment give-vouchers ${segment?.id} ${codes.id}`);
    expect(refused.stderr).toContain('unique_code_group_id: The members without a code are 2');
    await run(`voucher generate ${codes.id} 3`);
    const given = await run(`segment give-vouchers ${segment?.id} ${codes.id}`);
    expect([given.stdout, given.stderr]).toEqual([
      '2 guests got a code, 0 had one before.\n',
      '100 %: 2 of 2 guests\n',
    ]);
    const again = await run(`segment give-vouchers ${segment?.id} ${codes.id} --json`);
    expect(JSON.parse(again.stdout)).toMatchObject({ done: 0, skipped: 2 });
    expect(await json(`voucher-group statistics ${codes.id}`)).toMatchObject({ assigned: 2 });
    const [news] = await client<{ id: number }>`
      with folder as (insert into folders (account_id, unit_id, name) values (1, 1, 'Lists') returning id)
      insert into groups (account_id, unit_id, folder_id, name) select 1, 1, id, 'News' from folder returning id`;
    const added = await run(`segment add-to-group ${segment?.id} ${news?.id}`);
    expect(added.stdout).toBe('2 guests were added, 0 were in the group before.\n');
    const actions = await client`
      select distinct on (action) action, ids - 'id' as ids from audit_trail where action like 'segment.%' order by action`;
    expect([...actions]).toEqual([
      { action: 'segment.add_to_group', ids: { segment: segment?.id, group: news?.id } },
      { action: 'segment.assign_codes', ids: { segment: segment?.id, group: codes.id } },
    ]);
    await client.end();
  });

  it('check the figures and the counts, and repair them', async () => {
    const client = await connectTo(database.superuserUrl);
    await run('figures verify --repair');
    expect((await run('figures verify')).stdout).toMatch(/^Checked [\d,]+ guests: 0 differences\.\n$/);
    await client`insert into unit_days (account_id, day, unit_id, stays) values (1, '2020-01-01', 1, 4)`;
    await client`insert into group_guests (account_id, group_id, guests) values (1, 900, 2), (1, 901, 2)`;
    const found = await run('figures verify');
    expect([found.code, found.stdout]).toEqual([
      1,
      expect.stringContaining(
        'The counts of 1 day of a venue and 2 groups of guests differ. Repair them with --repair.',
      ),
    ]);
    const listed = await run('figures verify --json');
    expect([listed.code, JSON.parse(listed.stdout)]).toMatchObject([
      1,
      { different: 0, repaired: 0, counts: { unit_days: 1, code_groups: 0, guests: 0, guest_days: 0, groups: 2 } },
    ]);
    const repaired = await run('figures verify --repair');
    expect([repaired.code, repaired.stdout]).toEqual([0, expect.stringContaining('All were repaired.')]);
    const now = await run('figures verify --json');
    expect([now.code, JSON.parse(now.stdout)]).toMatchObject([
      0,
      { different: 0, counts: { unit_days: 0, groups: 0 } },
    ]);
    await client.end();
  });

  it('leave no codes of an interrupted generation', async () => {
    const group = await json('voucher-group create --unit 1', 'Winter');
    const child = spawn('node', ['dist/cli/regulars.js', 'voucher', 'generate', String(group.id), '1000000'], {
      env: { ...process.env, ...env },
    });
    let told = '';
    child.stderr.on('data', (chunk) => (told += chunk));
    child.stderr.once('data', () => child.kill('SIGINT'));
    const [code] = await once(child, 'close');
    expect([code, told]).toEqual([130, expect.stringContaining('Interrupted: nothing was changed.')]);
    expect(await json(`voucher-group statistics ${group.id}`)).toMatchObject({ made: 0 });
  });

  it('abort an export and the deletion of a group at once when interrupted', async () => {
    const group = await json('voucher-group create --unit 1', 'Autumn');
    expect((await run(`voucher generate ${group.id} 200000`)).code).toBe(0);
    const csv = join(temporaryFolder(), 'codes.csv');
    writeFileSync(csv, 'what was there');
    const interrupted = async (args: string[], since: () => Promise<boolean>) => {
      const child = spawn('node', ['dist/cli/regulars.js', ...args], { env: { ...process.env, ...env } });
      let told = '';
      child.stderr.on('data', (chunk) => (told += chunk));
      const ended = once(child, 'close');
      await expect.poll(since, { interval: 5 }).toBe(true);
      child.kill('SIGINT');
      const [code] = await ended;
      return [code, told];
    };
    const exporting = async () =>
      partsOf(csv).some((part) => (statSync(part, { throwIfNoEntry: false })?.size ?? 0) > 0);
    expect(await interrupted(['voucher', 'export', String(group.id), csv], exporting)).toEqual([
      130,
      expect.stringContaining('Interrupted: nothing was changed.'),
    ]);
    expect([readFileSync(csv, 'utf8'), partsOf(csv)]).toEqual(['what was there', []]);
    const superuser = await connectTo(database.superuserUrl);
    const deleting = async () =>
      (
        await superuser`
          select from pg_stat_activity where datname = current_database()
            and query like '%delete from unique_codes%' and pid <> pg_backend_pid()`
      ).length > 0;
    expect(await interrupted(['voucher-group', 'delete', String(group.id)], deleting)).toEqual([
      130,
      expect.stringContaining('Interrupted: nothing was changed.'),
    ]);
    expect(await json(`voucher-group statistics ${group.id}`)).toMatchObject({ made: 200_000 });
  });

  it('manage users, and generate a password if none is given', async () => {
    const user = await json('user create --accounts 1 --role owner', 'sam@harbour.example');
    expect(user).toMatchObject({
      email: 'sam@harbour.example',
      account_ids: [1],
      role: 'owner',
      password: expect.stringMatching(/^[\w-]{16}$/),
    });
    const again = await json(`user password ${user.id}`);
    expect(again.password).not.toBe(user.password);
    await json('user create --role owner', 'kim@harbour.example');
    expect(await json(`user change ${user.id} --role viewer --email sam2@harbour.example`)).toMatchObject({
      role: 'viewer',
      email: 'sam2@harbour.example',
    });
    expect((await json('user list')).total).toBe(2);
    await json(`user delete ${user.id}`);
    expect((await json('user list')).total).toBe(1);
  });

  it('create tokens that expire, and show them and their requests', async () => {
    const made = await json('token create', 'Till', '--expires-at', '2099-01-01 00:00:00');
    expect(await json(`token show ${made.id}`)).toMatchObject({ name: 'Till', expires_at: '2099-01-01T00:00:00.000Z' });
    expect((await json(`token requests ${made.id}`)).data).toEqual([]);
    await json(`token delete ${made.id}`);
  });

  it('show and delete accounts; deletion requires a confirmation', async () => {
    const account = await json('account create', 'Short-lived');
    expect(await json(`account rename ${account.id}`, 'Renamed')).toMatchObject({ name: 'Renamed' });
    expect(await json(`account time-zone ${account.id}`, 'Asia/Tokyo')).toMatchObject({ time_zone: 'Asia/Tokyo' });
    expect((await run('unit list')).stderr).toContain('--account ID');
    expect((await json(`unit list --account ${account.id}`)).total).toBe(1);
    const asked = await run(`account delete ${account.id}`);
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('--yes')]);
    const deleted = await run(`account delete ${account.id} --yes`);
    expect([deleted.code, deleted.stdout]).toEqual([0, `The account ${account.id} is deleted.\n`]);
    expect(deleted.stderr).toMatch(/100 %: (\d+) of \1 rows\n$/);
    const client = await connectTo(database.url);
    const trail = await client`select account_id, subject, ids from audit_trail where action = 'account.delete'`;
    expect([...trail]).toEqual([{ account_id: account.id, subject: 'Renamed', ids: { id: account.id } }]);
    expect((await run(`account show ${account.id}`)).stderr).toBe('There is no such account.\n');
    const changed = await client`
      select action, fields from audit_trail where account_id = ${account.id} and action = 'account.update' order by id`;
    expect([...changed]).toEqual([
      { action: 'account.update', fields: ['name'] },
      { action: 'account.update', fields: ['time_zone'] },
    ]);
    const actions = await client<{ action: string }>`select distinct action from audit_trail`;
    expect(actions.map(({ action }) => action).filter((action) => !Object.hasOwn(actionWords, action))).toEqual([]);
  });

  it('report mistakes with a sentence and exit code 1', async () => {
    for (const [line, sentence] of [
      ['udf create --type number x', 'type: The type must be text or date.'],
      ['unit show x', '"x" is not a valid id of a unit.'],
      ['unit show 999999', 'There is no such unit.'],
      ['token create x --expires-at yesterday', 'expires_at: The expires at must be a date and time'],
      ['unit list --account 999999', 'There is no such account.'],
    ] as const) {
      const { code, stderr, stdout } = await run(line);
      expect([line, code, stdout, stderr]).toEqual([line, 1, '', expect.stringContaining(sentence)]);
    }
  });
});

describe('the commands of regulars for guests', () => {
  it('list, create and undo merges, mark different people, erase, and add domains', async () => {
    const database = await createDatabase();
    const env = { DATABASE_URL: database.url, EMAIL_DOMAIN_CHECK: 'list' };
    const service = await start({ env });
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await regulars([...args, '--json'], env);
      return code === 0 ? JSON.parse(stdout) : stderr;
    };
    const { token } = await run('token', 'create', 'Till');
    const write = async (body: object): Promise<{ status: number; id: number }> => {
      const response = await fetch(`${service.url}/v1/contact`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, ...((await response.json()) as { id: number }) };
    };
    const ana = await write({ email: 'ana@gmail.com', mobile_number: '07700900001', first_name: 'Ana' });
    const rui = await write({ email: 'rui@gmail.com', mobile_number: '07700900001' });
    expect(await run('duplicate', 'list')).toMatchObject({ total: 1, data: [{ reason: 'same_mobile' }] });
    const listed = await regulars(['duplicate', 'list'], env);
    expect(listed.stdout).toContain('same mobile number');

    expect(await run('contact', 'merge', String(ana.id), String(rui.id))).toMatchObject({ into_contact_id: ana.id });
    const client = await connectTo(database.url);
    expect(await client`select from audit_trail where action = 'contact.merge'`).toHaveLength(1);
    expect(await run('contact', 'show', String(rui.id))).toMatchObject({ id: ana.id, first_name: 'Ana' });
    const { data } = await run('merge', 'list');
    expect(data).toMatchObject([
      { contact_id: rui.id, reason: 'staff', actor: expect.stringMatching(/^command line/) },
    ]);
    expect(await run('merge', 'undo', String(data[0].id))).toMatchObject({ undone_at: expect.any(String) });
    expect(await run('contact', 'show', String(rui.id))).toMatchObject({ id: rui.id });
    expect(await run('contact', 'find', '+44 7700 900001')).toMatchObject({ id: ana.id });
    const shown = await regulars(['contact', 'find', 'Rui@gmail.com'], env);
    expect(shown.stdout).toMatch(/^email +rui@gmail.com$/m);

    const pairs = await run('duplicate', 'list');
    expect(pairs.total).toBe(0);
    await write({ email: 'eve@gmail.com', mobile_number: '07700900001' });
    const [pair] = (await run('duplicate', 'list')).data;
    expect(await run('duplicate', 'keep-apart', String(pair.id))).toMatchObject({ message: expect.any(String) });
    expect((await run('duplicate', 'list')).total).toBe(0);

    expect(await run('contact', 'erase', String(rui.id))).toEqual({ message: `The contact ${rui.id} is erased.` });
    expect(await run('contact', 'show', String(rui.id))).toBe('There is no such contact.\n');

    const guest = { email: 'guest@harbour-group.co.uk' };
    expect(await run('domain', 'add', 'no domain')).toMatch(/^domain: The domain must be a domain/);
    expect(await run('domain', 'add', 'Harbour-Group.co.uk')).toMatchObject({ domain: 'harbour-group.co.uk' });
    expect((await write(guest)).status).toBe(200);
    expect(await run('domain', 'list')).toMatchObject({ total: 1 });
    await service.stop();
  });

  it('list waiting purchases with the reasons', async () => {
    const database = await createDatabase();
    const env = { DATABASE_URL: database.url, EMAIL_DOMAIN_CHECK: 'list' };
    const service = await start({ env });
    const run = async (...args: string[]) => (await regulars(args, env)).stdout;
    const { token } = JSON.parse(await run('token', 'create', 'Till', '--json'));
    const post = async (path: string, body: object) => {
      const response = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
    };
    const booking = { booking_reference: 'B-1', party_datetime: '2026-03-01 19:30:00', table_numbers: ['14'] };
    await post('/v1/contact', { email: 'ana@gmail.com', bookings: [booking] });
    const purchases = [{ transaction_reference: 'T-1', created_at: '2026-03-01 20:05:00' }];
    await post('/v1/purchases', { account_id: 1, table_number: '12', purchases });

    expect(await run('purchase', 'waiting')).toMatch(/^1 +T-1 .* 2026-03-01 20:05:00 .* 12$/m);
    const waiting = await run('purchase', 'explain', '1');
    expect(waiting).toContain(
      'No contact is known yet. The purchase is matched when its table number leads to a contact.\n',
    );
    expect(waiting).toContain('B-1 at 2026-03-01 19:30:00, table 14, contact 1: It is at another table.\n');

    await post('/v1/bookings/1', { table_numbers: ['12'] });
    expect(await run('purchase', 'waiting')).toBe('none\n');
    const explained = await run('purchase', 'explain', '1');
    expect(explained).toContain('Matched to contact 1 by its table number.\n');
    expect(explained).toContain('B-1 at 2026-03-01 19:30:00, table 12, contact 1: chosen.\n');
    expect(JSON.parse(await run('purchase', 'show', '1', '--json'))).toMatchObject({
      id: 1,
      matched_by: 'table_number',
    });
    await service.stop();
  });
});
