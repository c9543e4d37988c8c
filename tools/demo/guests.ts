import { Random } from '../../src/shared/random.ts';
import { type Calendar, dayCount } from './calendar.ts';
import type { Guest } from './model.ts';
import { origins } from './names.ts';
import type { Venue } from './venues.ts';

/** The number of visits in eighteen months. */
const habits = [
  { share: 38, least: 1, most: 1 },
  { share: 33, least: 2, most: 5 },
  { share: 21, least: 6, most: 15 },
  { share: 8, least: 16, most: 42 },
];

/**
 * Ofcom reserves 07700 900000 to 900999 for fiction, which is too few. These numbers start with the same six digits and
 * have one digit too many, so none of them can be dialled.
 */
export const maxGuests = 9000;
export const mobileNumber = (number: number) => `07700900${String(number).padStart(4, '0')}`;

const mailDomains = ['example.com', 'example.com', 'example.org', 'example.net'];

/** The first guests. A larger number gives the same ones and more. */
export function makeGuests(count: number, calendar: Calendar, venues: Venue[]): Guest[] {
  const taken = new Set<string>();
  const guests: Guest[] = [];
  for (let number = 0; number < count; number++) {
    const guest = makeGuest(number, calendar, venues, taken);
    const before = guests.at(-1);
    if (before?.email && before.mobile_number && guest.email && guest.chance.percent(4)) {
      // Families share a phone number.
      guest.last_name = before.last_name;
      guest.mobile_number = before.mobile_number;
    }
    guests.push(guest);
  }
  return guests;
}

function makeGuest(number: number, calendar: Calendar, venues: Venue[], taken: Set<string>): Guest {
  const chance = new Random(7_919 * (number + 1));
  const origin = chance.weighted(origins, ({ share }) => share);
  const gender = chance.percent(53) ? 'F' : 'M';
  const first_name = chance.pick(gender === 'F' ? origin.women : origin.men);
  const last_name = chance.pick(origin.families);
  const home = chance.weighted(venues, ({ size }) => size);
  const { least, most } = chance.weighted(habits, ({ share }) => share);
  const visits = visitDays(chance, calendar, home, chance.between(least, most));
  const others = venues.filter((venue) => venue !== home && (venue.city === home.city || chance.percent(8)));
  const hasMobile = chance.percent(68);
  // A guest without a number needs an e-mail.
  const hasEmail = !hasMobile || chance.percent(91);
  const [firstVisit] = visits as [number];
  return {
    number,
    chance,
    first_name,
    last_name,
    gender: chance.percent(2) ? '' : gender,
    dob: `${chance.between(1946, 2005)}-${two(chance.between(1, 12))}-${two(chance.between(1, 28))}`,
    email: hasEmail ? emailOf(chance, first_name, last_name, taken) : undefined,
    mobile_number: hasMobile ? mobileNumber(number) : undefined,
    city: home.city,
    postcode: home.district,
    venues: [home, ...others],
    visits,
    membership:
      visits.length > 3 && chance.percent(60)
        ? {
            number: `MF-${100_000 + number * 7}`,
            type: visits.length > 16 ? 'Gold' : visits.length > 8 ? 'Silver' : 'Bronze',
            from: chance.pick(visits.slice(0, 3)),
          }
        : undefined,
    card:
      visits.length > 1 && chance.percent(9)
        ? { reference: `GC${70_000_000 + number * 13}`, from: firstVisit }
        : undefined,
    knownTo: new Set(),
    id: 0,
  };
}

const two = (number: number) => String(number).padStart(2, '0');

/** The period of visits. A guest with half the period has half the visits. */
function visitDays(chance: Random, calendar: Calendar, { kind }: Venue, often: number): number[] {
  const first = calendar.pick(chance, kind);
  const from = often > 1 && chance.percent(45) ? 0 : first;
  const to = chance.percent(20) ? Math.min(calendar.last, from + chance.between(60, 300)) : calendar.last;
  const count = often * ((to - from + 1) / dayCount);
  const days = new Set<number>(count <= 1 ? [first] : []);
  for (let left = Math.round(count); left > 0 && count > 1; left--) days.add(calendar.pick(chance, kind, from, to));
  return [...days].sort((a, b) => a - b);
}

function emailOf(chance: Random, first: string, last: string, taken: Set<string>): string {
  const [a, b] = [plain(first), plain(last)];
  const name = chance.pick([`${a}.${b}`, `${a}${b}`, `${a.charAt(0)}.${b}`, `${a}_${b}`, `${b}.${a}`]);
  const domain = chance.pick(mailDomains);
  for (let number = 0; ; number++) {
    const email = `${name}${number === 0 ? '' : number + 1}@${domain}`;
    if (taken.has(email)) continue;
    taken.add(email);
    return email;
  }
}

/** Letters that are valid in an e-mail address. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i')
    .normalize('NFD')
    .replace(/[^a-z]/g, '');
}
