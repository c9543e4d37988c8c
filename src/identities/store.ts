import type { Tx } from '../db/database.ts';
import type { Claim, Identity } from './schema.ts';

/*
 * These statements look rows up one by one behind a list (`lateral … offset 0`) rather than join the list: a join is
 * planned by what the tables hold, and a plan that was made while they were nearly empty reads them whole later.
 */

/**
 * Whoever writes about any of these is alone with them until its transaction ends. They are taken in one order
 * everywhere, so that two transactions can't wait for each other; what does not exist yet can be locked all the same.
 */
export async function lockIdentities(tx: Tx, accountId: number, identities: Identity[]): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended(kind || ':' || value, ${accountId}::bigint) as key
      from unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]) as wanted (kind, value)
      order by key) as wanted`;
}

export interface Owners {
  /** The contact that the identity stands on, and the one that this is today, after merges. */
  email_contact: number | null;
  email_owner: number | null;
  mobile_contact: number | null;
  mobile_owner: number | null;
  /** A new contact's id, where it looks as if one will be needed. */
  fresh_id: number | null;
}

/** Who owns each e-mail and mobile, pair by pair and in order. */
export function findOwners(
  tx: Tx,
  accountId: number,
  emails: (string | null)[],
  mobiles: (string | null)[],
): Promise<Owners[]> {
  return tx<Owners>`
    select email_contact, email_owner, mobile_contact, mobile_owner,
      case when email_owner is null and (email is not null or (mobile is not null and mobile_owner is null))
        then nextval(pg_get_serial_sequence('contacts', 'id')) end as fresh_id
    from unnest(${emails}::text[], ${mobiles}::text[]) with ordinality as sent (email, mobile, place)
    left join lateral (
      select c.id as email_contact, coalesce(c.merged_into, c.id) as email_owner
      from identities i join contacts c on c.account_id = i.account_id and c.id = i.contact_id
      where i.account_id = ${accountId} and i.kind = 'email' and i.value = sent.email offset 0) as by_email on true
    left join lateral (
      select c.id as mobile_contact, coalesce(c.merged_into, c.id) as mobile_owner
      from identities i join contacts c on c.account_id = i.account_id and c.id = i.contact_id
      where i.account_id = ${accountId} and i.kind = 'mobile' and i.value = sent.mobile offset 0) as by_mobile on true
    order by place`;
}

/** The contact that an identity leads to today. */
export async function findOwner(tx: Tx, accountId: number, { kind, value }: Identity): Promise<number | undefined> {
  const [row] = await tx<{ id: number }>`
    select coalesce(c.merged_into, c.id) as id
    from identities i join contacts c on c.account_id = i.account_id and c.id = i.contact_id
    where i.account_id = ${accountId} and i.kind = ${kind} and i.value = ${value}`;
  return row?.id;
}

/** The contact itself and all that were merged into it, by the id of any of them. Empty: there is no such contact. */
export async function lineage(tx: Tx, accountId: number, contactId: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    with today as (
      select coalesce(merged_into, id) as id from contacts where account_id = ${accountId} and id = ${contactId})
    select id from today
    union all
    select c.id from today join contacts c on c.account_id = ${accountId} and c.merged_into = today.id`;
  return rows.map((row) => row.id);
}

/** Only where they stand on that very contact: what a merged one brought along stays. */
export async function releaseIdentities(tx: Tx, accountId: number, claims: Claim[]): Promise<void> {
  await tx`
    delete from identities i using jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) as gone (kind text, value text, contact_id bigint)
    where i.account_id = ${accountId} and i.kind = gone.kind and i.value = gone.value and i.contact_id = gone.contact_id`;
}

/** How many could be taken. A membership or card goes to whoever brought it last; an e-mail or mobile stays where it is. */
export async function claimIdentities(tx: Tx, accountId: number, claims: Claim[]): Promise<number> {
  const { count } = await tx`
    insert into identities (account_id, kind, value, contact_id)
    select ${accountId}::bigint, kind, value, contact_id
    from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) as claim (kind text, value text, contact_id bigint)
    order by kind, value
    on conflict (account_id, kind, value) do update set contact_id = excluded.contact_id
      where identities.kind in ('membership', 'card')`;
  return count;
}
