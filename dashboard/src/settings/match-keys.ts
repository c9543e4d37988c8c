import type { MatchKey } from '#service/shared/codes.ts';

interface Words {
  name: string;
  /** Before its value: "Table 12". */
  before: string;
  /** What would match a purchase that has it. */
  wanted: string;
}

export const matchKeyWords: Record<MatchKey, Words> = {
  booking_reference: {
    name: 'Booking reference',
    before: 'Booking',
    wanted: 'It is matched as soon as a booking with this reference comes in.',
  },
  unique_code: {
    name: 'Voucher code',
    before: 'Voucher',
    wanted: 'It is matched as soon as this code is assigned to a guest.',
  },
  membership_number: {
    name: 'Membership number',
    before: 'Membership',
    wanted: 'It is matched as soon as a guest has this number.',
  },
  card_reference: {
    name: 'Loyalty card',
    before: 'Card',
    wanted: 'It is matched as soon as a guest has this card.',
  },
  table_number: {
    name: 'Table',
    before: 'Table',
    wanted: 'It is matched as soon as a booking for this table comes in, of that day and within three hours.',
  },
};
