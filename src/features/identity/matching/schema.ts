/** What an anonymous purchase may say of its guest, in the order in which it is tried: the first that leads to somebody wins. */
export const matchKeys = [
  'booking_reference',
  'unique_code',
  'membership_number',
  'card_reference',
  'table_number',
] as const;
export type MatchKey = (typeof matchKeys)[number];
