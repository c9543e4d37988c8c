import { cancelledStage } from '../bookings/schema.ts';
import { flagOf } from '../consent/schema.ts';
import type { Tx } from '../db/database.ts';
import { join, only, raw, type Sql, sql } from '../db/sql.ts';
import { type IdentityKind, sameMobile } from '../identities/schema.ts';
import type { FoundContact, SearchContacts } from './schema.ts';

/*
 * Finding guests among a million. Nothing here reads a whole account: what is typed is looked for as a few ranges of
 * indexes, of each of which no more is read than the page needs.
 */

/** A name that starts so; behind a whole other name, where one is given. */
export interface NameSought {
  /** Which of the two names it is that starts so. */
  field: 'first_name' | 'last_name';
  start: string;
  other: string | null;
}

export interface IdentitySought {
  kind: IdentityKind;
  start: string;
}

/** In the order in which those that are found are shown. */
export interface Sought {
  names: NameSought[];
  identities: IdentitySought[];
}

type Filters = Pick<SearchContacts, 'unit_id' | 'group_id' | 'consent'>;

/** What a list can be narrowed by: who has it, and whether one contact does. */
interface Filter {
  ids: Sql;
  has(id: Sql): Sql;
}

function filtersOf(accountId: number, { unit_id, group_id, consent }: Filters): Filter[] {
  const filters: Filter[] = [];
  const link = (table: string, column: string, value: number) => {
    const linked = sql`${raw(table)} where account_id = ${accountId} and ${raw(column)} = ${value}`;
    filters.push({
      ids: sql`select contact_id as id from ${linked}`,
      has: (id) => sql`exists (select from ${linked} and contact_id = ${id} offset 0)`,
    });
  };
  if (unit_id !== undefined) link('contact_units', 'unit_id', unit_id);
  if (group_id !== undefined) link('contact_groups', 'group_id', group_id);
  if (consent !== undefined) {
    const given = sql`contacts where account_id = ${accountId} and merged_into is null and ${raw(flagOf[consent])}`;
    filters.push({
      ids: sql`select id from ${given}`,
      has: (id) => sql`exists (select from ${given} and id = ${id} offset 0)`,
    });
  }
  return filters;
}

/** A filter that lets so few through is where a search begins: they are read one by one. */
const few = 5000;

/** The filters, the one that lets the fewest through first, and whether these are few. */
async function inOrder(tx: Tx, filters: Filter[]): Promise<{ filters: Filter[]; areFew: boolean }> {
  const sized = await Promise.all(
    filters.map(async (filter) => {
      const rows = await tx<{ n: number }>`select count(*) as n from (${filter.ids} limit ${few + 1}) as some`;
      return { filter, size: only(rows).n };
    }),
  );
  sized.sort((a, b) => a.size - b.size);
  return { filters: sized.map(({ filter }) => filter), areFew: (sized[0]?.size ?? Infinity) <= few };
}

/** The ids of so many contacts, newest first. */
export async function selectNewest(
  tx: Tx,
  accountId: number,
  by: Filters,
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  const standing = sql`select id from contacts where account_id = ${accountId} and merged_into is null`;
  const { filters } = await inOrder(tx, filtersOf(accountId, by));
  const [first, ...others] = filters;
  const isStanding = sql`exists (${standing} and id = one.id offset 0)`;
  const conditions = join([isStanding, ...others.map((filter) => filter.has(sql`one.id`))], ' and ');
  const rows = await (first === undefined
    ? tx<{ id: number }>`${standing} order by id desc limit ${limit} offset ${offset}`
    : tx<{ id: number }>`
        select id from (${first.ids}) as one where ${conditions} order by id desc limit ${limit} offset ${offset}`);
  return rows.map(({ id }) => id);
}

/** Behind everything that starts with the text before it. */
const last = '\u{10FFFF}';

/** The ids of so many of those who are known by what is sought: in its order, and each where it is found first. */
export async function selectSought(
  tx: Tx,
  accountId: number,
  { names, identities }: Sought,
  by: Filters,
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  const { filters, areFew } = await inOrder(tx, filtersOf(accountId, by));
  const [first, ...others] = filters;
  const from = first && areFew ? amongFew(accountId, first, others) : amongAll(accountId);
  const passes = (id: Sql) => join([sql`true`, ...(areFew ? [] : filters.map((filter) => filter.has(id)))], ' and ');
  // Of each range as many as could be wanted of all; some lead to the same contact.
  const most = sql`limit ${offset + limit}`;
  const mostIdentities = sql`limit ${2 * (offset + limit)}`;

  const named = (field: 'first_name' | 'last_name', withOther: boolean) => {
    const start = raw(`${field}_key`);
    const other = raw(field === 'first_name' ? 'last_name_key' : 'first_name_key');
    const range = sql`contact.${start} >= sought.start and contact.${start} < sought.until`;
    const order = withOther ? sql`contact.${other}, contact.${start}` : sql`contact.${start}, contact.${other}`;
    return sql`
      select sought.place, hit.* from sought_name sought cross join lateral (
        select contact.id, contact.${start} as key, contact.${other} as then from ${from.contacts} contact
        where contact.account_id = ${accountId} and contact.merged_into is null and ${range}
          ${withOther ? sql`and contact.${other} = sought.other` : sql``} and ${passes(sql`contact.id`)}
        order by ${order}, contact.id ${most}) as hit
      where sought.field = ${field} and sought.start <> '' and sought.other ${withOther ? sql`<> ''` : sql`is null`}`;
  };
  const rows = await tx<{ id: number }>`
    with ${from.scope} sought_name as materialized (
      select place, field, other, start, start || ${last} as until
      from unnest(${names.map(({ field }) => field)}::text[], ${names.map(({ start }) => start)}::text[],
        ${names.map(({ other }) => other)}::text[]) with ordinality as sent (field, sent_start, sent_other, place)
      cross join lateral (select name_key(sent_start) as start, name_key(sent_other) as other) as keys),
    sought_identity as materialized (
      select place + ${names.length} as place, kind, start, start || ${last} as until
      from unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ start }) => start)}::text[])
        with ordinality as sent (kind, start, place)),
    found as (
      ${join([named('last_name', true), named('first_name', true), named('last_name', false), named('first_name', false)], ' union all ')}
      union all
      select sought.place, hit.* from sought_identity sought cross join lateral (
        select today.id, identity.value as key, '' as then from ${from.identities} identity
        cross join lateral (${from.today}) as today
        where identity.account_id = ${accountId} and identity.kind = sought.kind
          and identity.value >= sought.start and identity.value < sought.until and ${passes(sql`today.id`)}
        order by identity.value ${mostIdentities}) as hit)
    select id from (select distinct on (id) id, place, key, then from found order by id, place, key, then) as once
    order by place, key, then, id limit ${limit} offset ${offset}`;
  return rows.map(({ id }) => id);
}

