import { beforeAll, describe, expect, it } from 'vitest';
import { explainMembership } from '../../../../src/features/insight/segments/explain.ts';
import { createSegment, listSegments, showSegment } from '../../../../src/features/insight/segments/manage.ts';
import { listMembers, previewSegment } from '../../../../src/features/insight/segments/members.ts';
import type { Tx } from '../../../../src/platform/db/database.ts';
import { Invalid } from '../../../../src/shared/problem.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { accepted, type Shop, shop } from '../../../support/vouchers.ts';

const { admin, call, db, database } = await testApp();
const sql = await superuser(database);

let at = {} as Shop;
beforeAll(async () => {
  at = await shop({ admin, call });
  await sql`insert into contacts (account_id, id, first_name, city) select ${at.id}, n, 'Kim ' || n, 'City ' || n % 100 from generate_series(1, 60000) n`;
});

/** PostgreSQL needs far longer than this for all contacts. */
const clock = { now: new Date(), limitMs: 1 };
const unhurried = { now: new Date() };
const city = { field: 'city', op: 'starts_with', value: 'City' } as const;
const errorsOf = async (work: (tx: Tx) => Promise<unknown>) => {
  const error = await db.tenant(at.id, work).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Invalid)) throw error;
  return error.errors;
};
const message = (hint: RegExp) => [
  expect.stringMatching(new RegExp(`^The segment takes longer than 0.001 s to evaluate\\..*${hint.source}`)),
];

describe('a segment that takes too long', () => {
  it('gets a 422 on its most expensive condition', async () => {
    const units = [at.unit, at.root];
    const spend = (more: object) => ({ field: 'spend', op: 'at_most', value: 5, ...more });
    const worst: [unknown, string, RegExp][] = [
      [city, 'definition', /another field/],
      [{ all: [city, spend({ in_last_days: 5 })] }, 'definition.all.1', /in_last_days/],
      [
        {
          any: [
            spend({ in_last_days: 30, unit_ids: [at.unit] }),
            { not: spend({ in_last_days: 30, unit_ids: units }) },
          ],
        },
        'definition.any.1.not',
        /unit_ids/,
      ],
      [
        { all: [spend({ in_last_days: 90 }), spend({ in_last_days: 900 }), spend({})] },
        'definition.all.1',
        /fewer days/,
      ],
    ];
    for (const [definition, path, hint] of worst)
      expect(await errorsOf((tx) => previewSegment(tx, at.id, definition, clock))).toEqual({ [path]: message(hint) });
    expect(await errorsOf((tx) => createSegment(tx, at.id, { name: 'Slow', definition: city }, clock))).toEqual({
      definition: message(/another field/),
    });
    // It was not stored, and with more time it is.
    const { id, count } = await db.tenant(at.id, (tx) =>
      createSegment(tx, at.id, { name: 'Slow', definition: city }, unhurried),
    );
    expect(count).toBe(60_000);
    expect(await errorsOf((tx) => listMembers(tx, at.id, id, { limit: 100, offset: 0 }, clock))).toEqual({
      definition: message(/another field/),
    });
    const inner = { all: [city, { field: 'segment', op: 'in', value: [id] }] };
    const { id: days } = await db.tenant(at.id, (tx) =>
      createSegment(tx, at.id, { name: 'Days', definition: spend({ in_last_days: 9 }) }, unhurried),
    );
    expect(
      await errorsOf((tx) =>
        previewSegment(tx, at.id, { all: [...inner.all, { field: 'segment', op: 'in', value: [days] }] }, clock),
      ),
    ).toEqual({
      'definition.all.2': message(/Simplify the segments/),
    });
  });

  it('is shown and listed without counts', async () => {
    const { id } = await db.tenant(at.id, (tx) =>
      createSegment(tx, at.id, { name: 'Shown', definition: city }, unhurried),
    );
    const shown = await db.tenant(at.id, (tx) => showSegment(tx, at.id, id, clock));
    expect(shown).toMatchObject({ name: 'Shown', definition: city, count: null, contactable: null });
    const { rows } = await db.tenant(at.id, (tx) => listSegments(tx, at.id, { limit: 100, offset: 0 }, clock));
    expect(rows.find((one) => one.id === id)).toEqual(shown);
    expect(accepted(await admin('GET', `${at.base}/segments/${id}`)).count).toBe(60_000);
  });

  it('can still be explained for one contact', async () => {
    const { id } = await db.tenant(at.id, (tx) =>
      createSegment(tx, at.id, { name: 'Explained', definition: city }, unhurried),
    );
    const clockOf = { now: new Date(), limitMs: 2000 };
    expect(await db.tenant(at.id, (tx) => explainMembership(tx, at.id, id, 77, clockOf))).toMatchObject({
      member: true,
      because: [{ holds: true, actual: 'City 77' }],
    });
  });
});

it('leaves no prepared statement behind', async () => {
  const names = () =>
    db.tenant(
      at.id,
      (tx) => tx<{ statement: string }>`select statement from pg_prepared_statements where statement like '%ad hoc%'`,
    );
  for (const value of ['a', 'b', 'c'])
    await db.tenant(at.id, (tx) =>
      previewSegment(
        tx,
        at.id,
        {
          all: [
            { ...city, value },
            { field: 'dob', op: 'known' },
          ],
        },
        unhurried,
      ),
    );
  expect((await names()).filter(({ statement }) => !statement.includes('pg_prepared_statements'))).toEqual([]);
});
