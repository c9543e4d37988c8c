import type { Tx } from '../../../platform/db/database.ts';
import { type MatchKey, matchKeys } from '../../../shared/codes.ts';
import { NotFound } from '../../../shared/problem.ts';
import type { Account } from '../../access/accounts/schema.ts';
import { findAccount } from '../../access/accounts/store.ts';
import { lineage } from '../../identity/identities/store.ts';
import {
  bookingsLedTo,
  type CandidateRow,
  codesLedTo,
  type Lead,
  membersLedTo,
  selectCandidates,
  tablesLedTo,
} from '../../identity/matching/store.ts';
import { findStaffPurchase } from './listing-store.ts';
import type { Explanation, StaffPurchase } from './schema.ts';
import { findMatch } from './store.ts';

type Key = Explanation['keys'][number];

/** Why a purchase is whose it is, or nobody's: what was tried, and which bookings were turned down. As things stand now. */
export async function explainPurchase(tx: Tx, accountId: number, id: number): Promise<Explanation> {
  const purchase = await findStaffPurchase(tx, accountId, id);
  if (!purchase) throw new NotFound('There is no such purchase.');
  const { time_zone: timeZone } = (await findAccount(tx, accountId)) as Account;
  const match = await findMatch(tx, accountId, id);
  const keys: Key[] = [];
  for (const key of matchKeys) {
    const value = key === purchase.matched_by ? match.matched_value : purchase[key];
    if (value === null) continue;
    const { lead, otherwise } = await follow(tx, accountId, timeZone, purchase, key, value);
    const [contactId = null] = lead ? await lineage(tx, accountId, lead.contact_id) : [];
    const now = contactId === null ? otherwise : `It leads to contact ${contactId}.`;
    const became = outcome(purchase, key, keys);
    const movedOn = became === 'won' && contactId !== purchase.contact_id;
    const reason = movedOn ? `It led to contact ${purchase.contact_id}. By now: ${now}` : now;
    keys.push({ key, value, outcome: became, reason, contact_id: contactId });
  }
  const table = keys.find(({ key }) => key === 'table_number')?.value;
  const candidates = table === undefined ? [] : await candidatesFor(tx, accountId, timeZone, purchase, table, match);
  return { purchase, summary: summaryOf(purchase, keys), keys, candidates };
}

function summaryOf({ contact_id, matched_by }: StaffPurchase, keys: Key[]): string {
  if (contact_id === null) {
    return `Nobody is known yet. It waits for ${keys.map(({ key }) => `its ${inWords(key)}`).join(', or ')} to lead to somebody.`;
  }
  if (matched_by === null) return `Sent on contact ${contact_id} itself.`;
  return `Matched to contact ${contact_id} by its ${inWords(matched_by)}.`;
}

function outcome({ contact_id, matched_by }: StaffPurchase, key: MatchKey, before: Key[]): Key['outcome'] {
  if (key === matched_by) return 'won';
  const settled = contact_id !== null && (matched_by === null || before.some((one) => one.outcome === 'won'));
  return settled ? 'not needed' : 'led to nobody';
}

const inWords = (key: MatchKey) => key.replaceAll('_', ' ');

interface Followed {
  lead: Lead | undefined;
  /** What to say where there is none. */
  otherwise: string;
}

/** Where a key leads now. */
async function follow(
  tx: Tx,
  accountId: number,
  timeZone: string,
  { unit_id, unit_name, provider_id, unique_code_group_id, transaction_date }: StaffPurchase,
  key: MatchKey,
  value: string,
): Promise<Followed> {
  switch (key) {
    case 'booking_reference': {
      const [lead] = await bookingsLedTo(tx, accountId, [{ booking_reference: value, provider_id }]);
      return { lead, otherwise: 'There is no booking with this reference.' };
    }
    case 'membership_number': {
      const [lead] = await membersLedTo(tx, accountId, [{ kind: 'membership', value }]);
      return { lead, otherwise: 'No contact has this membership number.' };
    }
    case 'card_reference': {
      const [lead] = await membersLedTo(tx, accountId, [{ kind: 'card', value }]);
      return { lead, otherwise: 'No contact has this card.' };
    }
    case 'unique_code': {
      const [code] = await codesLedTo(tx, accountId, [{ unique_code: value, unique_code_group_id }]);
      const groups = code?.groups ?? 0;
      if (groups > 1) return { lead: undefined, otherwise: 'Several groups have this code.' };
      return { lead: code?.lead, otherwise: groups ? 'The code is assigned to nobody.' : 'There is no such code.' };
    }
    case 'table_number': {
      const at = { unit_id, at: transaction_date, table_number: value };
      const [lead] = await tablesLedTo(tx, accountId, timeZone, [at]);
      const otherwise = `No booking of that day at ${unit_name} has this table and starts within 3 hours.`;
      return { lead, otherwise };
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
  const winner = matched_by === 'table_number' ? matched_booking_id : null;
  const rows = await selectCandidates(tx, accountId, timeZone, at, winner);
  return rows.map((row) => {
    const chosen = row.booking_id === winner;
    const { booking_id, booking_reference, contact_id, party_datetime, table_numbers } = row;
    const turned_down = chosen ? [] : against(row);
    return { booking_id, booking_reference, contact_id, party_datetime, table_numbers, chosen, turned_down };
  });
}

function against({ cancelled, same_day, same_table, within }: CandidateRow): string[] {
  const reasons: string[] = [];
  if (!same_table) reasons.push('It is at another table.');
  if (!same_day) reasons.push('It is on another day.');
  if (!within) reasons.push('It starts more than 3 hours from the purchase.');
  if (cancelled) reasons.push('It was cancelled.');
  return reasons.length > 0 ? reasons : ['Another key or a nearer booking came first.'];
}
