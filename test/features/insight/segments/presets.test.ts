import { expect, it } from 'vitest';
import type { Definition } from '../../../../src/features/insight/segments/definition-schema.ts';
import type { Preset } from '../../../../src/features/insight/segments/schema.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { type Day, putFigures, putNps } from '../../../support/figures.ts';
import { plus } from '../../../support/segment-oracle.ts';
import { accepted, refusal, shop } from '../../../support/vouchers.ts';

const { admin, call, database } = await testApp();
const sql = await superuser(database);
const today = new Date().toISOString().slice(0, 10);
const at = await shop({ admin, call });
const presets = async (query = ''): Promise<Preset[]> =>
  accepted(await admin('GET', `${at.base}/segment_presets${query}`)).data;
const membersOf = async (definition: Definition): Promise<number[]> => {
  const { sample } = accepted(await admin('POST', `${at.base}/segments/preview`, { definition }));
  return sample.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b);
};

/** The definition with another value of a setting. */
function filled({ definition, settings }: Preset, name: string, value: number): Definition {
  const copy = structuredClone(definition);
  const paths = settings.find((one) => one.name === name)?.paths ?? [];
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) {
    const keys = path.split('/').slice(1);
    const last = keys.pop() as string;
    const parent = keys.reduce<Record<string, unknown>>(
      (node, key) => node[key] as Record<string, unknown>,
      copy as never,
    );
    expect(parent[last]).toBe(settings.find((one) => one.name === name)?.default);
    parent[last] = value;
  }
  return copy;
}

const guest = async (days: Omit<Day, 'contact_id' | 'unit_id'>[] = [], more: object = {}, unit_id = at.unit) => {
  const contact_id = await at.newContact(more);
  if (days.length > 0)
    await putFigures(
      sql,
      at.id,
      days.map((day) => ({ contact_id, unit_id, ...day })),
      today,
    );
  return contact_id;
};
const visited = (...ago: number[]) => ago.map((days) => ({ day: plus(today, -days), purchases: 1, pence: 1000 }));
const old = '2020-01-01T00:00:00Z';

const bell = await at.newUnit('The Bell');
const none = await guest([], {
  dob: `1992-${plus(today, 14).slice(5)}`,
  mobile_number: '07700900001',
  allow_sms: true,
  allow_email: true,
});
const one = await guest(visited(5));
const two = await guest(visited(5, 59));
const three = await guest(visited(1, 2, 60, 61), {}, bell);
const four = await guest(visited(1, 2, 3, 4), { allow_sms: true, allow_email: true });
const lapsed = await guest(visited(91, 400));
const rich = await guest([{ day: plus(today, -70), purchases: 2, pence: 60_000 }]);
const cancelled = await guest([{ day: plus(today, -2), cancelled_bookings: 1 }]);
const unhappy = await guest();
await putNps(sql, at.id, [
  { contact_id: unhappy, nps: 6, day: plus(today, -90) },
  { contact_id: four, nps: 7, day: plus(today, -1) },
]);
await sql`update contacts set created_at = ${old} where account_id = ${at.id} and id = ${unhappy}`;

it('each preset finds its guests', async () => {
  const all = await presets();
  const expected: Record<string, number[]> = {
    prospect: [none, lapsed, rich, cancelled, unhappy],
    bronze: [one],
    silver: [two],
    gold: [three],
    platinum: [four],
    lapsed: [lapsed],
    first_timers: [one],
    big_spenders: [rich],
    birthday: [none],
    booked_and_cancelled: [cancelled],
    unhappy: [unhappy],
    new_without_visit: [none, cancelled],
    reachable: [none],
    venue_regulars: [four],
    top_spenders: [rich],
  };
  for (const { key, name, description, definition } of all) {
    expect([key, await membersOf(definition)]).toEqual([key, expected[key]]);
    expect(name).toMatch(/^[A-Z]/);
    expect(description).toMatch(/\.$/);
  }
  expect(all.map(({ key }) => key).sort()).toEqual(Object.keys(expected).sort());
});

it('a setting is filled in where its paths say', async () => {
  const all = await presets();
  const preset = (key: string) => all.find((found) => found.key === key) as Preset;
  expect(await membersOf(filled(preset('lapsed'), 'days', 69))).toEqual([lapsed, rich]);
  expect(await membersOf(filled(preset('venue_regulars'), 'unit', bell))).toEqual([three]);
  expect(await membersOf(filled(preset('venue_regulars'), 'visits', 4))).toEqual([four]);
  expect(await membersOf(filled(preset('booked_and_cancelled'), 'days', 1))).toEqual([]);
  expect(await membersOf(filled(preset('birthday'), 'days', 13))).toEqual([]);
  for (const { settings } of all)
    for (const { default: value, min, max } of settings) {
      expect(value).toBeGreaterThanOrEqual(min ?? value);
      expect(value).toBeLessThanOrEqual(max ?? value);
    }
});

it('the top spenders are a share of the guests with purchases', async () => {
  const topOf = async (query: string) =>
    membersOf((await presets(query)).find(({ key }) => key === 'top_spenders')?.definition as Definition);
  // Of six guests with purchases, two have spent 40 or more.
  expect(await topOf('?top_percent=16')).toEqual([rich]);
  expect(await topOf('?top_percent=34')).toEqual([three, four, rich]);
  expect(refusal(await admin('GET', `${at.base}/segment_presets?top_percent=51`))).toEqual(['top_percent']);
});

it('an account without purchases has all presets too', async () => {
  const empty = await shop({ admin, call });
  const { data } = accepted(await admin('GET', `${empty.base}/segment_presets`));
  for (const { key, definition } of data as Preset[]) {
    const answer = await admin('POST', `${empty.base}/segments/preview`, { definition });
    expect([key, accepted(answer).count]).toEqual([key, 0]);
  }
});
