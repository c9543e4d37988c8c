import { selectBookingPops } from '../bookings/store.ts';
import type { Tx } from '../db/database.ts';
import { lineage } from '../identities/store.ts';
import { selectPurchasePops } from '../purchases/store.ts';
import type { Paginate, Slice } from '../shared/fields.ts';
import { Invalid, NotFound } from '../shared/problem.ts';
import { selectWifiPops } from '../wifi/store.ts';
import type { FindPops, Pops } from './schema.ts';

/** The interface gives purchases in one piece, so there must be an end to them. */
const mostPurchases = 10_000;

/** What one contact did in a range of days: purchases, wifi interactions and bookings. */
export async function findPops(
  tx: Tx,
  accountId: number,
  { contact_id, start_date: start, end_date: end, types }: FindPops,
  slice: Slice,
  paginate: Paginate,
): Promise<Pops> {
  if (end < start) throw new Invalid({ end_date: ['The end date must not be before the start date.'] });
  const ids = await lineage(tx, accountId, contact_id).catch((error) => {
    if (!(error instanceof NotFound)) throw error;
    throw new Invalid({ contact_id: ['The contact id is not a contact of this account.'] });
  });
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
