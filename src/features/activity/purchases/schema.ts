import Type, { type Static } from 'typebox';
import { idsOf, listed, type MatchKey, matchKeys, orderTypes } from '../../../shared/codes.ts';
import { Id, Instant, Money, Nullable, vital, WallClock } from '../../../shared/fields.ts';

export const mostLines = 1000;

const orderTypeId = Type.Integer({
  description: `${listed(orderTypes, { unknown: ' (unless given)' })}.`,
  enum: idsOf(orderTypes),
  examples: [4],
});

const Item = Type.Object({
  description: Type.Optional(Type.String({ maxLength: 1000, examples: ['Pale ale'] })),
  sku: Type.Optional(Type.String({ maxLength: 255, examples: ['ALE-1'] })),
  quantity: Type.Number({
    description: 'Kept to three places. Negative for what was taken back.',
    minimum: -999_999_999,
    maximum: 999_999_999,
    examples: [2],
  }),
  value: Money('The total, quantity times unit value. Kept to two places.', 11.5),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100, examples: [['drinks']] })),
});
export type Item = Static<typeof Item>;

/** One of the contact write's `purchases`, or of an anonymous request's. */
export const NewPurchase = Type.Object({
  transaction_reference: Type.String({
    description:
      'The till’s own reference. With `provider_id` and `unit_id` it says which purchase is meant: sent again, it replaces what was sent before.',
    maxLength: 255,
    examples: ['T-88123'],
  }),
  unit_id: Type.Optional(Id('Where; the root unit unless given.', vital)),
  created_at: Type.Optional(WallClock('When it was completed; the time of the request unless given.', vital)),
  provider_id: Type.Optional(Id('The partner that the reference is from.', vital)),
  order_type_id: Type.Optional(orderTypeId),
  items: Type.Optional(Type.Array(Item, { maxItems: mostLines })),
});
export type NewPurchase = Static<typeof NewPurchase>;

const key = (description: string, example: string) =>
  Type.Optional(Type.String({ description, maxLength: 255, examples: [example] }));

export const AnonymousPurchases = Type.Object({
  booking_reference: key('Of a booking: the purchase is its guest’s.', 'B-1042'),
  unique_code: key('The voucher code used: the purchase is that of the contact it is assigned to.', 'SUMMER-7KQ'),
  unique_code_group_id: Type.Optional(Id('Which group’s code is meant, where several groups have the same.')),
  membership_number: key('Loyalty or membership number.', 'M-1029'),
  card_reference: key('Loyalty card number.', 'C-555'),
  table_number: key(
    'The table they sat at: the purchase is that of the guest whose booking had it, on the same day, starting within 3 hours.',
    '12',
  ),
  provider_id: Type.Optional(Id('The partner, for all purchases that don’t say another.')),
  purchases: Type.Array(NewPurchase, { minItems: 1 }),
});
export type AnonymousPurchases = Static<typeof AnonymousPurchases>;

const matchedBy = Nullable(
  Type.Enum(matchKeys, {
    description: 'What led to the contact; null: nothing yet, or it came on the contact itself.',
  }),
);
const contactId = Nullable(Id('Whose it is; null: nobody is known yet.'));

export const PurchasesStored = Type.Object({
  purchases: Type.Array(
    Type.Object({
      id: Id('Purchase id'),
      transaction_reference: Type.String(),
      contact_id: contactId,
      matched_by: matchedBy,
    }),
  ),
});
export type PurchasesStored = Static<typeof PurchasesStored>;

const lineFields = {
  id: Id('Line id'),
  description: Type.String({ examples: ['Pale ale'] }),
  sku: Type.String({ examples: ['ALE-1'] }),
  quantity: Type.String({ examples: ['2'] }),
  value: Type.String({ description: 'Two places.', examples: ['11.50'] }),
};
const Line = Type.Object({ ...lineFields, tags: Type.Array(Type.String()) });
export type Line = Static<typeof Line>;

const purchaseFields = {
  unit_name: Type.String({ examples: ['The Anchor'] }),
  id: Id('Purchase id'),
  contact_id: Id('Whose it is.'),
  transaction_reference: Type.String({ examples: ['T-88123'] }),
  unit_id: Id('Where.'),
  provider_id: Nullable(Id('The partner.')),
  order_type_id: orderTypeId,
  transaction_date: WallClock('When it was completed.'),
};

export const PurchasePop = Type.Object({ transaction_lines: Type.Array(Type.Object(lineFields)), ...purchaseFields });
export type PurchasePop = Static<typeof PurchasePop>;

export const popExample: PurchasePop = {
  transaction_lines: [{ id: 9000, description: 'Pale ale', sku: 'ALE-1', quantity: '2', value: '11.50' }],
  unit_name: 'The Anchor',
  id: 9,
  contact_id: 42,
  transaction_reference: 'T-88123',
  unit_id: 2,
  provider_id: 12,
  order_type_id: 4,
  transaction_date: '2026-03-01 20:05:00',
};

export const Purchase = Type.Object({
  transaction_lines: Type.Array(Line),
  ...purchaseFields,
  matched_by: matchedBy,
});
export type Purchase = Static<typeof Purchase>;

const keys = Object.fromEntries(matchKeys.map((name) => [name, Nullable(Type.String())])) as Record<
  MatchKey,
  ReturnType<typeof Nullable<ReturnType<typeof Type.String>>>
>;

/** What staff see besides. */
export const StaffPurchase = Type.Object({
  ...Purchase.properties,
  contact_id: contactId,
  ...keys,
  unique_code_group_id: Nullable(Id('Which group’s code was meant.')),
  matched_at: Nullable(Instant('When the contact was found.')),
});
export type StaffPurchase = Static<typeof StaffPurchase>;

export const ListWaiting = Type.Object({
  waiting_for: Type.Optional(Type.Enum(matchKeys, { description: 'Only those that wait for this.' })),
});
export type ListWaiting = Static<typeof ListWaiting>;

export const Waiting = Type.Object({
  waiting: Type.Integer({ description: 'Purchases of which nobody knows yet whose they are.', examples: [3] }),
  waiting_for: Type.Object(
    Object.fromEntries(matchKeys.map((name) => [name, Type.Integer({ examples: [1] })])) as Record<
      MatchKey,
      ReturnType<typeof Type.Integer>
    >,
    { description: 'How many wait for what. One that named several keys waits for each.' },
  ),
});
export type Waiting = Static<typeof Waiting>;

export const Explanation = Type.Object({
  purchase: StaffPurchase,
  summary: Type.String({ examples: ['Matched to contact 42 by its table number.'] }),
  keys: Type.Array(
    Type.Object({
      key: Type.Enum(matchKeys),
      value: Type.String(),
      outcome: Type.Enum(['won', 'not needed', 'led to nobody'], { description: 'Back then.' }),
      reason: Type.String({
        description: 'Where it leads now, and where it led if that has changed.',
        examples: ['There is no booking with this reference.'],
      }),
      contact_id: contactId,
    }),
    { description: 'What it said of its guest, in the order in which that is tried.' },
  ),
  candidates: Type.Array(
    Type.Object({
      booking_id: Id('Booking id'),
      booking_reference: Type.String(),
      contact_id: Id('Whose booking it is.'),
      party_datetime: WallClock('When it starts.'),
      table_numbers: Type.Array(Type.String()),
      chosen: Type.Boolean(),
      turned_down: Type.Array(Type.String(), {
        description: 'Why it is not this one.',
        examples: [['It is at another table.']],
      }),
    }),
    { description: 'Bookings of the unit around that time, as they stand now, nearest first.' },
  ),
});
export type Explanation = Static<typeof Explanation>;
