import type { Tx } from '../db/database.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import { Invalid } from '../shared/problem.ts';
import { asciiDomain } from './check.ts';
import type { EmailDomain } from './schema.ts';
import { selectDomains, vouchFor } from './store.ts';

/** Puts a domain on the list, whatever DNS says of it: staff know that it takes mail. */
export async function vouchForDomain(tx: Tx, domain: string): Promise<EmailDomain> {
  const name = asciiDomain(domain.toLowerCase());
  if (name === '') throw new Invalid({ domain: ['The domain must be a domain such as harbour-group.co.uk.'] });
  return vouchFor(tx, name);
}

export function listDomains(tx: Tx, slice: Slice): Promise<Rows<EmailDomain>> {
  return selectDomains(tx, slice);
}
