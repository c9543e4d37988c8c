import type { TimelineEntry } from '#service/features/insight/timeline/schema.ts';
import { counted, formatDay, formatMoney } from '../ui/format.ts';

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

const orderTypes: Record<number, string> = {
  2: 'paid at the table',
  3: 'click and collect',
  4: 'dined in',
  5: 'delivery',
  6: 'online shop',
};
const matches = {
  booking_reference: 'matched by the booking',
  unique_code: 'matched by the voucher',
  membership_number: 'matched by the membership',
  card_reference: 'matched by the loyalty card',
  table_number: 'matched by the table',
};

function ofPurchase({ order_type_id, matched_by, transaction_reference }: Part<'purchase'>): EntryText {
  return {
    title: 'Purchase',
    facts: [orderTypes[order_type_id], matched_by && matches[matched_by], transaction_reference],
  };
}

function ofBooking(booking: Part<'booking'>): EntryText {
  const { party_size, stage_value, table_numbers, deposit_paid, source_name, booking_reference } = booking;
  return {
    title: party_size ? `Booking for ${party_size}` : 'Booking',
    status: stages[stage_value] ?? { text: `Stage ${stage_value}`, color: 'gray' },
    facts: [
      table_numbers.length > 0 && `table ${table_numbers.join(', ')}`,
      Number(deposit_paid) > 0 && `deposit ${formatMoney(deposit_paid)}`,
      source_name,
      booking_reference,
    ],
  };
}

const stages: Record<number, EntryText['status']> = {
  1: { text: 'New', color: 'accent' },
  100: { text: 'Complete', color: 'green' },
  550: { text: 'Cancelled', color: 'red' },
};

const rooms: Record<number, string> = { 1: 'basic room', 2: 'standard room', 3: 'premium room' };
const stayStatuses: Record<number, EntryText['status']> = {
  1: { text: 'Enquiry', color: 'gray' },
  2: { text: 'Provisional', color: 'yellow' },
  3: { text: 'Confirmed', color: 'accent' },
  4: { text: 'Checked in', color: 'green' },
  5: { text: 'Cancelled', color: 'red' },
  6: { text: 'No show', color: 'red' },
  7: { text: 'Checked out', color: 'green' },
};

function ofStay(stay: Part<'stay'>): EntryText {
  const dayMs = 86_400_000;
  const nights = (Date.parse(stay.checkout_date.slice(0, 10)) - Date.parse(stay.checkin_date.slice(0, 10))) / dayMs;
  return {
    title: `Stay of ${counted(nights, 'night')}`,
    status: stayStatuses[stay.booking_status_id],
    facts: [
      `until ${formatDay(stay.checkout_date)}`,
      counted(stay.total_guests, 'guest'),
      rooms[stay.room_type_id],
      !stay.guest && 'booked for others',
      stay.booking_has_pets && 'with pets',
      stay.stay_travel_agent ?? stay.booking_enquiry_source_name,
      stay.provider_name,
      stay.stay_reference,
    ],
  };
}

const interactions = {
  detected: 'Detected by the wifi',
  connected: 'Connected to the wifi',
  authenticated: 'Signed in to the wifi',
};

function ofWifi({ interaction_type, hotspot_name, device_type }: Part<'wifi'>): EntryText {
  return { title: interactions[interaction_type], facts: [hotspot_name, device_type] };
}

const moods: Record<number, EntryText['status']> = {
  1: { text: 'Positive', color: 'green' },
  2: { text: 'Negative', color: 'red' },
  3: { text: 'Neutral', color: 'gray' },
};
const feedbackSources: Record<number, string> = {
  1: 'website',
  2: 'social network',
  3: 'tablet',
  4: 'e-mail',
  5: 'social network',
};

function ofFeedback({ type_id, source_id }: Part<'feedback'>): EntryText {
  return { title: 'Feedback', status: moods[type_id], facts: [feedbackSources[source_id ?? 0]] };
}
