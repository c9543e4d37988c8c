import { expectAnswer } from '../load/load.ts';
import { adminToken } from '../load/service.ts';
import { partnerHeaders, type Row, type Stage, some, turnOf } from './row.ts';

const days = { start_date: '2023-01-01', end_date: '2030-12-31' };

/** A search for an existing booking. */
function visitOf(stage: Stage, n: number) {
  const { group, k } = turnOf(stage, n);
  return { group, ...group.visit(some(k, group.bookings)) };
}

const shownBooking = `b.id, b.booking_reference, coalesce(c.merged_into, c.id)::text, b.unit_id::text, b.stage_value::text, coalesce(b.type_id::text, ''), b.enquired_at::text, b.party_datetime::text, b.party_size::text, b.deposit_paid::text, b.hpbr_food::text, b.hpbr_drink::text, b.hpbr_entertainment::text, b.updated_at::text`;
const bookings = 'bookings b join contacts c on c.account_id = b.account_id and c.id = b.contact_id';

export const bookingSearch: Row = {
  key: 'booking-search',
  name: 'booking search',
  begin: async (stage) => ({
    ask: {
      method: 'GET',
      path: (n) => {
        const { group, reference } = visitOf(stage, n);
        return `/v1/bookings?account_id=${group.made.accountId}&booking_reference=${reference}`;
      },
      headers: partnerHeaders(stage),
      check: (n, status, body) => {
        const { reference, contactId } = visitOf(stage, n);
        expectAnswer(status, body, `"booking_reference":"${reference}"`, `"contact_id":"${contactId}"`);
      },
    },
    limit: {
      what: 'the same SELECT',
      script: `\\set n random(0, ${(stage.groups[0]?.bookings ?? 1) - 1})
select ${shownBooking} from ${bookings} where b.account_id = :account and b.booking_reference = 'B' || :n::text order by b.id desc limit 1;`,
      variables: { account: stage.groups[0]?.made.accountId ?? 0 },
    },
  }),
};

/** The queries of a PoP search, with counts for paginated lists. */
const popsInSql = (() => {
  const within = (column: string) =>
    `and ${column} >= '${days.start_date}'::date and ${column} < '${days.end_date}'::date + 1`;
  const withUnit = (letter: string) =>
    `join units u on u.account_id = ${letter}.account_id and u.id = ${letter}.unit_id`;
  const booked = `${bookings} ${withUnit('b')} where b.account_id = :account and b.contact_id = :contact ${within('b.party_datetime')}`;
  const seen = `wifi_interactions w ${withUnit('w')} where w.account_id = :account and w.contact_id = :contact ${within('w.created_at')}`;
  return [
    'select id from contacts where account_id = :account and (id = :contact or merged_into = :contact);',
    `select p.id, p.contact_id, p.transaction_reference, p.unit_id, p.provider_id, p.order_type_id, p.created_at::text, u.name, p.lines from purchases p ${withUnit('p')} where p.account_id = :account and p.contact_id = :contact ${within('p.created_at')} order by p.created_at desc, p.id desc limit 10001;`,
    `select ${shownBooking}, u.name from ${booked} order by b.party_datetime desc, b.id desc limit 100;`,
    `select count(*) from ${booked};`,
    `select w.*, u.name from ${seen} order by w.created_at desc, w.id desc limit 100;`,
    `select count(*) from ${seen};`,
  ];
})();

export const popSearch: Row = {
  key: 'pop-search',
  name: 'PoP search',
  begin: async (stage) => {
    const first = stage.groups[0];
    return {
      ask: {
        method: 'GET',
        path: '/v1/pop/by_date',
        headers: partnerHeaders(stage),
        body: (n) => {
          const { group, contactId } = visitOf(stage, n);
          return JSON.stringify({
            ...{ account_id: group.made.accountId, contact_id: contactId, ...days },
            types: ['purchases', 'booking', 'wifi'],
          });
        },
        check: (n, status, body) => {
          const { reference, purchase } = visitOf(stage, n);
          expectAnswer(
            status,
            body,
            `"booking_reference":"${reference}"`,
            `"transaction_reference":"${purchase}"`,
            '"wifi":{',
          );
        },
      },
      limit: {
        what: 'the same SELECTs',
        script: [`\\set contact random(${first?.contactId(0)}, ${first?.contactId(first.size.contacts - 1)})`]
          .concat(popsInSql)
          .join('\n'),
        variables: { account: first?.made.accountId ?? 0 },
      },
    };
  },
};

export const unitsList: Row = {
  key: 'units-list',
  name: 'units list, with folders and groups',
  begin: async (stage) => ({
    ask: {
      method: 'GET',
      path: '/v1/account/units?groups=true',
      headers: partnerHeaders(stage),
      check: (n, status, body) => {
        const { group } = turnOf(stage, n);
        expectAnswer(status, body, `"id":${group.firstUnit},`, '"name":"Newsletter"');
      },
    },
    limit: {
      what: 'the same SELECTs',
      script: [
        'select id, name, is_root from units where account_id = :account and deleted_at is null order by is_root desc, id limit 100;',
        'select count(*) from units where account_id = :account and deleted_at is null;',
        'select f.id, f.unit_id, f.name, g.id, g.name from folders f left join groups g on g.account_id = f.account_id and g.folder_id = f.id where f.account_id = :account order by f.unit_id, f.id, g.id;',
      ].join('\n'),
      variables: { account: stage.groups[0]?.made.accountId ?? 0 },
    },
  }),
};

/** The guest search of the dashboard: the start of an e-mail, or a name. */
export const guestSearch: Row = {
  key: 'guest-search',
  name: 'guest search of staff',
  begin: async (stage) => {
    const of = (n: number) => {
      const { group, k } = turnOf(stage, n);
      return { group, nth: some(k, group.size.contacts) };
    };
    return {
      ask: {
        method: 'GET',
        path: (n) => {
          const { group, nth } = of(n);
          const typed = n % 2 ? `ana ${group.lastName(nth)}` : group.email(nth).split('@')[0];
          return `/admin/v1/accounts/${group.made.accountId}/contacts/search?search=${encodeURIComponent(typed ?? '')}`;
        },
        headers: { Authorization: `Bearer ${adminToken}` },
        check: (n, status, body) => {
          const { group, nth } = of(n);
          expectAnswer(status, body, `"id":${group.contactId(nth)},`);
        },
      },
    };
  },
};
