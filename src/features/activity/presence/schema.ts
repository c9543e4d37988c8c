import Type, { type Static } from 'typebox';
import { Day, Id, Page } from '../../../shared/fields.ts';
import { BookingPop, bookingExample } from '../bookings/schema.ts';
import { PurchasePop, popExample } from '../purchases/schema.ts';
import { WifiPop } from '../wifi/schema.ts';

export const popTypes = ['purchases', 'wifi', 'booking'] as const;

export const FindPops = Type.Object({
  contact_id: Id('The contact. The id of a merged contact works too.'),
  start_date: Day('The first day, in the account’s time zone.'),
  end_date: Day('The last day, included.'),
  types: Type.Array(Type.Enum(popTypes), {
    description: 'The types to return.',
    minItems: 1,
    maxItems: 100,
    examples: [['purchases', 'booking']],
  }),
});
export type FindPops = Static<typeof FindPops>;

export const Pops = Type.Object(
  {
    purchases: Type.Optional(Type.Array(PurchasePop, { description: 'All purchases, newest first.' })),
    booking: Type.Optional(Page(BookingPop)),
    wifi: Type.Optional(Page(WifiPop)),
  },
  { title: 'Presence', description: 'The presence of a contact. It has only the requested types.' },
);
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
