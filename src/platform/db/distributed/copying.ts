import { messageOf } from '../../../shared/errors.ts';
import { SetupProblem } from '../../../shared/problem.ts';
import { type Connection, type ConnectOptions, openConnection } from '../connection.ts';
import { tenantTables } from '../deletion.ts';
import { copyingLock, lockClass } from '../migrate.ts';
import { identifier, only, type Run, raw } from '../sql.ts';
import { mustBeCoordinator } from './nodes.ts';

/**
 * Runs work that copies shards. Citus copies with the rights of the role, and row-level security, which is forced on the
 * owner too, would hide every row: the copy would be empty. A superuser sees all rows. For an ordinary role, the tables
 * are not forced during the work; every statement of the service names its account anyway. Only the connection that holds
 * the lock changes this, so that no command forces a table while another one copies it.
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
    await mustBeCoordinator(connection.run);
    await mustHaveNoTimeouts(connection.run);
    if (role !== undefined) return await work(connection);
    say('Row-level security is not forced on the role of DATABASE_URL until this command ends.');
    try {
      await force(connection, false);
      return await work(connection);
    } finally {
      // Without the connection, the lock is gone too, and another command may have it.
      await force(connection, true)
        .catch(() => restoreForce(options.url))
        .catch((error) =>
          say(
            `Row-level security could not be forced again: ${messageOf(error)}. The next start of a service does it.`,
          ),
        );
    }
  } finally {
    await connection.close();
  }
}

/**
 * Citus copies over connections of its own between the nodes. They have the settings of the role there, and a timeout
 * would cut the copy. The settings of this connection do not reach them.
 */
async function mustHaveNoTimeouts(run: Run): Promise<void> {
  const command = `
    select json_agg(json_build_object('name', name, 'role', current_user, 'database', current_database()) order by name)::text from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout') and setting <> '0'`;
  const nodes = await run<{ node: string; success: boolean; result: string }>`
    select format('%s:%s', nodename, nodeport) as node, success, result
    from run_command_on_all_nodes(${command}) join pg_dist_node using (nodeid) where result <> '' or not success order by 1`;
  const lost = nodes.find(({ success }) => !success);
  if (lost) throw new SetupProblem(`The node ${lost.node} is not available. Nothing was changed. ${lost.result}`);
  const problems = nodes.map(({ node, result }) => {
    const found = JSON.parse(result) as { name: string; role: string; database: string }[];
    const ways = found.map(
      ({ name, role, database }) =>
        `alter role ${identifier(role).sql} in database ${identifier(database).sql} set ${name} = 0`,
    );
    return `On ${node}, run \`${ways.join('; ')}\`.`;
  });
  if (problems.length === 0) return;
  throw new SetupProblem(
    `The role has timeouts that would cut the copy of a shard. Nothing was changed. ${problems.join(' ')}`,
  );
}

/** Held for the lifetime of the connection. */
async function takeCopyingLock(run: Run): Promise<boolean> {
  return only(await run<{ taken: boolean }>`select pg_try_advisory_lock(${lockClass}, ${copyingLock}) as taken`).taken;
}

/** Forces row-level security again if a command was killed before it did. While one runs, nothing is changed. */
export async function restoreForce(url: string): Promise<void> {
  const connection = await openConnection({ url });
  try {
    const unforced = await connection.run`
      select from pg_policy join pg_class c on c.oid = polrelid
      where polname = 'own_account' and relnamespace = current_schema()::regnamespace and not relforcerowsecurity limit 1`;
    if (unforced.length > 0 && (await takeCopyingLock(connection.run))) await force(connection, true);
  } finally {
    await connection.close();
  }
}

/**
 * One table at a time: with locks on several tables, this and a write could wait for each other. In a transaction, the
 * nodes have no timeouts either.
 */
async function force({ run, transaction }: Connection, on: boolean): Promise<void> {
  for (const { name } of await tenantTables(run))
    await transaction((tx) => tx`alter table ${identifier(name)} ${raw(on ? '' : 'no')} force row level security`);
}
