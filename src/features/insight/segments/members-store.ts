import { csvRow, flagCell, timeCell } from '../../../platform/db/csv-rows.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { adHoc, join, only, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { type Channel, channels, flagOf } from '../../../shared/codes.ts';
import { recordOf } from '../../../shared/record.ts';
import { profileFields } from '../../guests/contacts/schema.ts';
import { type Counts, consentColumns, countColumns, exportedColumns } from './schema.ts';

/** A definition as SQL, see `compile.ts`. */
interface Members {
  from: Sql;
  where: Sql;
  opposite?: Omit<Members, 'opposite'>;
}

const membersOf = (accountId: number, { from, where }: Members) =>
  sql`${from} where c.account_id = ${accountId} and c.merged_into is null and (${where})`;

/** The memory of an evaluation. */
const mostMegabytes = 64;

/**
 * Prepares the transaction for statements that depend on the input of users. A longer statement is cancelled. The values
 * of a definition decide which index is best, so plans are made for them. Compiling expressions takes longer than it saves.
 *
 * Parallel workers would each sum up all days. Without days, all columns are in an index with one row per contact, which
 * is mostly in memory.
 */
export async function prepareEvaluation(
  tx: Tx,
  limitMs: number,
  { readsDays, joinCount }: { readsDays: boolean; joinCount: number } = { readsDays: true, joinCount: 0 },
): Promise<void> {
  // Each join may use this much, so many joins get less.
  const megabytes = Math.max(4, Math.floor(mostMegabytes / Math.max(2, joinCount)));
  await tx.inOrder({
    memory: () => tx`set local work_mem = ${raw(`'${megabytes}MB'`)}`,
    jit: () => tx`set local jit = off`,
    plans: () => tx`set local plan_cache_mode = force_custom_plan`,
    costs: () => (readsDays ? tx`set local max_parallel_workers_per_gather = 0` : tx`set local random_page_cost = 1.1`),
    // The last, because it applies to the statements after it.
    timeout: () => tx`set local statement_timeout = ${raw(String(Math.max(1, Math.ceil(limitMs))))}`,
  });
}

/** The statements after this one have the usual time limit again. */
export async function endEvaluation(tx: Tx): Promise<void> {
  await tx`set local statement_timeout to default`;
}

/** Runs work that may fail, such as by its time limit, and returns undefined then. The transaction stays usable. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>, isExpected: (error: unknown) => boolean) {
  await tx`savepoint attempt`;
  try {
    const result = await work();
    await tx`release savepoint attempt`;
    return result;
  } catch (error) {
    if (!isExpected(error)) throw error;
    await tx`rollback to savepoint attempt`;
    return undefined;
  }
}

interface CountRow {
  [name: string]: unknown;
}

/** In the order of the response. */
const shownChannels = ['email', 'sms', 'call', 'snail_mail'] as const satisfies Channel[];

const countsOf = (row: CountRow, prefix = ''): Counts => ({
  count: Number(row[`${prefix}count`]),
  contactable: recordOf(shownChannels, (channel) => Number(row[`${prefix}${channel}`])),
});

/** The counts of a definition, and how many of the members have a higher id than each of some ids. */
export async function countMembers(
  tx: Tx,
  accountId: number,
  members: Members,
  ids: number[] = [],
): Promise<{ counts: Counts; above: number[] }> {
  const columns = [
    sql`count(*) as count`,
    ...channels.map((channel) => raw(`count(*) filter (where c.${flagOf[channel]}) as ${channel}`)),
    ...ids.map((id, n) => sql`count(*) filter (where c.id > ${id}) as ${raw(`above${n}`)}`),
  ];
  const count = (of: Members) => sql`select ${join(columns)} from ${membersOf(accountId, of)}`;
  const names = ['count', ...channels, ...ids.map((_, n) => `above${n}`)];
  const differences = raw(names.map((name) => `everyone.${name} - others.${name} as ${name}`).join(', '));
  const everyone = { from: raw('contacts c'), where: raw('true') };
  const row = only(
    members.opposite
      ? await tx<CountRow>`
          select ${differences} from (${count(everyone)}) as everyone, (${count(members.opposite)}) as others ${adHoc}`
      : await tx<CountRow>`${count(members)} ${adHoc}`,
  );
  return { counts: countsOf(row), above: ids.map((_, n) => Number(row[`above${n}`])) };
}

