import type { NewBooking } from '../../src/features/activity/bookings/schema.ts';
import type { AnonymousPurchases, NewPurchase } from '../../src/features/activity/purchases/schema.ts';
import type { Api } from './api.ts';
import { addFeedback } from './feedback.ts';
import { basket, total } from './menu.ts';
import type { Guest, Visit } from './model.ts';
import { contactWrite } from './profile.ts';
import type { Schedule } from './schedule.ts';
import { addStay } from './stays.ts';
import { notes } from './texts.ts';
import type { Venue, VenueKind } from './venues.ts';

const partySizes = [
  { people: 1, weight: 8 },
  { people: 2, weight: 46 },
  { people: 3, weight: 14 },
  { people: 4, weight: 18 },
  { people: 5, weight: 5 },
  { people: 6, weight: 5 },
  { people: 8, weight: 3 },
  { people: 12, weight: 1 },
];

/** The percentage of booked visits. */
const booked: Record<VenueKind, number> = { pub: 42, restaurant: 82, hotel: 55 };

/** The activity of all visits, and future bookings. */
export function addVisits(schedule: Schedule): void {
  for (const guest of schedule.guests) {
    for (const day of guest.visits) addVisit(schedule, visitOn(schedule, guest, day));
    joinAndNote(schedule, guest);
    if (guest.chance.percent(5))
      addBooking(schedule, visitOn(schedule, guest, schedule.calendar.last + guest.chance.between(1, 28)));
  }
}

function visitOn({ calendar }: Schedule, guest: Guest, day: number): Visit {
  const { chance, venues } = guest;
  const [home, ...others] = venues as [Venue, ...Venue[]];
  const venue = others.length > 0 && chance.percent(24) ? chance.pick(others) : home;
  // Sunday lunch.
  const isLunch = chance.percent(calendar.weekday(day) === 0 ? 72 : 32);
  const start = isLunch ? 12 * 60 + 15 * chance.below(7) : 17 * 60 + 30 + 15 * chance.below(13);
  return { guest, venue, day, start, people: chance.weighted(partySizes, ({ weight }) => weight).people };
}

function addVisit(schedule: Schedule, visit: Visit): void {
  const { guest, venue } = visit;
  const { chance } = guest;
  if (venue.kind === 'hotel' && chance.percent(62)) {
    addStay(schedule, visit);
    return;
  }
  const booking = chance.percent(booked[venue.kind]) ? addBooking(schedule, visit) : undefined;
  if (booking?.stage_value === 550) return;
  const left = addPurchase(schedule, visit, booking);
  if (!booking && !left) addWifi(schedule, visit);
  else if (chance.percent(20)) addWifi(schedule, visit);
  if (chance.percent(9)) addFeedback(schedule, visit);
}

/** A booking is made some days before, sometimes changed, and gets its table on the day. */
function addBooking(schedule: Schedule, { guest, venue, day, start, people }: Visit): NewBooking {
  const { chance } = guest;
  const { calendar, lists } = schedule;
  const byPhone = chance.percent(22);
  // A booking is made between the first day and yesterday.
  const lead = Math.floor(chance.next() ** 3 * 28);
  const made = Math.max(0, Math.min(day - lead, calendar.last));
  const asked = made === day ? Math.max(9 * 60, start - chance.between(60, 300)) : chance.between(8 * 60, 22 * 60);
  const booking: NewBooking = {
    booking_reference: schedule.reference(venue.code),
    provider_id: lists.providers.bookings,
    unit_id: venue.id,
    source_id: byPhone ? lists.bookingSources.phone : 1,
    stage_value: 1,
    party_enquirytime: calendar.at(made, asked),
    party_datetime: calendar.at(day, start),
    party_size: people,
    ...(people >= 6 ? { deposit_paid: people * 10 } : {}),
  };
  const profile = contactWrite(guest, byPhone ? 'phone booking' : 'online booking', venue, lists);
  const end = { ...booking };
  // A booking for the same day is sent after the visit.
  if (made < day) {
    schedule.add(made, guest, (api) => api.contact('bookings', guest, { ...profile, bookings: [booking] }));
  }
  if (made < day && chance.percent(8)) {
    end.stage_value = 550;
    schedule.add(chance.between(made + 1, day), 'anybody', (api) =>
      api.contact('bookings', guest, { bookings: [end] }),
    );
  } else {
    end.table_numbers = [schedule.table(venue, day), ...(people > 6 ? [schedule.table(venue, day)] : [])];
    end.stage_value = 100;
    const [order, more] = made < day ? (['anybody', {}] as const) : ([guest, profile] as const);
    const send = (api: Api) => api.contact('bookings', guest, { ...more, bookings: [end] });
    // Sometimes the booking arrives late, and the purchase waits for it.
    if (day < calendar.last && chance.percent(3)) schedule.add(day + 1, order, send);
    else schedule.add(day, order, send);
  }
  return end;
}

