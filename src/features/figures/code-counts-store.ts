import type { Tx } from '../../platform/db/database.ts';
import { insertRows } from '../../platform/db/insert-rows.ts';
import { raw, type Sql, sql } from '../../platform/db/sql.ts';
import { type CodeChange, type CodeCounts, codeCounts } from './schema.ts';
import { timeZoneOf } from './store.ts';

/** Records what a transaction changed of the codes of groups: one row per group. */
export async function appendCodeChanges(tx: Tx, accountId: number, changes: CodeChange[]): Promise<void> {
  const byGroup = new Map<number, object[]>();
  for (const { group_id, unit_id, at, made, assigned, redeemed } of changes) {
    // Written out: the rest of an object is slow to make, and every redemption comes here.
    const entry = { unit_id, at, made, assigned, redeemed };
    const entries = byGroup.get(group_id);
    if (entries) entries.push(entry);
    else byGroup.set(group_id, [entry]);
  }
  if (byGroup.size === 0) return;
  await insertRows(tx, accountId, {
    table: 'changed_unique_codes',
    columns: { group_id: 'bigint', entries: 'jsonb' },
    rows: [...byGroup].map(([group_id, entries]) => ({ group_id, entries })),
  });
}

/** The counts of a group's codes on a day. Unit 0 has those that belong to no unit. */
export interface CodeDay extends CodeCounts {
  group_id: number;
  day: string;
  unit_id: number;
}

const sums = raw(codeCounts.map((name) => `coalesce(sum(${name}), 0)::integer as ${name}`).join(', '));

/** The entries of rows of the queue (a SELECT), with their days. */
const entriesOf = (rows: Sql, timeZone: Sql) => sql`
  select waiting.id, waiting.group_id, (entry.at at time zone ${timeZone})::date as day, coalesce(entry.unit_id, 0) as unit_id,
    coalesce(entry.made, 0) as made, coalesce(entry.assigned, 0) as assigned, coalesce(entry.redeemed, 0) as redeemed
  from (${rows}) as waiting
  cross join lateral jsonb_to_recordset(waiting.entries)
    as entry (unit_id bigint, at timestamptz, made integer, assigned integer, redeemed integer)`;

/** The first rows of the queue. */
export function takeCodeChanges(tx: Tx, accountId: number, limit: number): Promise<(CodeDay & { id: number })[]> {
  const rows = sql`
    select id, group_id, entries from changed_unique_codes where account_id = ${accountId} order by id limit ${limit}`;
  return tx<CodeDay & { id: number }>`${entriesOf(rows, timeZoneOf(accountId))}`;
}

export async function deleteCodeChanges(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx`delete from changed_unique_codes where account_id = ${accountId} and id = any(${ids})`;
}

type Key = 'group_id' | 'day' | 'unit_id';
const types = { group_id: 'bigint', day: 'date', unit_id: 'bigint' } as const;

/** The tables with counts of codes, the columns that they are counted by, and the counts. */
const tables = [
  { table: 'unique_code_days', keys: ['group_id', 'day', 'unit_id'], counts: codeCounts },
  { table: 'unique_code_sums', keys: ['group_id', 'unit_id'], counts: codeCounts },
  { table: 'unit_days', keys: ['day', 'unit_id'], counts: ['redeemed'] },
] as const satisfies { table: string; keys: Key[]; counts: readonly (keyof CodeCounts)[] }[];

type CodeTable = (typeof tables)[number]['table'];

/** Adds changes to the kept counts, in all tables or in one. The lock of the counts must be held. */
export async function addCodeDays(tx: Tx, accountId: number, days: CodeDay[], only?: CodeTable): Promise<void> {
  const changed = tables.filter(({ table }) => only === undefined || table === only);
  await tx.each(changed, async ({ table, keys, counts }) => {
    const rows = sumBy(days, keys, counts);
    if (rows.length === 0) return;
    await insertRows(tx, accountId, {
      table,
      columns: Object.fromEntries([
        ...keys.map((key) => [key, types[key]] as const),
        ...counts.map((name) => [name, 'integer'] as const),
      ]),
      rows,
      clauses: sql`on conflict (account_id, ${raw(keys.join(', '))})
        do update set ${raw(counts.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', '))}`,
    });
  });
}

/** The changes, added up by these columns. Those that cancel each other are left out. */
function sumBy(days: CodeDay[], keys: readonly Key[], counts: readonly (keyof CodeCounts)[]): CodeDay[] {
  const summed = new Map<string, CodeDay>();
  for (const day of days) {
    const key = keys.map((name) => day[name]).join(' ');
    const sum = summed.get(key);
    if (!sum) summed.set(key, { ...day });
    else for (const name of counts) sum[name] += day[name];
  }
  return [...summed.values()].filter((sum) => counts.some((name) => sum[name] !== 0));
}

/** The codes of a group by day and unit. Each kind of count has its own rows. */
function codesByDay(accountId: number, groupId: number): Sql {
  const part = (instant: string, unitId: Sql, counts: Sql, where = sql``) => sql`
    select (${raw(instant)} at time zone ${timeZoneOf(accountId)})::date as day, ${unitId} as unit_id, ${counts}
    from unique_codes where account_id = ${accountId} and group_id = ${groupId} ${where} group by 1, 2`;
  return sql`
    ${part('created_at', sql`0::bigint`, sql`count(*) as made, 0 as assigned, 0 as redeemed`)} union all
    ${part('coalesce(assigned_at, created_at)', sql`0::bigint`, sql`0, count(*), 0`, sql`and contact_id is not null`)} union all
    ${part('redeemed_at', sql`redeemed_unit_id`, sql`0, 0, count(*)`, sql`and redeemed_at is not null`)}`;
}

