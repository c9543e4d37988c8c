import fc from 'fast-check';
import { type Rule, rules } from '../../src/features/guests/write/schema.ts';
import type { Run } from '../../src/platform/db/sql.ts';

/** Few people, so that their writes often conflict. */
const people = [1, 2, 3, 4, 5];
const emails = people.map((n) => `guest${n}@gmail.com`);
const mobiles = people.map((n) => `0770090000${n}`);

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.option(fc.array(fc.record(fields, { noNullPrototype: true }), { maxLength: 2 }), { nil: undefined, freq: 2 });
/** Mostly the valid value, sometimes an invalid one. */
const mostly = <T, B>(good: fc.Arbitrary<T>, bad: B) =>
  fc.oneof({ weight: 15, arbitrary: good as fc.Arbitrary<T | B> }, { weight: 1, arbitrary: fc.constant(bad) });
/** A random contact write. Each account replaces the roles (`unit` 0 or 1, `udf`) by its own ids. */
export const anyWrite = fc.record(
  {
    email: maybe(mostly(fc.constantFrom(...emails), 'not an address')),
    mobile_number: maybe(mostly(fc.constantFrom(...mobiles), '123')),
    first_name: maybe(fc.constantFrom('Ana', 'Rui', 'Zoë')),
    gender: maybe(fc.constantFrom('M', 'F', '')),
    membership_number: maybe(fc.constantFrom('M1', 'M2')),
    card_reference: maybe(fc.constantFrom('C1', 'C2')),
    source_name: maybe(fc.constantFrom('Wifi', 'wifi', 'Till')),
    allow_sms: maybe(fc.boolean()),
    allow_email: maybe(fc.boolean()),
    allow_call: maybe(fc.boolean()),
    allow_snail_mail: maybe(fc.boolean()),
    city: maybe(fc.constantFrom('Bristol')),
    postcode: maybe(fc.constantFrom('BS1 4QA')),
    units: maybe(
      fc.array(
        fc.record({
          unit: mostly(fc.constantFrom(0, 1), 2),
          groups: fc.array(
            fc.record({ name: fc.constantFrom('News', 'NEWS', 'VIP'), folder_name: maybe(fc.constantFrom('Loyal')) }),
            { maxLength: 2 },
          ),
        }),
        { maxLength: 2 },
      ),
    ),
    udf: maybe(fc.constantFrom('nuts', 'none')),
    feedback: maybe(mostly(fc.constant('7'), '11')),
    purchases: some({
      transaction_reference: fc.constantFrom('P1', 'P2', 'W table', 'W membership'),
      unit: mostly(fc.constantFrom(0, 1), 2),
      provider_id: maybe(mostly(fc.constant(7), 'x')),
      quantity: maybe(mostly(fc.constantFrom(1, -2), 'many')),
    }),
    bookings: some({
      booking_reference: fc.constantFrom('B1', 'B2'),
      unit: maybe(mostly(fc.constantFrom(0, 1), 2)),
      provider_id: maybe(fc.constantFrom(7)),
      party_datetime: maybe(fc.constantFrom('2026-03-01 17:00:00', '2026-03-01 19:30:00', '2026-03-02 19:30:00')),
      stage_value: maybe(fc.constantFrom(1, 550)),
      table_numbers: maybe(fc.constantFrom([], ['1'], ['1', '2'])),
    }),
    stays: some({
      stay_reference: fc.constantFrom('S1', 'S2'),
      provider_id: fc.constantFrom(7, 8),
      unit: mostly(fc.constant(1), 2),
      booker: fc.boolean(),
      guest: fc.boolean(),
      booking_status_id: fc.constantFrom(3, 5),
      checkout_date: mostly(fc.constant('2026-03-03 11:00:00'), '2026-02-03 11:00:00'),
      room_rate_code: maybe(fc.constantFrom('BAR')),
    }),
    wifi: some({
      unit: maybe(mostly(fc.constant(1), 2)),
      interaction_type: maybe(mostly(fc.constant('connected'), 'seen')),
    }),
    // Most writes with update_only find no contact.
    rules: fc.oneof(fc.subarray<Rule>([...rules]), fc.subarray<Rule>(rules.filter((rule) => rule !== 'update_only'))),
    full_contact_object: maybe(fc.boolean()),
  },
  { noNullPrototype: true },
);
export type AnyWrite = typeof anyWrite extends fc.Arbitrary<infer T> ? T : never;

export interface Place {
  units: number[];
  udf: number;
}

