import { selectBookingPops } from '../bookings/store.ts';
import type { Tx } from '../db/database.ts';
import { lineage } from '../identities/store.ts';
import { selectPurchasePops } from '../purchases/store.ts';
import type { Paginate, Slice } from '../shared/fields.ts';
import { type FieldErrors, Invalid, NotFound } from '../shared/problem.ts';
import { addError } from '../shared/read.ts';
import { selectWifiPops } from '../wifi/store.ts';
import type { FindPops, Pops } from './schema.ts';

/** The interface gives purchases in one piece, so there must be an end to them. */
const mostPurchases = 10_000;

/** What is wrong with such a search, of what could be read. */
export async function wrongWithPops(tx: Tx, accountId: number, wanted: Partial<FindPops>): Promise<FieldErrors> {
  return wrong(wanted, wanted.contact_id === undefined ? undefined : await everyIdOf(tx, accountId, wanted.contact_id));
}

function wrong({ start_date: start, end_date: end }: Partial<FindPops>, ids: number[] | undefined): FieldErrors {
  const errors: FieldErrors = {};
  if (ids?.length === 0) addError(errors, 'contact_id', 'The contact id is not a contact of this account.');
  if (start !== undefined && end !== undefined && end < start) {
    addError(errors, 'end_date', 'The end date must not be before the start date.');
  }
  return errors;
}

/** The contact's, and those of whoever was merged into it; none where there is no such contact. */
async function everyIdOf(tx: Tx, accountId: number, contactId: number): Promise<number[]> {
  return lineage(tx, accountId, contactId).catch((error) => {
    if (error instanceof NotFound) return [];
    throw error;
  });
}

/** What one contact did in a range of days: purchases, wifi interactions and bookings. */
export async function findPops(
  tx: Tx,
  accountId: number,
  wanted: FindPops,
  slice: Slice,
  paginate: Paginate,
): Promise<Pops> {
  const { contact_id, start_date: start, end_date: end, types } = wanted;
  const ids = await everyIdOf(tx, accountId, contact_id);
  const errors = wrong(wanted, ids);
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
  const days = { start, end };
  const asked = <T>(type: FindPops['types'][number], find: () => Promise<T>) =>
    types.includes(type) ? find() : undefined;
  const [purchases, booking, wifi] = await Promise.all([
    asked('purchases', () => selectPurchasePops(tx, accountId, ids, days, mostPurchases)),
    asked('booking', () => selectBookingPops(tx, accountId, ids, days, slice)),
    asked('wifi', () => selectWifiPops(tx, accountId, ids, days, slice)),
  ]);
  if (purchases && purchases.length > mostPurchases) {
    throw new Invalid({
      end_date: [`The end date is too far from the start date: there are more than ${mostPurchases} purchases.`],
    });
  }
  return {
    ...(purchases && { purchases }),
    ...(booking && { booking: paginate(booking) }),
    ...(wifi && { wifi: paginate(wifi) }),
  };
}
