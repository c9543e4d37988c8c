/** The keys of an anonymous purchase, in the order in which they are tried. The first with a contact matches. */
export const matchKeys = [
  'booking_reference',
  'unique_code',
  'membership_number',
  'card_reference',
  'table_number',
] as const;
export type MatchKey = (typeof matchKeys)[number];
