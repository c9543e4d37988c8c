import { Random } from '../../src/shared/random.ts';
import type { Api } from './api.ts';
import { maxGuests, mobileNumber } from './guests.ts';
import type { Guest } from './model.ts';
import type { Schedule } from './schedule.ts';
import type { Venue } from './venues.ts';

/** Duplicates, automatic merges, and shared phone numbers. */
export function addDuplicates(schedule: Schedule): void {
  const chance = new Random(20_011);
  const { last } = schedule.calendar;
  const several = (inSoMany: number) => Math.max(3, Math.floor(schedule.guests.length / inSoMany));
  // Only guests with earlier visits, so that the contact exists.
  const settled = schedule.guests.filter(
    ({ email, visits }) => email && visits.length > 1 && (visits[0] as number) < last - 20,
  );
  const withMobile = settled.filter(({ mobile_number }) => mobile_number);
  const without = settled.filter(({ mobile_number }) => !mobile_number);
  without.slice(0, several(90)).forEach((guest, index) => {
    addSplitGuest(schedule, chance, guest, mobileNumber(maxGuests + index));
  });
  for (const guest of withMobile.slice(0, several(120))) addSecondEmail(schedule, chance, guest);
  for (const share of [0.3, 0.55, 0.8, 0.97]) addReviews(schedule, Math.floor(share * last));
}

/** One contact has the number, another the e-mail. A write with both merges them. */
function addSplitGuest(schedule: Schedule, chance: Random, guest: Guest, mobile_number: string): void {
  const { last } = schedule.calendar;
  const [home] = guest.venues as [Venue];
  const both = chance.between((guest.visits[0] as number) + 2, last);
  const alone = chance.between(Math.max(0, both - 90), both - 1);
  const withoutEmail: Guest = { ...guest, email: undefined, mobile_number, id: 0 };
  const left = { first_name: guest.first_name, source_name: 'Till receipt', allow_sms: true, units: [{ id: home.id }] };
  schedule.add(alone, withoutEmail, (api) => api.contact('tills', withoutEmail, left));
  schedule.add(both, guest, (api) => api.contact('bookings', guest, { mobile_number, source_name: 'Online booking' }));
}

/** A second sign-up with another e-mail and the same phone number, which is a possible duplicate. */
function addSecondEmail(schedule: Schedule, chance: Random, guest: Guest): void {
  const { last } = schedule.calendar;
  const [home] = guest.venues as [Venue];
  const again: Guest = { ...guest, email: `${guest.email?.split('@')[0]}.work@example.org`, id: 0 };
  const { first_name, last_name } = guest;
  const signedUp = { first_name, last_name, source_name: 'Loyalty app', allow_email: true, units: [{ id: home.id }] };
  const day = chance.between((guest.visits[0] as number) + 2, last);
  schedule.add(day, again, (api) =>
    api.contact('app', again, { ...signedUp, mobile_number: guest.mobile_number as string }),
  );
}

interface Side {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
}

/** Staff merge possible duplicates. The first merge of each review is undone. */
function addReviews(schedule: Schedule, day: number): void {
  schedule.add(day, 'staff', async (api: Api) => {
    const { data } = await api.account('GET', '/possible_duplicates');
    const pairs = (data as { id: number; contacts: [Side, Side] }[])
      .map(({ id, contacts: [a, b] }) => ({ id, sides: a.email < b.email ? ([a, b] as const) : ([b, a] as const) }))
      .sort((one, other) => (one.sides[0].email < other.sides[0].email ? -1 : 1));
    const merge = ([a, b]: readonly [Side, Side]) =>
      api.account('POST', `/contacts/${a.id}/merge`, { contact_id: b.id });
    const [mistake, ...others] = pairs.filter(({ sides: [a, b] }) => a.first_name !== b.first_name);
    if (mistake) {
      const { id } = await merge(mistake.sides);
      await api.account('POST', `/merges/${id}/undo`, {});
    }
    for (const { id } of others.slice(0, 4)) await api.account('POST', `/possible_duplicates/${id}/keep_apart`, {});
    const same = pairs.filter(({ sides: [a, b] }) => a.first_name === b.first_name && a.last_name === b.last_name);
    for (const { sides } of same.slice(0, Math.max(1, Math.floor(same.length / 2)))) await merge(sides);
  });
}
