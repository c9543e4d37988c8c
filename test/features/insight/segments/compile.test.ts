import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Compiler } from '../../../../src/features/insight/segments/compile.ts';
import type { Definition } from '../../../../src/features/insight/segments/definition-schema.ts';
import { figureFields } from '../../../../src/features/insight/segments/definition-schema.ts';
import { evaluate, settingOf } from '../../../../src/features/insight/segments/evaluate.ts';
import {
  countMembers,
  selectMemberIds,
  selectMembership,
} from '../../../../src/features/insight/segments/members-store.ts';
import { sql as fragment, raw } from '../../../../src/platform/db/sql.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { type Day, putFigures, putNps } from '../../../support/figures.ts';
import { type Guest, isMember, plus } from '../../../support/segment-oracle.ts';
import { type Shop, shop } from '../../../support/vouchers.ts';

const { admin, call, db, database } = await testApp();
const sql = await superuser(database);

/** In this time zone it is the next day already: 28 February, when 29 February is celebrated too. */
const timeZone = 'Pacific/Auckland';
const now = new Date('2026-02-27T12:00:00Z');
const today = '2026-02-28';

const names = ['Ana', 'ANA', 'Anabel', 'Rui', 'Zoë', "O'Neil", '50%', ''];
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });
const someDay = (past: number, future: number) => fc.integer({ min: -past, max: future }).map((n) => plus(today, n));
/** Few days at some edges, so that the edges of windows are often hit. */
const activityDay = fc.oneof(someDay(8, 3), someDay(70, 0), fc.constantFrom(today, plus(today, -7), plus(today, 1)));

let at = {} as Shop;
let [units, groups, sources, udfs] = [[0], [0], [0], { text: 0, date: 0 }];
const guests: Guest[] = [];
const make = async (list: string, body: object): Promise<number> =>
  (await admin('POST', `${at.base}/${list}`, body)).body.id;

const guestFields = fc.record({
  text: fc.record({
    first_name: maybe(fc.constantFrom(...names)),
    last_name: maybe(fc.constantFrom(...names)),
    ...{
      email: maybe(fc.constantFrom('ana@gmail.com', 'rui@gmail.com')),
      mobile_number: maybe(fc.constant('447700900123')),
    },
    ...{
      postcode: maybe(fc.constantFrom('BS1 4QA', 'bs2')),
      city: maybe(fc.constantFrom('Bristol', 'bristol', 'Bath')),
    },
    ...{
      county: maybe(fc.constant('Avon')),
      country: maybe(fc.constant('UK')),
      gender: maybe(fc.constantFrom('M', 'F', '')),
    },
    ...{
      title: maybe(fc.constant('Ms')),
      membership_number: maybe(fc.constant('M-1')),
      membership_type: maybe(fc.constant('Gold')),
    },
  }),
  flags: fc.record({
    allow_email: fc.boolean(),
    allow_sms: fc.boolean(),
    allow_call: fc.boolean(),
    allow_snail_mail: fc.boolean(),
  }),
  dob: maybe(
    fc.constantFrom('1992-02-29', '1990-02-28', '1990-03-01', '1985-03-07', '2000-02-27', '2025-12-31', '1970-08-15'),
  ),
  created: someDay(40, 0),
  units: fc.subarray([0, 1, 2]),
  groups: fc.subarray([0, 1]),
  source: maybe(fc.constantFrom(0, 1)),
  udfText: maybe(fc.constantFrom('Nuts', 'nuts and milk')),
  udfDate: maybe(someDay(20, 5)),
  days: fc.array(
    fc.record({
      day: activityDay,
      unit: fc.constantFrom(0, 1, 2),
      counts: fc.record({
        ...{ purchases: fc.nat({ max: 2 }), pence: fc.integer({ min: -500, max: 5000 }), bookings: fc.nat({ max: 1 }) },
        ...{ enquiries: fc.nat({ max: 1 }), cancelled_bookings: fc.nat({ max: 1 }), stays: fc.nat({ max: 1 }) },
        ...{ wifi: fc.nat({ max: 1 }), vouchers_redeemed: fc.nat({ max: 1 }) },
      }),
    }),
    { maxLength: 12 },
  ),
  ratings: fc.array(fc.record({ day: someDay(20, 0), unit: fc.constantFrom(0, 1, 2), rating: fc.nat({ max: 10 }) }), {
    maxLength: 3,
  }),
});

