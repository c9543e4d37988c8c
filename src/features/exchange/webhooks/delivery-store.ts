import type { Tx } from '../../../platform/db/database.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { type Attempt, type DeliveryState, deliveriesKeptDays } from './schema.ts';

export interface DeliveryRow {
  id: number;
  position: number;
  place: number;
  type: string;
  state: DeliveryState;
  attempts: Attempt[];
  next_attempt_at: string | null;
  created_at: string;
}

const columns = sql`id, position, place, type, state, attempts, next_attempt_at, created_at`;

/** The total of a longer list is this number. Exact counts of millions of rows would take seconds. */
const mostCounted = 10_000;

/** Newest first. */
export async function selectDeliveries(
  tx: Tx,
  accountId: number,
  webhookId: number,
  state: DeliveryState | undefined,
  { limit, offset }: Slice,
): Promise<Rows<DeliveryRow>> {
  const from = sql`webhook_deliveries where account_id = ${accountId} and webhook_id = ${webhookId}
    ${state === undefined ? sql`` : sql`and state = ${state}`}`;
  const { rows, counted } = await tx.inOrder({
    rows: () => tx<DeliveryRow>`select ${columns} from ${from} order by id desc limit ${limit} offset ${offset}`,
    counted: () =>
      tx<{ total: number }>`select count(*) as total from (select from ${from} limit ${mostCounted}) as counted`,
  });
  return { rows, total: only(counted).total };
}

export async function findDelivery(
  tx: Tx,
  accountId: number,
  webhookId: number,
  id: number,
): Promise<DeliveryRow | undefined> {
  const [row] = await tx<DeliveryRow>`
    select ${columns} from webhook_deliveries where account_id = ${accountId} and webhook_id = ${webhookId} and id = ${id}`;
  return row;
}

/** Starts the schedule of attempts again, at once. */
export async function restartDelivery(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx`
    update webhook_deliveries set state = 'pending', tries = 0, next_attempt_at = now()
    where account_id = ${accountId} and id = ${id}`;
}

/** Deletes expired deliveries, and those of deleted webhooks. */
export async function deleteOldDeliveries(tx: Tx, accountId: number, limit: number): Promise<number> {
  const { count } = await tx`
    delete from webhook_deliveries where account_id = ${accountId} and id = any(array(
      select id from (
        select id, webhook_id, state, created_at from webhook_deliveries where account_id = ${accountId} order by id limit ${limit}) as oldest
      where (created_at < now() - make_interval(days => ${deliveriesKeptDays}) and state <> 'pending')
        or not exists (select from webhooks w where w.account_id = ${accountId} and w.id = oldest.webhook_id)))`;
  return count;
}

export async function deleteOldHours(tx: Tx, accountId: number, limit: number): Promise<number> {
  const { count } = await tx`
    delete from webhook_hours where account_id = ${accountId} and (webhook_id, hour) in (
      select webhook_id, hour from webhook_hours
      where account_id = ${accountId} and hour < now() - make_interval(days => ${deliveriesKeptDays}) limit ${limit})`;
  return count;
}
