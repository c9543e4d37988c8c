import { setTimeout as pause } from 'node:timers/promises';
import { SetupProblem } from '../../../shared/problem.ts';
import { isDatabaseUnavailable, openConnection, type Tx } from '../database.ts';
import { identifier } from '../sql.ts';

/** The role that the service takes on where its login could look past row-level security. */
const plainRole = 'regulars_service';

/** A database that starts together with us, or is restarted just then, gets this long. */
const patienceMs = 30_000;

interface Patience {
  signal?: AbortSignal | undefined;
  onEvent?: ((message: string, level?: 'info' | 'warn') => void) | undefined;
}

/** Tries again for as long as the database is away; one that says no means it. */
export async function retryWhileUnavailable<T>(
  url: string,
  attempt: () => Promise<T>,
  { signal, onEvent }: Patience,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (Date.now() > deadline || signal?.aborted) throw cantUse(url, error);
      onEvent?.(`waiting for PostgreSQL at ${placeOf(url)}`);
      await pause(1000, undefined, signal ? { signal } : {});
    }
  }
}

/**
 * Checks an external server before anything is built on it, and says which role to act as. An ordinary role acts as
 * itself. A superuser would bypass row-level security, so a plain role is made (once) and taken on at each connect.
 */
export async function checkServer(url: string): Promise<{ role: string | undefined }> {
  try {
    const connection = await openConnection({ url });
    try {
      const [server] = await connection.run<{ version: number; bypasses: boolean; database: string }>`
        select current_setting('server_version_num')::int as version, rolsuper or rolbypassrls as bypasses, current_database() as database
        from pg_roles where rolname = current_user`;
      if (!server) throw new Error('it did not say who we are');
      if (server.version < 150_000)
        throw new Error(`it is PostgreSQL ${Math.floor(server.version / 10_000)}, and Regulars needs 15 or newer`);
      if (!server.bypasses) return { role: undefined };
      await connection.transaction((tx) => preparePlainRole(tx, server.database));
      return { role: plainRole };
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw isDatabaseUnavailable(error) ? error : cantUse(url, error);
  }
}

/** Roles belong to the whole server, so another database's Regulars may be making it at this very moment. */
async function preparePlainRole(tx: Tx, database: string): Promise<void> {
  const role = identifier(plainRole);
  await tx`do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`;
  await tx`grant create, temporary on database ${identifier(database)} to ${role}`;
  await tx`grant usage, create on schema public to ${role}`;
}

function cantUse(url: string, error: unknown): SetupProblem {
  // A refused connection to several addresses at once has no message of its own.
  const { message, code } = error as { message?: string; code?: string };
  return new SetupProblem(`DATABASE_URL: can't use the server at ${placeOf(url)}: ${message || code || error}.`);
}

function placeOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || 5432}`;
}