beforeAll(async () => {
  at = await shop({ admin, call }, timeZone);
  units = [at.unit, await at.newUnit('The Bell'), await at.newUnit('The Crown')];
  groups = [
    await make('groups', { unit_id: at.unit, name: 'News' }),
    await make('groups', { unit_id: at.unit, name: 'Wine' }),
  ];
  sources = [await make('sources', { name: 'Wifi' }), await make('sources', { name: 'Till' })];
  udfs = {
    text: await make('udfs', { name: 'Allergies', type: 'text' }),
    date: await make('udfs', { name: 'Anniversary', type: 'date' }),
  };
  const drawn = fc.sample(guestFields, { numRuns: 120, seed: 42 });
  for (const [n, { days, ratings, udfText, udfDate, ...fields }] of drawn.entries()) {
    const id = 1000 + n;
    const seen = new Map<string, Day>();
    // Every tenth guest has had no activity at all.
    for (const one of n % 10 === 0 ? [] : days) {
      const unit_id = units[one.unit] as number;
      seen.set(`${one.day} ${unit_id}`, { contact_id: id, day: one.day, unit_id, ...one.counts });
    }
    guests.push({
      id,
      ...fields,
      units: fields.units.map((unit) => units[unit] as number),
      groups: fields.groups.map((group) => groups[group] as number),
      source: fields.source === null ? null : (sources[fields.source] as number),
      udfs: {
        ...(udfText === null ? {} : { [`udf:${udfs.text}`]: udfText }),
        ...(udfDate === null ? {} : { [`udf:${udfs.date}`]: udfDate }),
      },
      days: [...seen.values()],
      ratings: ratings
        .map(({ day, unit, rating }) => ({ day, unit: units[unit] as number, rating }))
        .sort((a, b) => (a.day < b.day ? -1 : 1)),
    });
  }
  await insertGuests();
});

async function insertGuests() {
  const rows = guests.map((guest) => ({
    id: guest.id,
    ...guest.text,
    ...guest.flags,
    dob: guest.dob,
    source_id: guest.source,
    created_at: `${guest.created} 00:30:00`,
  }));
  await sql`
    insert into contacts (account_id, id, first_name, last_name, email, mobile_number, postcode, city, county, country, gender, title, membership_number,
      membership_type, allow_email, allow_sms, allow_call, allow_snail_mail, dob, source_id, created_at)
    select ${at.id}::bigint, id, first_name, last_name, email, mobile_number, postcode, city, county, country, gender, title, membership_number, membership_type,
      allow_email, allow_sms, allow_call, allow_snail_mail, dob, source_id, created_at at time zone ${timeZone}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id bigint, first_name text, last_name text, email text, mobile_number text, postcode text,
      city text, county text, country text, gender text, title text, membership_number text, membership_type text, allow_email boolean, allow_sms boolean,
      allow_call boolean, allow_snail_mail boolean, dob date, source_id bigint, created_at timestamp)
    on conflict do nothing`;
  const links = (name: 'units' | 'groups') =>
    guests.flatMap((guest) => guest[name].map((to) => ({ id: guest.id, to })));
  for (const name of ['units', 'groups'] as const)
    await sql`
      insert into ${raw(`contact_${name}`)} select ${at.id}::bigint, id, "to" from jsonb_to_recordset(${JSON.stringify(links(name))}::jsonb) as r (id bigint, "to" bigint)
      on conflict do nothing`;
  for (const guest of guests)
    for (const [field, data] of Object.entries(guest.udfs))
      await sql`insert into contact_udfs values (${at.id}, ${guest.id}, ${Number(field.slice(4))}, ${data})`;
  await putFigures(
    sql,
    at.id,
    guests.flatMap(({ days }) => days),
    today,
  );
  for (const guest of guests)
    for (const { day, unit, rating } of guest.ratings) {
      const [feedback] = await sql<{ id: number }>`
        insert into feedback (account_id, contact_id, type_id, unit_id, created_at) values (${at.id}, ${guest.id}, 1, ${unit}, ${`${day} 12:00:00`}) returning id`;
      await sql`insert into feedback_ratings (account_id, feedback_id, category_id, rating_text) values (${at.id}, ${feedback?.id}, 4, ${String(rating)})`;
    }
  const latest = guests.flatMap(({ id, ratings }) =>
    ratings.slice(-1).map(({ day, rating }) => ({ contact_id: id, nps: rating, day })),
  );
  await putNps(sql, at.id, latest);
}