/** A purchase with the keys of the till. Returns whether it has any. */
function addPurchase(
  schedule: Schedule,
  { guest, venue, day, start, people }: Visit,
  booking: NewBooking | undefined,
): boolean {
  const { chance, membership, card } = guest;
  const { calendar, lists } = schedule;
  const occasion = booking || venue.kind === 'restaurant' || chance.percent(45) ? 'meal' : 'bar';
  const paid = Math.min(start + chance.between(50, 130), 23 * 60 + 20);
  const items = basket(chance, venue, people, occasion);
  const purchase: NewPurchase = {
    transaction_reference: schedule.reference(`T${venue.code}`),
    unit_id: venue.id,
    provider_id: lists.providers.tills,
    created_at: calendar.at(day, paid),
    order_type_id: 4,
    items,
  };
  const options: { weight: number; key: Partial<AnonymousPurchases> | 'app' | undefined }[] = [
    { weight: 12, key: 'app' },
    { weight: 10, key: undefined },
  ];
  if (booking?.table_numbers?.[0]) options.push({ weight: 60, key: { table_number: booking.table_numbers[0] } });
  if (booking) options.push({ weight: 10, key: { booking_reference: booking.booking_reference } });
  // Some memberships arrive after the purchase, which waits for them.
  if (membership && (membership.from <= day || chance.percent(8)))
    options.push({ weight: 70, key: { membership_number: membership.number } });
  if (card && card.from <= day) options.push({ weight: 50, key: { card_reference: card.reference } });
  const { key } = chance.weighted(options, ({ weight }) => weight);
  if (key === undefined) return false;
  if (key === 'app') {
    const profile = contactWrite(guest, 'app', venue, lists);
    const ordered = { ...purchase, provider_id: lists.providers.app, order_type_id: chance.pick([2, 2, 2, 3, 5]) };
    schedule.add(day, guest, (api) => api.contact('app', guest, { ...profile, purchases: [ordered] }));
  } else if (total(items) > 0) {
    schedule.add(day, 'anybody', (api) => api.purchases({ ...key, purchases: [purchase] }));
  }
  return true;
}

const devices = ['phone', 'phone', 'phone', 'tablet', 'laptop'];

function addWifi(schedule: Schedule, { guest, venue, day, start }: Visit): void {
  const { chance } = guest;
  const { calendar, lists } = schedule;
  const profile = contactWrite(guest, 'wifi', venue, lists);
  const device = {
    unit_id: venue.id,
    hotspot_name: `${venue.name} guest wifi`,
    // The second digit marks a random address of the device, as phones use.
    mac_address: `d2:${[guest.number >> 8, guest.number, chance.below(256)].map((part) => (part & 255).toString(16).padStart(2, '0')).join(':')}:4e:01`,
    device_type: chance.pick(devices),
  };
  const seen = start + chance.between(2, 25);
  const wifi = [{ ...device, interaction_type: 'authenticated' as const, created_at: calendar.at(day, seen) }];
  if (chance.percent(30)) {
    wifi.unshift({ ...device, interaction_type: 'detected' as never, created_at: calendar.at(day, seen - 2) });
  }
  schedule.add(day, guest, (api) => api.contact('wifi', guest, { ...profile, wifi }));
}

/** Frequent guests become members and get notes. */
function joinAndNote(schedule: Schedule, guest: Guest): void {
  const { chance, membership, card, visits } = guest;
  const { calendar, lists } = schedule;
  const [home] = guest.venues as [Venue];
  if (membership) {
    const { number, type, from } = membership;
    const joined = {
      ...contactWrite(guest, 'app', home, lists),
      membership_number: number,
      membership_type: type,
      units: [
        { id: home.id, ...(visits.length > 8 ? { groups: [{ folder_name: 'Guests', name: regularsAt(home) }] } : {}) },
        { id: lists.rootUnitId, groups: [{ folder_name: 'Loyalty', name: type }] },
      ],
    };
    schedule.add(from, guest, (api) => api.contact('app', guest, joined));
  }
  if (card) {
    const given = { ...contactWrite(guest, 'till', home, lists), card_reference: card.reference };
    schedule.add(card.from, guest, (api) => api.contact('tills', guest, given));
  }
  const often = Math.min(3, Math.floor(visits.length / 6));
  for (let count = chance.percent(4) ? often + 1 : often; count > 0; count--) {
    const day = chance.pick(visits);
    const text = chance.pick(notes);
    const created_at = calendar.at(day, chance.between(12 * 60, 15 * 60));
    // Notes by the till and by staff.
    const isAtTill = chance.percent(70);
    schedule.add(day, 'anybody', (api) =>
      isAtTill ? api.contact('tills', guest, { notes: [{ text, created_at }] }) : api.about(guest, 'notes', { text }),
    );
  }
}

const regularsAt = ({ kind }: Venue) => (kind === 'hotel' ? 'Returning guests' : 'Regulars');
