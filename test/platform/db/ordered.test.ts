import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Tx } from '../../../src/platform/db/database.ts';
import { openTestDatabase, superuser } from '../../support/database.ts';

const { db, ...database } = await openTestDatabase();
const sql = await superuser(database);
await sql`create table steps (id serial, step text primary key)`;
await sql`grant all on steps, steps_id_seq to regulars`;

const note = (tx: Tx, step: string) => tx<{ step: string }>`insert into steps (step) values (${step}) returning step`;
const stored = async () => (await sql<{ step: string }>`select step from steps order by id`).map(({ step }) => step);

describe('statements in order', () => {
  it('are executed in the order of the keys, and give their results by name', async () => {
    const results = await db.transaction((tx) =>
      tx.inOrder({
        last: () => note(tx, 'in order: one'),
        count: () => tx<{ n: number }>`select count(*) as n from steps`,
        first: async () => (await note(tx, 'in order: two')).length,
        nothing: () => [] as string[],
      }),
    );
    expectTypeOf(results.count).toExtend<{ n: number }[]>();
    expectTypeOf(results.first).toEqualTypeOf<number>();
    expectTypeOf(results.nothing).toEqualTypeOf<string[]>();
    const { last, count, ...others } = results;
    expect([[...last], [...count], others]).toEqual([
      [{ step: 'in order: one' }],
      [{ n: 1 }],
      { first: 1, nothing: [] },
    ]);
    expect(await stored()).toEqual(['in order: one', 'in order: two']);
  });

  it('are executed in the order of the list', async () => {
    const lengths = await db.transaction((tx) =>
      tx.each(['each: b', 'each: a', 'each: c'], async (step) => (await note(tx, step)).length),
    );
    expect(lengths).toEqual([1, 1, 1]);
    expect((await stored()).slice(2)).toEqual(['each: b', 'each: a', 'each: c']);
  });

  it('are all sent before the first result arrives', async () => {
    const events: string[] = [];
    await db.transaction(async (tx) => {
      await tx`select 1`;
      const step = async (name: string) => {
        events.push(`${name} sent`);
        await tx`select pg_sleep(0.01)`;
        events.push(`${name} done`);
      };
      await tx.inOrder({ one: () => step('one'), two: () => step('two') });
    });
    expect(events).toEqual(['one sent', 'two sent', 'one done', 'two done']);
  });

  it('reject with the first error, when all of them have settled', async () => {
    const sent: string[] = [];
    const failing = db.transaction((tx) =>
      tx.inOrder({
        slow: async () => {
          await tx`select pg_sleep(0.05)`;
          sent.push('after the wait');
        },
        thrown: () => {
          throw new Error('thrown before anything was sent');
        },
        failed: () => tx`select 1 / 0`,
        after: () => note(tx, 'never stored'),
      }),
    );
    await expect(failing).rejects.toThrow('thrown before anything was sent');
    // Nothing of the transaction may still run when it has ended: the connection serves another one by then.
    expect(sent).toEqual(['after the wait']);
    const cause = db.transaction((tx) => tx.each([2, 0, 1], (n) => tx`select 1 / ${n}::int`));
    await expect(cause).rejects.toThrow('division by zero');
    expect(await stored()).not.toContain('never stored');
  });

  it('cannot have keys that JavaScript would move to the front', async () => {
    const order: string[] = [];
    await db.transaction((tx) =>
      // @ts-expect-error The type forbids the key 1, because it is listed before the other.
      tx.inOrder({ later: () => order.push('later'), 1: () => order.push('1') }),
    );
    expect(order).toEqual(['1', 'later']);
  });
});
