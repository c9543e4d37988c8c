import type { Tx } from '../../../platform/db/database.ts';
import { join, only, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { cancelledStage, flagOf } from '../../../shared/codes.ts';
import type { IdentityKind } from '../../identity/identities/schema.ts';
import type { FoundContact, SearchContacts } from './schema.ts';

/*
 * Searches contacts in accounts with a million of them. No statement reads a whole account. The typed text becomes a
 * few index ranges, and each range is read only as far as the page needs.
 */

/** A name prefix, optionally together with a complete other name. */
export interface NameRange {
  /** The name that the prefix applies to. */
  field: 'first_name' | 'last_name';
  start: string;
  other: string | null;
}

export interface IdentityRange {
  kind: IdentityKind;
  start: string;
}

/** In the order of the results. */
export interface SearchRanges {
  names: NameRange[];
  identities: IdentityRange[];
}

type Filters = Pick<SearchContacts, 'unit_id' | 'group_id' | 'consent'>;

/** A filter: the ids of all contacts that pass, and a condition for one contact. */
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

/** If at most this many contacts pass all filters, the search reads only those contacts. */
const fewContacts = 5000;
/** The most contacts of one filter that are checked against the other filters. */
const maxChecked = 20_000;

/** The filters, the most selective one first. */
async function bySelectivity(tx: Tx, filters: Filter[]): Promise<{ filter: Filter; size: number }[]> {
  const most = filters.length > 1 ? maxChecked : fewContacts;
  const sized = await tx.each(filters, async (filter) => {
    const rows = await tx<{ n: number }>`select count(*) as n from (${filter.ids} limit ${most + 1}) as counted`;
    return { filter, size: only(rows).n };
  });
  return sized.sort((a, b) => a.size - b.size);
}

/** The contacts that pass all filters. */
const passing = ([first, ...others]: [Filter, ...Filter[]]) => sql`
  select one.id from (${first.ids}) as one where ${all(others.map((filter) => filter.has(sql`one.id`)))}`;

const all = (conditions: Sql[]) => join([sql`true`, ...conditions], ' and ');

/** The ids of a page of contacts, newest first. */
export async function selectNewest(
  tx: Tx,
  accountId: number,
  by: Filters,
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  const unmerged = sql`select id from contacts where account_id = ${accountId} and merged_into is null`;
  const filters = filtersOf(accountId, by);
  const [first, ...others] =
    filters.length < 2 ? filters : (await bySelectivity(tx, filters)).map(({ filter }) => filter);
  const ids = first
    ? sql`${passing([first, ...others])} and exists (${unmerged} and contacts.id = one.id offset 0)`
    : unmerged;
  const rows = await tx<{ id: number }>`${ids} order by id desc limit ${limit} offset ${offset}`;
  return rows.map(({ id }) => id);
}

/** A prefix with this character appended is the end of the prefix's index range. */
const last = '\u{10FFFF}';

/**
 * The ids of a page of matching contacts, in the order of the ranges. Each contact appears once, at its first match.
 */
export async function selectMatching(
  tx: Tx,
  accountId: number,
  { names, identities }: SearchRanges,
  by: Filters,
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  const filters = filtersOf(accountId, by);
  const few = await idsIfFew(tx, filters);
  const from = few ? onlyContacts(accountId, few) : allContacts(accountId);
  const passes = (id: Sql) => all(few ? [] : filters.map((filter) => filter.has(id)));
  // Each range returns enough rows for the whole page, and more, because several identities can lead to one contact.
  const wanted = offset + limit;

  const byName = (field: NameRange['field'], withOther: boolean) => {
    const start = raw(`contact.${field}_key`);
    const other = raw(field === 'first_name' ? 'contact.last_name_key' : 'contact.first_name_key');
    return sql`
      select range.place, hit.* from name_range range cross join lateral (
        select contact.id, ${start} as key, ${other} as next_key from ${from.contacts} contact
        where contact.account_id = ${accountId} and contact.merged_into is null and ${start} >= range.start and ${start} < range.until
          ${withOther ? sql`and ${other} = range.other` : sql``} and ${passes(sql`contact.id`)}
        order by ${withOther ? sql`${other}, ${start}` : sql`${start}, ${other}`}, contact.id limit ${wanted}) as hit
      where range.field = ${field} and range.start <> '' and range.other ${withOther ? sql`<> ''` : sql`is null`}`;
  };
  const byIdentity = sql`
    select range.place, hit.* from identity_range range cross join lateral (
      select owner.id, identity.value as key, '' as next_key from ${from.identities} identity
      cross join lateral (${from.owners}) as owner
      where identity.account_id = ${accountId} and identity.kind = range.kind
        and identity.value >= range.start and identity.value < range.until and ${passes(sql`owner.id`)}
      order by identity.value limit ${2 * wanted}) as hit
    where true`;
  const enough = (found: Sql) => sql`(select count(distinct id) from (${found}) as found) >= ${wanted}`;
  const [inOne, inTwo] = [
    sql`select * from found_first`,
    sql`select * from found_first union all select * from found_second`,
  ];
  const rows = await tx<{ id: number }>`
    with ${from.scope} name_range as materialized (
      select place, field, other, start, start || ${last} as until
      from unnest(${names.map(({ field }) => field)}::text[], ${names.map(({ start }) => start)}::text[],
        ${names.map(({ other }) => other)}::text[]) with ordinality as sent (field, sent_start, sent_other, place)
      cross join lateral (select name_key(sent_start) as start, name_key(sent_other) as other) as keys),
    identity_range as materialized (
      select place + ${names.length} as place, kind, start, start || ${last} as until
      from unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ start }) => start)}::text[])
        with ordinality as sent (kind, start, place)),
    -- Later ranges are skipped if the page is full.
    found_first as materialized (
      ${byName('last_name', true)} union all ${byName('first_name', true)} union all ${byName('last_name', false)}),
    found_second as materialized (${byName('first_name', false)} and not ${enough(inOne)}),
    found_third as materialized (${byIdentity} and not ${enough(inTwo)})
    select id from (
      select distinct on (id) id, place, key, next_key from (${inTwo} union all select * from found_third) as found
      order by id, place, key, next_key) as once
    order by place, key, next_key, id limit ${limit} offset ${offset}`;
  return rows.map(({ id }) => id);
}

/** The contacts that pass all filters. Undefined: more than `fewContacts`. */
async function idsIfFew(tx: Tx, filters: Filter[]): Promise<number[] | undefined> {
  const [first, ...others] = await bySelectivity(tx, filters);
  if (!first || first.size > (others.length > 0 ? maxChecked : fewContacts)) return undefined;
  const ordered: [Filter, ...Filter[]] = [first.filter, ...others.map(({ filter }) => filter)];
  const rows = await tx<{ id: number }>`${passing(ordered)} limit ${fewContacts + 1}`;
  return rows.length <= fewContacts ? rows.map(({ id }) => id) : undefined;
}

/** The tables that a search reads. */
interface SearchScope {
  scope: Sql;
  contacts: Sql;
  identities: Sql;
  /** The contacts of an identity: its owner, and other contacts that share the number. */
  owners: Sql;
}

function allContacts(accountId: number): SearchScope {
  const owner = sql`
    select coalesce(merged_into, id) as id from contacts where account_id = ${accountId} and id = identity.contact_id offset 0`;
  // A shared number is the identity of another contact. The possible duplicate leads to this one.
  const contactsWithNumber = (own: string, others: string) => sql`
    select contact.id from possible_duplicates pair cross join lateral (
      select coalesce(merged_into, id) as id from contacts
      where account_id = ${accountId} and id = pair.${raw(others)} and mobile_number = identity.value offset 0) as contact
    where pair.account_id = ${accountId} and pair.${raw(own)} = identity.contact_id and pair.reason = 'same_mobile'
      and identity.kind = 'mobile'`;
  return {
    scope: sql``,
    contacts: sql`contacts`,
    identities: sql`identities`,
    owners: sql`(${owner}) union all (${contactsWithNumber('contact_id', 'other_contact_id')}) union all (${contactsWithNumber('other_contact_id', 'contact_id')})`,
  };
}

function onlyContacts(accountId: number, ids: number[]): SearchScope {
  return {
    scope: sql`
      member as materialized (
        select contact.* from unnest(${ids}::bigint[]) as one (id) cross join lateral (
          select account_id, id, merged_into, first_name_key, last_name_key, mobile_number from contacts
          where account_id = ${accountId} and id = one.id and merged_into is null offset 0) as contact),
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
    owners: sql`select identity.contact_id as id`,
  };
}

/** Excludes cancelled and future activity. */
const stayed = [3, 4, 7];

/** These contacts in the given order, each with its last visit. */
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
