import type { Run } from '../../src/platform/db/sql.ts';

/** Checks the invariants of every account. Returns the violating rows by invariant, or an empty object. */
export async function violations(sql: Run): Promise<Record<string, unknown[]>> {
  const findings = {
    'flags that the ledger does not explain': await sql`
      select c.id, channel, given, coalesce(ledger.to_given, false) as ledger from contacts c
      cross join lateral (values ('sms', allow_sms), ('email', allow_email), ('call', allow_call), ('snail_mail', allow_snail_mail)) as flag (channel, given)
      left join lateral (
        select to_given from consent_ledger l where l.account_id = c.account_id and l.contact_id = c.id and l.channel = flag.channel and l.applied
        order by id desc limit 1) as ledger on true
      where given <> coalesce(ledger.to_given, false)`,
    'ledger entries that don’t follow from the one before': await sql`
      select contact_id, channel, id from (
        select *, lag(to_given, 1, false) over (partition by account_id, contact_id, channel order by id) as before
        from consent_ledger where applied) as entry
      where from_given <> before or from_given = to_given`,
    'consents that a merge gave over a withdrawal': await sql`
      select contact_id, channel, id from (
        select *, lag(to_given, 1, true) over (partition by account_id, contact_id, channel order by id) as before
        from consent_ledger where applied and rule is distinct from 'undo') as entry
      where rule = 'merge' and to_given and not before`,
    'contacts that own nothing': await sql`
      select id from contacts c where merged_into is null and not exists (
        select from identities i join contacts m on m.account_id = i.account_id and m.id = i.contact_id
        where i.account_id = c.account_id and i.kind in ('email', 'mobile') and coalesce(m.merged_into, m.id) = c.id)`,
    'e-mails that identify another contact': await sql`
      select c.id, c.email from contacts c where merged_into is null and email is not null and not exists (
        select from identities i join contacts m on m.account_id = i.account_id and m.id = i.contact_id
        where i.account_id = c.account_id and i.kind = 'email' and i.value = c.email and coalesce(m.merged_into, m.id) = c.id)`,
    'merges into a contact that is merged itself': await sql`
      select c.id from contacts c join contacts m on m.account_id = c.account_id and m.id = c.merged_into where m.merged_into is not null`,
    'purchases that wait though what they wait for is there': await sql`
      select p.id from purchases p join accounts a on a.id = p.account_id where p.contact_id is null and (
        exists (select from bookings b where b.account_id = p.account_id and b.booking_reference = p.booking_reference)
        or exists (select from identities i where i.account_id = p.account_id
          and (i.kind, i.value) in (('membership', p.membership_number), ('card', p.card_reference)))
        or exists (select from unique_codes c where c.account_id = p.account_id and c.unique_code = p.unique_code and c.contact_id is not null
          and (c.group_id = p.unique_code_group_id or p.unique_code_group_id is null))
        or exists (select from bookings b where b.account_id = p.account_id and b.unit_id = p.unit_id and b.stage_value <> 550
          and b.party_datetime::date = p.created_at::date and p.table_number = any(b.table_numbers)
          and (b.party_datetime at time zone a.time_zone) - (p.created_at at time zone a.time_zone) between interval '-3 hours' and interval '3 hours'))`,
    'contacts without a unit': await sql`
      select id from contacts c where not exists (select from contact_units u where u.account_id = c.account_id and u.contact_id = c.id)`,
  };
  return Object.fromEntries(Object.entries(findings).filter(([, rows]) => rows.length > 0));
}
