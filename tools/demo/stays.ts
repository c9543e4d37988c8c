import type { NewStay } from '../../src/features/activity/stays/schema.ts';
import { addFeedback } from './feedback.ts';
import { basket } from './menu.ts';
import type { Visit } from './model.ts';
import { contactWrite } from './profile.ts';
import type { Schedule } from './schedule.ts';
import { hotelNotes } from './texts.ts';

const rooms = [
  { type: 1, weight: 35, gross: 95, name: 'RO' },
  { type: 2, weight: 48, gross: 139, name: 'BB' },
  { type: 3, weight: 17, gross: 219, name: 'DBB' },
];
/** The price in pence, as in the API. */
const extras = [
  { name: 'Bottle of prosecco in the room', reference: 'XP-01', price: 3200 },
  { name: 'Parking', reference: 'XP-02', price: 1400 },
  { name: 'Dog basket and bowl', reference: 'XP-03', price: 2000 },
  { name: 'Late check-out', reference: 'XP-04', price: 2500 },
  { name: 'Spa day', reference: 'XP-05', price: 6500 },
];
const vat = 1.2;
const pounds = (amount: number) => Math.round(amount * 100) / 100;

/** Stays, booked weeks before, with check-in, check-out, cancellations and no-shows. */
export function addStay(schedule: Schedule, visit: Visit): void {
  const { guest, venue, day } = visit;
  const { chance } = guest;
  const { calendar, lists } = schedule;
  const nights = chance.pick([1, 1, 1, 2, 2, 2, 3, 4]);
  const made = Math.max(0, day - chance.between(1, 70));
  const room = chance.weighted(rooms, ({ weight }) => weight);
  const chosen = extras.filter(() => chance.percent(14));
  const roomGross = room.gross * nights;
  const extrasGross = chosen.reduce((sum, { price }) => sum + price / 100, 0);
  const throughAgent = chance.percent(28);
  const children = chance.percent(16) ? chance.between(1, 3) : 0;
  const stay: NewStay = {
    booker: true,
    guest: true,
    unit_id: venue.id,
    provider_id: lists.providers.hotel,
    stay_reference: schedule.reference(venue.code),
    enquiry_date: calendar.at(made, chance.between(8 * 60, 15 * 60)),
    checkin_date: calendar.at(day, 15 * 60),
    checkout_date: calendar.at(day + nights, 11 * 60),
    room_type_id: room.type,
    total_guests: chance.pick([1, 2, 2, 2]) + children,
    total_children: children,
    booking_enquiry_source_id: throughAgent ? lists.bookingSources.agent : chance.pick([1, 1, 9]),
    booking_status_id: 3,
    room_gross_value: roomGross,
    room_net_value: pounds(roomGross / vat),
    room_rate_code: chance.pick(['BAR', 'ADV', 'CORP']),
    room_package_code: room.name,
    booking_has_pets: chosen.some(({ reference }) => reference === 'XP-03'),
    used_voucher: false,
    ...(chance.percent(40) ? { deposit_amount: room.gross } : {}),
    ...(throughAgent ? { stay_travel_agent: chance.pick(['Pillow & Post', 'Hatstand Holidays']) } : {}),
  };
  const profile = contactWrite(guest, 'reception', venue, lists);
  schedule.add(made, guest, (api) => api.contact('hotel', guest, { ...profile, stays: [stay] }));
  addEnd(schedule, visit, stay, nights, { chosen, extrasGross });
}

function addEnd(
  schedule: Schedule,
  visit: Visit,
  stay: NewStay,
  nights: number,
  { chosen, extrasGross }: { chosen: typeof extras; extrasGross: number },
): void {
  const { guest, venue, day } = visit;
  const { chance } = guest;
  const { calendar, lists } = schedule;
  const addChange = (when: number, changes: Partial<NewStay>) =>
    schedule.add(when, 'anybody', (api) => api.contact('hotel', guest, { stays: [{ ...stay, ...changes }] }));
  if (chance.percent(9)) {
    addChange(day, { booking_status_id: chance.percent(75) ? 5 : 6 });
    return;
  }
  // A current stay was sent at check-in.
  if (day + nights > calendar.last) addChange(day, { booking_status_id: 4 });
  else {
    addChange(day + nights, {
      booking_status_id: 7,
      extras: chosen.map((extra) => ({ ...extra, quantity: 1 })),
      extras_gross_value: extrasGross,
      extras_net_value: pounds(extrasGross / vat),
    });
  }
  if (chance.percent(45)) {
    const purchase = {
      transaction_reference: schedule.reference(`T${venue.code}`),
      unit_id: venue.id,
      provider_id: lists.providers.hotel,
      created_at: calendar.at(day, 20 * 60 + chance.between(0, 120)),
      order_type_id: 4,
      items: basket(chance, venue, 2, 'meal'),
    };
    schedule.add(day, 'anybody', (api) => api.contact('hotel', guest, { purchases: [purchase] }));
  }
  if (chance.percent(14)) addFeedback(schedule, { ...visit, day: day + nights, start: 9 * 60 }, 'stayed');
  if (chance.percent(10)) {
    const note = { text: chance.pick(hotelNotes), created_at: calendar.at(day, 15 * 60) };
    schedule.add(day, 'anybody', (api) => api.contact('hotel', guest, { notes: [note] }));
  }
}
