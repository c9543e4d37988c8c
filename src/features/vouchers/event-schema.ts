import Type from 'typebox';
import { eventKind } from '../../shared/event-kind.ts';
import { Id, Nullable } from '../../shared/fields.ts';

const code = {
  unique_code: Type.String({ description: 'The code.' }),
  unique_code_group_id: Id('The group of the code.'),
};
const example = { unique_code: 'SUMMER-7KQ', unique_code_group_id: 8 };

export const voucherAssigned = eventKind(
  'voucher.assigned',
  'A code was assigned to a contact.',
  Type.Object({ contact_id: Id('The contact.'), ...code }, { title: 'VoucherAssigned' }),
  { contact_id: 42, ...example },
);

export const voucherRedeemed = eventKind(
  'voucher.redeemed',
  'A code was redeemed.',
  Type.Object(
    {
      contact_id: Nullable(Id('The contact of the code. Null if it is not assigned.')),
      ...code,
      unit_id: Id('The unit of the redemption.'),
      redeemed_at: Type.String({ description: 'The time of the redemption, in UTC.', format: 'date-time' }),
    },
    { title: 'VoucherRedeemed' },
  ),
  { contact_id: 42, ...example, unit_id: 2, redeemed_at: '2026-03-01T12:30:00.000000Z' },
);
