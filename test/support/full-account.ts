import { type Run, raw } from '../../src/platform/db/sql.ts';
import type { TestApp } from './app.ts';

/** The tables with rows of a full account, by the name of the id in the API. */
const tableOfId = {
  unit_id: 'units',
  folder_id: 'folders',
  group_id: 'groups',
  contact_id: 'contacts',
  booking_id: 'bookings',
  purchase_id: 'purchases',
  merge_id: 'merges',
  pair_id: 'possible_duplicates',
  unique_code_group_id: 'unique_code_groups',
  token_id: 'tokens',
  segment_id: 'segments',
  segment_action_id: 'segment_actions',
  webhook_id: 'webhooks',
} as const;
type Made = 'delivery_id' | 'udf_id' | 'source_id' | 'provider_id' | 'category_id' | 'booking_source_id';
export type Ids = Record<keyof typeof tableOfId | Made | 'account_id' | 'other_contact_id', number>;

export interface FullAccount {
  token: string;
  ids: Ids;
}

/**
 * Creates an account with rows in every table. Guests, numbers and references are the same in each account. The names
 * and texts of the account contain `word`. `isServed`: the background work of a service must not take the rows of queues.
 */
export async function createFullAccount(
  { account, admin, call }: Pick<TestApp, 'account' | 'admin' | 'call'>,
  sql: Run,
  word: string,
  { isServed = false }: { isServed?: boolean } = {},
): Promise<FullAccount> {
  const { id, token, root_unit_id } = await account(`The ${word} Group`);
  const make = async (list: string, body: object) => (await admin('POST', `/accounts/${id}/${list}`, body)).body.id;
  const unit_id = await make('units', { name: `The ${word} Arms` });
  const udf_id = await make('udfs', { name: 'Allergies', type: 'text' });
  const source_id = await make('sources', { name: `${word} wifi` });
  const provider_id = await make('providers', { name: `${word} tills` });
  const category_id = await make('feedback_categories', { name: `${word} atmosphere` });
  const booking_source_id = await make('booking_sources', { name: `${word} concierge` });
  const segment_id = await make('segments', {
    ...{ name: `${word} regulars`, definition: { field: 'visits', op: 'at_least', value: 1 } },
  });
  const news = await make('groups', { unit_id, name: `${word} news`, folder_name: `${word} lists` });
  await admin('POST', `/accounts/${id}/segments/${segment_id}/add_to_group`, { group_id: news });
  // The sender of a service extends its lease all the time. It leaves an account that another one has.
  if (isServed)
    await sql`
      insert into event_streams (account_id, sender, sender_until) values (${id}, 'another', now() + interval '1 day')`;
  // Nothing is sent to it.
  const webhook = { url: `https://hooks.example.com/${word}`, types: ['import.finished'] };
  const webhook_id = await make('webhooks', webhook);
  const write = (body: object) => call('POST', '/v1/contact', { token, body });
  await write({
    ...{ email: 'ana@gmail.com', first_name: 'Ana', last_name: word, source_id, allow_email: true },
    units: [{ id: unit_id, groups: [{ name: `${word} news`, folder_name: `${word} lists` }] }],
    udfs: [{ id: udf_id, data: `${word} nuts` }],
    notes: [{ text: `${word} regular` }],
    feedback: [{ unit_id, ratings: [{ category_id, rating_text: '9' }] }],
    bookings: [
      {
        booking_reference: 'B-1',
        unit_id,
        source_id: booking_source_id,
        party_datetime: '2026-03-01 19:30:00',
        party_size: 2,
      },
    ],
    stays: [
      {
        ...{ booker: true, guest: true, unit_id, provider_id, stay_reference: 'S-1', total_guests: 1, room_type_id: 1 },
        ...{ booking_enquiry_source_id: 1, booking_status_id: 3, enquiry_date: '2026-01-01 09:00:00' },
        ...{ checkin_date: '2026-03-01 15:00:00', checkout_date: '2026-03-03 11:00:00' },
      },
    ],
    wifi: [{ unit_id, hotspot_name: `${word} lobby` }],
  });
  // A purchase that waits.
  await call('POST', '/v1/purchases', {
    token,
    body: { account_id: id, membership_number: 'M-1', purchases: [{ transaction_reference: 'T-1', unit_id }] },
  });
  const { body: group } = await call('POST', '/v1/unique_code/group', {
    token,
    body: { account_id: id, unit_id: root_unit_id, name: `${word} summer` },
    headers: { 'idempotency-key': 'summer' },
  });
  const at = `/accounts/${id}`;
  await admin('POST', `${at}/unique_code_groups/${group.id}/codes`, { codes: ['SUMMER-1', 'SUMMER-2'] });
  // A merge, and a phone that is shared.
  await write({ mobile_number: '07700900001' });
  await write({ email: 'ana@gmail.com', mobile_number: '07700900001' });
  const { body: other } = await write({ email: 'rui@gmail.com', mobile_number: '07700900001' });
  const ids = {
    ...{ account_id: id, other_contact_id: other.id, unit_id, unique_code_group_id: group.id },
    ...{ udf_id, source_id, provider_id, category_id, booking_source_id, webhook_id },
  } as Ids;
  for (const [name, table] of Object.entries(tableOfId)) {
    const [row] = await sql<{ id: number }>`
      select min(id) as id from ${raw(table)} where account_id = ${id}`;
    ids[name as keyof Ids] ??= row?.id as number;
  }
  await admin('POST', `${at}/unique_codes/assign`, {
    ...{ unique_code_group_id: group.id, unique_code: 'SUMMER-2', contact_id: ids.contact_id },
  });
  // The members of the segment, as the background process stores them. It leaves an account whose lock is held.
  if (isServed) await sql`select pg_advisory_lock(hashtextextended('segments', ${id}))`;
  await sql`insert into changes (account_id, contact_ids) values (${id}, '{}')`;
  const member = { account_id: id, segment_id: ids.segment_id, contact_id: ids.contact_id };
  const numbers = { members: 1, email: 1, sms: 0, call: 0, snail_mail: 0 };
  const store = (table: string, row: object) => sql`
    insert into ${raw(table)} (${raw(Object.keys(row).join(', '))})
    select ${raw(Object.keys(row).join(', '))} from jsonb_populate_record(null::${raw(table)}, ${JSON.stringify(row)}::jsonb)
    on conflict do nothing`;
  await store('segment_members', { ...member, since: '2026-03-01', consents: 1 });
  await store('segment_changes', { ...member, entered: true });
  await store('segment_days', { ...{ account_id: id, segment_id: ids.segment_id, day: '2026-03-01' }, ...numbers });
  // The events get their positions.
  const { body: log } = await admin('GET', `${at}/events`);
  const ofWebhook = { account_id: id, webhook_id };
  const [delivery] = await sql<{ id: number }>`
    insert into webhook_deliveries (account_id, webhook_id, position, place, type, contact_ids, state, attempts, tries, created_at)
    values (${id}, ${webhook_id}, 1, 0, ${log.data.at(-1).type}, array[${ids.contact_id}::bigint], 'failed', '[]', 10, now()) returning id`;
  ids.delivery_id = delivery?.id as number;
  await store('webhook_hours', {
    ...ofWebhook,
    hour: new Date().toISOString(),
    succeeded: 1,
    failed: 0,
    duration_ms: 5,
  });
  // The result of a check of the figures.
  await sql`insert into figure_checks (day, checked, repaired) values ('2026-03-01', 3, 0) on conflict do nothing`;
  // Kept counts, and rows of their queues, which change no count.
  if (isServed) await sql`select pg_advisory_lock(hashtextextended('kept counts', ${id}))`;
  await sql`insert into unit_days (account_id, day, unit_id) values (${id}, '2000-01-01', ${unit_id})`;
  await sql`insert into unique_code_days (account_id, group_id, day, unit_id) values (${id}, ${group.id}, '2000-01-01', ${unit_id})`;
  await sql`insert into unique_code_sums (account_id, group_id, unit_id) values (${id}, ${group.id}, ${unit_id})`;
  // The background process may have counted the contact before the lock was taken.
  const counted = await sql`
    insert into counted_contacts (account_id, contact_id, day, consents, unit_ids, group_ids)
    values (${id}, ${ids.contact_id}, '2000-01-01', 0, '{}', '{}') on conflict do nothing returning contact_id`;
  if (counted.length > 0)
    await sql`
      insert into guest_days (account_id, unit_id, day, guests, allow_email, allow_sms, allow_call, allow_snail_mail)
      values (${id}, 0, '2000-01-01', 1, 0, 0, 0, 0)`;
  await sql`
    insert into group_guests (account_id, group_id, guests) values (${id}, ${ids.group_id}, 0) on conflict do nothing`;
  await sql`insert into changed_unit_days (account_id, days, unit_ids) values (${id}, '{2000-01-01}', array[${unit_id}::bigint])`;
  await sql`
    insert into changed_unique_codes (account_id, group_id, entries) values (${id}, ${group.id}, '[{"at": "2000-01-01T00:00:00Z"}]')`;
  return { token, ids };
}
