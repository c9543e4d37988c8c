import type { AnonymousPurchases } from '../../src/features/activity/purchases/schema.ts';
import type { MatchKey } from '../../src/shared/codes.ts';
import { Random } from '../../src/shared/random.ts';
import { basket } from './menu.ts';
import type { Schedule } from './schedule.ts';

/** Keys that match no contact: a mistyped reference, an unassigned voucher, a table without a booking. */
const unmatchedKeys: Record<MatchKey, (number: number) => string> = {
  booking_reference: (number) => `DF-${9_000 - number}`,
  unique_code: (number) => `GIFT-${7_000 + number}`,
  membership_number: (number) => `MF-9${String(number).padStart(5, '0')}`,
  card_reference: (number) => `GC99${String(number).padStart(6, '0')}`,
  table_number: (number) => `${90 + (number % 9)}`,
};

/** Waiting purchases for each key, more of them recently. */
export function addWaitingPurchases(schedule: Schedule): void {
  const chance = new Random(30_011);
  const { calendar, lists } = schedule;
  const count = Math.max(3, Math.floor(schedule.guests.length / 110));
  for (const key of Object.keys(unmatchedKeys) as MatchKey[]) {
    for (let number = 0; number < count; number++) {
      const venue = chance.weighted(schedule.venues, ({ size }) => size);
      const day = calendar.pick(chance, venue.kind, chance.percent(60) ? calendar.last - 60 : 0);
      const paid = chance.between(18 * 60, 22 * 60);
      const sent: AnonymousPurchases = {
        [key]: unmatchedKeys[key](number),
        purchases: [
          {
            transaction_reference: schedule.reference(`T${venue.code}`),
            unit_id: venue.id,
            provider_id: lists.providers.tills,
            created_at: calendar.at(day, paid),
            order_type_id: 4,
            items: basket(chance, venue, chance.pick([1, 2, 2, 4]), chance.percent(50) ? 'meal' : 'bar'),
          },
        ],
      };
      schedule.add(day, 'anybody', (api) => api.purchases(sent));
    }
  }
}
