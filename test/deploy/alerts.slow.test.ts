import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../src/platform/db/connection.ts';
import { Random } from '../../src/shared/random.ts';
import { askAdmin } from '../../tools/bench/load/service.ts';
import { type FaultName, happen, nodesOf, type Scene } from '../../tools/prove/faults/chaos.ts';
import { Disk } from '../../tools/prove/faults/disk.ts';
import { Fleet } from '../../tools/prove/support/fleet.ts';
import { CitusCluster, findCitus } from '../../tools/servers/citus.ts';
import { Postgres } from '../../tools/servers/postgres.ts';
import { CuttingProxy } from '../../tools/servers/proxy.ts';
import { alerts, scrape, unexpectedAlerts } from '../support/alert-series.ts';
import { type Running, start } from '../support/process.ts';
import { promtool } from '../support/promtool.ts';

interface Expected {
  fires: string[];
  /** Consequences that depend on the moment of the fault. */
  mayFire?: string[];
  lastsMs?: number;
  times?: number;
}

const database = ['RegularsDatabaseUnavailable', 'RegularsDatabaseErrors'];
const slow = ['RegularsSlow', 'RegularsPoolExhausted', 'RegularsLoadRefused'];

/** The alert of each fault of `npm run prove -- faults`. A new fault there does not compile without an entry here. */
const expected: Record<FaultName, Expected> = {
  service: { fires: ['RegularsServiceDown'] },
  stop: { fires: ['RegularsServiceDown'] },
  everything: { fires: ['RegularsServiceDown'], mayFire: database },
  postgres: { fires: ['RegularsDatabaseUnavailable'], mayFire: database },
  backend: { fires: ['RegularsDatabaseErrors'], mayFire: database, times: 2 },
  restart: { fires: ['RegularsDatabaseUnavailable'], mayFire: database },
  halt: { fires: ['RegularsDatabaseUnavailable'], mayFire: [...database, ...slow], lastsMs: 9000 },
  terminate: { fires: ['RegularsDatabaseErrors'], times: 4 },
  cut: { fires: ['RegularsDatabaseErrors'], times: 4 },
  commits: { fires: ['RegularsDatabaseErrors'] },
  network: { fires: ['RegularsDatabaseUnavailable'], mayFire: database },
  disk: { fires: ['RegularsDiskFull'], mayFire: database },
  log: { fires: ['RegularsDatabaseUnavailable'], mayFire: [...database, 'RegularsDiskFull'] },
  worker: { fires: ['RegularsDatabaseErrors'], mayFire: database },
  workerCommit: { fires: ['RegularsDatabaseErrors'], mayFire: database, times: 4 },
  workerHalt: { fires: ['RegularsSlow'], mayFire: [...database, ...slow], lastsMs: 1300, times: 8 },
  workerNetwork: { fires: ['RegularsDatabaseErrors'], mayFire: database },
};

