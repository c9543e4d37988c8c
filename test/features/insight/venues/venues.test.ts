import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, refusal, type Shop, shop } from '../../../support/vouchers.ts';

const { admin, call } = await testApp();
const venues = async (at: Shop, query = '') => accepted(await admin('GET', `${at.base}/venues${query}`));
const effects = async (at: Shop, path: string) => accepted(await admin('GET', `${at.base}/${path}/effects`));
const newGroup = async (at: Shop, unit_id: number, name: string, folder_name?: string) =>
  accepted(await admin('POST', `${at.base}/groups`, { unit_id, name, folder_name }), 201);
const nothing = {
  refused: null,
  ...{ guests: 0, folders: 0, groups: 0, bookings: 0, purchases: 0, stays: 0, wifi: 0, feedback: 0 },
  ...{ unique_code_groups: 0, unique_codes_redeemed: 0 },
};

/** Two venues, the first with two folders, and three guests of whom one was known as two. */
async function harbour() {
  const at = await shop({ admin, call });
  const bell = await at.newUnit('The Bell');
  const news = await newGroup(at, at.unit, 'News');
  const vip = await newGroup(at, at.unit, 'VIP', 'Loyal');
  const gold = await newGroup(at, at.unit, 'Gold', 'Loyal');
  const on = (unit: number, ...groups: { id: number }[]) => ({ id: unit, groups: groups.map(({ id }) => ({ id })) });
  const ana = await at.newContact({ units: [on(at.unit, news, vip), on(bell)] });
  const half = await at.newContact({ units: [on(at.unit, news, gold)] });
  const rui = await at.newContact({ units: [on(at.unit, vip)] });
  await at.newContact();
  await at.merge(half, ana);
  return { at, bell, news, vip, gold, rui };
}

describe('the list of venues', () => {
  it('has the root unit first, then the others by id, with folders, groups and numbers of contacts', async () => {
    const { at, bell, news, vip, gold } = await harbour();
    await at.removeUnit(await at.newUnit('The Sunk'));
    const { data, total } = await venues(at);
    expect(total).toBe(3);
    expect(data).toEqual([
      { id: at.root, name: expect.any(String), is_root: true, guests: 1, folders: [] },
      {
        ...{ id: at.unit, name: 'The Anchor', is_root: false, guests: 2 },
        folders: [
          { id: news.folder_id, name: 'default', groups: [{ id: news.id, name: 'News', guests: 1 }] },
          {
            ...{ id: vip.folder_id, name: 'Loyal' },
            groups: [
              { id: vip.id, name: 'VIP', guests: 2 },
              { id: gold.id, name: 'Gold', guests: 1 },
            ],
          },
        ],
      },
      { id: bell, name: 'The Bell', is_root: false, guests: 1, folders: [] },
    ]);
  });
  it('has pages of a hundred', async () => {
    const at = await shop({ admin, call });
    for (let n = 0; n < 100; n++) await at.newUnit(`Venue ${n}`);
    const [first, second] = [await venues(at), await venues(at, '?page=2')];
    expect([first.data.length, second.data.length, second.total]).toEqual([100, 2, 102]);
    expect(second.data[1].name).toBe('Venue 99');
  });
  it('can be searched by part of the name of a unit, folder or group, regardless of case', async () => {
    const { at, bell } = await harbour();
    await newGroup(at, bell, '100% Vegan', 'Clubs');
    const sunk = await at.newUnit('The Sunk Bell');
    await newGroup(at, sunk, 'Gold');
    await at.removeUnit(sunk);
    const found = async (search: string) => {
      const { data, total } = await venues(at, `?search=${encodeURIComponent(search)}`);
      expect(total).toBe(data.length);
      return data.map(({ id }: { id: number }) => id);
    };
    expect(await found('BELL')).toEqual([bell]);
    expect(await found('loYal')).toEqual([at.unit]);
    expect(await found('gold')).toEqual([at.unit]);
    expect(await found('%')).toEqual([bell]);
    expect(await found('_')).toEqual([]);
    expect(await found('nowhere')).toEqual([]);
    // A found unit has all its groups, not only the matching ones.
    const { data } = await venues(at, '?search=gold');
    expect(data[0].folders.flatMap(({ groups }: { groups: { id: number }[] }) => groups)).toHaveLength(3);
  });
});

