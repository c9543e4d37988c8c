import { setTimeout as pause } from 'node:timers/promises';
import { SetupProblem } from '../shared/problem.ts';
import { connect, isDatabaseAway } from './database.ts';

/** The role that the service takes on where its login could look past row-level security. */
const plainRole = 'regulars_service';

/**
 * Checks an external server before anything is built on it, and says which role to act as. An ordinary role acts as
 * itself. A superuser would bypass row-level security, so a plain role is made (once) and taken on at each connect.
 */
export async function examineServer(url: string, waitSeconds = 30): Promise<{ role: string | undefined }> {
  const where = new URL(url);
  const place = `${where.hostname || 'localhost'}:${where.port || 5432}`;
  const sql = connect({ url });
  try {
    const [server] = await patiently(
      waitSeconds,
      async () =>
        await sql<{ version: number; bypasses: boolean; database: string }[]>`
      select current_setting('server_version_num')::int as version, rolsuper or rolbypassrls as bypasses, current_database() as database
      from pg_roles where rolname = current_user`,
    );
    if (!server) throw new SetupProblem(`DATABASE_URL: ${place} did not say who we are.`);
    if (server.version < 150_000) {
      throw new SetupProblem(
        `DATABASE_URL: ${place} is PostgreSQL ${Math.floor(server.version / 10_000)}; Regulars needs 15 or newer.`,
      );
    }
    if (!server.bypasses) return { role: undefined };
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${0x5245}, 4)`;
      const [existing] = await tx`select from pg_roles where rolname = ${plainRole}`;
      if (!existing) await tx`create role ${tx(plainRole)} nologin`;
      await tx`grant create, temporary on database ${tx(server.database)} to ${tx(plainRole)}`;
      await tx`grant usage, create on schema public to ${tx(plainRole)}`;
    });
    return { role: plainRole };
  } catch (error) {
    if (error instanceof SetupProblem) throw error;
    throw new SetupProblem(
      `DATABASE_URL: can't use the server at ${place}: ${(error as Error).message || (error as { code?: string }).code}`,
    );
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/** A database that starts together with us may need a moment; one that says no means it. */
async function patiently<T>(seconds: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() > deadline) throw error;
      await pause(500);
    }
  }
}
