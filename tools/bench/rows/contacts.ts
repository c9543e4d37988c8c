import { type Ask, expectAnswer } from '../load/load.ts';
import { asSuperuser } from '../load/service.ts';
import { countsUp, partnerHeaders, type Row, type Stage, some, turnOf } from './row.ts';

const items = [
  { description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5, tags: ['drinks'] },
  { description: 'Fish and chips', sku: 'FISH-3', quantity: 1, value: 16, tags: ['food'] },
];

const note = 'Prefers the window table.';

/** A typical contact write. The response is the full contact object. */
function write(
  stage: Stage,
  of: { email(n: number): string; more(n: number): object; inAnswer(n: number): string },
): Ask {
  return {
    path: '/v1/contact',
    headers: partnerHeaders(stage),
    body: (n) => {
      const { group } = turnOf(stage, n);
      return JSON.stringify({
        ...{ account_id: group.made.accountId, email: of.email(n), first_name: 'Ana', source_id: group.made.sourceId },
        ...{ allow_email: true, units: [{ id: group.firstUnit, groups: [{ name: 'Newsletter' }] }], ...of.more(n) },
      });
    },
    check: (n, status, body) => expectAnswer(status, body, `"email":"${of.email(n)}"`, of.inAnswer(n)),
  };
}

const newEmail = (n: number) => `new${n}@gmail.com`;
const newMobile = (n: number) => `079${String(n).padStart(8, '0')}`;

/** A contact write as plain SQL: find, insert, identities, unit, group, consent. */
const newInSql = [
  `select c.id from identities i join contacts c on c.account_id = i.account_id and c.id = i.contact_id where i.account_id = :account and i.kind = 'email' and i.value = 'limit' || :n::text || '@gmail.com' for update of c;`,
  `insert into contacts (account_id, first_name, last_name, email, mobile_number, source_id, allow_email) values (:account, 'Ana', 'Silva', 'limit' || :n::text || '@gmail.com', '4477' || :n::text, :source, true) returning id \\gset`,
  `insert into identities (account_id, kind, value, contact_id) values (:account, 'email', 'limit' || :n::text || '@gmail.com', :id), (:account, 'mobile', '4477' || :n::text, :id) on conflict do nothing;`,
  `insert into contact_units (account_id, contact_id, unit_id) values (:account, :id, :unit) on conflict do nothing;`,
  `insert into contact_groups (account_id, contact_id, group_id) values (:account, :id, :group) on conflict do nothing;`,
  `insert into consent_ledger (account_id, contact_id, channel, from_given, to_given, applied, source_id, token_id) values (:account, :id, 'email', false, true, true, :source, :token);`,
];

const existingInSql = [
  `select c.id from identities i join contacts c on c.account_id = i.account_id and c.id = i.contact_id where i.account_id = :account and i.kind = 'email' and i.value = 'guest' || lpad(:n::text, 8, '0') || '@gmail.com' for update of c \\gset`,
  `update contacts set locality = :n::text, source_id = :source, allow_email = true, updated_at = now() where account_id = :account and id = :id;`,
  `insert into identities (account_id, kind, value, contact_id) values (:account, 'email', 'guest' || lpad(:n::text, 8, '0') || '@gmail.com', :id), (:account, 'mobile', '4477' || lpad(:n::text, 8, '0'), :id) on conflict do nothing;`,
  `insert into contact_units (account_id, contact_id, unit_id) values (:account, :id, :unit) on conflict do nothing;`,
  `insert into contact_groups (account_id, contact_id, group_id) values (:account, :id, :group) on conflict do nothing;`,
];

const activityInSql = [
  `insert into notes (account_id, contact_id, text, created_at, author) values (:account, :id, '${note}', now(), 'limit');`,
  `insert into purchases (account_id, contact_id, unit_id, provider_id, transaction_reference, order_type_id, created_at, lines) values (:account, :id, :unit, 9, 'limit' || :n::text, 4, now(), '${JSON.stringify(items).replaceAll(':', ': ')}') on conflict do nothing;`,
];

