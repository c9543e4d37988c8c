import type { Tx } from '../db/database.ts';
import { listing } from '../db/listing.ts';
import { sql } from '../db/sql.ts';
import { onClock } from '../shared/clock.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import type { NewWifi, WifiPop } from './schema.ts';

export interface WifiRow {
  contact_id: number;
  unit_id: number;
  hotspot_name: string;
  mac_address: string;
  device_type: string;
  interaction_type: string;
  created_at: string;
}

/** What was sent, as it is stored. */
export function wifiRow(
  {
    unit_id,
    hotspot_name = '',
    mac_address = '',
    device_type = '',
    interaction_type = 'detected',
    created_at,
  }: NewWifi,
  of: { rootUnitId: number; receivedAt: string; timeZone: string },
): Omit<WifiRow, 'contact_id'> {
  return {
    unit_id: unit_id ?? of.rootUnitId,
    hotspot_name,
    mac_address,
    device_type,
    interaction_type,
    created_at: onClock(created_at ?? of.receivedAt, of.timeZone),
  };
}

/** In the order given, which their ids keep. */
export async function insertWifi(tx: Tx, accountId: number, rows: WifiRow[]): Promise<void> {
  await tx`
    insert into wifi_interactions (account_id, contact_id, unit_id, hotspot_name, mac_address, device_type, interaction_type, created_at)
    select ${accountId}::bigint, contact_id, unit_id, hotspot_name, mac_address, device_type, interaction_type, created_at
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (contact_id bigint, unit_id bigint, hotspot_name text,
      mac_address text, device_type text, interaction_type text, created_at timestamp)) with ordinality
      as wifi (contact_id, unit_id, hotspot_name, mac_address, device_type, interaction_type, created_at, place)
    order by place
    on conflict do nothing`;
}

/** On these days, newest first. */
export function selectWifiPops(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  { start, end }: { start: string; end: string },
  slice: Slice,
): Promise<Rows<WifiPop>> {
  const from = sql`wifi_interactions w join units u on u.account_id = w.account_id and u.id = w.unit_id
    join contacts c on c.account_id = w.account_id and c.id = w.contact_id
    where w.account_id = ${accountId} and w.contact_id = any(${contactIds})
      and w.created_at >= ${start}::date and w.created_at < ${end}::date + 1`;
  const columns = sql`w.id, coalesce(c.merged_into, c.id) as contact_id, w.unit_id, u.name as unit_name, w.hotspot_name, w.mac_address,
    w.device_type, w.interaction_type, to_char(w.created_at, 'YYYY-MM-DD HH24:MI:SS') as created_at`;
  return listing(tx, { columns, from, orderBy: sql`w.created_at desc, w.id desc` }, slice);
}
