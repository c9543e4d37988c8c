import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { runJobs } from '../../../src/app/jobs/run.ts';
import { createLog } from '../../../src/platform/log.ts';
import { fatalMessage } from '../../support/cutting-proxy.ts';
import { createDatabase, superuser } from '../../support/database.ts';

const database = await createDatabase();
const sql = await superuser(database);

/** A proxy that can make the server look as after a crash, during recovery. */
async function throughProxy() {
  const { hostname, port: portBehind } = new URL(database.url);
  const open = new Set<Socket>();
  let isStarting = false;
  let turnedAway = 0;
  let swallowed: string | undefined;
  let hasSwallowed = false;
  const server = createServer((client) => {
    client.on('error', () => {});
    if (isStarting) {
      turnedAway++;
      client.end(fatalMessage('57P03', 'the database system is starting up'));
      return;
    }
    open.add(client);
    const upstream = connect(Number(portBehind), hostname).on('error', () => {});
    client.on('data', (data) => {
      if (swallowed !== undefined && data.includes(swallowed)) hasSwallowed = true;
      else upstream.write(data);
    });
    upstream.pipe(client);
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  afterAll(() => server.close());
  return {
    url: Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(port) }).href,
    crash: () => {
      isStarting = true;
      for (const socket of open) socket.destroy();
    },
    recover: () => {
      isStarting = false;
    },
    turnedAway: () => turnedAway,
    /** From now on, statements with this text do not reach the server. */
    swallow: (text: string) => {
      swallowed = text;
    },
    hasSwallowed: () => hasSwallowed,
  };
}

/** A worker that has done a job, so that it is at work. */
async function working(url: string, task: () => Promise<void>) {
  const done: string[] = [];
  const note = async () => void done.push('noted');
  const jobs = runJobs({ url }, { note, task }, createLog('silent'));
  const noted = async (times: number) => {
    await sql`select graphile_worker.add_job('note')`;
    await expect.poll(() => done.length).toBe(times);
  };
  await noted(1);
  return { jobs, noted };
}

describe('the worker, when PostgreSQL crashes,', () => {
  it('can be stopped during the recovery', async () => {
    const proxy = await throughProxy();
    const { jobs } = await working(proxy.url, async () => {});
    proxy.crash();
    await expect.poll(proxy.turnedAway).toBeGreaterThan(2);
    const began = Date.now();
    await jobs.stop();
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  it('can be stopped while it subscribes to new jobs', async () => {
    const proxy = await throughProxy();
    proxy.swallow('LISTEN "jobs:insert"');
    const jobs = runJobs({ url: proxy.url }, {}, createLog('silent'));
    await expect.poll(proxy.hasSwallowed).toBe(true);
    const stopped = jobs.stop();
    // Now it also waits for its statement that ends the subscription. An unhandled rejection would fail this run.
    await pause(200);
    proxy.crash();
    await stopped;
  });

  it.each(['done', 'failed'])(
    'survives with a job that cannot be reported as %s, and runs the next one',
    async (how) => {
      const proxy = await throughProxy();
      let begun = 0;
      const { jobs, noted } = await working(proxy.url, async () => {
        begun++;
        proxy.crash();
        if (how === 'failed') throw new Error('The database is away.');
      });
      await sql`select graphile_worker.add_job('task', max_attempts := 1)`;
      await expect.poll(() => begun).toBe(1);
      await expect.poll(proxy.turnedAway).toBeGreaterThan(0);
      proxy.recover();
      // An unhandled rejection would fail this run, and would end a service.
      await noted(2);
      await jobs.stop();
    },
  );
});
