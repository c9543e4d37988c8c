import { enterAccount, type Tx } from '../../platform/db/database.ts';

/*
 * The queue of contacts that transactions changed. `appendChanges` adds to it.
 */

export interface Change {
  id: number;
  contact_ids: number[];
  /** Nothing else changed, such as a name, a consent or a unit of a contact. */
  only_activity: boolean;
}

/** Changes that wait, oldest first: at most `rows`, and no further ones after this number of contacts. */
export function selectChanges(
  tx: Tx,
  accountId: number,
  { rows, contacts }: { rows: number; contacts: number },
): Promise<Change[]> {
  return tx<Change>`
    select id, contact_ids, only_activity from (
      select *, sum(cardinality(contact_ids)) over (order by id) - cardinality(contact_ids) as before from (
        select id, contact_ids, only_activity from changes where account_id = ${accountId} order by id limit ${rows}) as oldest) as waiting
    where before < ${contacts} order by id`;
}

/** With more changes than these, readers count or evaluate all contacts instead. */
const most = { rows: 1000, contacts: 2000 };

/**
 * The contacts whose changes wait. Undefined: there are too many. It must be read before what is stored: what is stored
 * after that is newer, and right too.
 */
export async function waitingContacts(tx: Tx, accountId: number): Promise<number[] | undefined> {
  const changes = await selectChanges(tx, accountId, most);
  const ids = changes.flatMap((one) => one.contact_ids);
  return changes.length === most.rows || ids.length >= most.contacts ? undefined : [...new Set(ids)];
}

/** Those of these contacts whose changes wait. */
export async function waitingAmong(tx: Tx, accountId: number, contactIds: number[]): Promise<Set<number>> {
  const rows = await tx<{ id: number }>`
    select distinct changed.id from changes cross join lateral unnest(contact_ids) as changed (id)
    where account_id = ${accountId} and changed.id = any(${contactIds}::bigint[])`;
  return new Set(rows.map(({ id }) => id));
}

export async function deleteChanges(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx`delete from changes where account_id = ${accountId} and id = any(${ids})`;
}

/** The accounts among these with changes that wait. The transaction enters one after the other. */
export async function accountsWithChanges(tx: Tx, accountIds: number[]): Promise<number[]> {
  const found = await tx.each(accountIds, (id) =>
    tx.inOrder({
      account: () => enterAccount(tx, id),
      changes: () => tx`select from changes where account_id = ${id} limit 1`,
    }),
  );
  return accountIds.filter((_, place) => (found[place]?.changes.length ?? 0) > 0);
}
