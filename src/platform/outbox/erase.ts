import type { Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { addStream, lockStream } from './feed.ts';

/** A time in which a contact had the data of an erased one, because they were merged. */
export interface MergedPeriod {
  contact_id: number;
  since: Date;
  until: Date;
}

/**
 * Removes the data of erased contacts from their events, and from the events of contacts that they were merged into for a
 * time. What is left is the type, the time and the ids. The texts that receivers of webhooks answered are removed too.
 */
export async function eraseEvents(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  periods: MergedPeriod[],
): Promise<void> {
  // The sender either has stored an answer before, or looks at the erased event when it stores one.
  await addStream(tx, accountId);
  await lockStream(tx, accountId);
  const others = periods.map(({ contact_id }) => contact_id);
  const merged = sql`unnest(${others}::bigint[], ${periods.map(({ since }) => since)}::timestamptz[],
    ${periods.map(({ until }) => until)}::timestamptz[]) as merged (contact_id, since, until)`;
  const rows = await tx<{ position: number | null }>`
    update events set entries = (
      select json_agg(
        case when exists (
          select from json_array_elements_text(coalesce(entry -> 'contact_ids', json_build_array(entry -> 'data' -> 'contact_id'))) as about (id)
          where id = any(${contactIds.map(String)}::text[])
            or exists (select from ${merged} where merged.contact_id::text = about.id and at between since and until))
        then json_strip_nulls(json_build_object('type', entry -> 'type', 'contact_ids', entry -> 'contact_ids',
          'data', json_build_object('contact_id', entry -> 'data' -> 'contact_id', 'removed', true)))
        else entry end order by place)
      from json_array_elements(entries) with ordinality as one (entry, place))
    where account_id = ${accountId} and id = any(array(
      select event_id from event_contacts where account_id = ${accountId} and contact_id = any(${contactIds})
      union
      select event.id from ${merged}
      cross join lateral (
        select event_id as id from event_contacts where account_id = ${accountId} and contact_id = merged.contact_id offset 0) as link
      cross join lateral (
        select id from events
        where account_id = ${accountId} and id = link.id and at between merged.since and merged.until offset 0) as event
      union
      -- Rows without a position are few, and not in event_contacts yet.
      select id from events
      where account_id = ${accountId} and position is null and contact_ids && ${[...contactIds, ...others]}::bigint[]))
    returning position`;
  const positions = rows.flatMap(({ position }) => position ?? []);
  if (positions.length === 0) return;
  await eraseResponses(tx, accountId, positions);
}

/**
 * Removes what receivers answered to events, as far as the events have erased data: an answer can repeat it. The sender
 * calls it too, for the answers to requests that it had sent before the erasure.
 */
export async function eraseResponses(tx: Tx, accountId: number, positions: number[]): Promise<void> {
  await tx`
    update webhook_deliveries d set attempts = (
      select coalesce(jsonb_agg(attempt || '{"response": ""}' order by place), '[]')
      from jsonb_array_elements(attempts) with ordinality as one (attempt, place))
    where account_id = ${accountId} and position = any(${positions}::bigint[]) and exists (
      select from events
      where account_id = ${accountId} and position = d.position and entries::jsonb @> '[{"data": {"removed": true}}]')`;
}