/** A service that is written to all the time, on a PostgreSQL with faults. */
function serviceUnder(createScene: (disk: Disk, releases: (() => unknown)[]) => Promise<Scene>) {
  let scene: Scene;
  let account = 0;
  let token = '';
  let writing: { end(): Promise<void> };
  const url = () => scene.fleet.urls()[0];

  /** Releases what was made, the last first. */
  const releases: (() => unknown)[] = [];
  afterAll(async () => {
    for (const release of releases.reverse()) await release();
  });
  beforeAll(async () => {
    const disk = new Disk();
    releases.push(() => disk.remove());
    scene = await createScene(disk, releases);
    const { fleet } = scene;
    account = (await askAdmin(fleet.url(), 'POST', '/accounts', { name: 'The Harbour Group' })).id;
    token = (await askAdmin(fleet.url(), 'POST', `/accounts/${account}/tokens`, { name: 'till' })).token;
    writing = write();
    releases.push(() => writing.end());
  });

  /** Writes contacts. The responses do not matter. The pauses leave the processor to the other tests. */
  function write() {
    let isOver = false;
    const clients = Array.from({ length: 3 }, async (_, client) => {
      for (let n = 0; !isOver; n++) {
        const body = JSON.stringify({ email: `guest-${Date.now()}-${client}-${n}@gmail.com` });
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        await fetch(`${url()}/v1/contact`, { method: 'POST', headers, body })
          .then((response) => response.text())
          .catch(() => pause(50));
        await pause(15);
      }
    });
    return {
      end: async () => {
        isOver = true;
        await Promise.all(clients);
      },
    };
  }

  /** Scrapes before, during and after the work, and checks which alerts fire. */
  async function during(expectations: Expected, work: () => Promise<void>): Promise<void> {
    const scraping = scrape(url);
    await scraping.more(3);
    try {
      await work();
      await scraping.more(5);
    } finally {
      const series = await scraping.end();
      expect(unexpectedAlerts(series, expectations)).toBe('');
    }
  }

  async function recover(): Promise<void> {
    const { fleet } = scene;
    await expect
      .poll(async () => {
        for (const node of nodesOf(scene)) if (!node.isRunning()) await node.start().catch(() => {});
        await fleet.complete();
        const healthy = await fetch(`${url()}/health`).catch(() => undefined);
        return healthy?.status;
      })
      .toBe(200);
  }

  async function checkFault(name: FaultName): Promise<void> {
    const { lastsMs = 3000, times = 1 } = expected[name];
    const counts = { postgresKills: 0, workerKills: 0, restarts: 0, halts: 0, cuts: 0, fullDisks: 0 };
    await during(expected[name], async () => {
      for (let n = 0; n < times; n++) {
        await happen(scene, { at: 0, name, lastsMs, chance: new Random(2) }, counts);
        await recover();
        // Requests that waited are answered now.
        await pause(300);
      }
    });
    await recover();
  }

  return { scene: () => scene, account: () => account, writing: () => writing, during, recover, checkFault };
}

const names = Object.keys(expected) as FaultName[];
const isOfNode = (name: FaultName) => name.startsWith('worker');
const citus = findCitus();

describe.skipIf(!promtool.isInstalled || citus === undefined)('a service on a distributed PostgreSQL', () => {
  const { checkFault } = serviceUnder(async (disk, releases) => {
    // With one node, each fault concerns the account.
    const options = { binFolder: citus ?? '', workers: 1, isProxied: true };
    const cluster = await CitusCluster.start(disk.folder, options);
    releases.push(() => cluster.stop());
    await cluster.distribute(4);
    const env = { DATABASE_URL: cluster.coordinator.address('regulars'), LOG_LEVEL: 'fatal' };
    const fleet = await Fleet.start(1, env, new Random(1));
    releases.push(() => fleet.stop());
    const { signal } = new AbortController();
    return { fleet, postgres: cluster.coordinator, line: undefined, cluster, disk, signal };
  });

  it.each(names.filter(isOfNode))('fires its alert for the fault "%s"', checkFault);
});

