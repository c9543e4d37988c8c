import { beforeAll, describe, expect, it } from 'vitest';
import type { Membership } from '../../../../src/features/insight/segments/schema.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { putFigures, putNps } from '../../../support/figures.ts';
import { plus } from '../../../support/segment-oracle.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, type Shop, shop } from '../../../support/vouchers.ts';

const { admin, call, database } = await testApp();
const sql = await superuser(database);
const today = new Date().toISOString().slice(0, 10);

let at = {} as Shop;
let [ana, bell, udf] = [0, 0, 0];
beforeAll(async () => {
  at = await shop({ admin, call });
  bell = await at.newUnit('The Bell');
  udf = (await admin('POST', `${at.base}/udfs`, { name: 'Anniversary', type: 'date' })).body.id;
  const dob = `1990-${plus(today, 10).slice(5)}`;
  const feedback = [
    { unit_id: bell, created_at: `${plus(today, -20)} 12:00:00`, ratings: [{ category_id: 4, rating_text: '3' }] },
  ];
  const udfs = [{ id: udf, data: plus(today, -5) }];
  ana = await at.newContact({
    first_name: 'Ana',
    city: 'Bath',
    dob,
    allow_email: true,
    feedback,
    udfs,
    units: [{ id: bell }],
  });
  await putFigures(
    sql,
    at.id,
    [
      { contact_id: ana, day: plus(today, -40), unit_id: bell, purchases: 1, pence: 1250 },
      { contact_id: ana, day: plus(today, -10), unit_id: bell, purchases: 2, pence: 5000 },
      { contact_id: ana, day: plus(today, -3), unit_id: at.unit, wifi: 1 },
      { contact_id: ana, day: plus(today, 12), unit_id: at.unit, bookings: 1 },
    ],
    today,
  );
  await putNps(sql, at.id, [{ contact_id: ana, nps: 3, day: plus(today, -20) }]);
});

async function explain(definition: unknown, contact = ana, through = at): Promise<Membership> {
  const { id } = accepted(await admin('POST', `${through.base}/segments`, { name: fresh('Why'), definition }), 201);
  return accepted(await admin('GET', `${through.base}/segments/${id}/contacts/${contact}`));
}

const visits = (least: number, in_last_days: number, unit_ids?: number[]) => ({
  ...{ field: 'visits', op: 'at_least', value: least, in_last_days },
  ...(unit_ids && { unit_ids }),
});

describe('because', () => {
  it('has each condition in order, whether it holds, and the value of the contact', async () => {
    const conditions: [object, boolean, unknown][] = [
      [{ field: 'city', op: 'is', value: 'bath' }, true, 'Bath'],
      [{ field: 'county', op: 'known' }, false, null],
      [{ field: 'allow_email', op: 'is', value: false }, false, true],
      [{ field: 'unit', op: 'in', value: [bell] }, true, [bell]],
      [{ field: 'group', op: 'not_in', value: [await groupId()] }, true, []],
      [visits(3, 60), true, 3],
      [visits(3, 60, [bell]), false, 2],
      [{ field: 'spend', op: 'at_least', value: 62.51 }, false, 62.5],
      [{ field: 'average_spend', op: 'at_least', value: 50, in_last_days: 30 }, true, 50],
      [{ field: 'bookings', op: 'at_least', value: 1 }, true, 1],
      [{ field: 'nps', op: 'at_most', value: 6, in_last_days: 30 }, true, 3],
      [{ field: 'nps', op: 'at_most', value: 6, in_last_days: 10 }, false, null],
      [{ field: 'last_visit', op: 'known', unit_ids: [bell] }, true, plus(today, -10)],
      [{ field: 'first_visit', op: 'in_last_days', value: 30 }, false, plus(today, -40)],
      [{ field: 'created_at', op: 'in_last_days', value: 0 }, true, today],
      [{ field: 'birthday', op: 'in_next_days', value: 9 }, false, `1990-${plus(today, 10).slice(5)}`],
      [{ field: `udf:${udf}`, op: 'in_last_days', value: 4 }, false, plus(today, -5)],
    ];
    const { member, since, because } = await explain({ any: conditions.map(([condition]) => condition) });
    expect([member, since]).toEqual([true, today]);
    expect(because).toEqual(conditions.map(([condition, holds, actual]) => ({ condition, holds, actual })));
  });

  it('names the segments of the list that have the contact', async () => {
    const make = async (definition: object): Promise<number> =>
      accepted(await admin('POST', `${at.base}/segments`, { name: fresh('Inner'), definition }), 201).id;
    const [inside, outside] = [await make(visits(1, 60)), await make(visits(9, 60))];
    const condition = { field: 'segment', op: 'not_in', value: [outside, inside] };
    const answer = await explain({ not: condition });
    expect(answer).toMatchObject({ member: true, because: [{ condition, holds: false, actual: [inside] }] });
    // The visit of 3 days ago leaves the last 60 days, but there is a booking in 12 days.
    expect(answer.until).toBe(plus(today, 72));
  });

  it('leads from a merged contact to its survivor, and knows no contact of another account', async () => {
    const [gone, stays] = [await at.newContact({ first_name: 'Anna' }), await at.newContact({ first_name: 'Ana' })];
    await at.merge(gone, stays);
    const definition = { field: 'first_name', op: 'is', value: 'Ana' };
    expect(await explain(definition, gone)).toMatchObject({ member: true, because: [{ actual: 'Ana' }] });
    const other = await shop({ admin, call });
    const { id } = accepted(await admin('POST', `${other.base}/segments`, { name: 'Other', definition }), 201);
    expect((await admin('GET', `${other.base}/segments/${id}/contacts/${ana}`)).status).toBe(404);
  });
});

