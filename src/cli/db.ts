import type { Command } from 'commander';
import { showAccount } from '../features/access/accounts/manage.ts';
import { type LargeAccount, largestAccounts } from '../features/access/accounts/sizes.ts';
import { type Kind, kindOf } from '../platform/db/citus.ts';
import { openConnection } from '../platform/db/connection.ts';
import { withAllRows } from '../platform/db/distributed/copying.ts';
import { distribute } from '../platform/db/distributed/distribute.ts';
import { findPlace, isolate, moveShard, type Node, planMoves, selectNodes } from '../platform/db/distributed/nodes.ts';
import type { OpenDatabase } from '../platform/db/open/open.ts';
import type { Run } from '../platform/db/sql.ts';
import { SetupProblem } from '../shared/problem.ts';
import { recordCommand } from './audit-trail.ts';
import { Progress } from './progress.ts';
import { print, printRows, toId, withDatabase } from './run.ts';

interface Options {
  json?: boolean;
  shards?: string;
  to?: string;
}

/** Counting all accounts can take long. */
const [mostShown, longestMs] = [10, 20_000];

const mostShards = 1024;

/** These commands migrate nothing. */
const unchanged = { migrate: 'none', mayCreate: false } as const;

/** The commands about the database as a whole. */
export function dbCommands(program: Command): void {
  const db = program.command('db').description('the database: distribute it over several servers, and see how it is');
  const sub = (usage: string, description: string) =>
    db.command(usage).description(description).option('--json', 'print JSON');

  sub('distribute', 'distribute the tables over the nodes of a Citus cluster, by account')
    .option('--shards <number>', 'the number of parts of each table (default: 32)')
    .action(async (options: Options) => {
      const shards = toShards(options.shards ?? '32');
      const done = await withDatabase(unchanged, async (database, interrupted) => {
        const result = await distribute(database.connect, { shards, say, interrupted });
        // An empty database stays empty, so that a backup can be restored into it.
        if (result.rows > 0) await record(database, result);
        return result;
      });
      const place = `${done.shards} shards on ${counted(done.workers, 'worker')}`;
      const sentence =
        done.tables === 0
          ? `Nothing to do: the database is distributed already, in ${place}.${options.shards === undefined || done.shards === shards ? '' : ' Only a backup and a restore change the number of shards.'}`
          : `${done.rows.toLocaleString('en')} rows of ${done.tables} tables are distributed by account, in ${place}. accounts and users are on every node.`;
      print(options.json ? done : sentence, options);
    });

  sub('status', 'show the nodes, their shards, and the largest accounts').action(async (options: Options) => {
    const status = await withDatabase(unchanged, showStatus);
    if (options.json) return print(status, options);
    print(status.summary, options);
    if (status.nodes.length > 0) printAll(status.nodes);
    print(status.counted, options);
    if (status.accounts.length > 0) printAll(status.accounts);
  });

  sub(
    'move-account <id>',
    'move an account to a node, in shards of its own, while the service runs; writes to its shards wait meanwhile',
  )
    .requiredOption('--to <node>', 'HOST:PORT, as `regulars db status` shows it')
    .action(async (id: string, options: Options) => {
      const [accountId, to] = [toId(id, 'account'), options.to ?? ''];
      const sentence = await withDatabase(unchanged, (database, interrupted) =>
        onDistributed(database, { id: accountId }, async (run, changed) => {
          await database.db.transaction((tx) => showAccount(tx, accountId));
          return moveAccount(run, accountId, { to, interrupted, changed });
        }),
      );
      print(sentence, options);
    });

  sub('rebalance', 'spread the shards evenly over the nodes, while the service runs').action(
    async (options: Options) => {
      const moves = await withDatabase(unchanged, (database, interrupted) =>
        onDistributed(database, undefined, (run, changed) => rebalance(run, { interrupted, changed })),
      );
      print(
        moves === 0 ? 'Nothing to do: the nodes have about equal shares.' : `${counted(moves, 'shard')} moved.`,
        options,
      );
    },
  );
}

const say = (text: string) => void process.stderr.write(`${text}\n`);

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const printAll = (rows: object[]) =>
  printRows({ rows, total: rows.length }, { limit: rows.length, offset: 0 }, { json: false });

function toShards(text: string): number {
  const shards = Number(text);
  if (!/^\d+$/.test(text) || shards < 1 || shards > mostShards)
    throw new SetupProblem(`--shards is a number from 1 to ${mostShards}.`);
  return shards;
}