/**
 * Counts the codes of a group, and takes its changes from the queue. One statement, so that a change is either counted or
 * stays in the queue.
 */
export function countCodesAgain(tx: Tx, accountId: number, groupId: number): Promise<CodeDay[]> {
  return tx<CodeDay>`
    with taken as (delete from changed_unique_codes where account_id = ${accountId} and group_id = ${groupId})
    select ${groupId}::bigint as group_id, day, unit_id, ${sums} from (${codesByDay(accountId, groupId)}) as counted
    group by day, unit_id`;
}

const isNotZero = raw(codeCounts.map((name) => `sum(${name}) <> 0`).join(' or '));
const negative = raw(codeCounts.map((name) => `-${name}`).join(', '));

/** What the kept days of a group lack, apart from the changes that wait. One statement, so that writers do not matter. */
export function findCodeDays(tx: Tx, accountId: number, groupId: number): Promise<CodeDay[]> {
  const ofGroup = sql`account_id = ${accountId} and group_id = ${groupId}`;
  const waiting = sql`select id, group_id, entries from changed_unique_codes where ${ofGroup}`;
  return tx<CodeDay>`
    select ${groupId}::bigint as group_id, day, unit_id, ${sums} from (
      ${codesByDay(accountId, groupId)} union all
      select day, unit_id, ${negative} from unique_code_days where ${ofGroup} union all
      select day, unit_id, ${negative} from (${entriesOf(waiting, timeZoneOf(accountId))}) as entry) as lacking
    group by day, unit_id having ${isNotZero}`;
}

/** What the kept sums of a group lack. */
export function findCodeSums(tx: Tx, accountId: number, groupId: number): Promise<CodeDay[]> {
  const ofGroup = sql`account_id = ${accountId} and group_id = ${groupId}`;
  return tx<CodeDay>`
    select ${groupId}::bigint as group_id, null as day, unit_id, ${sums} from (
      select unit_id, made, assigned, redeemed from unique_code_days where ${ofGroup} union all
      select unit_id, ${negative} from unique_code_sums where ${ofGroup}) as lacking
    group by unit_id having ${isNotZero}`;
}

/** What the kept days of units lack of redeemed codes. */
export function findRedeemed(tx: Tx, accountId: number): Promise<CodeDay[]> {
  return tx<CodeDay>`
    select 0 as group_id, day, unit_id, 0 as made, 0 as assigned, sum(redeemed)::integer as redeemed from (
      select day, unit_id, redeemed from unique_code_days where account_id = ${accountId} and redeemed <> 0 union all
      select day, unit_id, -redeemed from unit_days where account_id = ${accountId} and redeemed <> 0) as lacking
    group by day, unit_id having sum(redeemed) <> 0`;
}

/** The kept counts of a group. */
export function selectCodeDays(tx: Tx, accountId: number, groupId: number): Promise<CodeDay[]> {
  return tx<CodeDay>`
    select group_id, day, unit_id, made, assigned, redeemed from unique_code_days
    where account_id = ${accountId} and group_id = ${groupId}`;
}

/** Deletes the counts of a group, also those in the queue. The lock of the counts must be held. */
export async function deleteCodeCounts(tx: Tx, accountId: number, groupId: number): Promise<void> {
  const ofGroup = sql`account_id = ${accountId} and group_id = ${groupId}`;
  await tx.inOrder({
    changes: () => tx`delete from changed_unique_codes where ${ofGroup}`,
    days: () => tx`delete from unique_code_days where ${ofGroup}`,
    sums: () => tx`delete from unique_code_sums where ${ofGroup}`,
  });
}

/** The ids of the account's groups of codes, in order, also of those that only the counts have. */
export async function codeGroupIds(tx: Tx, accountId: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from unique_code_groups where account_id = ${accountId} union
    select group_id from unique_code_sums where account_id = ${accountId} order by id`;
  return rows.map((row) => row.id);
}

/** The kept counts of groups by unit, over all days, with the changes that wait. One statement, so that none counts twice. */
export function sumCodes(
  tx: Tx,
  accountId: number,
  groupIds: number[],
): Promise<(CodeCounts & { group_id: number; unit_id: number })[]> {
  const ofGroups = sql`account_id = ${accountId} and group_id = any(${groupIds})`;
  const waiting = sql`select id, group_id, entries from changed_unique_codes where ${ofGroups}`;
  return tx`
    select group_id, unit_id, ${sums} from (
      select group_id, unit_id, made, assigned, redeemed from unique_code_sums where ${ofGroups} union all
      select group_id, unit_id, made, assigned, redeemed from (${entriesOf(waiting, sql`'UTC'`)}) as entry) as counted
    group by group_id, unit_id order by group_id, unit_id`;
}

/** The kept counts of a group by day and unit, with the changes that wait. Days without any are left out. */
export function sumCodesByDay(
  tx: Tx,
  accountId: number,
  groupId: number,
  { timeZone, start, end }: { timeZone: string; start: string; end: string },
): Promise<Omit<CodeDay, 'group_id'>[]> {
  const ofGroup = sql`account_id = ${accountId} and group_id = ${groupId}`;
  const waiting = sql`select id, group_id, entries from changed_unique_codes where ${ofGroup}`;
  const inRange = sql`day >= ${start}::date and day <= ${end}::date`;
  return tx<Omit<CodeDay, 'group_id'>>`
    select day, unit_id, ${sums} from (
      select day, unit_id, made, assigned, redeemed from unique_code_days where ${ofGroup} and ${inRange} union all
      select day, unit_id, made, assigned, redeemed from (${entriesOf(waiting, sql`${timeZone}::text`)}) as entry where ${inRange}) as counted
    group by day, unit_id having sum(made) <> 0 or sum(assigned) <> 0 or sum(redeemed) <> 0
    order by day, unit_id`;
}
