import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { locateBinaries } from '../../src/platform/db/embedded/binaries.ts';
import { createCluster } from '../../src/platform/db/embedded/cluster.ts';
import { ServerControl } from '../../src/platform/db/embedded/control.ts';
import { chooseRunner } from '../../src/platform/db/embedded/runner.ts';
import { temporaryFolder } from './leftovers.ts';
import { freePort } from './port.ts';

export interface Server {
  /** An ordinary role. */
  url: string;
  superuserUrl: string;
  start(): Promise<void>;
  /** Ends it without a clean shutdown. */
  kill(): Promise<void>;
  /** Stops all its processes without ending them, or continues them. Its connections stay open and get no response. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** A primary and a streaming replica of it, both running. */
export async function startReplication(): Promise<{ primary: Server; replica: Server }> {
  const folder = temporaryFolder();
  const [first, second] = [join(folder, 'primary'), join(folder, 'replica')];
  const runner = chooseRunner(first);
  const binaries = locateBinaries(runner, process.env.TEST_POSTGRES_BIN);
  await createCluster(first, binaries, runner);
  await runner.write(first, 'pg_hba.conf', 'host replication all 127.0.0.1/32 scram-sha-256\n', 'append');
  const secret = (name: string) => readFileSync(join(first, `${name}.secret`), 'utf8').trim();

  const server = (cluster: string, port: number, settings: Record<string, string>): Server => {
    const control = new ServerControl(cluster, binaries, runner, { fsync: 'off', ...settings });
    afterAll(() => control.stop());
    const url = (role: string, file: string) => `postgres://${role}:${secret(file)}@127.0.0.1:${port}/regulars`;
    return {
      url: url('regulars', 'regulars'),
      superuserUrl: url('postgres', 'superuser'),
      start: () => control.start(port),
      kill: async () => {
        await runner.run(binaries.pg_ctl, cluster, (as) => ['stop', '-w', '-m', 'immediate', '-D', as]);
      },
      signal: (signal) => {
        const main = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
        // The main process first, so that it starts no others meanwhile.
        process.kill(main, signal);
        const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').trim().split(' ');
        for (const child of children) {
          try {
            process.kill(Number(child), signal);
          } catch {
            // It has ended meanwhile.
          }
        }
      },
    };
  };
  const [portOfFirst, portOfSecond] = [await freePort(), await freePort()];
  const primary = server(first, portOfFirst, {});
  // The copy of a server that does not run is the start of a replica.
  execFileSync('cp', ['-a', first, second]);
  await runner.write(second, 'standby.signal', '');
  const primary_conninfo = `host=127.0.0.1 port=${portOfFirst} user=postgres password=${secret('superuser')}`;
  const replica = server(second, portOfSecond, { primary_conninfo });
  await primary.start();
  await replica.start();
  return { primary, replica };
}