const record = ({ db }: OpenDatabase, result: unknown) => db.transaction((tx) => recordCommand(tx, null, result));

/**
 * Moves take long, so they have a connection without a statement timeout. The work calls `changed` after each change, so
 * that the audit trail has an entry also if it fails later.
 */
async function onDistributed<T>(
  database: OpenDatabase,
  entry: unknown,
  work: (run: Run, changed: () => void) => Promise<T>,
): Promise<T> {
  if ((await database.db.transaction(kindOf)) !== 'distributed')
    throw new SetupProblem('The database is not distributed. `regulars db distribute` does that.');
  let hasChanged = false;
  const changed = () => {
    hasChanged = true;
  };
  try {
    return await withAllRows(database.connect, say, ({ run }) => work(run, changed));
  } finally {
    if (hasChanged) await record(database, entry);
  }
}

interface Moving {
  interrupted: AbortSignal;
  changed: () => void;
}

async function moveAccount(
  run: Run,
  id: number,
  { to, interrupted, changed }: Moving & { to: string },
): Promise<string> {
  const nodes = (await selectNodes(run)).filter((one) => one.takes_shards && one.active && one.reachable);
  if (!nodes.some(({ node }) => node === to))
    throw new SetupProblem(
      `There is no node ${to} that takes shards. The nodes are ${nodes.map(({ node }) => node).join(', ')}.`,
    );
  if (await isolate(run, id)) {
    changed();
    say(`The account ${id} has shards of its own now.`);
  }
  const place = await findPlace(run, id);
  if (`${place.host}:${place.port}` === to) return `The account ${id} is on ${to} already, in shards of its own.`;
  if (interrupted.aborted) throw new SetupProblem('Interrupted before the move.');
  await moveShard(run, place, to);
  changed();
  return `The account ${id} moved from ${place.host}:${place.port} to ${to}, in shards of its own.`;
}

/** An interrupted command stops after the present move. The next call goes on. */
async function rebalance(run: Run, { interrupted, changed }: Moving): Promise<number> {
  const moves = await planMoves(run);
  const progress = new Progress('shards');
  for (const [index, move] of moves.entries()) {
    if (interrupted.aborted) throw new SetupProblem(`Interrupted after ${index} of ${moves.length} shards.`);
    await moveShard(run, move, move.to);
    changed();
    progress.show(index + 1, moves.length);
  }
  return moves.length;
}

const hasTables = async (run: Run) => (await run`select from pg_class where oid = to_regclass('accounts')`).length > 0;

function summaryOf(kind: Kind, nodes: Node[]): string {
  if (kind === 'distributed') {
    const shards = nodes.reduce((sum, node) => sum + node.shards, 0);
    return `The database is distributed by account: ${shards} shards on ${counted(nodes.filter(({ shards }) => shards > 0).length, 'node')}.`;
  }
  return `The database is on one server${kind === 'single server' ? ', which has Citus: `regulars db distribute` distributes it' : ''}.`;
}

async function showStatus({ db, connect }: OpenDatabase) {
  const connection = await openConnection(connect);
  try {
    const { run } = connection;
    const kind = await kindOf(run);
    const nodes = kind === 'distributed' ? await selectNodes(run) : [];
    if (!(await hasTables(run)))
      return {
        ...{ summary: summaryOf(kind, nodes), distributed: false, nodes, accounts: [] },
        counted: 'It is empty. `regulars migrate` creates its tables.',
      };
    const isWhole = nodes.every(({ reachable }) => reachable);
    const {
      accounts,
      counted: seen,
      complete,
    } = isWhole
      ? await largestAccounts(db, { most: mostShown, longestMs })
      : { accounts: [], counted: 0, complete: false };
    const placed: (LargeAccount & { node?: string })[] = [];
    for (const account of accounts) {
      const place = kind === 'distributed' ? await findPlace(run, account.id) : undefined;
      placed.push({ ...account, ...(place && { shard: place.shard, node: `${place.host}:${place.port}` }) });
    }
    return {
      summary: summaryOf(kind, nodes),
      distributed: kind === 'distributed',
      nodes,
      counted: isWhole
        ? `The largest of ${complete ? '' : 'the first '}${counted(seen, 'account')}:`
        : 'The accounts are not counted, because not all nodes are reachable.',
      accounts: placed,
    };
  } finally {
    await connection.close();
  }
}
