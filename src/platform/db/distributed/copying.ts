import { SetupProblem } from '../../../shared/problem.ts';
import { type Connection, type ConnectOptions, openConnection } from '../connection.ts';
import { tenantTables } from '../deletion.ts';
import { copyingLock, lockClass } from '../migrate.ts';
import { identifier, only, type Run, raw } from '../sql.ts';

/**
 * Runs work that copies shards. Citus copies with the rights of the role, and row-level security, which is forced on the
 * owner too, would hide every row: the copy would be empty. A superuser sees all rows. For an ordinary role it is not
 * forced meanwhile; every statement of the service names its account anyway.
 */
export async function withAllRows<T>(
  { role, ...options }: ConnectOptions,
  say: (text: string) => void,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  // The lock below is one of a session.
  if (options.isPooled)
    throw new SetupProblem(
      'Shards are not moved through a connection pooler. Set DATABASE_URL to the coordinator itself.',
    );
  // Without the switch to the plain role, if the login is a superuser.
  const connection = await openConnection(options);
  try {
    if (!(await takeCopyingLock(connection.run)))
      throw new SetupProblem('Shards are being moved, or the database is being migrated. Run this when that is done.');
    if (role !== undefined) return await work(connection);
    say('Row-level security is not forced on the role of DATABASE_URL meanwhile. With a superuser it stays forced.');
    try {
      await force(connection, false);
      return await work(connection);
    } finally {
      await forceAgain(options);
    }
  } finally {
    await connection.close();
  }
}

/** Held for the lifetime of the connection. */
async function takeCopyingLock(run: Run): Promise<boolean> {
  return only(await run<{ taken: boolean }>`select pg_try_advisory_lock(${lockClass}, ${copyingLock}) as taken`).taken;
}

/** On a connection of its own, because the other one may be lost. */
async function forceAgain(options: ConnectOptions): Promise<void> {
  const connection = await openConnection(options);
  try {
    await force(connection, true);
  } finally {
    await connection.close();
  }
}

/** Forces row-level security again if a command was killed before it did. While one runs, nothing is changed. */
export async function restoreForce(connection: Connection): Promise<void> {
  const unforced = await connection.run`
    select from pg_policy join pg_class c on c.oid = polrelid
    where polname = 'own_account' and relnamespace = current_schema()::regnamespace and not relforcerowsecurity limit 1`;
  if (unforced.length > 0 && (await takeCopyingLock(connection.run))) await force(connection, true);
}

/** One table at a time: with locks on several tables, this and a write could wait for each other. */
async function force({ run }: Connection, on: boolean): Promise<void> {
  for (const { name } of await tenantTables(run))
    await run`alter table ${identifier(name)} ${raw(on ? '' : 'no')} force row level security`;
}