/** The members by SQL, over all contacts. */
const membersOf = (definition: Definition, segments: Record<number, Definition> = {}) =>
  db.tenant(at.id, (tx) => {
    const nested = new Map(Object.entries(segments).map(([id, one]) => [Number(id), one]));
    return evaluate(tx, at.id, { definition, nested }, { now }, async (compiled) => {
      const ids = await selectMemberIds(tx, at.id, compiled, { limit: 1000, offset: 0 }, 0);
      const { counts, above } = await countMembers(tx, at.id, compiled, [0]);
      expect([counts.count, above]).toEqual([ids.length, [ids.length]]);
      return ids.sort((a, b) => a - b);
    });
  });
const expectedOf = (definition: Definition, segments: Record<number, Definition> = {}) =>
  guests.filter((guest) => isMember(definition, guest, today, segments)).map(({ id }) => id);

/** Whether one contact is a member on some days, by SQL. */
const membershipOf = (definition: Definition, id: number, days: string[]) =>
  db.tenant(at.id, (tx) => {
    const setting = {
      ...settingOf(at.id, { day: today, timeZone }),
      today: raw('t.day'),
      day: undefined,
      byContact: true,
    };
    const compiler = new Compiler(setting, new Map());
    const where = compiler.where(definition);
    return selectMembership(tx, at.id, id, { from: fragment`contacts c ${compiler.joins}`, where }, days);
  });

const textValue = fc.constantFrom(
  'ana',
  'Ana',
  'an',
  'zoë',
  "o'n",
  '50%',
  '_',
  'bristol',
  'BS1',
  'm',
  'nuts',
  '447700',
  'ana@gmail.com',
);
const textFields = [
  'first_name',
  'last_name',
  'email',
  'mobile_number',
  'postcode',
  'city',
  'county',
  'country',
  'gender',
  'title',
];
const few = fc.oneof(fc.integer({ min: -1, max: 6 }), fc.constantFrom(0.5, 1, 2.5, 55));
const window = fc.oneof(fc.constantFrom(0, 1, 7, 8, 30), fc.nat({ max: 80 }));

/** Each value is drawn when the ids are known. */
const condition = fc.nat().chain((): fc.Arbitrary<Definition> => {
  const unitIds = fc.subarray(units, { minLength: 1 });
  const some = (ids: number[]) => fc.subarray(ids, { minLength: 1 });
  const optional = (name: string, value: fc.Arbitrary<unknown>) =>
    fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [name]: one }));
  const modifiers = fc
    .tuple(optional('in_last_days', window), optional('unit_ids', unitIds))
    .map(([a, b]) => ({ ...a, ...b }));
  const compare = (value: fc.Arbitrary<number>) =>
    fc.oneof(
      fc.tuple(fc.constantFrom('at_least', 'at_most'), value).map(([op, one]) => ({ op, value: one })),
      fc.tuple(value, value).map((pair) => ({ op: 'between', value: pair.sort((a, b) => a - b) })),
    );
  const known = fc.constantFrom({ op: 'known' }, { op: 'unknown' });
  const onText = fc.oneof(
    fc.tuple(fc.constantFrom('is', 'is_not', 'starts_with'), textValue).map(([op, value]) => ({ op, value })),
    known,
  );
  const onDate = fc.oneof(
    fc.tuple(fc.constantFrom('in_last_days', 'not_in_last_days'), window).map(([op, value]) => ({ op, value })),
    fc.tuple(fc.constantFrom('before', 'after'), someDay(40, 5)).map(([op, value]) => ({ op, value })),
    known,
  );
  const field = (name: fc.Arbitrary<string>, ...rest: fc.Arbitrary<object>[]) =>
    fc.tuple(name, ...rest).map(([one, ...more]) => Object.assign({ field: one }, ...more) as Definition);
  const listed = fc.constantFrom('in', 'not_in');
  const money = fc.oneof(few, fc.constantFrom(10, 12.34, 50, -3));
  return fc.oneof(
    field(fc.constantFrom(...textFields, 'membership_number', 'membership_type', `udf:${udfs.text}`), onText),
    field(
      fc.constantFrom('allow_email', 'allow_sms', 'allow_call', 'allow_snail_mail'),
      fc.boolean().map((value) => ({ op: 'is', value })),
    ),
    fc.tuple(listed, some(units)).map(([op, value]) => ({ field: 'unit', op, value })),
    fc.tuple(listed, some(groups)).map(([op, value]) => ({ field: 'group', op, value })),
    fc.tuple(listed, some(sources)).map(([op, value]) => ({ field: 'source', op, value })),
    field(fc.constantFrom(...figureFields.filter((name) => !name.includes('spend'))), compare(few), modifiers),
    field(fc.constantFrom('spend', 'average_spend'), compare(money), modifiers),
    field(fc.constant('visits'), compare(few), optional('in_last_days', window)),
    field(fc.constant('nps'), fc.oneof(compare(fc.nat({ max: 10 })), known), modifiers),
    field(fc.constantFrom('last_visit', 'first_visit'), onDate, optional('unit_ids', unitIds)),
    field(fc.constantFrom('created_at', 'dob', `udf:${udfs.date}`), onDate),
    field(
      fc.constant('birthday'),
      fc.oneof(
        window.map((value) => ({ op: 'in_next_days', value })),
        fc.constantFrom(1, 2, 3, 12).map((value) => ({ op: 'in_month', value })),
      ),
    ),
  );
});

