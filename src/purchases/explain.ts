import type { Account } from '../accounts/schema.ts';
import { findAccount } from '../accounts/store.ts';
import type { Tx } from '../db/database.ts';
import { type MatchKey, matchKeys } from '../matching/schema.ts';
import {
  bookingsLedTo,
  type CandidateRow,
  codesLedTo,
  type Lead,
  membersLedTo,
  selectCandidates,
  tablesLedTo,
} from '../matching/store.ts';
import { NotFound } from '../shared/problem.ts';
import type { Explanation, StaffPurchase } from './schema.ts';
import { findMatchedBooking, findStaffPurchase } from './store.ts';

type Key = Explanation['keys'][number];

/** Why a purchase is whose it is, or nobody's: what was tried, and which bookings were turned down. As things stand now. */
export async function explainPurchase(tx: Tx, accountId: number, id: number): Promise<Explanation> {
  const purchase = await findStaffPurchase(tx, accountId, id);
  if (!purchase) throw new NotFound('There is no such purchase.');
  const { time_zone: timeZone } = (await findAccount(tx, accountId)) as Account;
  const keys: Key[] = [];
  for (const key of matchKeys) {
    const value = purchase[key];
    if (value === null) continue;
    const { lead, reason } = await follow(tx, accountId, timeZone, purchase, key, value);
    keys.push({ key, value, ...outcome(purchase, key, keys), reason, contact_id: lead?.contact_id ?? null });
  }
  const matched = await findMatchedBooking(tx, accountId, id);
  const candidates =
    purchase.table_number === null ? [] : await candidatesFor(tx, accountId, timeZone, purchase, matched);
  return { purchase, summary: summaryOf(purchase, keys), keys, candidates };
}

function summaryOf({ contact_id, matched_by }: StaffPurchase, keys: Key[]): string {
  if (contact_id === null) {
    return `Nobody is known yet. It waits for ${keys.map(({ key }) => `its ${inWords(key)}`).join(', or ')} to lead to somebody.`;
  }
  if (matched_by === null) return `Sent on contact ${contact_id} itself.`;
  return `Matched to contact ${contact_id} by its ${inWords(matched_by)}.`;
}

function outcome({ contact_id, matched_by }: StaffPurchase, key: MatchKey, before: Key[]): Pick<Key, 'outcome'> {
  if (key === matched_by) return { outcome: 'won' };
  const settled = contact_id !== null && (matched_by === null || before.some((one) => one.outcome === 'won'));
  return { outcome: settled ? 'not needed' : 'led to nobody' };
}

const inWords = (key: MatchKey) => key.replaceAll('_', ' ');

interface Followed {
  lead: Lead | undefined;
  reason: string;
}

/** Where a key leads now. */
async function follow(
  tx: Tx,
  accountId: number,
  timeZone: string,
  purchase: StaffPurchase,
  key: MatchKey,
  value: string,
): Promise<Followed> {
  switch (key) {
    case 'booking_reference':
      return said(await bookingsLedTo(tx, accountId, [value]), 'There is no booking with this reference.');
    case 'membership_number':
      return said(
        await membersLedTo(tx, accountId, [{ kind: 'membership', value }]),
        'No contact has this membership number.',
      );
    case 'card_reference':
      return said(await membersLedTo(tx, accountId, [{ kind: 'card', value }]), 'No contact has this card.');
    case 'unique_code': {
      const { unique_code_group_id } = purchase;
      const [code] = await codesLedTo(tx, accountId, [{ unique_code: value, unique_code_group_id }]);
      if ((code?.groups ?? 0) > 1) return { lead: undefined, reason: 'Several groups have this code.' };
      return said([code?.lead], code?.groups ? 'The code is assigned to nobody.' : 'There is no such code.');
    }
    case 'table_number': {
      const at = { unit_id: purchase.unit_id, at: purchase.transaction_date, table_number: value };
      return said(
        await tablesLedTo(tx, accountId, timeZone, [at]),
        'No booking of that day had this table and started within 3 hours.',
      );
    }
  }
}

function said([lead]: (Lead | undefined)[], otherwise: string): Followed {
  return { lead, reason: lead ? `It leads to contact ${lead.contact_id}.` : otherwise };
}

async function candidatesFor(
  tx: Tx,
  accountId: number,
  timeZone: string,
  { unit_id, transaction_date, table_number, matched_by }: StaffPurchase,
  matchedBooking: number | null,
): Promise<Explanation['candidates']> {
  const at = { unit_id, at: transaction_date, table_number: table_number as string };
  const rows = await selectCandidates(tx, accountId, timeZone, at);
  return rows.map((row) => {
    const chosen = matched_by === 'table_number' && row.booking_id === matchedBooking;
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
