import { present } from './present.ts';

/** The values that the interface, the database and the dashboard share. Each list exists only here. */

/** Numbers of the interface, each with its name. */
type CodeTable = readonly { readonly id: number; readonly name: string }[];
export type NameIn<Table extends CodeTable> = Table[number]['name'];

export const idOf = <Table extends CodeTable>(table: Table, name: NameIn<Table>): number =>
  present(
    table.find((code) => code.name === name),
    'code',
  ).id;

/** Undefined: the id is in no table, such as the booking stage of a partner's own. */
export const nameOf = <Table extends CodeTable>(table: Table, id: number | null): NameIn<Table> | undefined =>
  table.find((code) => code.id === id)?.name;

export const idsOf = (table: CodeTable): number[] => table.map(({ id }) => id);

/** "1 unknown, 2 pay at table": for the reference. */
export const listed = (table: CodeTable, note: Record<string, string> = {}): string =>
  table.map(({ id, name }) => `${id} ${name}${note[name] ?? ''}`).join(', ');

export const orderTypes = [
  { id: 1, name: 'unknown' },
  { id: 2, name: 'pay at table' },
  { id: 3, name: 'click and collect' },
  { id: 4, name: 'dine in' },
  { id: 5, name: 'delivery' },
  { id: 6, name: 'online shop' },
  { id: 7, name: 'other' },
] as const;

export const roomTypes = [
  { id: 1, name: 'basic' },
  { id: 2, name: 'standard' },
  { id: 3, name: 'premium' },
] as const;

export const stayStatuses = [
  { id: 1, name: 'enquiry' },
  { id: 2, name: 'provisional' },
  { id: 3, name: 'confirmed' },
  { id: 4, name: 'checked in' },
  { id: 5, name: 'cancelled' },
  { id: 6, name: 'no show' },
  { id: 7, name: 'checked out' },
] as const;

/** Partners may send others. */
export const bookingStages = [
  { id: 1, name: 'new' },
  { id: 100, name: 'complete' },
  { id: 550, name: 'cancelled' },
] as const;
export const cancelledStage = idOf(bookingStages, 'cancelled');

export const feedbackTypes = [
  { id: 1, name: 'positive' },
  { id: 2, name: 'negative' },
  { id: 3, name: 'neutral' },
  { id: 4, name: 'unknown' },
] as const;

export const feedbackSources = [
  { id: 1, name: 'website' },
  { id: 2, name: 'social network' },
  { id: 3, name: 'tablet' },
  { id: 4, name: 'e-mail' },
  { id: 5, name: 'microblogging social network' },
] as const;

/** In every account. Staff add others with higher ids. */
export const builtInFeedbackCategories = [
  { id: 1, name: 'food' },
  { id: 2, name: 'drink' },
  { id: 3, name: 'service' },
  { id: 4, name: 'NPS' },
] as const;
/** The category whose rating is a number. */
export const npsCategory = idOf(builtInFeedbackCategories, 'NPS');

/** In every account. Staff add others with higher ids. */
export const builtInBookingSources = [
  { id: 1, name: 'website' },
  { id: 9, name: 'in house' },
  { id: 10, name: 'third party' },
] as const;

/** The look-ups: each is the name of a table, and the last part of a path in the admin API. */
export const lookupTables = ['udfs', 'sources', 'providers', 'feedback_categories', 'booking_sources'] as const;
export type LookupTable = (typeof lookupTables)[number];

export const udfTypes = ['text', 'date'] as const;

/** The ways to contact a guest. Consent is given for each of them. */
export const channels = ['sms', 'email', 'call', 'snail_mail'] as const;
export type Channel = (typeof channels)[number];

/** The consent flag of each channel on the contact. */
export const flagOf = {
  sms: 'allow_sms',
  email: 'allow_email',
  call: 'allow_call',
  snail_mail: 'allow_snail_mail',
} as const satisfies Record<Channel, string>;

/** Consents as one number: the sum of these. Stored rows about a contact have it. */
export const consentBits = { email: 1, sms: 2, call: 4, snail_mail: 8 } as const satisfies Record<Channel, number>;
/** The same in SQL, of a row `c` of contacts. */
export const consentsInSql = `(${channels
  .map((channel) => `${consentBits[channel]} * c.${flagOf[channel]}::integer`)
  .join(' + ')})::smallint`;

export const interactionTypes = ['detected', 'connected', 'authenticated'] as const;
export type InteractionType = (typeof interactionTypes)[number];

/** The entries of a guest's timeline. */
export const timelineKinds = ['purchase', 'booking', 'stay', 'wifi', 'feedback', 'unique_code'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

/** The lists of activity that the numbers of Home open. */
export const activityKinds = ['purchases', 'bookings', 'stays', 'ratings'] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** The parts of the net promoter score. */
export const npsParts = ['promoters', 'passives', 'detractors'] as const;
export type NpsPart = (typeof npsParts)[number];

/** The keys of an anonymous purchase, in the order in which they are tried. The first that leads to a contact wins. */
export const matchKeys = [
  'booking_reference',
  'unique_code',
  'membership_number',
  'card_reference',
  'table_number',
] as const;
export type MatchKey = (typeof matchKeys)[number];

/** Why two contacts were merged, or are listed as possible duplicates. */
export const mergeReasons = ['same_mobile', 'staff'] as const;
export type MergeReason = (typeof mergeReasons)[number];
export const mergeReasonWords: Record<MergeReason, string> = {
  same_mobile: 'same mobile number',
  staff: 'by staff',
};

export const codeStatuses = ['Active', 'Redeemed'] as const;
