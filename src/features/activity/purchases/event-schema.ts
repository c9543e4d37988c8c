import Type from 'typebox';
import { idsOf, listed, matchKeys, orderTypes } from '../../../shared/codes.ts';
import { eventKind } from '../../../shared/event-kind.ts';
import { Id, Nullable } from '../../../shared/fields.ts';
import { purchaseExample, purchaseReference } from '../../identity/matching/event-schema.ts';
import { Line } from './schema.ts';

const { id: _, ...line } = Line.properties;
export const purchaseRecorded = eventKind(
  'purchase.recorded',
  'A purchase was stored, or sent again with changes.',
  Type.Object(
    {
      contact_id: Nullable(Id('The contact. Null while the purchase waits for a match.')),
      ...purchaseReference,
      order_type_id: Type.Integer({ description: `${listed(orderTypes)}.`, enum: idsOf(orderTypes) }),
      matched_by: Nullable(Type.Enum(matchKeys, { description: 'The key that led to the contact.' })),
      items: Type.Array(Type.Object(line, { title: 'PurchaseEventLine' }), { description: 'The lines.' }),
    },
    { title: 'PurchaseRecorded' },
  ),
  {
    contact_id: 42,
    ...purchaseExample,
    order_type_id: 4,
    matched_by: null,
    items: [{ description: 'Pale ale', sku: 'ALE-1', quantity: '2', value: '11.50', tags: ['drinks'] }],
  },
);
