import type { Tx } from '../db/database.ts';
import { enqueue } from '../db/jobs.ts';
import { listing } from '../db/listing.ts';
import { only, sql } from '../db/sql.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import { type EmailDomain, type KnownDomain, lookAgainTask } from './schema.ts';

/** Five minutes, then twice as long each time, up to a day. */
const lookAgainAfterSeconds = (attempt: number) => Math.min(300 * 2 ** (attempt - 1), 86_400);

export async function findDomain(tx: Tx, domain: string): Promise<KnownDomain | undefined> {
  const [row] = await tx<KnownDomain>`
    select domain, takes_mail, vouched_for, extract(epoch from now() - checked_at)::float8 as age_seconds
    from email_domains where domain = ${domain}`;
  return row;
}

export async function saveDomain(tx: Tx, domain: string, takesMail: boolean): Promise<void> {
  await tx`
    insert into email_domains (domain, takes_mail) values (${domain}, ${takesMail})
    on conflict (domain) do update set takes_mail = excluded.takes_mail, checked_at = now() where not email_domains.vouched_for`;
}

const columns = sql`domain, takes_mail, vouched_for, checked_at`;

export async function vouchFor(tx: Tx, domain: string, takesMail: boolean): Promise<EmailDomain> {
  const rows = await tx<EmailDomain>`
    insert into email_domains (domain, takes_mail, vouched_for) values (${domain}, ${takesMail}, true)
    on conflict (domain) do update set takes_mail = excluded.takes_mail, vouched_for = true, checked_at = now()
    returning ${columns}`;
  return only(rows);
}

export function selectDomains(tx: Tx, slice: Slice): Promise<Rows<EmailDomain>> {
  return listing(tx, { columns, from: sql`email_domains`, orderBy: sql`domain` }, slice);
}

/** Addresses at these domains were taken in unchecked: somebody has to come back to them. */
export async function lookAgainLater(tx: Tx, accountId: number, domains: string[], attempt = 1): Promise<void> {
  const jobs = domains.map((domain) => ({
    payload: { account_id: accountId, domain, attempt },
    // By attempt, as the job that puts off the next is still there itself.
    key: `${accountId} ${domain} ${attempt}`,
  }));
  await enqueue(tx, lookAgainTask, jobs, lookAgainAfterSeconds(attempt));
}

export async function hasUnchecked(tx: Tx, accountId: number, domain: string): Promise<boolean> {
  const rows = await tx`
    select from contacts
    where account_id = ${accountId} and email_status = 'unchecked' and split_part(email, '@', 2) = ${domain} limit 1`;
  return rows.length > 0;
}

/** So many of the contacts whose address at this domain is unchecked get the status that it was found to have. */
export async function settleUnchecked(
  tx: Tx,
  accountId: number,
  domain: string,
  status: 'invalid' | null,
  limit: number,
): Promise<number> {
  const { count } = await tx`
    update contacts set email_status = ${status}, updated_at = ${tx.now} where account_id = ${accountId} and id in (
      select id from contacts
      where account_id = ${accountId} and email_status = 'unchecked' and split_part(email, '@', 2) = ${domain}
      order by id limit ${limit} for no key update)`;
  return count;
}
