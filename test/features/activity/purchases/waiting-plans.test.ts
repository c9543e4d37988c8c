import { expect, it } from 'vitest';
import { raw } from '../../../../src/platform/db/sql.ts';
import { testApp } from '../../../support/app.ts';
import { isDistributed } from '../../../support/database.ts';

const { db, account } = await testApp();
const { id } = await account();

// A distributed server plans each shard by itself.
const onOneServer = isDistributed() ? it.skip : it;

/** Row-level security keeps functions that might tell what they see out of an index's condition: then all that waits is read. */
onOneServer.each([
  ['booking_reference', 'purchases_waiting_booking'],
  ['unique_code_key', 'purchases_waiting_code'],
  ['membership_number', 'purchases_waiting_membership'],
  ['card_reference', 'purchases_waiting_card'],
])('the look-up of waiting purchases by %s uses only the index of that key', async (column, index) => {
  const plan = await db.tenant(id, async (tx) => {
    await tx`set local enable_seqscan = off`;
    const rows = await tx<Record<string, string>>`
      explain (costs off) select id from purchases
      where account_id = ${raw(String(id))} and contact_id is null and ${raw(column)} = 'X'`;
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain(index);
  expect(plan).toMatch(new RegExp(`Index Cond: .*${column} = 'X'`));
});
