import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askAdmin, ownProcessGroup, type Service, startProcess, startService } from '../../bench/load/service.ts';
import { CitusCluster } from '../../servers/citus.ts';
import type { ProofOptions } from './proof.ts';

type Proved = Pick<Service, 'url' | 'database' | 'superuser' | 'admin' | 'stop'> & {
  /** The distributed PostgreSQL, if it is one. */
  cluster: CitusCluster | undefined;
};

/** Starts a service on an embedded PostgreSQL, or on a distributed one. */
export async function startProved({ citus }: ProofOptions, env: Record<string, string>): Promise<Proved> {
  if (citus === undefined) return { ...(await startService(env, ownProcessGroup)), cluster: undefined };
  const folder = mkdtempSync(join(tmpdir(), 'regulars-prove-'));
  chmodSync(folder, 0o755);
  const cluster = await CitusCluster.start(folder, { binFolder: citus });
  const removeAll = async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await cluster.distribute(8);
    const [database, superuser] = [cluster.coordinator.address('regulars'), cluster.coordinator.address('postgres')];
    const own = await startProcess({ DATABASE_URL: database, ...env }, ownProcessGroup);
    return {
      ...{ url: own.url, database, superuser, cluster },
      admin: (method, path, body) => askAdmin(own.url, method, path, body),
      stop: () => own.end('SIGTERM').then(removeAll),
    };
  } catch (error) {
    await removeAll();
    throw error;
  }
}
