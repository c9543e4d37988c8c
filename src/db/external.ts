import { setTimeout as pause } from 'node:timers/promises';
import { SetupProblem } from '../shared/problem.ts';
import { type Connection, isDatabaseAway, openConnection, type Tx } from './database.ts';
import { lockClass } from './migrate.ts';
import { identifier } from './sql.ts';

/** The role that the service takes on where its login could look past row-level security. */
const plainRole = 'regulars_service';

/**
 * Checks an external server before anything is built on it, and says which role to act as. An ordinary role acts as
 * itself. A superuser would bypass row-level security, so a plain role is made (once) and taken on at each connect.
 */
export async function examineServer(
  url: string,
  signal?: AbortSignal,
  waitSeconds = 30,
): Promise<{ role: string | undefined }> {
  const where = new URL(url);
  const place = `${where.hostname || 'localhost'}:${where.port || 5432}`;
  let connection: Connection | undefined;
  try {
    connection = await patiently(waitSeconds, signal, () => openConnection({ url }));
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

async function preparePlainRole(tx: Tx, database: string): Promise<void> {
  const role = identifier(plainRole);
  await tx`select pg_advisory_xact_lock(${lockClass}, 4)`;
  const [existing] = await tx`select from pg_roles where rolname = ${plainRole}`;
  if (!existing) await tx`create role ${role} nologin`;
  await tx`grant create, temporary on database ${identifier(database)} to ${role}`;
  await tx`grant usage, create on schema public to ${role}`;
}

/** A refused connection to several addresses at once has no message of its own. */
function reason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}

/** A database that starts together with us may need a moment; one that says no means it. */
async function patiently<T>(seconds: number, signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() > deadline || signal?.aborted) throw error;
      await pause(500);
    }
  }
}
