import type { TimelineEntry } from '#service/features/insight/timeline/schema.ts';
import {
  bookingStages,
  feedbackSources,
  feedbackTypes,
  type InteractionType,
  type MatchKey,
  type NameIn,
  nameOf,
  orderTypes,
  roomTypes,
  stayStatuses,
} from '#service/shared/codes.ts';
import { capitalise, formatDay, formatMoney, withCount } from '../../ui/format.ts';

/** The texts of a timeline entry: title, status and short facts. */
export interface EntryText {
  title: string;
  status?: { text: string; color: 'gray' | 'green' | 'red' | 'yellow' | 'accent' };
  facts: (string | false | null | undefined)[];
}

type Part<K extends TimelineEntry['kind']> = NonNullable<TimelineEntry[K]>;

export function entryText({ purchase, booking, stay, wifi, feedback, unique_code }: TimelineEntry): EntryText {
  if (purchase) return ofPurchase(purchase);
  if (booking) return ofBooking(booking);
  if (stay) return ofStay(stay);
  if (wifi) return ofWifi(wifi);
  if (feedback) return ofFeedback(feedback);
  if (unique_code) return { title: `Redeemed ${unique_code.unique_code}`, facts: [unique_code.unique_code_group_name] };
  return { title: 'Something', facts: [] };
}

const orderWords: Record<NameIn<typeof orderTypes>, string | undefined> = {
  unknown: undefined,
  'pay at table': 'paid at the table',
  'click and collect': 'click and collect',
  'dine in': 'dined in',
  delivery: 'delivery',
  'online shop': 'online shop',
  other: undefined,
};
const matches: Record<MatchKey, string> = {
  booking_reference: 'matched by the booking',
  unique_code: 'matched by the voucher',
  membership_number: 'matched by the membership',
  card_reference: 'matched by the loyalty card',
  table_number: 'matched by the table',
};

function ofPurchase({ order_type_id, matched_by, transaction_reference }: Part<'purchase'>): EntryText {
  const order = nameOf(orderTypes, order_type_id);
  return {
    title: 'Purchase',
    facts: [order && orderWords[order], matched_by && matches[matched_by], transaction_reference],
  };
}

function ofBooking(booking: Part<'booking'>): EntryText {
  const { party_size, stage_value, table_numbers, deposit_paid, source_name, booking_reference } = booking;
  return {
    title: party_size ? `Booking for ${party_size}` : 'Booking',
    status: bookingStatus(stage_value),
    facts: [
      table_numbers.length > 0 && `table ${table_numbers.join(', ')}`,
      Number(deposit_paid) > 0 && `deposit ${formatMoney(deposit_paid)}`,
      source_name,
      booking_reference,
    ],
  };
}

type Status = NameIn<typeof bookingStages> | NameIn<typeof stayStatuses> | NameIn<typeof feedbackTypes>;

/** Of bookings, stays and feedback. */
const statusColors: Record<Exclude<Status, 'unknown'>, NonNullable<EntryText['status']>['color']> = {
  new: 'accent',
  complete: 'green',
  cancelled: 'red',
  enquiry: 'gray',
  provisional: 'yellow',
  confirmed: 'accent',
  'checked in': 'green',
  'no show': 'red',
  'checked out': 'green',
  positive: 'green',
  negative: 'red',
  neutral: 'gray',
};

function statusOf(name: Status | undefined): EntryText['status'] {
  if (name === undefined || name === 'unknown') return undefined;
  return { text: capitalise(name), color: statusColors[name] };
}

/** Partners may have stages of their own. */
export const bookingStatus = (stage: number): NonNullable<EntryText['status']> =>
  statusOf(nameOf(bookingStages, stage)) ?? { text: `Stage ${stage}`, color: 'gray' };

export const stayStatus = (status: number) => statusOf(nameOf(stayStatuses, status));

function ofStay(stay: Part<'stay'>): EntryText {
  const dayMs = 86_400_000;
  const nights = (Date.parse(stay.checkout_date.slice(0, 10)) - Date.parse(stay.checkin_date.slice(0, 10))) / dayMs;
  const room = nameOf(roomTypes, stay.room_type_id);
  return {
    title: `Stay of ${withCount(nights, 'night')}`,
    status: stayStatus(stay.booking_status_id),
    facts: [
      `until ${formatDay(stay.checkout_date)}`,
      withCount(stay.total_guests, 'guest'),
      room && `${room} room`,
      !stay.guest && 'booked for others',
      stay.booking_has_pets && 'with pets',
      stay.stay_travel_agent ?? stay.booking_enquiry_source_name,
      stay.provider_name,
      stay.stay_reference,
    ],
  };
}

const interactions: Record<InteractionType, string> = {
  detected: 'Detected by the wifi',
  connected: 'Connected to the wifi',
  authenticated: 'Signed in to the wifi',
};

function ofWifi({ interaction_type, hotspot_name, device_type }: Part<'wifi'>): EntryText {
  return { title: interactions[interaction_type], facts: [hotspot_name, device_type] };
}

function ofFeedback({ type_id, source_id }: Part<'feedback'>): EntryText {
  return {
    title: 'Feedback',
    status: statusOf(nameOf(feedbackTypes, type_id)),
    facts: [nameOf(feedbackSources, source_id)],
  };
}
