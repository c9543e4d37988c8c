import type { Database } from '../../../platform/db/database.ts';
import type { EmailDomains } from './check.ts';
import type { LookAgain } from './schema.ts';
import { hasUnchecked, learnDomains, lookAgainLater, setUncheckedStatus } from './store.ts';

const step = 1000;

/** Checks a domain again that DNS did not answer for. Invalid addresses are flagged for staff, never deleted. */
export async function lookAgain(
  db: Database,
  domains: EmailDomains,
  { account_id: accountId, domain, attempt = 1 }: LookAgain,
): Promise<void> {
  // The contacts may have been written again or erased since.
  if (!(await db.tenant(accountId, (tx) => hasUnchecked(tx, accountId, domain)))) return;
  const answer = await domains.lookAgain(domain);
  if (answer === 'unknown') {
    await db.tenant(accountId, (tx) => lookAgainLater(tx, accountId, [domain], attempt + 1));
    return;
  }
  const status = answer === 'no' ? 'invalid' : null;
  let count = step;
  while (count === step) {
    count = await db.tenant(accountId, async (tx) => {
      const settled = await setUncheckedStatus(tx, accountId, domain, status, step);
      if (settled > 0 && answer === 'yes') await learnDomains(tx, [domain]);
      return settled;
    });
  }
}