/** The counts of several segments, in one pass over the contacts. */
export async function countManyMembers(tx: Tx, accountId: number, joins: Sql, wheres: Sql[]): Promise<Counts[]> {
  const flags = raw(channels.map((channel) => `c.${flagOf[channel]}`).join(', '));
  const members = wheres.map((where, n) => sql`(${where}) as m${raw(String(n))}`);
  const counts = wheres.flatMap((_, n) => [
    raw(`count(*) filter (where m${n}) as n${n}_count`),
    ...channels.map((channel) => raw(`count(*) filter (where m${n} and ${flagOf[channel]}) as n${n}_${channel}`)),
  ]);
  const rows = await tx<CountRow>`
    select ${join(counts)} from (select ${flags}, ${join(members)} from contacts c ${joins}
      where c.account_id = ${accountId} and c.merged_into is null offset 0) as member ${adHoc}`;
  return wheres.map((_, n) => countsOf(only(rows), `n${n}_`));
}

/** The newest contacts: parts of all, by their ids. */
const newestParts = [1024, 128, 16, 4];

/** The ids above which the newest parts of the contacts are. */
export async function selectNewestParts(tx: Tx, accountId: number): Promise<number[]> {
  const rows = await tx<{ first: number | null; last: number | null }>`
    select min(id) as first, max(id) as last from contacts where account_id = ${accountId}`;
  const { first, last } = only(rows);
  if (first === null || last === null) return [];
  return newestParts.map((part) => last - Math.ceil((last - first + 1) / part));
}

/**
 * The ids of members above an id, newest first. The sum keeps PostgreSQL from searching contact by contact, which takes
 * long if there are few members.
 */
export async function selectMemberIds(
  tx: Tx,
  accountId: number,
  members: Members,
  { limit, offset }: { limit: number; offset: number },
  above: number,
): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select c.id from ${membersOf(accountId, members)} and c.id > ${above}
    order by c.id + 0 desc limit ${limit} offset ${offset} ${adHoc}`;
  return rows.map(({ id }) => id);
}

/** The counts and the newest members in one pass, for definitions whose evaluation costs more than their members do. */
export async function countAndSelect(
  tx: Tx,
  accountId: number,
  members: Members,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ counts: Counts; ids: number[] }> {
  const flags = raw(channels.map((channel) => `c.${flagOf[channel]}`).join(', '));
  const counts = channels.map((channel) => raw(`count(*) filter (where ${flagOf[channel]}) as ${channel}`));
  const rows = await tx<CountRow & { ids: number[] }>`
    with member as materialized (select c.id, ${flags} from ${membersOf(accountId, members)})
    select count(*) as count, ${join(counts)},
      array(select id from member order by id desc limit ${limit} offset ${offset}) as ids
    from member ${adHoc}`;
  const row = only(rows);
  return { counts: countsOf(row), ids: row.ids };
}

/** The ids of the next members after an id. */
export async function selectMemberIdsAfter(
  tx: Tx,
  accountId: number,
  members: Members,
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select c.id from ${membersOf(accountId, members)} and c.id > ${after} order by c.id limit ${limit} ${adHoc}`;
  return rows.map(({ id }) => id);
}

const cells: Record<(typeof exportedColumns)[number], Sql> = {
  ...recordOf(profileFields, (name) => raw(`c.${name}`)),
  dob: raw('c.dob'),
  ...recordOf(consentColumns, (name) => flagCell(raw(`c.${name}`))),
  ...recordOf(countColumns, (name) => raw(`coalesce(f.${name}, 0)`)),
  id: raw('c.id'),
  created_at: timeCell(raw('c.created_at')),
  first_visit: raw('f.first_visit'),
  last_visit: raw('f.last_visit'),
  spend: raw('round(coalesce(f.pence, 0) / 100.0, 2)'),
  average_spend: raw('round(f.pence / 100.0 / nullif(f.purchase_days, 0), 2)'),
  nps: raw('f.nps'),
};

