import type { Database } from '../../../platform/db/database.ts';
import type { EmailDomains } from './check.ts';
import type { RecheckDomain } from './schema.ts';
import { enqueueRechecks, hasUnchecked, learnDomains, setUncheckedStatus } from './store.ts';

const step = 1000;

/** Checks a domain again that DNS did not answer for. Invalid addresses are flagged for staff, never deleted. */
export async function recheckDomain(
  db: Database,
  domains: EmailDomains,
  { account_id: accountId, domain, attempt = 1 }: RecheckDomain,
): Promise<void> {
  // The contacts may have been written again or erased since.
  if (!(await db.tenant(accountId, (tx) => hasUnchecked(tx, accountId, domain)))) return;
  const answer = await domains.recheck(domain);
  if (answer === 'unknown') {
    await db.tenant(accountId, (tx) => enqueueRechecks(tx, accountId, [domain], attempt + 1));
    return;
  }
  const status = answer === 'no' ? 'invalid' : null;
  let count = step;
  while (count === step) {
    count = await db.tenant(accountId, async (tx) => {
      const updated = await setUncheckedStatus(tx, accountId, domain, status, step);
      if (updated > 0 && answer === 'yes') await learnDomains(tx, [domain]);
      return updated;
    });
  }
}
