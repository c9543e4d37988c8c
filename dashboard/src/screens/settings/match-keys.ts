import type { MatchKey } from '#service/shared/codes.ts';

interface KeyText {
  name: string;
  /** The label before the value: "Table 12". */
  before: string;
  /** What would match a purchase with this key. */
  wanted: string;
}

/** The keys of a purchase, in the order in which they are tried. */
export const matchKeyText: Record<MatchKey, KeyText> = {
  booking_reference: {
    name: 'Booking reference',
    before: 'Booking',
    wanted: 'It is matched when a booking with this reference arrives.',
  },
  unique_code: {
    name: 'Voucher code',
    before: 'Voucher',
    wanted: 'It is matched when this code is assigned to a guest.',
  },
  membership_number: {
    name: 'Membership number',
    before: 'Membership',
    wanted: 'It is matched when a guest has this number.',
  },
  card_reference: {
    name: 'Loyalty card',
    before: 'Card',
    wanted: 'It is matched when a guest has this card.',
  },
  table_number: {
    name: 'Table',
    before: 'Table',
    wanted: 'It is matched when a booking for this table arrives, on the same day and within three hours.',
  },
};
