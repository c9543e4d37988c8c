import type { Tx } from '../../../platform/db/database.ts';
import { enqueue, removeJobs } from '../../../platform/db/jobs.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import { asciiDomain } from '../../../shared/domain-name.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { type EmailDomain, type KnownDomain, learntDays, mostLearnt, recheckDomainTask } from './schema.ts';

/** The delay before an attempt: 5 minutes, doubled each time, up to a day. */
const recheckDelaySeconds = (attempt: number) => Math.min(300 * 2 ** (attempt - 1), 86_400);

/** The stored rows of these domains. */
export async function findDomains(tx: Tx, domains: string[]): Promise<(KnownDomain | undefined)[]> {
  const rows = await tx<KnownDomain>`
    select domain, takes_mail, vouched_for, extract(epoch from now() - checked_at)::float8 as age_seconds
    from email_domains where domain = any(${domains}::text[])`;
  const byName = new Map(rows.map((row) => [row.domain, row]));
  return domains.map((domain) => byName.get(domain));
}

/**
 * Stores domains from DNS, in the transaction that stores the e-mails. A fresh row is not updated, because concurrent
 * writers would wait for its lock.
 */
export async function learnDomains(tx: Tx, domains: string[]): Promise<void> {
  const names = [...new Set(domains.map(asciiDomain))].filter((name) => name !== '').sort();
  await tx`
    insert into email_domains (domain, takes_mail)
    select domain, true from unnest(${names}::text[]) as learnt (domain)
    where not exists (
        select from email_domains known
        where known.domain = learnt.domain and (known.vouched_for or known.checked_at > now() - interval '1 day'))
      and (select count(*) from (select from email_domains where not vouched_for limit ${mostLearnt}) as all_learnt) < ${mostLearnt}
    on conflict (domain) do update set takes_mail = true, checked_at = now() where not email_domains.vouched_for`;
}

/** Deletes these domains if they came from DNS, which is only a cache. Rules of staff stay. */
export async function deleteLearntDomains(tx: Tx, domains: string[]): Promise<void> {
  await tx`
    delete from email_domains where domain = any(array(
      select domain from email_domains where domain = any(${domains.map(asciiDomain)}::text[]) and not vouched_for
      order by domain for update))`;
}

/** Deletes up to `limit` expired domains from DNS. */
export async function deleteOldDomains(tx: Tx, limit: number): Promise<number> {
  const { count } = await tx`
    delete from email_domains where domain = any(array(
      select domain from email_domains
      where not vouched_for and checked_at < now() - make_interval(days => ${learntDays}) limit ${limit}))
      -- Staff or a write may have updated the row meanwhile.
      and not vouched_for and checked_at < now() - make_interval(days => ${learntDays})`;
  return count;
}

const columns = sql`domain, takes_mail, vouched_for, checked_at`;

export async function storeDomainRule(tx: Tx, domain: string, takesMail: boolean): Promise<EmailDomain> {
  const rows = await tx<EmailDomain>`
    insert into email_domains (domain, takes_mail, vouched_for) values (${domain}, ${takesMail}, true)
    on conflict (domain) do update set takes_mail = excluded.takes_mail, vouched_for = true, checked_at = now()
    returning ${columns}`;
  return only(rows);
}

export function selectDomains(tx: Tx, slice: Slice): Promise<Rows<EmailDomain>> {
  return listing(tx, { columns, from: sql`email_domains`, orderBy: sql`domain` }, slice);
}

/** Enqueues a check of these domains, because addresses were stored unchecked. */
export async function enqueueRechecks(tx: Tx, accountId: number, domains: string[], attempt = 1): Promise<void> {
  const jobs = domains.map((domain) => ({
    payload: { account_id: accountId, domain, attempt },
    // The key contains the attempt, because the current job still exists when it enqueues the next.
    key: `${accountId} ${domain} ${attempt}`,
  }));
  await enqueue(tx, recheckDomainTask, jobs, recheckDelaySeconds(attempt));
}

/** Removes the jobs of domains without unchecked addresses. */
export async function removeRechecks(tx: Tx, accountId: number, domains: string[]): Promise<void> {
  for (const domain of domains) {
    if (await hasUnchecked(tx, accountId, domain)) continue;
    await removeJobs(tx, recheckDomainTask, `${accountId} ${domain} `);
  }
}

export async function hasUnchecked(tx: Tx, accountId: number, domain: string): Promise<boolean> {
  const rows = await tx`
    select from contacts
    where account_id = ${accountId} and email_status = 'unchecked' and split_part(email, '@', 2) = ${domain} limit 1`;
  return rows.length > 0;
}

/** Sets the e-mail status of up to `limit` unchecked contacts of this domain. */
export async function setUncheckedStatus(
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