describe('the effect of deleting a unit', () => {
  it('counts all activity at the unit, which remains after the deletion', async () => {
    const { at, bell } = await harbour();
    const stay = {
      ...{ provider_id: 12, booker: true, guest: true, room_type_id: 2, total_guests: 2, booking_enquiry_source_id: 1 },
      ...{
        enquiry_date: '2025-01-01 09:00:00',
        checkin_date: '2025-03-01 15:00:00',
        checkout_date: '2025-03-02 11:00:00',
      },
    };
    const there = { unit_id: at.unit };
    const contact = await at.newContact({
      units: [{ id: bell }],
      bookings: [
        { ...there, booking_reference: fresh('B'), party_datetime: '2025-03-01 12:00:00' },
        { ...there, booking_reference: fresh('B'), stage_value: 550 },
        { unit_id: bell, booking_reference: fresh('B') },
      ],
      purchases: [1, 2, 3].map(() => ({ ...there, transaction_reference: fresh('T') })),
      stays: [5, 3].map((booking_status_id) => ({ ...stay, ...there, stay_reference: fresh('S'), booking_status_id })),
      wifi: [1, 2, 3, 4].map(() => ({ ...there, hotspot_name: 'Bar' })),
      feedback: [{ ...there, comments: [{ note: 'Lovely fire.' }] }],
    });
    await at.newGroup(fresh('group'), at.unit);
    await at.redeemed({ unique_code: (await at.newCode()).unique_code, ...there });
    expect(await effects(at, `units/${at.unit}`)).toEqual({
      refused: null,
      ...{ guests: 2, folders: 2, groups: 3, bookings: 2, purchases: 3, stays: 2, wifi: 4, feedback: 1 },
      ...{ unique_code_groups: 1, unique_codes_redeemed: 1 },
    });
    expect(await effects(at, `units/${bell}`)).toEqual({ ...nothing, guests: 2, bookings: 1 });
    await at.removeUnit(at.unit);
    const { body } = await call('GET', `/v1/contact/${contact}/purchases`, { token: at.token });
    expect(body.data).toHaveLength(3);
  });
  it('is rejected for the root unit with the same message as the deletion', async () => {
    const at = await shop({ admin, call });
    const { refused, ...counts } = await effects(at, `units/${at.root}`);
    expect({ refused: null, ...counts }).toEqual(nothing);
    const answer = await admin('DELETE', `${at.base}/units/${at.root}`);
    expect(refusal(answer)).toEqual(['unit_id']);
    expect(answer.body.errors.unit_id).toEqual([refused]);
  });
});

describe('the effect of deleting a folder or a group', () => {
  it('counts the groups of a folder and their contacts; a folder must be empty', async () => {
    const { at, vip } = await harbour();
    const shown = await effects(at, `folders/${vip.folder_id}`);
    expect(shown).toEqual({ refused: expect.stringMatching(/groups/), groups: 2, guests: 2 });
    const answer = await admin('DELETE', `${at.base}/folders/${vip.folder_id}`);
    expect(answer.body.errors.folder_id).toEqual([shown.refused]);
    const empty = accepted(await admin('POST', `${at.base}/folders`, { unit_id: at.unit, name: 'Empty' }), 201);
    expect(await effects(at, `folders/${empty.id}`)).toEqual({ refused: null, groups: 0, guests: 0 });
    accepted(await admin('DELETE', `${at.base}/folders/${empty.id}`), 204);
  });
  it('counts the contacts of a group, which then leave it', async () => {
    const { at, vip, rui } = await harbour();
    expect(await effects(at, `groups/${vip.id}`)).toEqual({ refused: null, guests: 2 });
    accepted(await admin('DELETE', `${at.base}/groups/${vip.id}`), 204);
    const { body } = await admin('GET', `${at.base}/contacts/${rui}`);
    expect(body.units[0].groups).toEqual([]);
  });
});

it('the effects of an unknown, deleted or another account’s unit, folder or group are a 404', async () => {
  const [{ at, vip, bell }, other] = [await harbour(), await shop({ admin, call })];
  for (const path of [`units/${at.unit}`, `folders/${vip.folder_id}`, `groups/${vip.id}`]) {
    expect((await admin('GET', `${other.base}/${path}/effects`)).status).toBe(404);
  }
  await at.removeUnit(bell);
  expect((await admin('GET', `${at.base}/units/${bell}/effects`)).status).toBe(404);
  for (const noun of ['units', 'folders', 'groups']) {
    expect((await admin('GET', `${at.base}/${noun}/999999/effects`)).status).toBe(404);
  }
  expect((await venues(other)).data.map(({ id }: { id: number }) => id)).toEqual([other.root, other.unit]);
});
