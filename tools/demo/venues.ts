export type VenueKind = 'pub' | 'restaurant' | 'hotel';

export interface Venue {
  name: string;
  kind: VenueKind;
  city: string;
  /** The first half of the postcode of its guests, so that it is no real household. */
  district: string;
  /** The prefix of its references. */
  code: string;
  /** The share of the group's business. */
  size: number;
  tables: number;
  /** The unit id, once it exists. */
  id: number;
}

const venue = (
  kind: VenueKind,
  name: string,
  [city, district]: readonly [city: string, district: string],
  code: string,
  size: number,
  tables: number,
): Venue => ({ kind, name, city, district, code, size, tables, id: 0 });

const bristol = ['Bristol', 'BS1'] as const;
const bath = ['Bath', 'BA1'] as const;
const cheltenham = ['Cheltenham', 'GL50'] as const;
const oxford = ['Oxford', 'OX1'] as const;
const birmingham = ['Birmingham', 'B3'] as const;

export const groupName = 'Marlowe & Finch';

/** A fictional group. */
export const makeVenues = (): Venue[] => [
  venue('pub', 'The Drowsy Fox', bristol, 'DF', 14, 28),
  venue('pub', 'The Ferryman’s Lantern', bath, 'FL', 9, 20),
  venue('pub', 'The Plough & Thistle', cheltenham, 'PT', 7, 18),
  venue('pub', 'The Inkwell', oxford, 'IW', 8, 16),
  venue('pub', 'The Brass Foundry', birmingham, 'BF', 12, 32),
  venue('restaurant', 'Ember & Rye', bristol, 'ER', 11, 24),
  venue('restaurant', 'Osteria Finch', bath, 'OF', 7, 16),
  venue('restaurant', 'Tamarind Yard', birmingham, 'TY', 10, 26),
  venue('restaurant', 'The Glasshouse Kitchen', oxford, 'GK', 6, 14),
  venue('hotel', 'Finch House', bath, 'FH', 7, 18),
  venue('hotel', 'The Marlowe', cheltenham, 'TM', 5, 12),
  venue('hotel', 'Quayside Rooms', bristol, 'QR', 4, 8),
];

/** Folders and groups by kind of venue. Those of the whole group are on the root unit. */
export const folders: Record<VenueKind | 'root', Record<string, string[]>> = {
  root: { Newsletters: ['Weekly letter', 'New openings'], Loyalty: ['Gold', 'Silver', 'Bronze'] },
  pub: { Interests: ['Quiz night', 'Sunday roast club', 'Live music'], Guests: ['Regulars', 'Private hire'] },
  restaurant: { Interests: ['Wine tastings', 'Chef’s table'], Guests: ['Regulars', 'Set menu'] },
  hotel: { Guests: ['Corporate', 'Dog friendly', 'Returning guests'], Interests: ['Spa days', 'Wedding fair'] },
};

export const interestsOf = (kind: VenueKind): string[] => folders[kind].Interests as string[];
