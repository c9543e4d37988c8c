import { setTimeout as pause } from 'node:timers/promises';
import { SetupProblem } from '../shared/problem.ts';
import { type Connection, isDatabaseAway, openConnection, type Tx } from './database.ts';
import { identifier } from './sql.ts';

/** The role that the service takes on where its login could look past row-level security. */
const plainRole = 'regulars_service';

interface ExamineOptions {
  signal?: AbortSignal | undefined;
  onEvent?: ((message: string, level?: 'info' | 'warn') => void) | undefined;
  waitSeconds?: number;
}

/**
 * Checks an external server before anything is built on it, and says which role to act as. An ordinary role acts as
 * itself. A superuser would bypass row-level security, so a plain role is made (once) and taken on at each connect.
 */
export async function examineServer(
  url: string,
  { signal, onEvent, waitSeconds = 30 }: ExamineOptions = {},
): Promise<{ role: string | undefined }> {
  const where = new URL(url);
  const place = `${where.hostname || 'localhost'}:${where.port || 5432}`;
  let connection: Connection | undefined;
  try {
    const deadline = Date.now() + waitSeconds * 1000;
    while (!connection) {
      try {
        connection = await openConnection({ url });
      } catch (error) {
        // A database that starts together with us may need a moment; one that says no means it.
        if (!isDatabaseAway(error) || Date.now() > deadline || signal?.aborted) throw error;
        onEvent?.(`waiting for PostgreSQL at ${place}`);
        await pause(1000, undefined, signal ? { signal } : {});
      }
    }
    const [server] = await connection.run<{ version: number; bypasses: boolean; database: string }>`
      select current_setting('server_version_num')::int as version, rolsuper or rolbypassrls as bypasses, current_database() as database
      from pg_roles where rolname = current_user`;
    if (!server) throw new Error('it did not say who we are');
    if (server.version < 150_000)
      throw new Error(`it is PostgreSQL ${Math.floor(server.version / 10_000)}, and Regulars needs 15 or newer`);
    if (!server.bypasses) return { role: undefined };
    await connection.transaction((tx) => preparePlainRole(tx, server.database));
    return { role: plainRole };
  } catch (error) {
    throw new SetupProblem(`DATABASE_URL: can't use the server at ${place}: ${reason(error)}.`);
  } finally {
    await connection?.close();
  }
}

/** Roles belong to the whole server, so another database's Regulars may be making it at this very moment. */
async function preparePlainRole(tx: Tx, database: string): Promise<void> {
  const role = identifier(plainRole);
  await tx`do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`;
  await tx`grant create, temporary on database ${identifier(database)} to ${role}`;
  await tx`grant usage, create on schema public to ${role}`;
}

/** A refused connection to several addresses at once has no message of its own. */
function reason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}