/** Where a search looks. */
interface Haystack {
  scope: Sql;
  contacts: Sql;
  identities: Sql;
  /** The contacts that one of the identities leads to: whoever it is, and whoever else has the number. */
  today: Sql;
}

function amongAll(accountId: number): Haystack {
  const owner = sql`
    select coalesce(merged_into, id) as id from contacts where account_id = ${accountId} and id = identity.contact_id offset 0`;
  // A number that is another's identity is found by the pair that was noted when it was brought.
  const sharers = (own: string, others: string) => sql`
    select contact.id from possible_duplicates pair cross join lateral (
      select coalesce(merged_into, id) as id from contacts
      where account_id = ${accountId} and id = pair.${raw(others)} and mobile_number = identity.value offset 0) as contact
    where pair.account_id = ${accountId} and pair.${raw(own)} = identity.contact_id and pair.reason = ${sameMobile}
      and identity.kind = 'mobile'`;
  return {
    scope: sql``,
    contacts: sql`contacts`,
    identities: sql`identities`,
    today: sql`(${owner}) union all (${sharers('contact_id', 'other_contact_id')}) union all (${sharers('other_contact_id', 'contact_id')})`,
  };
}

function amongFew(accountId: number, first: Filter, others: Filter[]): Haystack {
  const conditions = join([sql`true`, ...others.map((filter) => filter.has(sql`contact.id`))], ' and ');
  return {
    scope: sql`
      member as materialized (
        select contact.* from (${first.ids}) as one cross join lateral (
          select account_id, id, merged_into, first_name_key, last_name_key, mobile_number from contacts
          where account_id = ${accountId} and id = one.id and merged_into is null offset 0) as contact
        where ${conditions}),
      member_identity as materialized (
        select ${accountId}::bigint as account_id, identity.kind, identity.value, member.id as contact_id from member
        cross join lateral (
          select member.id union all
          select id from contacts where account_id = ${accountId} and merged_into = member.id) as line
        cross join lateral (
          select kind, value from identities where account_id = ${accountId} and contact_id = line.id offset 0) as identity
        union all
        select account_id, 'mobile', mobile_number, id from member where mobile_number is not null),`,
    contacts: sql`member`,
    identities: sql`member_identity`,
    today: sql`select identity.contact_id as id`,
  };
}

/** Only what was there: neither cancelled nor still to come. */
const stayed = [3, 4, 7];

/** These, in the order given, each with when it was last seen. */
export function selectFound(tx: Tx, accountId: number, ids: number[]): Promise<FoundContact[]> {
  const text = (name: string) => sql`coalesce(${raw(name)}, '') as ${raw(name)}`;
  const names = ['first_name', 'last_name', 'email', 'mobile_number', 'membership_number'];
  const flags = raw(Object.values(flagOf).join(', '));
  const latest = (time: string, from: Sql) => sql`(
    select ${raw(time)} from ${from} and ${raw(time)} <= clock.now order by ${raw(time)} desc limit 1)`;
  const of = (table: string) => sql`${raw(table)} where account_id = ${accountId} and contact_id = line.id`;
  return tx<FoundContact>`
    select contact.id, ${join(names.map(text))}, ${flags}, contact.created_at, to_char(visit.at, 'YYYY-MM-DD HH24:MI:SS') as last_visit_at
    from (select now() at time zone time_zone as now from accounts where id = ${accountId}) as clock
    cross join unnest(${ids}::bigint[]) with ordinality as wanted (id, place)
    cross join lateral (select * from contacts where account_id = ${accountId} and id = wanted.id offset 0) as contact
    cross join lateral (
      select max(greatest(
        ${latest('created_at', of('purchases'))},
        ${latest('party_datetime', sql`${of('bookings')} and stage_value <> ${cancelledStage}`)},
        ${latest('created_at', of('wifi_interactions'))},
        ${latest(
          'checkin_date',
          sql`stay_contacts own cross join lateral (
            select checkin_date from stays
            where account_id = ${accountId} and id = own.stay_id and booking_status_id = any(${stayed}) offset 0) as stay
          where own.account_id = ${accountId} and own.contact_id = line.id and own.guest`,
        )})) as at
      from (
        select wanted.id union all
        select id from contacts where account_id = ${accountId} and merged_into = wanted.id) as line) as visit
    order by place`;
}
