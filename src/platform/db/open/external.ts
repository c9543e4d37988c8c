import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, messageOf } from '../../../shared/errors.ts';
import { SetupProblem } from '../../../shared/problem.ts';
import { type Kind, kindOf } from '../citus.ts';
import { type ConnectOptions, mustWorkPooled, openConnection } from '../connection.ts';
import { isDatabaseUnavailable, isNodeLost, type Tx } from '../database.ts';
import { restoreForce } from '../distributed/copying.ts';
import { identifier } from '../sql.ts';

/** The role that the service switches to if its login could bypass row-level security. */
export const plainRole = 'regulars_service';

/** How long to wait for a database that starts or restarts at the same time. */
const timeoutMs = 30_000;

interface WaitOptions {
  signal?: AbortSignal | undefined;
  onEvent?: ((message: string, level?: 'info' | 'warn') => void) | undefined;
}

/** Retries while the database is unavailable. Other errors are final. */
export async function retryWhileUnavailable<T>(
  url: string,
  attempt: () => Promise<T>,
  { signal, onEvent }: WaitOptions,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (Date.now() > deadline || signal?.aborted) throw unusableServer(url, error);
      onEvent?.(`waiting for PostgreSQL at ${hostAndPort(url)}`);
      await pause(1000, undefined, signal ? { signal } : {});
    }
  }
}

/**
 * Checks an external server, and returns how to connect to it. An ordinary role needs no switch. A superuser would bypass
 * row-level security, so a plain role is created once, and each connection switches to it.
 */
export async function checkServer(
  url: string,
  onEvent?: WaitOptions['onEvent'],
): Promise<Required<Omit<ConnectOptions, 'url' | 'applicationName'>>> {
  try {
    // Works with and without a pooler.
    const connection = await openConnection({ url, isPooled: true });
    try {
      const [server] = await connection.run<{ version: number; bypasses: boolean; database: string }>`
        select current_setting('server_version_num')::int as version, rolsuper or rolbypassrls as bypasses, current_database() as database
        from pg_roles where rolname = current_user`;
      if (!server) throw new Error('it did not say who we are');
      if (server.version < 150_000)
        throw new Error(`it is PostgreSQL ${Math.floor(server.version / 10_000)}, and Regulars needs 15 or newer`);
      const isPooled = await connection.seesPooler();
      if (isPooled) mustWorkPooled(url);
      const kind = await kindOf(connection.run);
      const isDistributed = kind === 'distributed';
      if (isDistributed && !isPooled)
        await restoreForce(url).catch((error) => {
          // The accounts on the other nodes need the service.
          if (!isNodeLost(error)) throw error;
          onEvent?.(
            `A command that moved shards was killed, and row-level security is not forced yet: ${error.message}`,
            'warn',
          );
        });
      if (!server.bypasses) return { role: undefined, isPooled, isDistributed };
      // The switch would end with the transaction, and graphile-worker does not repeat it.
      if (isPooled) throw new Error('a superuser cannot use it through a connection pooler; use an ordinary role');
      await connection.transaction((tx) => preparePlainRole(tx, server.database, kind));
      return { role: plainRole, isPooled, isDistributed };
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw isDatabaseUnavailable(error) ? error : unusableServer(url, error);
  }
}

/**
 * Roles are shared by all databases of a server, so another Regulars may create the role at the same time. With Citus, a
 * node logs in to the others as this role.
 */
async function preparePlainRole(tx: Tx, database: string, kind: Kind): Promise<void> {
  const role = identifier(plainRole);
  await tx`do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`;
  if (kind !== 'without Citus') await tx`alter role ${role} login`;
  await tx`grant create, temporary on database ${identifier(database)} to ${role}`;
  await tx`grant usage, create on schema public to ${role}`;
}

function unusableServer(url: string, error: unknown): SetupProblem {
  // The error of a refused connection to several addresses has no message.
  return new SetupProblem(
    `DATABASE_URL: can't use the server at ${hostAndPort(url)}: ${messageOf(error) || codeOf(error) || error}.`,
  );
}

function hostAndPort(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || 5432}`;
}
