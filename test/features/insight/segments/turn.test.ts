import { describe, expect, it, onTestFinished } from 'vitest';
import { turnDays } from '../../../../src/features/figures/check.ts';
import { compile } from '../../../../src/features/insight/segments/compile.ts';
import type { Definition } from '../../../../src/features/insight/segments/definition-schema.ts';
import { settingOf } from '../../../../src/features/insight/segments/evaluate.ts';
import { loadNested } from '../../../../src/features/insight/segments/expand.ts';
import { fillNext, followChanges, turnSegments } from '../../../../src/features/insight/segments/keep.ts';
import { selectMemberIdsAfter } from '../../../../src/features/insight/segments/members-store.ts';
import { openPool } from '../../../../src/platform/db/database.ts';
import { testApp } from '../../../support/app.ts';
import { isDistributed, superuser } from '../../../support/database.ts';
import { putFigures, putNps } from '../../../support/figures.ts';
import { plus } from '../../../support/segment-oracle.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, shop } from '../../../support/vouchers.ts';

const { admin, call, database } = await testApp();
const sql = await superuser(database);

describe('the passing of time', () => {
  const start = new Date('2027-01-20T12:00:00Z');
  const windows = [0, 3, 30];

  it('moves only those who cross a boundary, and every stored membership stays right', async () => {
    const through = await shop({ admin, call });
    const create = async (definition: unknown) =>
      accepted(await admin('POST', `${through.base}/segments`, { name: fresh('Segment'), definition }), 201);
    const bell = await through.newUnit('The Bell');
    const udf = accepted(await admin('POST', `${through.base}/udfs`, { name: 'Day', type: 'date' }), 201).id;
    const first = start.toISOString().slice(0, 10);
    const guests: number[] = [];
    for (let n = 0; n < 45; n++) {
      const dob = `19${60 + (n % 30)}-${plus(first, (n * 5) % 70).slice(5)}`;
      const feedback = [
        { unit_id: bell, created_at: `${plus(first, -n)} 12:00:00`, ratings: [{ category_id: 4, rating_text: '3' }] },
      ];
      guests.push(
        await through.newContact({
          ...(n % 3 === 0 ? { dob } : {}),
          ...(n % 2 ? { udfs: [{ id: udf, data: plus(first, 10 - n) }] } : {}),
          ...(n % 4 ? {} : { feedback }),
        }),
      );
    }
    const days = guests.flatMap((contact_id, n) => [
      { contact_id, day: plus(first, 12 - n), unit_id: n % 2 ? bell : through.unit, purchases: 1, pence: 100 * n },
      {
        contact_id,
        day: plus(first, n % 7),
        unit_id: bell,
        cancelled_bookings: n % 5 ? 0 : 1,
        bookings: n % 5 ? 1 : 0,
        enquiries: n % 3 ? 0 : 1,
      },
    ]);
    await putFigures(sql, through.id, days, first);
    await putNps(
      sql,
      through.id,
      guests.flatMap((contact_id, n) => (n % 4 ? [] : [{ contact_id, nps: 3, day: plus(first, -n) }])),
    );
    for (const [n, id] of guests.entries())
      await sql`
        update contacts set created_at = ${`${plus(first, -n)}T06:00:00Z`}::timestamptz where account_id = ${through.id} and id = ${id}`;
    const definitions: Definition[] = windows.flatMap((n): Definition[] => [
      { field: 'visits', op: 'at_least', value: 1, in_last_days: n },
      { field: 'visits', op: 'between', value: [1, 1], in_last_days: n },
      { field: 'visits', op: 'at_most', value: 1, in_last_days: n },
      { field: 'visits', op: 'at_least', value: 2, in_last_days: n, unit_ids: [bell] },
      { field: 'bookings', op: 'at_least', value: 1, in_last_days: n },
      { field: 'spend', op: 'at_least', value: 3, in_last_days: n },
      { field: 'spend', op: 'at_least', value: 5, in_last_days: n, unit_ids: [bell] },
      { field: 'cancelled_bookings', op: 'at_least', value: 1, in_last_days: n },
      { field: 'last_visit', op: 'not_in_last_days', value: n },
      { field: 'last_visit', op: 'in_last_days', value: n, unit_ids: [bell] } as Definition,
      { field: 'first_visit', op: 'in_last_days', value: n },
      { field: 'created_at', op: 'in_last_days', value: n },
      { not: { field: 'created_at', op: 'not_in_last_days', value: n } },
      { field: `udf:${udf}`, op: 'in_last_days', value: n },
      { field: `udf:${udf}`, op: 'not_in_last_days', value: n },
      { field: 'birthday', op: 'in_next_days', value: n },
      { field: 'nps', op: 'at_most', value: 6, in_last_days: n },
      { field: 'nps', op: 'known', in_last_days: n, unit_ids: [bell] },
    ]);
    for (const definition of definitions) await create(definition);
    await create({
      all: [
        { field: 'city', op: 'is', value: 'Bath' },
        { field: 'visits', op: 'at_least', value: 1 },
      ],
    });

    let now = start;
    const by = openPool({ url: database.url, connections: 2, isDistributed: isDistributed(), now: () => now });
    onTestFinished(() => by.close());
    await sql`delete from changes where account_id = ${through.id}`;
    while (await fillNext(by, through.id));
    const segments = await sql<{ id: number; definition: Definition; evaluated_day: string }>`
      select id, definition, evaluated_day from segments where account_id = ${through.id} order by id`;
    const different = async () => {
      const day = now.toISOString().slice(0, 10);
      const wrong: unknown[] = [];
      for (const { id, definition } of segments) {
        const live = await by.tenant(through.id, async (tx) => {
          const nested = await loadNested(tx, through.id, definition);
          const compiled = compile(definition, nested, settingOf(through.id, { day, timeZone: 'UTC' }));
          return selectMemberIdsAfter(tx, through.id, compiled, { after: 0, limit: 1000 });
        });
        const rows = await sql<{ contact_id: number }>`
          select contact_id from segment_members where account_id = ${through.id} and segment_id = ${id} order by 1`;
        const kept = rows.map((row) => row.contact_id);
        const [numbers] = await sql<{ members: number; day: string }>`
          select members, evaluated_day as day from segments where account_id = ${through.id} and id = ${id}`;
        if (String(kept) !== String(live) || numbers?.members !== live.length || numbers.day !== day)
          wrong.push({ day, definition, kept, live, numbers });
      }
      return wrong;
    };
    expect(segments[0]?.evaluated_day).toBe(first);
    expect(await different()).toEqual([]);
    let looked = 0;
    // Single days, a break of a few days, and the end of February.
    for (const step of [1, 1, 1, 4, 1, 27, 1, 9, 1]) {
      now = new Date(now.getTime() + step * 86_400_000);
      // Visits that come change the figures, which is a change like any other.
      await turnDays(by, through.id);
      looked += await turnSegments(by, through.id);
      while (await followChanges(by, through.id));
      expect(await different()).toEqual([]);
    }
    const moved = await sql`select distinct segment_id, entered from segment_changes where account_id = ${through.id}`;
    expect(moved.length).toBeGreaterThan(windows.length * 10);
    expect(looked).toBeGreaterThan(0);
    expect(await turnSegments(by, through.id)).toBe(0);
    // After a long break, all members are stored anew.
    now = new Date(now.getTime() + 50 * 86_400_000);
    await turnSegments(by, through.id);
    while (await fillNext(by, through.id));
    expect(await different()).toEqual([]);
  });
});