describe.skipIf(!promtool.isInstalled)(`a service on its own PostgreSQL${promtool.skipped}`, () => {
  const { scene, account, writing, during, recover, checkFault } = serviceUnder(async (disk, releases) => {
    const postgres = await Postgres.create(disk.folder);
    await postgres.start();
    releases.push(() => postgres.stop());
    const line = await CuttingProxy.open(() => postgres.port());
    releases.push(() => line.close());
    const address = Object.assign(new URL(postgres.address('regulars')), { port: String(line.port) });
    const env = { DATABASE_URL: address.href, LOG_LEVEL: 'fatal', WEBHOOK_PRIVATE_ADDRESSES: 'allow' };
    const fleet = await Fleet.start(1, env, new Random(1));
    releases.push(() => fleet.stop());
    return { fleet, postgres, line, cluster: undefined, disk, signal: new AbortController().signal };
  });
  let superuser: Connection;

  it('fires an alert for jobs that no process runs, and for jobs that fail', async () => {
    superuser = await scene().postgres.connect();
    await superuser.run`select graphile_worker.add_job('unknown', run_at := now() - interval '1 hour')`;
    await superuser.run`
      select graphile_worker.permanently_fail_jobs(array[id], 'no reason') from graphile_worker.add_job('unknown')`;
    await during({ fires: ['RegularsJobsStuck', 'RegularsJobsFailing'] }, () => pause(5000));
    await superuser.run`
      select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs where task_identifier = 'unknown'`;
    await superuser.close();
    // A new process counts the jobs again.
    await scene().fleet.restart(0);
    await recover();
  });

  it('fires an alert for figures that were repaired', async () => {
    const also = { fires: ['RegularsFiguresRepaired'], mayFire: ['RegularsServiceDown', ...database] };
    await during(also, async () => {
      const connection = await scene().postgres.connect();
      await connection.run`
        insert into figure_checks (day, checked, repaired, repaired_counts) values ('2026-03-01', 3, 0, 1)`;
      await connection.close();
      // A new process reads them at once.
      await scene().fleet.restart(0);
      await recover();
    });
  });

  it('fires alerts for a webhook that fails or is disabled, and for events that wait', async () => {
    const url = scene().fleet.url();
    const create = async () => {
      const { id } = await askAdmin(url, 'POST', '/accounts', { name: 'With a webhook' });
      const { token } = await askAdmin(url, 'POST', `/accounts/${id}/tokens`, { name: 'till' });
      await askAdmin(url, 'POST', `/accounts/${id}/webhooks`, { url: 'http://127.0.0.1:1/', types: ['*'] });
      return { id, token };
    };
    const writeTo = async ({ token }: { token: string }) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = '{"email": "ana@gmail.com"}';
      expect((await fetch(`${scene().fleet.url()}/v1/contact`, { method: 'POST', headers, body })).status).toBe(200);
    };
    const [failing, behind] = [await create(), await create()];
    await writeTo(behind);
    const connection = await scene().postgres.connect();
    // The sender of this account hangs.
    await connection.run`
      update event_streams set sender = 'another', sender_until = now() + interval '1 hour' where account_id = ${behind.id}`;
    await connection.run`update events set at = now() - interval '1 hour' where account_id = ${behind.id}`;
    await connection.run`update webhooks set position = 0 where account_id = ${behind.id}`;
    await connection.run`update webhooks set failing_since = now() - interval '6 days' where account_id = ${failing.id}`;
    const fires = { fires: ['RegularsWebhookFailing', 'RegularsWebhookDisabled', 'RegularsEventsWait'] };
    try {
      await during({ ...fires, mayFire: ['RegularsServiceDown', ...database] }, async () => {
        // A new process reads the states at once.
        await scene().fleet.restart(0);
        await recover();
        // As long as an alert waits: a second counts as 100.
        await pause(8000);
        await writeTo(failing);
        await pause(3000);
      });
    } finally {
      await connection.run`delete from webhooks`;
      await connection.close();
      await scene().fleet.restart(0);
      await recover();
    }
  });

  it('fires no alert while nothing is wrong', async () => {
    await during({ fires: [] }, () => pause(8000));
  });

  it.each(names.filter((name) => !isOfNode(name)))('fires its alert for the fault "%s"', async (name) => {
    const { cantFill } = scene().disk;
    if ((name === 'disk' || name === 'log') && cantFill)
      console.error(`\n*** LEFT OUT: the alert of a full disk. ${cantFill} ***\n`);
    else await checkFault(name);
  });

  it('fires an alert for a process that restarts again and again', async () => {
    const also = { fires: ['RegularsRestarting'], mayFire: ['RegularsServiceDown'] };
    await during(also, async () => {
      for (let n = 0; n < 2; n++) {
        await scene().fleet.restart(0);
        await recover();
        await pause(500);
      }
    });
  });

  it('fires an alert for responses of 500', async () => {
    const connection = await scene().postgres.connect();
    await during({ fires: ['RegularsErrors'] }, async () => {
      await connection.script('alter table contacts rename to contacts_away');
      await pause(3500);
      await connection.script('alter table contacts_away rename to contacts');
    });
    await connection.close();
  });

  it('fires an alert for slow requests', async () => {
    const connection = await scene().postgres.connect();
    await during({ fires: ['RegularsSlow'] }, async () => {
      for (let n = 0; n < 8; n++) {
        await connection.script('begin; lock table contacts; select pg_sleep(1.3); commit');
        await pause(20);
      }
    });
    await connection.close();
  });

  it('fires an alert for transactions that wait for a connection', async () => {
    await writing().end();
    const connection = await scene().postgres.connect();
    await during({ fires: ['RegularsPoolExhausted'] }, async () => {
      await connection.script('begin; lock table units');
      const requests = Array.from({ length: 20 }, (_, n) =>
        askAdmin(scene().fleet.url(), 'POST', `/accounts/${account()}/units`, { name: `Venue ${n}` }),
      );
      await pause(5000);
      await connection.script('commit');
      await Promise.all(requests);
    });
    await connection.close();
  });
});

