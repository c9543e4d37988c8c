import type { Group } from '../load/guests.ts';
import { expectAnswer } from '../load/load.ts';
import { count, countsUp, partnerHeaders, type Row, type Stage, some, turnOf } from './row.ts';

type Key = 'booking_reference' | 'unique_code' | 'membership_number' | 'card_reference' | 'table_number';

interface Lead {
  /** The key of the purchase. */
  value(group: Group, nth: number): string;
  /** The look-up as plain SQL. :n is the contact's number, :contact the result. */
  inSql: string;
}

const byIdentity = (kind: string, letter: string) =>
  `select contact_id as contact from identities where account_id = :account and kind = '${kind}' and value = '${letter}' || :n::text \\gset`;

const leads: Record<Key, Lead> = {
  booking_reference: {
    value: (_, nth) => `B${nth}`,
    inSql: `select contact_id as contact from bookings where account_id = :account and booking_reference = 'B' || :n::text order by id desc limit 1 \\gset`,
  },
  unique_code: {
    value: (_, nth) => `A${nth}`,
    inSql: `select contact_id as contact from unique_codes where account_id = :account and code_key = 'A' || :n::text \\gset`,
  },
  membership_number: { value: (_, nth) => `M${nth}`, inSql: byIdentity('membership', 'M') },
  card_reference: { value: (_, nth) => `C${nth}`, inSql: byIdentity('card', 'C') },
  table_number: {
    value: (group, nth) => group.visit(nth).table,
    // The unit, day and table of the nth booking, as in `visit`.
    inSql: (() => {
      const [ofUnit, count] = ['(:n::int / :units_count::int)', ':units_count::int'];
      const start = `(date '2023-01-01' + interval '12 hours' + interval '1 day' * (${ofUnit} / 25) + interval '24 minutes' * (${ofUnit} % 25))`;
      return `select contact_id as contact from bookings where account_id = :account and unit_id = (:units::bigint[])[1 + :n::int % ${count}] and party_day = ${start}::date and table_key in ((${ofUnit} % 25 + 1)::text, '') and party_datetime between ${start} - interval '3 hours' and ${start} + interval '3 hours' and table_numbers && array[(${ofUnit} % 25 + 1)::text] order by abs(extract(epoch from party_datetime - ${start})) limit 1 \\gset`;
    })(),
  },
};

/** The key value of the nth contact. */
const contactOf = (key: Key, group: Group, nth: number) =>
  key === 'booking_reference' || key === 'table_number' ? group.visit(nth).contactId : group.contactId(nth);

/** An anonymous purchase with a key that matches. */
export function purchaseBy(key: Key): Row {
  const lead = leads[key];
  return {
    key: `purchase-${key.replace('_', '-')}`,
    name: `anonymous purchase by ${key.replace('_', ' ')}`,
    begin: async (stage) => {
      // There is a first booking for each contact.
      const of = (n: number) => {
        const { group, k } = turnOf(stage, n);
        return { group, nth: some(k, group.size.contacts) };
      };
      const made = stage.groups[0]?.made;
      return {
        ask: {
          path: '/v1/purchases',
          headers: partnerHeaders(stage),
          body: (n) => {
            const { group, nth } = of(n);
            const { unitId, start } = group.visit(nth);
            const items = [{ description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5 }];
            return JSON.stringify({
              ...{ account_id: group.made.accountId, provider_id: 9, [key]: lead.value(group, nth) },
              purchases: [{ transaction_reference: `${key}-${n}`, unit_id: unitId, created_at: start, items }],
            });
          },
          check: (n, status, body) => {
            const { group, nth } = of(n);
            expectAnswer(status, body, `"contact_id":${contactOf(key, group, nth)},"matched_by":"${key}"`);
          },
        },
        limit: {
          what: 'the look-up and the INSERT',
          script: [
            `\\set n random(0, ${(stage.groups[0]?.size.contacts ?? 1) - 1})`,
            '\\set r random(1, 2000000000)',
            ...['begin;', lead.inSql],
            `insert into purchases (account_id, contact_id, unit_id, provider_id, transaction_reference, order_type_id, created_at, lines, ${key}, matched_by, matched_at) values (:account, :contact, :unit, 9, 'limit' || :r::text, 4, now(), '[{"description": "Pale ale", "sku": "ALE-1", "quantity": "2", "value": "11.50", "tags": []}]', :n::text, '${key}', now()) on conflict do nothing;`,
            'commit;',
          ].join('\n'),
          variables: {
            ...{ account: made?.accountId ?? 0, unit: made?.units[0] ?? 0 },
            ...{ units: `{${made?.units.join()}}`, units_count: made?.units.length ?? 1 },
          },
        },
        stored: await countsUp(stage, [
          'purchases',
          `transaction_reference like '${key}-%' and matched_by = '${key}' and contact_id is not null`,
        ]),
      };
    },
  };
}

export const purchaseRows = (Object.keys(leads) as Key[]).map(purchaseBy);

const waiting = (stage: Stage) => count(stage, 'purchases', 'contact_id is null');

/** A contact write with a booking that a purchase waits for. */
export const lateMatching: Row = {
  key: 'late-matching',
  name: 'late matching',
  begin: async (stage) => {
    const before = await waiting(stage);
    return {
      ask: {
        path: '/v1/contact',
        headers: partnerHeaders(stage),
        body: (n) => {
          const { group, k } = turnOf(stage, n);
          if (k >= group.size.waiting) throw new Error(`Only ${group.size.waiting} purchases wait in an account.`);
          const { unitId, start, table } = group.visit(some(k, group.bookings));
          const booking = {
            ...{ booking_reference: group.waitsFor(k), provider_id: 7, unit_id: unitId },
            ...{ party_datetime: start, table_numbers: [`late ${table}`] },
          };
          return JSON.stringify({
            ...{ account_id: group.made.accountId, email: group.email(some(k, group.size.contacts)) },
            ...{ full_contact_object: false, bookings: [booking] },
          });
        },
        check: (_, status, body) => expectAnswer(status, body, '{"id":'),
      },
      stored: async (answered) => {
        const matched = before - (await waiting(stage));
        if (matched !== answered)
          throw new Error(`${answered} bookings were brought, and ${matched} purchases no longer wait.`);
      },
    };
  },
};
