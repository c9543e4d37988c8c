import type { Tx } from '../../../platform/db/database.ts';
import { adHoc, join, only, type Sql, sql } from '../../../platform/db/sql.ts';

/** Which of several compiled definitions hold for one contact on a day. `t.day` is the day in the definitions. */
export async function selectHolding(
  tx: Tx,
  accountId: number,
  contactId: number,
  joins: Sql,
  wheres: Sql[],
  day: string,
): Promise<boolean[]> {
  const holding = wheres.map((where) => sql`coalesce(${where}, false)`);
  const rows = await tx<{ holding: boolean[] }>`
    select array[${join(holding)}] as holding
    from unnest(${[day]}::date[]) as t (day) cross join contacts c ${joins}
    where c.account_id = ${accountId} and c.id = ${contactId} ${adHoc}`;
  return only(rows).holding;
}
