import { type Api, type System, systems } from './api.ts';
import { timeZone } from './calendar.ts';
import type { Lists } from './model.ts';
import { owner, users } from './users.ts';
import { folders, groupName, type Venue } from './venues.ts';

/** The name of the account until the load is complete. */
export const unfinishedName = `${groupName} (loading)`;

const tokenNames: Record<System, string> = {
  tills: 'Tallyhop tills',
  bookings: 'Seatwright bookings',
  hotel: 'Nightbook hotel system',
  wifi: 'Wanderpass guest wifi',
  app: 'Marlowe & Finch app',
  mail: 'Newsletter and preferences page',
};

const sources = [
  'Guest wifi',
  'Online booking',
  'Phone booking',
  'Hotel reception',
  'Loyalty app',
  'Till receipt',
  'Christmas competition',
  'Preferences page',
  'Unsubscribe link',
  'Import from the old system',
];

/** The initial setup by staff. */
export async function setUp(api: Api, venues: Venue[]): Promise<Lists> {
  const account = await api.admin('POST', '/accounts', { name: unfinishedName, time_zone: timeZone });
  api.accountId = account.id;
  await makeUsers(api);
  await api.account('PATCH', `/units/${account.root_unit_id}`, { name: groupName });
  for (const venue of venues) venue.id = (await api.account('POST', '/units', { name: venue.name })).id;
  const [lists] = await Promise.all([
    makeLists(api, account.root_unit_id),
    makeTokens(api),
    sequentially(sources, (name) => api.account('POST', '/sources', { name })),
    ...[{ id: account.root_unit_id, kind: 'root' } as const, ...venues].map(({ id, kind }) =>
      makeGroups(api, id, folders[kind]),
    ),
  ]);
  return lists;
}

/** Sequentially, so that the ids are in order. */
async function sequentially<T>(list: Iterable<T>, make: (one: T) => Promise<unknown>): Promise<void> {
  for (const one of list) await make(one);
}

async function makeGroups(api: Api, unit_id: number, wanted: Record<string, string[]>): Promise<void> {
  const groups = Object.entries(wanted).flatMap(([folder_name, names]) => names.map((name) => ({ folder_name, name })));
  await sequentially(groups, (group) => api.account('POST', '/groups', { unit_id, ...group }));
}

/** The last step. It marks the demo as complete. */
export async function finish(api: Api): Promise<void> {
  await api.signOut();
  await api.admin('PATCH', `/accounts/${api.accountId}`, { name: groupName });
}

async function makeUsers(api: Api): Promise<void> {
  const account_ids = [api.accountId];
  const { data: existing } = await api.admin('GET', '/users');
  for (const user of users) {
    // Left by an interrupted load, because the last owner can't be deleted.
    const before = existing.find(({ email }: { email: string }) => email === user.email);
    if (before) await api.admin('PATCH', `/users/${before.id}`, { ...user, account_ids });
    else await api.admin('POST', '/users', { ...user, account_ids });
  }
  for (const { role, email, password } of users) if (role !== 'viewer') await api.signIn(email, password);
}

async function makeTokens(api: Api): Promise<void> {
  for (const system of systems) {
    api.tokens[system] = (await api.account('POST', '/tokens', { name: tokenNames[system] }, owner)).token;
  }
  await api.account('POST', '/tokens', { name: 'Reporting trial' }, owner);
}

async function makeLists(api: Api, rootUnitId: number): Promise<Lists> {
  const make = async <Key extends string>(list: string, names: Record<Key, string>, more: object = {}) => {
    const ids = {} as Record<Key, number>;
    for (const key of Object.keys(names) as Key[]) {
      ids[key] = (await api.account('POST', `/${list}`, { name: names[key], ...more })).id;
    }
    return ids;
  };
  const texts = { diet: 'Dietary needs', table: 'Favourite table', dog: 'Dog’s name' };
  return {
    rootUnitId,
    udfs: {
      ...(await make('udfs', texts, { type: 'text' })),
      ...(await make('udfs', { anniversary: 'Anniversary' }, { type: 'date' })),
    },
    providers: await make('providers', {
      tills: 'Tallyhop',
      bookings: 'Seatwright',
      hotel: 'Nightbook',
      app: 'Marlowe & Finch app',
    }),
    bookingSources: await make('booking_sources', { phone: 'phone', walkIn: 'walk-in', agent: 'travel agent' }),
    categories: await make('feedback_categories', {
      atmosphere: 'Atmosphere',
      value: 'Value for money',
      cleanliness: 'Cleanliness',
    }),
  };
}
