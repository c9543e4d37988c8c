import fc from 'fast-check';
import { rules } from '../../src/contacts/schema.ts';
import type { Run } from '../../src/db/sql.ts';

/** Few enough people that their writes keep running into each other. */
const people = [1, 2, 3, 4, 5];
const emails = people.map((n) => `guest${n}@gmail.com`);
const mobiles = people.map((n) => `0770090000${n}`);

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
/** A write about somebody, by roles (`unit` 0 or 1, `udf`) that each account fills with its own ids. */
export const anyWrite = fc.record(
  {
    email: maybe(fc.constantFrom(...emails, 'not an address')),
    mobile_number: maybe(fc.constantFrom(...mobiles, '123')),
    first_name: maybe(fc.constantFrom('Ana', 'Rui', 'Zoë')),
    gender: maybe(fc.constantFrom('M', 'F', '')),
    membership_number: maybe(fc.constantFrom('M1', 'M2')),
    source_name: maybe(fc.constantFrom('Wifi', 'wifi', 'Till')),
    allow_sms: maybe(fc.boolean()),
    allow_email: maybe(fc.boolean()),
    units: maybe(
      fc.array(
        fc.record({
          unit: fc.constantFrom(0, 1, 2),
          groups: fc.array(
            fc.record({ name: fc.constantFrom('News', 'NEWS', 'VIP'), folder_name: maybe(fc.constantFrom('Loyal')) }),
            { maxLength: 2 },
          ),
        }),
        { maxLength: 2 },
      ),
    ),
    udf: maybe(fc.constantFrom('nuts', 'none')),
    feedback: maybe(fc.constantFrom('7', '11')),
    rules: fc.subarray([...rules]),
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
  const { units: wanted, udf: data, feedback, rules: names, ...rest } = write;
  return {
    ...rest,
    units: wanted?.map(({ unit, groups }) => ({ id: units[unit] ?? 999_999_999, groups })),
    udfs: data === undefined ? undefined : [{ id: udf, data }],
    feedback: feedback === undefined ? undefined : [{ ratings: [{ category_id: 4, rating_text: feedback }] }],
    rules: names.map((rule_name) => ({ rule_name })),
    notes: [{ text: note }],
  };
}

/**
 * All that an account knows of its guests, without ids and times: a contact is called by its first note, and everything
 * else by its name. Two runs that treated their guests alike come out equal.
 */
export async function everyGuest(behind: Run, accountId: number): Promise<unknown> {
  const [state] = await behind<{ state: unknown }>`
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
          from feedback f where f.account_id = ${accountId} and f.contact_id = c.id)
      ) order by called.name), '[]') from contacts c join called using (id) where c.account_id = ${accountId}),
      'merges', (select coalesce(jsonb_agg(jsonb_build_array(a.name, b.name, m.reason, (m.taken -> 'fields') - 'source_id', m.taken -> 'channels',
          jsonb_array_length(m.taken -> 'unit_ids'), jsonb_array_length(m.taken -> 'group_ids')) order by a.name), '[]')
        from merges m join called a on a.id = m.contact_id join called b on b.id = m.into_contact_id where m.account_id = ${accountId}),
      'duplicates', (select coalesce(jsonb_agg(least(a.name, b.name) || ' ' || greatest(a.name, b.name) order by least(a.name, b.name), greatest(a.name, b.name)), '[]')
        from possible_duplicates d join called a on a.id = d.contact_id join called b on b.id = d.other_contact_id where d.account_id = ${accountId}),
      'sources', (select jsonb_agg(lower(name) order by lower(name)) from sources where account_id = ${accountId}),
      'groups', (select jsonb_agg(lower(name) order by lower(name)) from groups where account_id = ${accountId})
    ) as state`;
  return state?.state;
}

/** What must hold of every account at every moment, with the rows of which it does not: empty when all is well. */
export async function broken(behind: Run): Promise<Record<string, unknown[]>> {
  const findings = {
    'flags that the ledger does not explain': await behind`
      select c.id, channel, given, coalesce(ledger.to_given, false) as ledger from contacts c
      cross join lateral (values ('sms', allow_sms), ('email', allow_email), ('call', allow_call), ('snail_mail', allow_snail_mail)) as flag (channel, given)
      left join lateral (
        select to_given from consent_ledger l where l.account_id = c.account_id and l.contact_id = c.id and l.channel = flag.channel and l.applied
        order by id desc limit 1) as ledger on true
      where given <> coalesce(ledger.to_given, false)`,
    'ledger entries that don’t follow from the one before': await behind`
      select contact_id, channel, id from (
        select *, lag(to_given, 1, false) over (partition by account_id, contact_id, channel order by id) as before
        from consent_ledger where applied) as entry
      where from_given <> before or from_given = to_given`,
    'contacts that own nothing': await behind`
      select id from contacts c where merged_into is null and not exists (
        select from identities i join contacts m on m.account_id = i.account_id and m.id = i.contact_id
        where i.account_id = c.account_id and i.kind in ('email', 'mobile') and coalesce(m.merged_into, m.id) = c.id)`,
    'e-mails that lead to somebody else': await behind`
      select c.id, c.email from contacts c where merged_into is null and email is not null and not exists (
        select from identities i join contacts m on m.account_id = i.account_id and m.id = i.contact_id
        where i.account_id = c.account_id and i.kind = 'email' and i.value = c.email and coalesce(m.merged_into, m.id) = c.id)`,
    'merges into somebody who is merged': await behind`
      select c.id from contacts c join contacts m on m.account_id = c.account_id and m.id = c.merged_into where m.merged_into is not null`,
    'contacts without a unit': await behind`
      select id from contacts c where not exists (select from contact_units u where u.account_id = c.account_id and u.contact_id = c.id)`,
  };
  return Object.fromEntries(Object.entries(findings).filter(([, rows]) => rows.length > 0));
}