describe.skipIf(!promtool.isInstalled)(`a service with workers and an embedded PostgreSQL${promtool.skipped}`, () => {
  let disk: Disk;
  let service: Running;
  afterAll(async () => {
    await service.stop();
    disk.remove();
  });
  let workers: number[] = [];

  beforeAll(async () => {
    disk = new Disk();
    service = await start({ dataDir: disk.folder, env: { WORKERS: '2', RATE_LIMIT_PER_MINUTE: '20' } });
    workers = JSON.parse(/"workers":(\[[\d,]+\])/.exec(service.output())?.[1] ?? '[]');
    expect(workers).toHaveLength(2);
  });

  async function during(expectations: Expected, work: () => Promise<void>): Promise<void> {
    const scraping = scrape(() => service.url);
    await scraping.more(3);
    await work();
    await scraping.more(3);
    expect(unexpectedAlerts(await scraping.end(), expectations)).toBe('');
  }

  it('fires an alert for requests above the rate limit', async () => {
    const { body: account } = await service.admin('POST', '/accounts', { name: 'The Harbour Group' });
    const { body } = await service.admin('POST', `/accounts/${account.id}/tokens`, { name: 'till' });
    await during({ fires: ['RegularsLoadRefused'] }, async () => {
      for (let n = 0; n < 100; n++) {
        await fetch(`${service.url}/v1/account/units`, { headers: { authorization: `Bearer ${body.token}` } });
        await pause(30);
      }
    });
  });

  it('fires an alert for a busy event loop', async () => {
    const [pid = 0] = workers;
    await during({ fires: ['RegularsEventLoopLag'] }, async () => {
      // A stopped process does the same as one whose event loop is blocked.
      for (let n = 0; n < 20; n++) {
        process.kill(pid, 'SIGSTOP');
        await pause(400).finally(() => process.kill(pid, 'SIGCONT'));
        await pause(50);
      }
    });
  });

  it('fires an alert for a disk that is nearly full', async () => {
    if (disk.cantFill) {
      console.error(`\n*** LEFT OUT: the alert of a nearly full disk. ${disk.cantFill} ***\n`);
      return;
    }
    await during({ fires: ['RegularsDiskNearlyFull'] }, async () => {
      disk.fill(4 * 2 ** 20);
      await pause(5000).finally(() => disk.empty());
    });
  });

  it('fires an alert for a worker that was killed', async () => {
    await during({ fires: ['RegularsWorkerReplaced'] }, async () => {
      process.kill(workers[0] ?? 0, 'SIGKILL');
      await expect.poll(() => service.output()).toContain('worker replaced');
    });
  });
});

it('every alert is fired by one of these tests', () => {
  const text = readFileSync(new URL(import.meta.url), 'utf8');
  const fired = Array.from(text.matchAll(/fires: \[([^\]]*)\]/g), ([, names = '']) => names).join(' ');
  expect(alerts.filter((alert) => !fired.includes(`'${alert}'`))).toEqual([]);
});
