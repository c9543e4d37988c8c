import Type, { type Static } from 'typebox';
import { Day, Id, Page } from '../../../shared/fields.ts';
import { BookingPop, bookingExample } from '../bookings/schema.ts';
import { PurchasePop, popExample } from '../purchases/schema.ts';
import { WifiPop } from '../wifi/schema.ts';

export const popTypes = ['purchases', 'wifi', 'booking'] as const;

export const FindPops = Type.Object({
  contact_id: Id('The contact; one that was merged into another leads to that one.'),
  start_date: Day('The first day, on the account’s clock.'),
  end_date: Day('The last day, which counts too.'),
  types: Type.Array(Type.Enum(popTypes), { minItems: 1, maxItems: 100, examples: [['purchases', 'booking']] }),
});
export type FindPops = Static<typeof FindPops>;

/** Only the types that were asked for. */
export const Pops = Type.Object({
  purchases: Type.Optional(Type.Array(PurchasePop)),
  booking: Type.Optional(Page(BookingPop)),
  wifi: Type.Optional(Page(WifiPop)),
});
export type Pops = Static<typeof Pops>;

const onePage = {
  current_page: 1,
  first_page_url: 'https://guests.example.com/v1/pop/by_date?page=1',
  from: 1,
  last_page: 1,
  last_page_url: 'https://guests.example.com/v1/pop/by_date?page=1',
  next_page_url: null,
  path: 'https://guests.example.com/v1/pop/by_date',
  per_page: 100,
  prev_page_url: null,
  to: 1,
  total: 1,
};

export const popsExample: Pops = {
  purchases: [popExample],
  booking: { ...onePage, data: [{ ...bookingExample, unit_name: 'The Anchor' }] },
};
