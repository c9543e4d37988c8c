import Type, { type Static } from 'typebox';
import { idsOf, listed, matchKeys, orderTypes } from '../../../shared/codes.ts';
import { Id, Instant, Money, Nullable, vital, WallClock } from '../../../shared/fields.ts';
import { toWords } from '../../../shared/phrases.ts';
import { recordOf } from '../../../shared/record.ts';

export const mostLines = 1000;

const orderTypeId = Type.Integer({
  description: `${listed(orderTypes, { unknown: ' (default)' })}.`,
  enum: idsOf(orderTypes),
  examples: [4],
});

const Item = Type.Object(
  {
    description: Type.Optional(
      Type.String({ description: 'The name of the product.', maxLength: 1000, examples: ['Pale ale'] }),
    ),
    sku: Type.Optional(Type.String({ description: 'The product code.', maxLength: 255, examples: ['ALE-1'] })),
    quantity: Type.Number({
      description: 'Stored with three decimal places. Negative for a return.',
      minimum: -999_999_999,
      maximum: 999_999_999,
      examples: [2],
    }),
    value: Money('The total: quantity times unit value. Stored with two decimal places.', 11.5),
    tags: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), {
        description: 'Tags of the product.',
        maxItems: 100,
        examples: [['drinks']],
      }),
    ),
  },
  { title: 'PurchaseItem' },
);
export type Item = Static<typeof Item>;

/** An element of `purchases` in a contact write or in a request with anonymous purchases. */
export const NewPurchase = Type.Object(
  {
    transaction_reference: Type.String({
      description:
        'The till’s own reference. With `provider_id` and `unit_id` it identifies the purchase. Sent again, it updates the purchase.',
      maxLength: 255,
      examples: ['T-88123'],
    }),
    unit_id: Type.Optional(Id('The unit. The default is the root unit.', vital)),
    created_at: Type.Optional(WallClock('The time of completion. The default is the time of the request.', vital)),
    provider_id: Type.Optional(Id('The provider of the reference.', vital)),
    order_type_id: Type.Optional(orderTypeId),
    items: Type.Optional(
      Type.Array(Item, {
        description: 'The lines. They replace all lines that were sent before.',
        maxItems: mostLines,
      }),
    ),
  },
  { title: 'PurchaseWrite' },
);
export type NewPurchase = Static<typeof NewPurchase>;

const key = (description: string, example: string) =>
  Type.Optional(Type.String({ description, maxLength: 255, examples: [example] }));

export const AnonymousPurchases = Type.Object(
  {
    booking_reference: key('The reference of a booking. It leads to the contact of the booking.', 'B-1042'),
    unique_code: key('A unique code. It leads to the contact that the code is assigned to.', 'SUMMER-7KQ'),
    unique_code_group_id: Type.Optional(Id('The group of the unique code. Required if several groups have the code.')),
    membership_number: key('A membership or loyalty number.', 'M-1029'),
    card_reference: key('A loyalty card number.', 'C-555'),
    table_number: key(
      'A table. It leads to the contact of a booking at the same unit and table, on the same day, with a start within 3 hours of the purchase.',
      '12',
    ),
    provider_id: Type.Optional(Id('The provider of all purchases that have none of their own.')),
    purchases: Type.Array(NewPurchase, { description: 'The purchases.', minItems: 1 }),
  },
  { title: 'AnonymousPurchases' },
);
export type AnonymousPurchases = Static<typeof AnonymousPurchases>;

const matchedBy = Nullable(
  Type.Enum(matchKeys, {
    description:
      'The key that led to the contact. Null if there is no contact yet, or if the purchase was sent on a contact.',
  }),
);
const contactId = Nullable(Id('The contact of the purchase. Null while the purchase waits for a match.'));

const purchaseId = Id('The id of the purchase.');
const transactionReference = Type.String({ description: 'The till’s own reference.', examples: ['T-88123'] });

export const PurchasesStored = Type.Object(
  {
    purchases: Type.Array(
      Type.Object(
        {
          id: purchaseId,
          transaction_reference: transactionReference,
          contact_id: contactId,
          matched_by: matchedBy,
        },
        { title: 'StoredPurchase' },
      ),
      { description: 'The stored purchases, in the order of the request.' },
    ),
  },
  { title: 'StoredPurchases' },
);
export type PurchasesStored = Static<typeof PurchasesStored>;

