import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, type Sql, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { Unit } from '../../venues/units/schema.ts';
import type { UnitEffects } from './schema.ts';

/**
 * Units that contain the text in their own name, or in the name of a folder or group. In the order of the full list.
 */
export function searchUnits(tx: Tx, accountId: number, search: string, slice: Slice): Promise<Rows<Unit>> {
  const hasText = sql`account_id = ${accountId} and position(lower(${search}) in lower(name)) > 0`;
  const unitIds = sql`select id from units where ${hasText} union select unit_id from folders where ${hasText} union select unit_id from groups where ${hasText}`;
  const from = sql`units where account_id = ${accountId} and deleted_at is null and id in (${unitIds})`;
  return listing(tx, { columns: sql`id, name, is_root`, from, orderBy: sql`is_root desc, id` }, slice);
}

/**
 * The number of contacts of each unit or group. Links of merged contacts are subtracted: they are few, while reading
 * every contact's row would take time proportional to the number of contacts.
 */
async function countMembers(
  tx: Tx,
  accountId: number,
  links: Sql,
  id: Sql,
  ids: number[],
): Promise<Map<number, number>> {
  const rows = await tx<{ id: number; guests: number }>`
    select id, sum(guests)::bigint as guests from (
      select ${id} as id, count(*) as guests from ${links}
      where account_id = ${accountId} and ${id} = any(${ids}) group by 1
      union all
      select ${id}, -count(*) from contacts merged cross join lateral (
        select ${id} from ${links}
        where account_id = ${accountId} and contact_id = merged.id and ${id} = any(${ids}) offset 0) as link
      where merged.account_id = ${accountId} and merged.merged_into is not null group by 1) as counted
    group by id`;
  return new Map(rows.map((row) => [row.id, row.guests]));
}

export const countUnitGuests = (tx: Tx, accountId: number, unitIds: number[]) =>
  countMembers(tx, accountId, sql`contact_units`, sql`unit_id`, unitIds);
export const countGroupGuests = (tx: Tx, accountId: number, groupIds: number[]) =>
  countMembers(tx, accountId, sql`contact_groups`, sql`group_id`, groupIds);

export async function countAtUnit(
  tx: Tx,
  accountId: number,
  unitId: number,
): Promise<Omit<UnitEffects, 'refused' | 'guests'>> {
  const count = (table: Sql, unit = sql`unit_id`) =>
    sql`(select count(*) from ${table} where account_id = ${accountId} and ${unit} = ${unitId})`;
  const rows = await tx<Omit<UnitEffects, 'refused' | 'guests'>>`
    select ${count(sql`folders`)} as folders, ${count(sql`groups`)} as groups, ${count(sql`bookings`)} as bookings,
      ${count(sql`purchases`)} as purchases, ${count(sql`stays`)} as stays, ${count(sql`wifi_interactions`)} as wifi,
      ${count(sql`feedback`)} as feedback, ${count(sql`unique_code_groups`)} as unique_code_groups,
      ${count(sql`unique_codes`, sql`redeemed_unit_id`)} as unique_codes_redeemed`;
  return only(rows);
}

/** The number of groups of a folder, and of contacts in any of them. */
export async function countInFolder(
  tx: Tx,
  accountId: number,
  folderId: number,
): Promise<{ groups: number; guests: number }> {
  const groups = sql`select id from groups where account_id = ${accountId} and folder_id = ${folderId}`;
  const rows = await tx<{ groups: number; guests: number }>`
    select (select count(*) from (${groups}) as own) as groups, count(distinct coalesce(c.merged_into, c.id)) as guests
    from contact_groups link join contacts c on c.account_id = link.account_id and c.id = link.contact_id
    where link.account_id = ${accountId} and link.group_id = any(array(${groups}))`;
  return only(rows);
}