const groupId = async (): Promise<number> =>
  (await admin('POST', `${at.base}/groups`, { unit_id: at.unit, name: fresh('g') })).body.id;

describe('until', () => {
  const cases: [string, () => object, () => string | null][] = [
    ['nothing changes', () => ({ field: 'city', op: 'is', value: 'Bath' }), () => null],
    ['it is no member', () => visits(9, 60), () => null],
    // Visits 40, 10 and 3 days ago, and a booking in 12 days.
    ['a visit leaves the last days', () => visits(3, 45), () => plus(today, 5)],
    ['a booking takes the place of a visit', () => visits(3, 60), () => plus(today, 50)],
    ['a booking comes in time', () => visits(2, 60), () => plus(today, 57)],
    ['visits at a venue', () => visits(1, 60, [bell]), () => plus(today, 50)],
    [
      'spend leaves the last days',
      () => ({ field: 'spend', op: 'at_least', value: 40, in_last_days: 30 }),
      () => plus(today, 20),
    ],
    ['a booking becomes a visit', () => ({ field: 'visits', op: 'at_most', value: 3 }), () => plus(today, 11)],
    ['a last visit', () => ({ field: 'last_visit', op: 'in_last_days', value: 5 }), () => plus(today, 2)],
    [
      'a first visit',
      () => ({ not: { field: 'first_visit', op: 'not_in_last_days', value: 50 } }),
      () => plus(today, 10),
    ],
    ['a rating', () => ({ field: 'nps', op: 'at_most', value: 6, in_last_days: 30 }), () => plus(today, 10)],
    [
      'a rating at a venue',
      () => ({ field: 'nps', op: 'known', in_last_days: 25, unit_ids: [bell] }),
      () => plus(today, 5),
    ],
    ['the creation', () => ({ field: 'created_at', op: 'in_last_days', value: 7 }), () => plus(today, 7)],
    ['a birthday', () => ({ field: 'birthday', op: 'in_next_days', value: 14 }), () => plus(today, 10)],
    ['a birthday to come', () => ({ not: { field: 'birthday', op: 'in_next_days', value: 4 } }), () => plus(today, 5)],
    ['a date of its own', () => ({ field: `udf:${udf}`, op: 'in_last_days', value: 30 }), () => plus(today, 25)],
    [
      'the first of several',
      () => ({
        all: [
          visits(1, 60),
          { field: 'birthday', op: 'in_next_days', value: 14 },
          { field: 'created_at', op: 'in_last_days', value: 3 },
        ],
      }),
      () => plus(today, 3),
    ],
    [
      'the last of several',
      () => ({ any: [visits(3, 60), { field: 'created_at', op: 'in_last_days', value: 500 }] }),
      () => plus(today, 500),
    ],
  ];
  it.each(cases)('%s', async (_, definition, until) => {
    expect((await explain(definition())).until).toBe(until());
  });
});
