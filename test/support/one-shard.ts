import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import pg from 'pg';

const pgUtils = createRequire(import.meta.url)('pg/lib/utils.js') as { prepareValue(value: unknown): unknown };

/**
 * On a distributed server, the statements that the service sent during the tests are collected. After the tests, the
 * server explains each of them: a statement about an account must go to one shard.
 */

interface Statement {
  text: string;
  values: unknown[];
}

/** The value as text, as the driver sends it to PostgreSQL. */
function toText(value: unknown): unknown {
  const prepared: unknown = pgUtils.prepareValue(value);
  return Buffer.isBuffer(prepared) ? `\\x${prepared.toString('hex')}` : prepared;
}

/** The statements that this worker has written to the file. */
const written = new Set<string>();

/** Only connections of the service have a name. */
const serviceName = /^regulars/;

/** Tests that attack tables with statements of their own over connections of the service. */
const attackers = /row-level-security|tenant-table|ledger|append-only|database\.test/;

let isCollecting = false;

/** Writes each statement of the service once to the file, with the values of its first use. */
export function collectStatements(file: string, testFile: string): void {
  isCollecting = !attackers.test(testFile);
  const send = pg.Client.prototype.query;
  if (send.name === 'collect') return;
  pg.Client.prototype.query = function collect(
    this: pg.Client & { connectionParameters?: object },
    ...args: unknown[]
  ) {
    const [query] = args as [Partial<Statement> | undefined];
    const name = String(Reflect.get(this.connectionParameters ?? {}, 'application_name') ?? '');
    if (typeof query?.text === 'string' && isCollecting && serviceName.test(name) && !written.has(query.text)) {
      written.add(query.text);
      const values = (query.values ?? []).map(toText);
      appendFileSync(file, `${JSON.stringify({ text: query.text, values })}\n`);
    }
    return Reflect.apply(send, this, args);
  } as typeof send;
}

/** Statements that may go to several shards, and why. None is of the service. */
const exceptions = [
  {
    statement: /^(update (consent_ledger|merges) set \w+ = \w+|delete from (consent_ledger|merges))$/,
    because: 'a test attacks an append-only table',
  },
];

/** The statements that do not go to one shard, with their plans. Throws if hardly any statement was collected. */
export async function findOtherStatements(file: string, url: string): Promise<string[]> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const statements = new Map(lines.map((line) => JSON.parse(line) as Statement).map((one) => [one.text, one]));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found: string[] = [];
  try {
    const { rows } = await client.query<{ name: string }>(
      `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`,
    );
    const names = new RegExp(`\\b(from|into|update|join)\\s+"?(${rows.map(({ name }) => name).join('|')})\\b`);
    for (const { text, values } of statements.values()) {
      if (!/^\s*(select|insert|update|delete|with)\s/.test(text) || !names.test(text)) continue;
      if (exceptions.some(({ statement }) => statement.test(text.trim()))) continue;
      const plan = await explain(client, text, values);
      if (!goesToOneShard(plan))
        found.push(`${text.replace(/\s+/g, ' ').trim()}\n    ${plan.replaceAll('\n', '\n    ')}`);
    }
    return found;
  } finally {
    await client.end();
  }
}

/** The values are part of the text: EXPLAIN plans parameters as unknown. */
async function explain(client: pg.Client, text: string, values: unknown[]): Promise<string> {
  const literal = (value: unknown) => (value === null ? 'null' : pg.escapeLiteral(String(value)));
  const whole = text.replace(/\$(\d+)/g, (_, number) => literal(values[Number(number) - 1] ?? null));
  await client.query('begin; set local citus.explain_all_tasks = on');
  try {
    const { rows } = await client.query<Record<'QUERY PLAN', string>>(`explain (costs off) ${whole}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } catch (error) {
    return String(error);
  } finally {
    await client.query('rollback');
  }
}

/** An INSERT of rows that come with the statement goes to the shard of their account. Its plan does not name a task. */
function goesToOneShard(plan: string): boolean {
  const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => count);
  if (/INSERT \.\.\. SELECT/.test(plan)) return tasks.every((count) => count === '1');
  return tasks.length > 0 && tasks.every((count) => count === '1');
}
