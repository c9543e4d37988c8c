import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { connectTo, createDatabase } from '../support/database.ts';
import { endAfterwards } from '../support/leftovers.ts';
import { regulars, start } from '../support/process.ts';
import { answers, receiver, until } from '../support/receiver.ts';

const database = await createDatabase();
const env = { DATABASE_URL: database.url, EMAIL_DOMAIN_CHECK: 'list', WEBHOOK_PRIVATE_ADDRESSES: 'allow' };
const run = (line: string, ...more: string[]) => regulars([...line.split(' '), ...more], env);
const json = async (line: string, ...more: string[]) => {
  const { stdout, stderr, code } = await run(line, ...more, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

const whenActive = 'If the webhook is paused or disabled, that begins when it is active again.';

describe('the commands for webhooks', async () => {
  const service = await start({ env });
  const { token } = await json('token create Till --account 1');
  const write = async (email: string, more: object = {}) => {
    const response = await fetch(`${service.url}/v1/contact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email, ...more }),
    });
    expect(response.status).toBe(200);
  };
  const to = await receiver();

  /** Follows the events, as another process does. */
  function tail(...args: string[]) {
    const child = spawn('node', ['dist/cli/regulars.js', 'events', 'tail', ...args], {
      env: { PATH: process.env.PATH ?? '', ...env },
    });
    endAfterwards(child);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk) => {
        said[name] += chunk;
      });
    return {
      said,
      lines: () => said.stdout.split('\n').slice(0, -1),
      isReading: () => until(() => said.stderr.includes('Waiting for events. Ctrl+C ends.\n'), 30_000),
      end: async () => {
        child.kill('SIGINT');
        return (await once(child, 'close'))[0] as number;
      },
    };
  }

  it('create a webhook, whose secret signs a test event', async () => {
    const refused = await regulars(['webhook', 'create', to.url], { ...env, WEBHOOK_PRIVATE_ADDRESSES: '' });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('url: The url must be on the internet.'),
    ]);
    const wrong = await run(`webhook create ${to.url} --types contact.created,guest.created`);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('types.1: ')]);
    const made = await json(
      `webhook create ${to.url} --types contact.created,note.added`,
      '--description',
      'Newsletter',
    );
    expect(made).toMatchObject({
      ...{ url: to.url, types: ['contact.created', 'note.added'], description: 'Newsletter', status: 'active' },
      secret: expect.stringMatching(/^whsec_/),
    });
    const tested = await run(`webhook test ${made.id}`);
    expect([tested.code, tested.stdout]).toEqual([
      0,
      expect.stringMatching(/^Delivered: the receiver answered 200 \(\d+ ms\)\.\nok\n$/),
    ]);
    const [received] = to.all;
    expect(received && to.verify(made.secret, received)).toMatchObject({ type: 'webhook.test', account_id: 1 });
    to.state.answer = answers.status(500);
    const failed = await run(`webhook test ${made.id}`);
    expect([failed.code, failed.stdout]).toEqual([
      1,
      expect.stringMatching(/^Not delivered: The receiver answered 500 \(\d+ ms\)\.\nstatus 500\n$/),
    ]);
    to.state.answer = answers.ok;
    to.all.length = 0;
  });

  it('list deliveries, send one again, and replay', async () => {
    const since = `${new Date(Date.now() - 60_000).toISOString().slice(0, 19)}.000Z`;
    await write('one@gmail.com', { notes: [{ text: 'hello' }], city: 'Bath' });
    await to.count(2);
    const listed = () => json('webhook deliveries 1');
    await until(async () => (await listed()).total === 2, 30_000);
    const { data } = await listed();
    expect(data).toMatchObject([
      { type: 'note.added', state: 'delivered', attempts: [{ status_code: 200 }] },
      { type: 'contact.created', state: 'delivered' },
    ]);
    expect((await run('webhook deliveries 1')).stdout).toMatch(
      /^id +event_id +type +state +attempts +next_attempt_at +last\n\d+ +evt_\w+ +note\.added +delivered +1 +- +200\n/,
    );
    expect((await run('webhook deliveries 1 --state failed')).stdout).toBe('none\n');
    expect((await run('webhook deliveries 1 --state lost')).stderr).toContain('state: The state must be');

    expect((await run(`webhook resend 1 ${data[1].id}`)).stdout).toBe(
      `The service sends the event ${data[1].event_id} of the delivery ${data[1].id} again. ${whenActive}\n`,
    );
    await to.count(3);
    expect(to.all[2]?.event.id).toBe(data[1].event_id);
    expect((await run('webhook resend 1 999')).stderr).toBe('There is no such delivery.\n');

    expect((await run('webhook replay 1 --since', since)).stdout).toBe(
      `The service sends the events since ${since} again. ${whenActive}\n`,
    );
    await to.count(5);
    expect(to.all.slice(3).map(({ event }) => event.id)).toEqual([data[1].event_id, data[0].event_id]);
    expect((await run('webhook replay 1 --since tomorrow')).stderr).toContain('since: The since must be');
  });

  it('pause, resume and rotate', async () => {
    expect(await json('webhook pause 1')).toMatchObject({ id: 1, status: 'paused' });
    const before = to.all.length;
    await write('two@gmail.com');
    expect((await run('webhook list')).stdout).toMatch(
      /^id +url +types +status +failing_since +succeeded +failed +pending\n1 +\S+ +contact\.created, note\.added +paused +- /,
    );
    expect(to.all.length).toBe(before);
    const rotated = await json('webhook rotate-secret 1');
    expect(await json('webhook resume 1')).toMatchObject({ status: 'active' });
    await to.count(before + 1);
    const last = to.all[before];
    expect(last && to.verify(rotated.secret, last)).toMatchObject({ type: 'contact.created' });
    const shown = (await run('webhook show 1')).stdout;
    expect(shown).toMatch(/^previous_secret_until +20/m);
    expect(shown).toMatch(/^success_rate +/m);
    expect(shown).not.toContain('whsec_');
  });

  it('follow the events', async () => {
    const [all, notes, asJson] = [tail(), tail('--types', 'note.added'), tail('--json', '--since-beginning')];
    for (const one of [all, notes, asJson]) await one.isReading();
    // A look at the feed follows the message.
    await until(() => asJson.lines().length > 0, 30_000);
    await write('three@gmail.com', { notes: [{ text: 'Prefers the window table.' }] });
    await until(() => all.lines().length === 2 && notes.lines().length === 1, 30_000);
    expect(all.lines()[0]).toMatch(
      /^20\d\d-\d\d-\d\dT[\d:.]+Z {2}evt_[0-9a-f]{24} {2}contact\.created {4}\{"contact_id":\d+,"changes":/,
    );
    expect(notes.lines()[0]).toContain('"text":"Prefers the window table."');
    await until(() => asJson.lines().length >= 5, 30_000);
    const events = asJson.lines().map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ type: 'contact.created', account_id: 1, data: { contact_id: 1 } });
    expect(events.map(({ id }) => id)).toEqual([...new Set(events.map(({ id }) => id))].sort());
    expect([await all.end(), await notes.end(), await asJson.end()]).toEqual([0, 0, 0]);
    expect(all.said.stderr).toBe('Waiting for events. Ctrl+C ends.\n');

    const after = tail('--json', '--after', events[2].id);
    await until(() => after.lines().length === events.length - 3, 30_000);
    expect(await after.end()).toBe(0);
    expect((await run('events tail --after evt_7')).stderr).toContain('after: The after must be the id of an event');
    expect((await run('events tail --types x')).stderr).toContain('types.0: ');
    expect((await run(`events tail --after ${events[0].id} --since-beginning`)).stderr).toBe(
      'Choose one of --after and --since-beginning.\n',
    );
  });

  it('end when the reader of the events closes the pipe', async () => {
    const child = spawn('sh', ['-c', 'node dist/cli/regulars.js events tail --since-beginning | head -1'], {
      env: { ...process.env, ...env },
    });
    endAfterwards(child);
    let [said, told] = ['', ''];
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (told += chunk));
    const closed = once(child, 'close');
    await until(() => said !== '', 30_000);
    // The next event meets the closed pipe.
    await write('four@gmail.com');
    await closed;
    expect([said, told]).toEqual([
      expect.stringMatching(/contact\.created .+\n$/),
      'Waiting for events. Ctrl+C ends.\n',
    ]);
  });

  it('delete a webhook, and are in the audit trail without secrets', async () => {
    expect((await run('webhook delete 1')).stdout).toBe(`The webhook to ${to.url} is deleted.\n`);
    for (const line of [
      'show 1',
      'delete 1',
      'pause 1',
      'test 1',
      'deliveries 1',
      'rotate-secret 1',
      'replay 1 --since 2026-01-01T00:00:00Z',
    ])
      expect([line, (await run(`webhook ${line}`)).stderr]).toEqual([line, 'There is no such webhook.\n']);
    const client = await connectTo(database.url);
    const trail = await client<{ action: string }>`
      select action, subject, ids, fields from audit_trail where action like 'webhook.%' or action like 'event%' order by id`;
    expect([...trail]).toEqual([
      { action: 'webhook.create', subject: to.url, ids: { id: 1 }, fields: ['url', 'types', 'description'] },
      { action: 'webhook.test', subject: null, ids: { id: 1 }, fields: [] },
      { action: 'webhook.test', subject: null, ids: { id: 1 }, fields: [] },
      {
        action: 'webhook.resend',
        subject: null,
        ids: { id: expect.any(Number), webhook: 1, delivery: expect.any(Number) },
        fields: [],
      },
      { action: 'webhook.replay', subject: null, ids: { id: 1 }, fields: ['since'] },
      { action: 'webhook.update', subject: null, ids: { id: 1 }, fields: [] },
      { action: 'webhook.rotate_secret', subject: null, ids: { id: 1 }, fields: [] },
      { action: 'webhook.update', subject: null, ids: { id: 1 }, fields: [] },
      { action: 'webhook.delete', subject: null, ids: { id: 1 }, fields: [] },
    ]);
    await client.end();
    expect(await service.stop()).toBe(0);
  });
});