/** The rows of the CSV file as one text, and their number. A contact that was merged or erased meanwhile has none. */
export async function selectExported(
  tx: Tx,
  accountId: number,
  ids: number[],
): Promise<{ text: string; count: number }> {
  const rows = await tx<{ text: string; count: number }>`
    select coalesce(string_agg(line, '' order by id), '') as text, count(*) as count from (
      select c.id, ${csvRow(exportedColumns.map((name) => cells[name]))} as line
      from contacts c left join contact_figures f on f.account_id = ${accountId} and f.contact_id = c.id
      where c.account_id = ${accountId} and c.id = any(${ids}) and c.merged_into is null) as member`;
  return only(rows);
}

/** Whether one contact is a member on each of these days. `t.day` is the day in the compiled definition. */
export function selectMembership(
  tx: Tx,
  accountId: number,
  contactId: number,
  { from, where }: Members,
  days: string[],
): Promise<{ day: string; member: boolean }[]> {
  return tx<{ day: string; member: boolean }>`
    select t.day, coalesce(${where}, false) as member
    from unnest(${days}::date[]) as t (day) cross join ${from}
    where c.account_id = ${accountId} and c.id = ${contactId} order by t.day ${adHoc}`;
}

export interface Judged {
  member: boolean;
  conditions: { holds: boolean; actual: unknown }[];
}

/** Whether one contact is a member on a day, and each condition beside the contact's value. */
export async function judgeContact(
  tx: Tx,
  accountId: number,
  contactId: number,
  { from, where }: Members,
  conditions: { holds: Sql; actual: Sql }[],
  day: string,
): Promise<Judged> {
  const judged = conditions.map(
    ({ holds, actual }) => sql`jsonb_build_object('holds', coalesce(${holds}, false), 'actual', ${actual})`,
  );
  const rows = await tx<Judged>`
    select coalesce(${where}, false) as member, jsonb_build_array(${join(judged)}) as conditions
    from unnest(${[day]}::date[]) as t (day) cross join ${from}
    where c.account_id = ${accountId} and c.id = ${contactId} ${adHoc}`;
  return only(rows);
}

/** The dates of a contact on which conditions can begin or cease to hold. */
export interface ContactDates {
  days: string[];
  created: string;
  dob: string | null;
  nps: string[];
  udfs: string[];
}

export async function selectContactDates(
  tx: Tx,
  accountId: number,
  contactId: number,
  timeZone: string,
): Promise<ContactDates> {
  return only(
    await tx<ContactDates>`
      select array(
          select distinct day::text from contact_days where account_id = ${accountId} and contact_id = ${contactId} order by 1) as days,
        (c.created_at at time zone ${timeZone})::date as created, c.dob,
        array(
          select distinct b.created_at::date::text from contacts m
          join feedback b on b.account_id = ${accountId} and b.contact_id = m.id
          where m.account_id = ${accountId} and (m.id = ${contactId} or m.merged_into = ${contactId})) as nps,
        array(
          select data from contact_udfs
          where account_id = ${accountId} and contact_id = ${contactId} and data ~ '^\\d{4}-\\d{2}-\\d{2}$') as udfs
      from contacts c where c.account_id = ${accountId} and c.id = ${contactId}`,
  );
}

/** The spend in pence that this share of the guests with a purchase reaches. Null: nobody has bought anything. */
export async function selectTopSpend(tx: Tx, accountId: number, percent: number): Promise<number | null> {
  const rows = await tx<{ pence: number | null }>`
    select percentile_disc(${percent / 100}::double precision) within group (order by pence desc) as pence
    from contact_figures where account_id = ${accountId} and purchases > 0`;
  return only(rows).pence;
}
