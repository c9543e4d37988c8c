import Type from 'typebox';
import { matchKeys } from '../../../shared/codes.ts';
import { eventKind } from '../../../shared/event-kind.ts';
import { Id, Nullable, WallClock } from '../../../shared/fields.ts';

/** The fields that every event of a purchase has. */
export const purchaseReference = {
  transaction_reference: Type.String({ description: 'The till’s own reference.' }),
  unit_id: Id('The unit.'),
  provider_id: Nullable(Id('The provider of the reference.')),
  created_at: WallClock('The time of completion.'),
  total: Type.Number({ description: 'The sum of the lines.' }),
};
export const purchaseExample = {
  transaction_reference: 'T-88123',
  unit_id: 2,
  provider_id: 1,
  created_at: '2026-03-01 12:30:00',
  total: 11.5,
};

export const purchaseMatched = eventKind(
  'purchase.matched',
  'An anonymous purchase was matched to a contact: when it was stored, or later.',
  Type.Object(
    {
      contact_id: Id('The contact.'),
      ...purchaseReference,
      matched_by: Type.Enum(matchKeys, { description: 'The key that led to the contact.' }),
    },
    { title: 'PurchaseMatched' },
  ),
  { contact_id: 42, ...purchaseExample, matched_by: 'booking_reference' },
);
