import Type, { type Static } from 'typebox';
import { idOf, stayStatuses } from '../../shared/codes.ts';
import { Id } from '../../shared/fields.ts';

/** A stay with one of these is not a visit. */
export const noVisitStatuses: number[] = [idOf(stayStatuses, 'cancelled'), idOf(stayStatuses, 'no show')];

/** A stay with one of these counts as a visit after its check-in time, because not every partner reports the arrival. */
export const startedStatuses = (['confirmed', 'checked in', 'checked out'] as const).map((name) =>
  idOf(stayStatuses, name),
);

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

/** A day at a unit. */
export interface UnitDay {
  unit_id: number;
  /** A day, or a time of that day, in the account's time zone. */
  day: string;
}

export const unitDayCounts = [
  'purchases',
  'pence',
  'waiting',
  'bookings',
  'stays',
  'promoters',
  'passives',
  'detractors',
] as const;

/** What Home counts for a day at a unit. */
export interface UnitDayCounts extends UnitDay {
  purchases: number;
  /** As text: the sum can be more than a number represents exactly. */
  pence: string;
  /** Purchases without a contact. */
  waiting: number;
  bookings: number;
  stays: number;
  promoters: number;
  passives: number;
  detractors: number;
}

/** What Home and Venues count of a contact. */
export interface Guest {
  contact_id: number;
  /** The day of its creation, in the account's time zone. */
  day: string;
  /** See `consentBits`. */
  consents: number;
  unit_ids: number[];
  group_ids: number[];
}

export const guestCounts = ['guests', 'allow_email', 'allow_sms', 'allow_call', 'allow_snail_mail'] as const;
export type GuestCounts = Record<(typeof guestCounts)[number], number>;

export const codeCounts = ['made', 'assigned', 'redeemed'] as const;
export type CodeCounts = Record<(typeof codeCounts)[number], number>;

/** A change of the number of codes of a group. */
export interface CodeChange extends Partial<CodeCounts> {
  group_id: number;
  /** The unit of redeemed codes. */
  unit_id?: number;
  /** The time that the codes were generated, assigned or redeemed, as text. */
  at: string;
}

/** A day of a contact at a unit whose rows of one kind changed. They are counted again. */
export interface ChangedDay extends UnitDay {
  kind: ActivityKind;
  contact_id: number;
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
  /** Contacts with a changed consent. */
  consented: number[];
  /** Contacts whose own data changed, such as a name, a consent or a group. */
  edited: number[];
  /** Days of what only the unit counts: purchases without a contact, and NPS ratings. */
  anonymous: UnitDay[];
}

/** There can be very many rows, which are too many for the arguments of one call. */
export function addChanges(
  to: FigureChanges,
  { added = [], changed = [], anonymous = [] }: Partial<FigureChanges>,
): void {
  for (const row of added) to.added.push(row);
  for (const day of changed) to.changed.push(day);
  for (const day of anonymous) to.anonymous.push(day);
}

export const noFigureChanges = (): FigureChanges => ({
  added: [],
  changed: [],
  rated: [],
  merged: [],
  consented: [],
  edited: [],
  anonymous: [],
});

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

/** The days of purchases without a contact. */
export function waitingDays(purchases: Pick<OwnPurchase, 'contact_id' | 'unit_id' | 'created_at'>[]): UnitDay[] {
  return purchases.flatMap(({ contact_id, unit_id, created_at: day }) =>
    contact_id === null ? [{ unit_id, day }] : [],
  );
}

const Count = (description: string, example: number) => Type.Integer({ description, minimum: 0, examples: [example] });
const Amount = (description: string, example: number) => Type.Number({ description, examples: [example] });
const Day = (description: string, example: string) =>
  Type.Union([Type.String({ format: 'date' }), Type.Null()], { description, examples: [example] });

export const UnitFigures = Type.Object({
  unit_id: Id('The unit.'),
  visits: Count('Days with a visit to this unit.', 5),
  spend: Amount('The sum of the purchases at this unit.', 120.5),
  last_visit: Day('The day of the last visit to this unit.', '2026-03-01'),
});
export type UnitFigures = Static<typeof UnitFigures>;

export const Figures = Type.Object(
  {
    visits: Count('Days with a visit, at any unit.', 7),
    spend: Amount('The sum of all purchases. Refunds are subtracted.', 231),
    average_spend: Type.Union([Type.Number(), Type.Null()], {
      description: 'The spend per day with a purchase. Null: no purchases.',
      examples: [38.5],
    }),
    first_visit: Day('The day of the first visit.', '2025-06-12'),
    last_visit: Day('The day of the last visit.', '2026-03-01'),
    purchases: Count('Purchases.', 6),
    bookings: Count('Bookings that are not cancelled.', 3),
    cancelled_bookings: Count('Cancelled bookings.', 1),
    stays: Count('Stays that are not cancelled and not no-shows.', 0),
    vouchers_redeemed: Count('Redeemed unique codes.', 2),
    nps: Type.Union([Type.Number(), Type.Null()], { description: 'The latest NPS rating.', examples: [9] }),
    by_unit: Type.Array(UnitFigures, { description: 'The visited units, most visited first.' }),
  },
  { title: 'Figures', description: 'What a contact did. Days are in the account’s time zone.' },
);
export type Figures = Static<typeof Figures>;

/** The kept counts that differ from what they count. */
export const checkedCounts = ['unit_days', 'code_groups', 'guests', 'guest_days', 'groups'] as const;
export type CountCheck = Record<(typeof checkedCounts)[number], number>;

/** The job that checks the figures of an account and repairs them. */
export const repairFiguresTask = 'repair_figures';

export const RepairFigures = Type.Object({ account_id: Type.Integer() });
export type RepairFigures = Static<typeof RepairFigures>;