/** In one commit. */
function transaction({ groups }: Stage, what: string, statements: string[], most: number) {
  const made = groups[0]?.made;
  if (!made) throw new Error('There is no account.');
  const begin = [`\\set n random(0, ${most})`, 'begin;', `set local app.account_id = ${made.accountId};`];
  return {
    what,
    script: [...begin, ...statements, 'commit;'].join('\n'),
    variables: {
      ...{ account: made.accountId, unit: made.units[0] ?? 0, group: made.newsletterId },
      ...{ source: made.sourceId, token: made.tokenId },
    },
  };
}

export const newContact: Row = {
  key: 'contact-new',
  name: 'contact write, new',
  begin: async (stage) => ({
    ask: write(stage, {
      email: newEmail,
      more: (n) => ({ last_name: 'Silva', mobile_number: newMobile(n) }),
      inAnswer: () => '"first_name":"Ana"',
    }),
    limit: transaction(stage, 'the same transaction', newInSql, 2_000_000_000),
    stored: await countsUp(stage, ['contacts', `email like 'new%'`]),
  }),
};

export const existingContact: Row = {
  key: 'contact-existing',
  name: 'contact write, existing',
  begin: async (stage) => {
    const of = (n: number) => {
      const { group, k } = turnOf(stage, n);
      return { group, nth: k % group.size.contacts };
    };
    return {
      ask: write(stage, {
        email: (n) => of(n).group.email(of(n).nth),
        // The stored value shows which write was last.
        more: (n) => ({ mobile_number: `0${of(n).group.mobile(of(n).nth).slice(2)}`, city: String(n) }),
        inAnswer: (n) => `"city":"${n}"`,
      }),
      limit: transaction(stage, 'the same transaction', existingInSql, (stage.groups[0]?.size.contacts ?? 1) - 1),
      stored: (answered) => checkLastWrites(stage, answered),
    };
  },
};

/** Checks that each contact was written. Only used with one account. */
async function checkLastWrites({ service, groups }: Stage, answered: number): Promise<void> {
  const [group] = groups;
  if (!group || groups.length > 1) throw new Error('This is counted in one account.');
  const { contacts } = group.size;
  const kept = Math.min(answered, contacts);
  const { rows } = await asSuperuser(service, (client) =>
    client.query<{ kept: string; first: number; last: number }>(
      `select count(distinct city) as kept, min(city::int) as first, max(city::int) as last from contacts
       where account_id = $1 and id between $2 and $3 and city is not null`,
      [group.made.accountId, group.contactId(0), group.contactId(contacts - 1)],
    ),
  );
  const expected = { kept: String(kept), first: answered - kept, last: answered - 1 };
  if (JSON.stringify(rows[0]) !== JSON.stringify(expected))
    throw new Error(`Expected to be stored: ${JSON.stringify(expected)}; what is: ${JSON.stringify(rows[0])}.`);
}

/** A contact write with groups, notes and a purchase. */
export const fullContact: Row = {
  key: 'contact-full',
  name: 'contact write with groups, notes and a purchase',
  begin: async (stage) => {
    const email = (n: number) => `full${n}@gmail.com`;
    return {
      ask: write(stage, {
        email,
        more: (n) => {
          const { group, k } = turnOf(stage, n);
          const { unitId, start } = group.visit(some(k, group.bookings));
          return {
            ...{ last_name: 'Silva', mobile_number: `078${String(n).padStart(8, '0')}` },
            units: [{ id: group.firstUnit, groups: [{ name: 'Newsletter' }, { name: 'Wine club' }] }],
            notes: [{ text: note }],
            purchases: [{ transaction_reference: `F${n}`, unit_id: unitId, created_at: start, provider_id: 9, items }],
          };
        },
        inAnswer: () => 'Wine club',
      }),
      limit: transaction(stage, 'the same transaction', [...newInSql, ...activityInSql], 2_000_000_000),
      stored: await countsUp(
        stage,
        ['contacts', `email like 'full%'`],
        ['purchases', `transaction_reference like 'F%'`],
        ['notes', `text = '${note}' and author is distinct from 'limit'`],
      ),
    };
  },
};
