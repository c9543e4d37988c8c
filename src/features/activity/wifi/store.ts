import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
import { listingForMany, type PageRequest } from '../../../platform/db/listing.ts';
import { sql } from '../../../platform/db/sql.ts';
import { toLocalTime } from '../../../shared/clock.ts';
import type { Rows } from '../../../shared/fields.ts';
import type { AddedRow } from '../../figures/schema.ts';
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

/** The row of a sent wifi interaction. */
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
    created_at: toLocalTime(created_at ?? of.receivedAt, of.timeZone),
  };
}

/** The interactions that the figures count. A device that was only detected is not a visit. */
export function wifiVisits(rows: WifiRow[]): AddedRow[] {
  return rows.flatMap(({ contact_id, unit_id, interaction_type, created_at: day }) =>
    interaction_type === 'detected' ? [] : [{ kind: 'wifi', contact_id, unit_id, day, counts: { wifi: 1 } }],
  );
}

/** New ids follow the order of the rows. */
export async function insertWifi(tx: Tx, accountId: number, rows: WifiRow[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'wifi_interactions',
    columns: {
      ...{ contact_id: 'bigint', unit_id: 'bigint', hotspot_name: 'text', mac_address: 'text', device_type: 'text' },
      ...{ interaction_type: 'text', created_at: 'timestamp' },
    },
    rows,
  });
}

/** The interactions in a range of days, newest first. */
export function selectWifiPops(tx: Tx, accountId: number, all: PageRequest[]): Promise<Rows<WifiPop>[]> {
  const list = {
    // The name of the unit is looked up instead of joined: a plan that starts with the units reads all their interactions.
    columns: sql`w.id, w.unit_id, (select name from units where account_id = ${accountId} and id = w.unit_id) as unit_name, w.hotspot_name, w.mac_address, w.device_type, w.interaction_type,
      to_char(w.created_at, 'YYYY-MM-DD HH24:MI:SS') as created_at`,
    from: sql`unnest(request.contact_ids) as person (id) cross join lateral (
      select * from wifi_interactions where account_id = ${accountId} and contact_id = person.id
        and created_at >= request.start and created_at < request.until offset 0) as w`,
    orderBy: sql`w.created_at desc, w.id desc`,
    show: (row: Omit<WifiPop, 'contact_id'>, { contactId }: PageRequest): WifiPop => ({
      id: row.id,
      contact_id: contactId,
      unit_id: row.unit_id,
      unit_name: row.unit_name,
      hotspot_name: row.hotspot_name,
      mac_address: row.mac_address,
      device_type: row.device_type,
      interaction_type: row.interaction_type,
      created_at: row.created_at,
    }),
  };
  return listingForMany(tx, list, all);
}
