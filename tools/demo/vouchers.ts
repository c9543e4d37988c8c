import { Random } from '../../src/shared/random.ts';
import { basket } from './menu.ts';
import type { Guest } from './model.ts';
import type { Schedule } from './schedule.ts';
import type { Venue } from './venues.ts';

/** A voucher group with its assignments. */
interface Campaign {
  id: number;
  given: Map<number, string>;
}

/** The campaigns: codes are assigned by staff or monthly, or printed, and redeemed at tills. */
export function addVouchers(schedule: Schedule): void {
  const chance = new Random(50_021);
  const { calendar, guests, lists, venues } = schedule;
  const many = guests.length;
  const [fox] = venues as [Venue];

  const welcome = addCampaign(schedule, 2, lists.rootUnitId, 'Welcome drink', {
    count: Math.ceil(many * 0.7),
    prefix: 'HELLO-',
  });
  const birthday = addCampaign(schedule, 9, lists.rootUnitId, 'Birthday treat', {
    count: Math.ceil(many * 0.8),
    prefix: 'BDAY-',
  });
  const treated = new Set<Guest>();
  for (let day = 28; day <= calendar.last; day += 28) {
    const isNew = ({ visits: [first = 0] }: Guest) => first >= day - 28 && first < day - 1;
    const month = calendar.date(day).slice(5, 7);
    const hasBirthday = ({ dob, visits: [first = 0] }: Guest) => dob.slice(5, 7) === month && first < day - 1;
    give(schedule, chance, welcome, day, some(guests, chance, 45, isNew), { within: 40, share: 44 });
    // Guests keep last year's code and get no second one.
    const treats = some(guests, chance, 55, (guest) => hasBirthday(guest) && !treated.has(guest));
    for (const guest of treats) treated.add(guest);
    give(schedule, chance, birthday, day, treats, { within: 30, share: 52 });
  }

  const roasts = addCampaign(schedule, 190, fox.id, 'Sunday roast for two', { codes: numbered('ROAST', many / 12) });
  const foxGuests = guests.filter(({ venues: [home], visits: [first = 0] }) => home === fox && first < 189);
  give(schedule, chance, roasts, 192, foxGuests.slice(0, Math.floor(many / 14)), { within: 90, share: 40 });

  const january =
    Array.from({ length: calendar.last }, (_, day) => day).findLast((day) => calendar.date(day).endsWith('-01-06')) ??
    60;
  const party = addCampaign(schedule, january, lists.rootUnitId, 'Christmas party thank-you', {
    count: Math.ceil(many / 8),
    prefix: 'MERRY-',
  });
  const visitedBeforeChristmas = ({ visits }: Guest) => visits.some((day) => day > january - 36 && day < january - 6);
  give(
    schedule,
    chance,
    party,
    january + 1,
    some(guests, chance, 30, visitedBeforeChristmas).slice(0, Math.floor(many / 9)),
    {
      within: 80,
      share: 47,
    },
  );

  addPaperOffer(schedule, chance);
  const friends = addCampaign(schedule, calendar.last - 9, lists.rootUnitId, 'Friends and family', {
    count: Math.ceil(many / 10),
    prefix: 'FAF-',
  });
  const regulars = guests.filter(({ visits: [first = 0, ...more] }) => more.length > 12 && first < calendar.last - 30);
  give(schedule, chance, friends, calendar.last - 8, regulars.slice(0, Math.floor(many / 40)), {
    within: 8,
    share: 30,
  });
}

function addCampaign(
  schedule: Schedule,
  day: number,
  unit_id: number,
  name: string,
  codes: { count: number; prefix: string } | { codes: string[] },
): Campaign {
  const campaign: Campaign = { id: 0, given: new Map() };
  schedule.add(day, 'staff', async (api) => {
    campaign.id = (await api.account('POST', '/unique_code_groups', { unit_id, name })).id;
    await api.account('POST', `/unique_code_groups/${campaign.id}/codes`, codes);
  });
  return campaign;
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: Math.ceil(count) + 5 }, (_, number) => `${prefix}-${String(number * 37 + 1).padStart(5, '0')}`);

function some(guests: Guest[], chance: Random, share: number, fits: (guest: Guest) => boolean): Guest[] {
  return guests.filter((guest) => fits(guest) && chance.percent(share));
}

/** Assigns each guest a code. Some redeem it within some days. */
function give(
  schedule: Schedule,
  chance: Random,
  campaign: Campaign,
  day: number,
  guests: Guest[],
  { within, share }: { within: number; share: number },
): void {
  if (guests.length === 0) return;
  schedule.add(day, 'staff', async (api) => {
    const contact_ids = guests.flatMap(({ id }) => (id > 0 ? [id] : []));
    const { data } = await api.account('POST', `/unique_code_groups/${campaign.id}/assign`, { contact_ids });
    for (const { contact_id, unique_code } of data) campaign.given.set(contact_id, unique_code);
  });
  for (const guest of guests) {
    if (!chance.percent(share)) continue;
    const venue = guest.venues[0] as Venue;
    const until = Math.min(day + within, schedule.calendar.last);
    if (until > day)
      addRedemption(schedule, chance, schedule.calendar.pick(chance, venue.kind, day + 1, until), venue, () =>
        campaign.given.get(guest.id),
      );
  }
}

function addRedemption(
  schedule: Schedule,
  chance: Random,
  day: number,
  venue: Venue,
  codeOf: () => string | undefined,
): void {
  const { calendar, lists } = schedule;
  const paid = chance.between(17 * 60 + 30, 22 * 60 + 30);
  const items = basket(chance, venue, chance.pick([2, 2, 3, 4]), 'meal');
  const transaction_reference = schedule.reference(`T${venue.code}`);
  const withPurchase = chance.percent(55);
  schedule.add(day, 'anybody', async (api) => {
    // A merged guest has the survivor's code.
    const unique_code = codeOf();
    if (unique_code === undefined) return;
    await api.redeem({ unit_id: venue.id, unique_code, redemption_date: calendar.at(day, paid - 2) });
    if (!withPurchase) return;
    const created_at = calendar.at(day, paid);
    const purchase = { transaction_reference, unit_id: venue.id, created_at, order_type_id: 4, items };
    await api.purchases({ unique_code, provider_id: lists.providers.tills, purchases: [purchase] });
  });
}

/** Printed codes without a guest. */
function addPaperOffer(schedule: Schedule, chance: Random): void {
  const { calendar, guests, lists, venues } = schedule;
  const codes = numbered('PAPER', guests.length / 15);
  addCampaign(schedule, 330, lists.rootUnitId, 'Local paper: a starter on us', { codes });
  for (const code of codes.slice(0, Math.floor(codes.length * 0.35))) {
    const venue = chance.weighted(venues, ({ size }) => size);
    const day = calendar.pick(chance, venue.kind, 333, 400);
    const redemption_date = calendar.at(day, chance.between(18 * 60, 22 * 60));
    schedule.add(day, 'anybody', (api) => api.redeem({ unit_id: venue.id, unique_code: code, redemption_date }));
  }
}
