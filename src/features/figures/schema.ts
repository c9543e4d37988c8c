import { idOf, stayStatuses } from '../../shared/codes.ts';

/** A stay with one of these is not a visit. */
export const noVisitStatuses: number[] = [idOf(stayStatuses, 'cancelled'), idOf(stayStatuses, 'no show')];

/** The kinds of rows that the figures count by day. */
export const activityKinds = ['purchases', 'bookings', 'stays', 'wifi', 'vouchers'] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** What is counted for a contact, a day and a unit. */
export const dayCounts = [
  'purchases',
  'pence',
  'bookings',
  'enquiries',
  'cancelled_bookings',
  'stays',
  'wifi',
  'vouchers_redeemed',
] as const;
export type DayCount = (typeof dayCounts)[number];

/** A day of a contact at a unit whose rows of one kind changed. They are counted again. */
export interface ChangedDay {
  kind: ActivityKind;
  contact_id: number;
  unit_id: number;
  /** A day, or a time of that day, in the account's time zone. */
  day: string;
}

/** A row that is new, or new for this contact. Its counts are added, which is faster than counting again. */
export interface AddedRow extends ChangedDay {
  counts: Partial<Record<DayCount, number>>;
}

/** What a transaction changed that the figures count. */
export interface FigureChanges {
  added: AddedRow[];
  /** The days of rows that existed before, before and after the change. */
  changed: ChangedDay[];
  /** Contacts with a new NPS rating. */
  rated: number[];
  /** Contacts that were merged or separated. All of their activity is counted again. */
  merged: number[];
}

export const noFigureChanges = (): FigureChanges => ({ added: [], changed: [], rated: [], merged: [] });

/** A purchase of a contact, for the figures. */
export interface OwnPurchase {
  contact_id: number | null;
  unit_id: number;
  created_at: string;
  total_pence: number;
}

/** The days of the contacts that have these purchases. */
export function purchaseDays(purchases: Omit<OwnPurchase, 'total_pence'>[]): ChangedDay[] {
  return purchases.flatMap(({ contact_id, unit_id, created_at: day }) =>
    contact_id === null ? [] : [{ kind: 'purchases', contact_id, unit_id, day }],
  );
}

/** Purchases that are new for their contacts. */
export function addedPurchases(purchases: OwnPurchase[]): AddedRow[] {
  return purchases.flatMap(({ contact_id, unit_id, created_at: day, total_pence: pence }) =>
    contact_id === null ? [] : [{ kind: 'purchases', contact_id, unit_id, day, counts: { purchases: 1, pence } }],
  );
}
