import type { Tx } from '../../../platform/db/database.ts';
import { type MatchKey, matchKeys } from '../../../shared/codes.ts';
import { toWords } from '../../../shared/phrases.ts';
import { NotFound } from '../../../shared/problem.ts';
import { getAccount } from '../../access/accounts/store.ts';
import { lineage } from '../../identity/identities/store.ts';
import {
  type CandidateRow,
  findByBookings,
  findByCodes,
  findByIdentities,
  findByTables,
  type MatchTarget,
  selectCandidates,
} from '../../identity/matching/store.ts';
import { findStaffPurchase } from './listing-store.ts';
import type { Explanation, StaffPurchase } from './schema.ts';
import { findMatch } from './store.ts';

type Key = Explanation['keys'][number];

/** Explains why a purchase has its contact or none: where each key leads now, and why bookings near it did not match. */
export async function explainPurchase(tx: Tx, accountId: number, id: number): Promise<Explanation> {
  const purchase = await findStaffPurchase(tx, accountId, id);
  if (!purchase) throw new NotFound('There is no such purchase.');
  const { time_zone: timeZone } = await getAccount(tx, accountId);
  const match = await findMatch(tx, accountId, id);
  const keys: Key[] = [];
  for (const key of matchKeys) {
    const value = key === purchase.matched_by ? match.matched_value : purchase[key];
    if (value === null) continue;
    const { target, reasonIfNone } = await resolveKey(tx, accountId, timeZone, purchase, key, value);
    const [contactId = null] = target ? await lineage(tx, accountId, target.contact_id) : [];
    const now = contactId === null ? reasonIfNone : `It leads to contact ${contactId}.`;
    const result = outcomeOf(purchase, key, keys);
    const hasChanged = result === 'matched' && contactId !== purchase.contact_id;
    const reason = hasChanged ? `It led to contact ${purchase.contact_id}. By now: ${now}` : now;
    keys.push({ key, value, outcome: result, reason, contact_id: contactId });
  }
  const table = keys.find(({ key }) => key === 'table_number')?.value;
  const candidates = table === undefined ? [] : await candidatesFor(tx, accountId, timeZone, purchase, table, match);
  return { purchase, summary: summaryOf(purchase, keys), keys, candidates };
}

function summaryOf({ contact_id, matched_by }: StaffPurchase, keys: Key[]): string {
  if (contact_id === null) {
    return `No contact is known yet. The purchase is matched when ${keys.map(({ key }) => `its ${toWords(key)}`).join(', or ')} leads to a contact.`;
  }
  if (matched_by === null) return `Sent on contact ${contact_id} itself.`;
  return `Matched to contact ${contact_id} by its ${toWords(matched_by)}.`;
}

function outcomeOf({ contact_id, matched_by }: StaffPurchase, key: MatchKey, before: Key[]): Key['outcome'] {
  if (key === matched_by) return 'matched';
  const settled = contact_id !== null && (matched_by === null || before.some((one) => one.outcome === 'matched'));
  return settled ? 'not_needed' : 'no_contact';
}

interface ResolvedKey {
  target: MatchTarget | undefined;
  /** The reason in the response, if there is no target. */
  reasonIfNone: string;
}

/** Finds the contact that a key leads to now. */
async function resolveKey(
  tx: Tx,
  accountId: number,
  timeZone: string,
  { unit_id, unit_name, provider_id, unique_code_group_id, transaction_date }: StaffPurchase,
  key: MatchKey,
  value: string,
): Promise<ResolvedKey> {
  switch (key) {
    case 'booking_reference': {
      const [target] = await findByBookings(tx, accountId, [{ booking_reference: value, provider_id }]);
      return { target, reasonIfNone: 'There is no booking with this reference.' };
    }
    case 'membership_number': {
      const [target] = await findByIdentities(tx, accountId, [{ kind: 'membership', value }]);
      return { target, reasonIfNone: 'No contact has this membership number.' };
    }
    case 'card_reference': {
      const [target] = await findByIdentities(tx, accountId, [{ kind: 'card', value }]);
      return { target, reasonIfNone: 'No contact has this card.' };
    }
    case 'unique_code': {
      const [code] = await findByCodes(tx, accountId, [{ unique_code: value, unique_code_group_id }]);
      const groups = code?.groups ?? 0;
      if (groups > 1) return { target: undefined, reasonIfNone: 'Several groups have this code.' };
      return {
        target: code?.target,
        reasonIfNone: groups ? 'The code is assigned to nobody.' : 'There is no such code.',
      };
    }
    case 'table_number': {
      const at = { unit_id, at: transaction_date, table_number: value };
      const [target] = await findByTables(tx, accountId, timeZone, [at]);
      const reasonIfNone = `No booking of that day at ${unit_name} has this table and starts within 3 hours.`;
      return { target, reasonIfNone };
    }
  }
}

async function candidatesFor(
  tx: Tx,
  accountId: number,
  timeZone: string,
  { unit_id, transaction_date, matched_by }: StaffPurchase,
  table_number: string,
  { matched_booking_id }: { matched_booking_id: number | null },
): Promise<Explanation['candidates']> {
  const at = { unit_id, at: transaction_date, table_number };
  const matchedId = matched_by === 'table_number' ? matched_booking_id : null;
  const rows = await selectCandidates(tx, accountId, timeZone, at, matchedId);
  return rows.map((row) => {
    const chosen = row.booking_id === matchedId;
    const { booking_id, booking_reference, contact_id, party_datetime, table_numbers } = row;
    const turned_down = chosen ? [] : reasonsAgainst(row);
    return { booking_id, booking_reference, contact_id, party_datetime, table_numbers, chosen, turned_down };
  });
}

function reasonsAgainst({ cancelled, same_day, same_table, within }: CandidateRow): string[] {
  const reasons: string[] = [];
  if (!same_table) reasons.push('It is at another table.');
  if (!same_day) reasons.push('It is on another day.');
  if (!within) reasons.push('It starts more than 3 hours from the purchase.');
  if (cancelled) reasons.push('It was cancelled.');
  return reasons.length > 0 ? reasons : ['Another key or a nearer booking came first.'];
}
