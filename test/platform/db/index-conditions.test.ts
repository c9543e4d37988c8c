import { expect, it } from 'vitest';
import { removeMemberKeys } from '../../../src/features/activity/purchases/store.ts';
import { countUnitDays, nextDays } from '../../../src/features/figures/unit-days-store.ts';
import { findByCodes, findByTables } from '../../../src/features/identity/matching/store.ts';
import { findGroupsByName } from '../../../src/features/venues/groups/store.ts';
import { findByName } from '../../../src/features/venues/lookups/store.ts';
import type { Tx } from '../../../src/platform/db/database.ts';
import { testApp } from '../../support/app.ts';
import { isDistributed } from '../../support/database.ts';

const app = await testApp();
const { id } = await app.account();
// A distributed server plans each shard by itself.
const onOneServer = isDistributed() ? it.skip : it;

/** The plans of all statements of this work. Statements that are explained return no rows of their own. */
async function plansOf(work: (tx: Tx) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  await app.db.tenant(id, async (tx) => {
    // Tables without rows would be read as a whole.
    await tx`set local enable_seqscan = off`;
    const run = async (strings: TemplateStringsArray, ...values: unknown[]) => {
      const lines = await tx<{ 'QUERY PLAN': string }>(
        [`explain (costs off) ${strings[0]}`, ...strings.slice(1)] as never,
        ...values,
      );
      plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
      return Object.assign([], { count: 0 });
    };
    await work(Object.assign(run, tx) as unknown as Tx).catch(() => {});
  });
  return plans.join('\n');
}

/*
 * Under row-level security, PostgreSQL uses an index only for conditions that cannot leak a row. A conversion of a value
 * of another table may leak, so it belongs in a subquery before.
 */
onOneServer.each<[string, (tx: Tx) => Promise<unknown>, RegExp[]]>([
  [
    'numbers of an erased guest',
    (tx) => removeMemberKeys(tx, id, ['M1'], ['C1']),
    ['waiting_membership', 'matched_membership', 'waiting_card', 'matched_card', 'matched_value'].map(
      (name) => new RegExp(`using purchases_${name} .*\\n.*Index Cond: .*(number|reference|value) = gone`),
    ),
  ],
  [
    'voucher codes',
    (tx) => findByCodes(tx, id, [{ unique_code: 'A', unique_code_group_id: null }]),
    [/Index Cond: .*code_key = /],
  ],
  [
    'bookings of a table',
    (tx) => findByTables(tx, id, 'UTC', [{ unit_id: 1, at: '2026-01-01 12:00:00', table_number: '4' }]),
    [/Index Cond: .*party_day = .*table_key = /],
  ],
  [
    'look-ups by name',
    (tx) => findByName(tx, { table: 'sources' } as never, id, ['Web']),
    [/Index Cond: .*name_key = /],
  ],
  [
    'groups by name',
    (tx) => findGroupsByName(tx, id, [{ unit_id: 1, folder_name: 'A', name: 'B' }]),
    [/using folders_\w+ .*\n.*Index Cond: .*name_key = /, /using groups_\w+ .*\n.*Index Cond: .*name_key = /],
  ],
  [
    'activity of a day',
    (tx) => countUnitDays(tx, id, [{ unit_id: 1, day: '2026-01-01' }]),
    [
      /using purchases_unit .*\n.*Index Cond: .*created_at >= .*created_at < /,
      /using bookings_table .*\n.*Index Cond: .*party_day = /,
      /using stays_unit .*\n.*Index Cond: .*checkin_date >= .*checkin_date < /,
      /using feedback_unit .*\n.*Index Cond: .*created_at >= .*created_at < /,
    ],
  ],
  [
    'next day with activity',
    (tx) => nextDays(tx, id, 1, '2026-01-01', 10),
    [
      /using purchases_unit .*\n.*Index Cond: .*created_at >= /,
      /using bookings_table .*\n.*Index Cond: .*party_day >= /,
    ],
  ],
])('an index finds the %s', async (_, work, conditions) => {
  const plan = await plansOf(work);
  for (const condition of conditions) expect(plan).toMatch(condition);
});