const lineFields = {
  id: Id('The id of the line.'),
  description: Type.String({ description: 'The name of the product.', examples: ['Pale ale'] }),
  sku: Type.String({ description: 'The product code.', examples: ['ALE-1'] }),
  quantity: Type.String({ description: 'The quantity. Negative for a return.', examples: ['2'] }),
  value: Type.String({ description: 'The total of the line, with two decimal places.', examples: ['11.50'] }),
};
export const Line = Type.Object(
  { ...lineFields, tags: Type.Array(Type.String(), { description: 'Tags of the product.' }) },
  { title: 'PurchaseLine' },
);
const LinePop = Type.Object(lineFields, { title: 'PresencePurchaseLine' });
export type Line = Static<typeof Line>;

const purchaseFields = {
  unit_name: Type.String({ description: 'The name of the unit.', examples: ['The Anchor'] }),
  id: purchaseId,
  contact_id: Id('The contact of the purchase.'),
  transaction_reference: transactionReference,
  unit_id: Id('The id of the unit.'),
  provider_id: Nullable(Id('The provider of the reference.')),
  order_type_id: orderTypeId,
  transaction_date: WallClock('The time of completion.'),
};

export const PurchasePop = Type.Object(
  { transaction_lines: Type.Array(LinePop, { description: 'The lines.' }), ...purchaseFields },
  { title: 'PresencePurchase' },
);
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

export const Purchase = Type.Object(
  {
    transaction_lines: Type.Array(Line, { description: 'The lines.' }),
    ...purchaseFields,
    matched_by: matchedBy,
  },
  { title: 'Purchase' },
);
export type Purchase = Static<typeof Purchase>;

const keys = recordOf(matchKeys, (name) =>
  Nullable(Type.String({ description: `The ${toWords(name)} that was sent.` })),
);

/** A purchase with the fields for staff. */
export const StaffPurchase = Type.Object(
  {
    ...Purchase.properties,
    contact_id: contactId,
    ...keys,
    unique_code_group_id: Nullable(Id('The group of the unique code.')),
    matched_at: Nullable(Instant('The time of the match.')),
  },
  { title: 'StaffPurchase' },
);
export type StaffPurchase = Static<typeof StaffPurchase>;

const unit_id = Type.Optional(Id('Only purchases at this unit.'));

export const CountWaiting = Type.Object({ unit_id });
export type CountWaiting = Static<typeof CountWaiting>;

export const ListWaiting = Type.Object({
  waiting_for: Type.Optional(Type.Enum(matchKeys, { description: 'Only purchases with this key.' })),
  unit_id,
});
export type ListWaiting = Static<typeof ListWaiting>;

export const Waiting = Type.Object(
  {
    waiting: Type.Integer({ description: 'The number of waiting purchases.', examples: [3] }),
    waiting_for: Type.Object(
      recordOf(matchKeys, () => Type.Integer({ examples: [1] })),
      { description: 'The number of waiting purchases by key. A purchase with several keys counts for each.' },
    ),
  },
  { title: 'WaitingPurchaseCounts' },
);
export type Waiting = Static<typeof Waiting>;

export const Explanation = Type.Object(
  {
    purchase: StaffPurchase,
    summary: Type.String({
      description: 'The result in one sentence.',
      examples: ['Matched to contact 42 by its table number.'],
    }),
    keys: Type.Array(
      Type.Object(
        {
          key: Type.Enum(matchKeys, { description: 'The key.' }),
          value: Type.String({ description: 'The value that was sent.' }),
          outcome: Type.Enum(['matched', 'not_needed', 'no_contact'], {
            description:
              '`matched`: this key led to the contact. `no_contact`: it leads to no contact. `not_needed`: an earlier key matched.',
          }),
          reason: Type.String({
            description: 'Where the key leads now, and where it led if that has changed.',
            examples: ['There is no booking with this reference.'],
          }),
          contact_id: contactId,
        },
        { title: 'ExplainedKey' },
      ),
      { description: 'The keys of the purchase, in the order in which they are tried.' },
    ),
    candidates: Type.Array(
      Type.Object(
        {
          booking_id: Id('The id of the booking.'),
          booking_reference: Type.String({ description: 'The reference of the booking.' }),
          contact_id: Id('The contact of the booking.'),
          party_datetime: WallClock('The start.'),
          table_numbers: Type.Array(Type.String(), { description: 'The tables of the party.' }),
          chosen: Type.Boolean({ description: 'True if the purchase was matched by this booking.' }),
          turned_down: Type.Array(Type.String(), {
            description: 'The reasons against this booking.',
            examples: [['It is at another table.']],
          }),
        },
        { title: 'CandidateBooking' },
      ),
      { description: 'The current bookings of the unit around that time. The most likely comes first.' },
    ),
  },
  { title: 'PurchaseExplanation' },
);
export type Explanation = Static<typeof Explanation>;
