import type { Tx } from '../../../platform/db/database.ts';
import { asciiDomain } from '../../../shared/domain-name.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid } from '../../../shared/problem.ts';
import { reserved } from './check.ts';
import { commonDomains } from './common.ts';
import type { EmailDomain } from './schema.ts';
import { selectDomains, storeDomainRule } from './store.ts';

/** Stores a rule of staff about a domain, which overrides DNS. */
export async function setDomainRule(tx: Tx, domain: string, takesMail = true): Promise<EmailDomain> {
  const name = asciiDomain(domain.toLowerCase());
  if (name === '') throw new Invalid({ domain: ['The domain must be a domain such as harbour-group.co.uk.'] });
  if (reserved.test(name) || commonDomains.has(name)) {
    throw new Invalid({
      domain: [`The domain is built in. It is always ${reserved.test(name) ? 'rejected' : 'accepted'}.`],
    });
  }
  return storeDomainRule(tx, name, takesMail);
}

export function listDomains(tx: Tx, slice: Slice): Promise<Rows<EmailDomain>> {
  return selectDomains(tx, slice);
}