const { tree } = fc.letrec<{ tree: Definition }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('tree').map((not) => ({ not })),
  ),
}));

describe('the members by SQL are those by the words of the guide', () => {
  it('for every kind of condition', async () => {
    const hit = new Set<string>();
    await fc.assert(
      fc.asyncProperty(condition, async (definition) => {
        const expected = expectedOf(definition);
        expect(await membersOf(definition)).toEqual(expected);
        // The opposite has everybody else.
        expect(await membersOf({ not: definition })).toEqual(
          guests.map(({ id }) => id).filter((id) => !expected.includes(id)),
        );
        const { field, op } = definition as { field: string; op: string };
        if (expected.length > 0 && expected.length < guests.length) hit.add(`${field.split(':')[0]} ${op}`);
      }),
      { numRuns: 500 },
    );
    // The conditions are not all true or all false.
    expect(hit.size).toBeGreaterThan(50);
  });

  it('for random definitions', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (definition) => {
        expect(await membersOf(definition)).toEqual(expectedOf(definition));
      }),
      { numRuns: 200 },
    );
  });

  it('for single contacts on other days', async () => {
    const days = [0, 1, 2, 7, 8, 9, 61, 365].map((n) => plus(today, n));
    await fc.assert(
      fc.asyncProperty(tree, fc.nat({ max: guests.length - 1 }), async (definition, n) => {
        const guest = guests[n] as Guest;
        const answered = await membershipOf(definition, guest.id, days);
        expect([...answered]).toEqual(days.map((day) => ({ day, member: isMember(definition, guest, day) })));
      }),
      { numRuns: 200 },
    );
  });

  it('for definitions that refer to other segments', async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, fc.constantFrom('in', 'not_in'), fc.boolean(), async (one, other, op, isNot) => {
        const segments: Record<number, Definition> = {
          1: one,
          2: other,
          3: { field: 'segment', op: 'not_in', value: [1] },
        };
        const reference = { field: 'segment', op, value: [3, 2] } as Definition;
        const definition = isNot ? { not: reference } : reference;
        expect(await membersOf(definition, segments)).toEqual(expectedOf(definition, segments));
      }),
      { numRuns: 60 },
    );
  });
});

it('more visits than the figures list are counted from the days', async () => {
  const [id, unit] = [5000, units[0] as number];
  await sql`insert into contacts (account_id, id) values (${at.id}, ${id})`;
  const days = Array.from({ length: 60 }, (_, n) => ({ contact_id: id, day: plus(today, -n), unit_id: unit, wifi: 1 }));
  await putFigures(sql, at.id, days, today);
  const isIn = async (op: 'at_least' | 'at_most', value: number) =>
    (await membersOf({ field: 'visits', op, value, in_last_days: 80 })).includes(id);
  expect([
    await isIn('at_least', 50),
    await isIn('at_least', 51),
    await isIn('at_least', 60),
    await isIn('at_least', 61),
  ]).toEqual([true, true, true, false]);
  expect([await isIn('at_most', 49), await isIn('at_most', 50), await isIn('at_most', 60)]).toEqual([
    false,
    false,
    true,
  ]);
  await sql`delete from contacts where account_id = ${at.id} and id = ${id}`;
});

it('a merged contact is in no segment', async () => {
  await sql`insert into contacts (account_id, id, first_name, merged_into) values (${at.id}, 5001, 'Ana', ${guests[0]?.id})`;
  expect(await membersOf({ field: 'dob', op: 'unknown' })).not.toContain(5001);
  expect(await membersOf({ not: { field: 'dob', op: 'known' } })).not.toContain(5001);
});