/** The request's body in one account. Its note names it, so that afterwards one can tell who did what in which order. */
export function bodyOf(write: AnyWrite, note: string, { units, udf }: Place) {
  const { units: wanted, udf: data, feedback, rules: names, purchases, bookings, stays, wifi, ...rest } = write;
  const at = <T extends { unit?: number | undefined }>({ unit, ...one }: T) => ({
    ...one,
    unit_id: unit === undefined ? undefined : (units[unit] ?? 999_999_999),
  });
  return {
    ...rest,
    // Times are given: those of the requests would differ between two runs.
    purchases: purchases?.map(at).map(({ quantity, ...purchase }) => ({
      created_at: '2026-03-01 20:00:00',
      ...purchase,
      items: quantity === undefined ? undefined : [{ description: 'Ale', quantity, value: 5.5 }],
    })),
    bookings: bookings?.map(at).map((booking) => ({ party_enquirytime: '2026-02-01 09:00:00', ...booking })),
    stays: stays?.map(at).map((stay) => ({ ...aStay, ...stay })),
    wifi: wifi?.map(at).map((one) => ({ created_at: '2026-03-01 18:00:00', ...one })),
    units: wanted?.map(({ unit, groups }) => ({ id: units[unit] ?? 999_999_999, groups })),
    udfs: data === undefined ? undefined : [{ id: udf, data }],
    feedback: feedback === undefined ? undefined : [{ ratings: [{ category_id: 4, rating_text: feedback }] }],
    rules: names.map((rule_name) => ({ rule_name })),
    notes: [{ text: note }],
  };
}

const aStay = {
  enquiry_date: '2026-01-01 09:00:00',
  checkin_date: '2026-03-01 15:00:00',
  room_type_id: 2,
  total_guests: 2,
  booking_enquiry_source_id: 1,
};

/** An anonymous purchase with keys that `anyWrite` may add before or later. */
export const anyPurchase = fc.record(
  {
    booking_reference: maybe(fc.constantFrom('B1', 'B2', 'B3')),
    unique_code: maybe(fc.constantFrom('X1', 'X2')),
    membership_number: maybe(fc.constantFrom('M1', 'M2', 'M3')),
    card_reference: maybe(fc.constantFrom('C1', 'C2', 'C3')),
    table_number: maybe(fc.constantFrom('1', '2', '3')),
    transaction_reference: fc.integer({ min: 1, max: 40 }).map((n) => `P${n}`),
    unit: mostly(fc.constantFrom(0, 1), 2),
    created_at: maybe(fc.constantFrom('2026-03-01 16:00:00', '2026-03-01 19:00:00', '2026-03-02 21:00:00')),
    quantity: maybe(fc.constantFrom(1, 2)),
  },
  { noNullPrototype: true },
);
export type AnyPurchase = typeof anyPurchase extends fc.Arbitrary<infer T> ? T : never;

export function purchaseBody(purchase: AnyPurchase, accountId: number, { units }: Place) {
  const { transaction_reference, unit, created_at, quantity, ...keys } = purchase;
  const items = quantity === undefined ? undefined : [{ quantity, value: 9 }];
  const purchases = [{ transaction_reference, unit_id: units[unit] ?? 999_999_999, created_at, items }];
  return { account_id: accountId, ...keys, purchases };
}

/** Request bodies of anonymous purchases that wait for keys that `anyWrite` may add, in one account. */
export function waiting(accountId: number, { units }: Place) {
  const wait = (name: string, keys: object, created_at = '2026-03-01 19:00:00') => ({
    account_id: accountId,
    ...keys,
    purchases: [
      { transaction_reference: `W ${name}`, unit_id: units[1], created_at, items: [{ quantity: 1, value: 9 }] },
    ],
  });
  return [
    wait('booking', { booking_reference: 'B1' }),
    wait('membership', { membership_number: 'M1' }),
    wait('card', { card_reference: 'C1' }),
    wait('table', { table_number: '1' }),
    wait('any', { booking_reference: 'B2', membership_number: 'M2', card_reference: 'C2', table_number: '2' }),
    wait('late table', { table_number: '2' }, '2026-03-01 21:00:00'),
  ];
}

/**
 * All that an account knows of its guests, without ids and times: a contact is called by its first note, and everything
 * else by its name. Two runs that treated their guests alike come out equal, also where writes that have nothing to do
 * with each other got their ids in another order.
 */
