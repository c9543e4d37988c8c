import type { Run } from '../../../../src/platform/db/sql.ts';

/** Makes all pauses of an account end now, as the button for sending again does for one delivery. */
export async function hurry(sql: Run, accountId: number): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = now() - interval '1 second'
    where account_id = ${accountId} and state = 'pending' and next_attempt_at is not null`;
  await sql`update webhooks set revision = revision + 1 where account_id = ${accountId}`;
}

/** Appends rows of events as a writer does, each event about another contact. */
export async function appendMany(sql: Run, accountId: number, rows: number, eventsOfEach: number): Promise<void> {
  await sql`
    insert into events (account_id, at, contact_ids, entries, size, bytes)
    select ${accountId}, now(), array_agg(id), json_agg(json_build_object('type', 'contact.created', 'data', json_build_object('contact_id', id))),
      ${eventsOfEach}::int, 100 * ${eventsOfEach}::int
    from (select n / ${eventsOfEach}::int as row, 1000000 + n as id from generate_series(0, ${rows * eventsOfEach}::int - 1) n) as one
    group by row order by row`;
}
