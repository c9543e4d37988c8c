import type { Tx } from '../../../platform/db/database.ts';
import type { FoundContacts, SearchContacts } from './schema.ts';
import {
  type IdentityRange,
  type NameRange,
  type SearchRanges,
  selectFound,
  selectMatching,
  selectNewest,
} from './search-store.ts';

const perPage = 50;
/** The most pages of a search. A longer search text narrows the results. */
const maxPages = 200;

/** Contacts whose name, e-mail, number, membership or card starts with the text. Without a text, the newest. */
export async function searchContacts(
  tx: Tx,
  accountId: number,
  { search, page = 1, ...filters }: SearchContacts,
): Promise<FoundContacts> {
  if (page > maxPages) return { data: [], page, more: false, count: null };
  // One more row than the page shows whether there is a next page.
  const slice = { limit: perPage + 1, offset: (page - 1) * perPage };
  const ids = await (search === undefined
    ? selectNewest(tx, accountId, filters, slice)
    : selectMatching(tx, accountId, parseSearch(search), filters, slice));
  const data = await selectFound(tx, accountId, ids.slice(0, perPage));
  return { data, page, more: ids.length > perPage && page < maxPages, count: null };
}

/** The most words of a name that are split in every way. */
const maxSplits = 5;

function parseSearch(search: string): SearchRanges {
  const words = search.split(/\s+/u);
  const names: NameRange[] = [];
  for (let split = 1; split < Math.min(words.length, maxSplits + 1); split++) {
    const [one, other] = [words.slice(0, split).join(' '), words.slice(split).join(' ')];
    names.push(
      // "jane sm", "smith ja"; and "j smith", where the last word is complete.
      { field: 'last_name', start: other, other: one },
      { field: 'first_name', start: other, other: one },
      { field: 'first_name', start: one, other },
      { field: 'last_name', start: one, other },
    );
  }
  names.push({ field: 'last_name', start: search, other: null }, { field: 'first_name', start: search, other: null });
  return { names, identities: identityRanges(search) };
}

function identityRanges(search: string): IdentityRange[] {
  const ranges: IdentityRange[] = [];
  if (!/\s/u.test(search)) ranges.push({ kind: 'email', start: search.toLowerCase() });
  const mobile = mobilePrefix(search);
  if (mobile !== undefined) ranges.push({ kind: 'mobile', start: mobile });
  // Stored with the original case, but typed in either case.
  for (const start of new Set([search, search.toUpperCase(), search.toLowerCase()])) {
    ranges.push({ kind: 'membership', start }, { kind: 'card', start });
  }
  return ranges;
}

/** The stored form of a partly typed mobile number: `07700…`, `+44 7700…`, `447700…` and `7700…` are equal. */
function mobilePrefix(search: string): string | undefined {
  const digits = search.replace(/[\p{Z}\p{Pd}\p{Cf}\s.()[\]{}]/gu, '').replace(/^(\+|00)(?=4)/, '');
  if (!/^\d+$/.test(digits)) return undefined;
  const stored = digits
    .replace(/^440/, '44')
    .replace(/^0(?=7|$)/, '44')
    .replace(/^7/, '447');
  return '447'.startsWith(stored) || stored.startsWith('447') ? stored : undefined;
}