export async function everyGuest(sql: Run, accountId: number): Promise<unknown> {
  const [state] = await sql<{ state: unknown }>`
    with called as (
      select c.id, (select n.text from notes n where n.account_id = ${accountId} and n.contact_id = c.id order by n.id limit 1) as name
      from contacts c where c.account_id = ${accountId})
    select jsonb_build_object(
      'contacts', (select coalesce(jsonb_agg(jsonb_build_array(called.name, to_jsonb(c) - '{id,account_id,merged_into,source_id,created_at,updated_at}'::text[],
        (select name from called m where m.id = c.merged_into),
        (select lower(s.name) from sources s where s.account_id = ${accountId} and s.id = c.source_id),
        (select jsonb_agg(i.kind || ' ' || i.value order by i.kind, i.value) from identities i where i.account_id = ${accountId} and i.contact_id = c.id),
        (select jsonb_agg(u.name order by u.name) from contact_units l join units u on u.account_id = l.account_id and u.id = l.unit_id
          where l.account_id = ${accountId} and l.contact_id = c.id),
        (select jsonb_agg(lower(concat_ws('/', u.name, f.name, g.name)) order by lower(concat_ws('/', u.name, f.name, g.name))) from contact_groups l
          join groups g on g.account_id = l.account_id and g.id = l.group_id
          join folders f on f.account_id = g.account_id and f.id = g.folder_id join units u on u.account_id = g.account_id and u.id = g.unit_id
          where l.account_id = ${accountId} and l.contact_id = c.id),
        (select jsonb_agg(v.data order by v.data) from contact_udfs v where v.account_id = ${accountId} and v.contact_id = c.id),
        (select jsonb_agg(n.text order by n.id) from notes n where n.account_id = ${accountId} and n.contact_id = c.id),
        (select jsonb_agg(jsonb_build_array(l.channel, l.from_given, l.to_given, l.applied, l.rule,
            (select lower(s.name) from sources s where s.account_id = ${accountId} and s.id = l.source_id)) order by l.id)
          from consent_ledger l where l.account_id = ${accountId} and l.contact_id = c.id),
        (select jsonb_agg(jsonb_build_array(f.type_id, (select jsonb_agg(r.rating_text order by r.id) from feedback_ratings r
            where r.account_id = ${accountId} and r.feedback_id = f.id)) order by f.id)
          from feedback f where f.account_id = ${accountId} and f.contact_id = c.id),
        (select jsonb_agg(jsonb_build_array(w.interaction_type, (select name from units u where u.account_id = ${accountId} and u.id = w.unit_id)) order by w.id)
          from wifi_interactions w where w.account_id = ${accountId} and w.contact_id = c.id)
      ) order by called.name), '[]') from contacts c join called using (id) where c.account_id = ${accountId}),
      'merges', (select coalesce(jsonb_agg(jsonb_build_array(a.name, b.name, m.reason, (m.taken -> 'fields') - 'source_id', m.taken -> 'channels',
          jsonb_array_length(m.taken -> 'unit_ids'), jsonb_array_length(m.taken -> 'group_ids')) order by a.name), '[]')
        from merges m join called a on a.id = m.contact_id join called b on b.id = m.into_contact_id where m.account_id = ${accountId}),
      'duplicates', (select coalesce(jsonb_agg(least(a.name, b.name) || ' ' || greatest(a.name, b.name) order by least(a.name, b.name), greatest(a.name, b.name)), '[]')
        from possible_duplicates d join called a on a.id = d.contact_id join called b on b.id = d.other_contact_id where d.account_id = ${accountId}),
      'bookings', (select coalesce(jsonb_agg(jsonb_build_array(called.name, u.name, to_jsonb(b) - '{id,account_id,contact_id,unit_id,updated_at}'::text[]) order by b.id), '[]')
        from bookings b join called on called.id = b.contact_id join units u on u.account_id = b.account_id and u.id = b.unit_id where b.account_id = ${accountId}),
      'purchases', (select coalesce(jsonb_agg(jsonb_build_array(called.name, u.name, p.matched_at is not null,
          (select b.booking_reference from bookings b where b.account_id = ${accountId} and b.id = p.matched_booking_id),
          to_jsonb(p) - '{id,account_id,contact_id,unit_id,matched_booking_id,matched_at}'::text[])
          order by p.transaction_reference, u.name, p.provider_id), '[]')
        from purchases p left join called on called.id = p.contact_id join units u on u.account_id = p.account_id and u.id = p.unit_id where p.account_id = ${accountId}),
      'stays', (select coalesce(jsonb_agg(jsonb_build_array(u.name, to_jsonb(s) - '{id,account_id,unit_id,updated_at,booking_enquiry_source_id}'::text[],
          (select jsonb_agg(jsonb_build_array(called.name, l.booker, l.guest) order by called.name) from stay_contacts l join called on called.id = l.contact_id
            where l.account_id = ${accountId} and l.stay_id = s.id)) order by s.provider_id, s.stay_reference), '[]')
        from stays s join units u on u.account_id = s.account_id and u.id = s.unit_id where s.account_id = ${accountId}),
      'sources', (select jsonb_agg(lower(name) order by lower(name)) from sources where account_id = ${accountId}),
      'groups', (select jsonb_agg(lower(name) order by lower(name)) from groups where account_id = ${accountId})
    ) as state`;
  return state?.state;
}
