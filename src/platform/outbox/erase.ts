import type { Tx } from '../db/database.ts';

/**
 * Removes the data of erased contacts from their events. What is left is the type, the time and the id. The texts that
 * receivers of webhooks answered to these events are removed too.
 */
export async function eraseEvents(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  const rows = await tx<{ position: number | null }>`
    update events set entries = (
      select json_agg(
        case when exists (
          select from json_array_elements_text(coalesce(entry -> 'contact_ids', json_build_array(entry -> 'data' -> 'contact_id'))) as about (id)
          where id = any(${contactIds.map(String)}::text[]))
        then json_build_object('type', entry -> 'type', 'data', json_build_object('contact_id', entry -> 'data' -> 'contact_id', 'erased', true))
        else entry end order by place)
      from json_array_elements(entries) with ordinality as one (entry, place))
    where account_id = ${accountId} and id = any(array(
      select event_id from event_contacts where account_id = ${accountId} and contact_id = any(${contactIds})
      union
      -- Rows without a position are few, and not in event_contacts yet.
      select id from events where account_id = ${accountId} and position is null and contact_ids && ${contactIds}::bigint[]))
    returning position`;
  const positions = rows.flatMap(({ position }) => position ?? []);
  if (positions.length === 0) return;
  await tx`
    update webhook_deliveries set attempts = (
      select coalesce(jsonb_agg(attempt || '{"response": ""}' order by place), '[]')
      from jsonb_array_elements(attempts) with ordinality as one (attempt, place))
    where account_id = ${accountId} and position = any(${positions}::bigint[])`;
}
