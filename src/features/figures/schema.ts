/** The kinds of rows that the figures count by day. */
export const activityKinds = ['purchases', 'bookings', 'stays', 'wifi', 'vouchers'] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** A day of a contact at a unit whose rows of one kind changed. */
export interface ChangedDay {
  kind: ActivityKind;
  contact_id: number;
  unit_id: number;
  /** A day, or a time of that day, in the account's time zone. */
  day: string;
}

/** What a transaction changed that the figures count. */
export interface FigureChanges {
  /** The days of changed rows, before and after the change. */
  days: ChangedDay[];
  /** Contacts with a new NPS rating. */
  rated: number[];
  /** Contacts that were merged or separated. All of their activity is counted again. */
  merged: number[];
}

export const noFigureChanges = (): FigureChanges => ({ days: [], rated: [], merged: [] });
