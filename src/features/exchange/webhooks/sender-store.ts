import { enterAccount, type Tx } from '../../../platform/db/database.ts';
import { type ColumnType, insertRows } from '../../../platform/db/insert-rows.ts';
import { limitPauses } from '../../../platform/db/locks.ts';
import { only, raw, sql } from '../../../platform/db/sql.ts';
import type { EventPlace } from '../../../shared/event-id.ts';
import { type Attempt, type DeliveryState, mostAttempts, type WebhookStatus } from './schema.ts';
import { secretColumns, secretsOf } from './store.ts';

/** One process sends for an account. If it ends without a word, another one takes over after this time. */
export const leaseSeconds = 15;
const leaseEnd = raw(`now() + interval '${leaseSeconds} seconds'`);

/** Makes this process the sender of the account, or extends its turn. False: another process is. */
export async function takeLease(tx: Tx, accountId: number, sender: string): Promise<boolean> {
  const { taken } = await tx.inOrder({
    row: () => tx`insert into event_streams (account_id) values (${accountId}) on conflict do nothing`,
    // In the clause of a conflict, a distributed server refuses now().
    taken: () => tx`
      update event_streams set sender = ${sender}, sender_until = ${leaseEnd}
      where account_id = ${accountId} and (sender is null or sender = ${sender} or sender_until < now())`,
  });
  return taken.count > 0;
}

export async function releaseLease(tx: Tx, accountId: number, sender: string): Promise<void> {
  await tx`
    update event_streams set sender = null, sender_until = null where account_id = ${accountId} and sender = ${sender}`;
}

/** Whether this process is still the sender. If so, no other one becomes it until the transaction ends. */
export async function holdLease(tx: Tx, accountId: number, sender: string): Promise<boolean> {
  const { held } = await tx.inOrder({
    limit: () => limitPauses(tx),
    held: () => tx`select from event_streams where account_id = ${accountId} and sender = ${sender} for share`,
  });
  return held.length > 0;
}

/** What tells a sender that an account has work. */
export interface StreamState {
  /** Whether committed events have no position yet. */
  is_waiting: boolean;
  /** Whether an active webhook has something to send, now or later. */
  is_behind: boolean;
  last_position: number;
  /** Differs after each change of a webhook. */
  revision: string;
  /** Whether no other process sends for the account. */
  is_free: boolean;
}

const revisionOf = (accountId: number) =>
  sql`select concat_ws(' ', count(*), sum(revision), max(id)) as revision from webhooks where account_id = ${accountId}`;

export async function readRevision(tx: Tx, accountId: number): Promise<string> {
  return only(await tx<{ revision: string }>`${revisionOf(accountId)}`).revision;
}

/** The states of accounts. The transaction enters one after the other. */
export async function readStates(tx: Tx, accountIds: number[], sender: string): Promise<StreamState[]> {
  const found = await tx.each(accountIds, (id) =>
    tx.inOrder({
      account: () => enterAccount(tx, id),
      state: () => tx<StreamState>`
        select exists (select from events where account_id = ${id} and position is null) as is_waiting,
          exists (
            select from webhooks w where account_id = ${id} and status = 'active' and (
              (position, place) < (
                select last_position, coalesce((select size - 1 from events where account_id = ${id} and position = last_position), -1)
                from event_streams where account_id = ${id})
              or replay_position is not null or exists (
                select from webhook_deliveries where account_id = ${id} and webhook_id = w.id and state = 'pending'))) as is_behind,
          coalesce(max(last_position), 0) as last_position,
          coalesce(bool_and(sender is null or sender = ${sender} or sender_until < now()), true) as is_free,
          (${revisionOf(id)}) as revision
        from event_streams where account_id = ${id}`,
    }),
  );
  return found.flatMap(({ state }) => state);
}

/** A webhook for the sender. */
export interface SendingWebhook extends EventPlace {
  id: number;
  url: string;
  types: string[];
  status: WebhookStatus;
  secrets: string[];
  replay_position: number | null;
  failing_since: Date | null;
}

export async function selectSending(tx: Tx, accountId: number): Promise<SendingWebhook[]> {
  const rows = await tx<Omit<SendingWebhook, 'secrets'> & { secret: string; previous_secret: string | null }>`
    select id, url, types, status, position, place, replay_position, failing_since, ${secretColumns}
    from webhooks where account_id = ${accountId} order by id`;
  return rows.map(({ secret, previous_secret, ...row }) => ({
    ...row,
    secrets: secretsOf({ secret, previous_secret }),
  }));
}

export interface PendingRow extends EventPlace {
  id: number;
  type: string;
  contact_ids: number[];
  tries: number;
  next_attempt_at: Date | null;
  created_at: Date;
}

/** The deliveries that wait, oldest event first. */
export function selectPending(tx: Tx, accountId: number, webhookId: number, limit: number): Promise<PendingRow[]> {
  return tx<PendingRow>`
    select id, position, place, type, contact_ids, tries, next_attempt_at, created_at from webhook_deliveries
    where account_id = ${accountId} and webhook_id = ${webhookId} and state = 'pending'
    order by position, place limit ${limit}`;
}

/** A delivery to store. */
export interface StoredDelivery extends EventPlace {
  id: number | null;
  webhook_id: number;
  type: string;
  contact_ids: number[];
  state: DeliveryState;
  /** New ones. */
  attempts: Attempt[];
  tries: number;
  /** The number of tries before. */
  stored_tries: number;
  next_attempt_at: string | null;
  created_at: string;
}

/** Stores new deliveries. Returns the id of each, in order. */
export async function insertDeliveries(tx: Tx, accountId: number, rows: StoredDelivery[]): Promise<number[]> {
  const columns: Record<string, ColumnType> = {
    ...{ webhook_id: 'bigint', position: 'bigint', place: 'integer', type: 'text', contact_ids: 'bigint[]' },
    ...{
      state: 'text',
      attempts: 'jsonb',
      tries: 'smallint',
      next_attempt_at: 'timestamptz',
      created_at: 'timestamptz',
    },
  };
  const inserted = await insertRows<{ id: number }>(tx, accountId, {
    ...{ table: 'webhook_deliveries', columns, rows: rows.map(({ id: _, stored_tries: __, ...row }) => row) },
    clauses: sql`returning id`,
  });
  return inserted.map(({ id }) => id);
}

/** The new deliveries that were stored. `place_in_rows`: which of `rows` it is, from 1. */
export function findStored(
  tx: Tx,
  accountId: number,
  rows: StoredDelivery[],
): Promise<{ id: number; place_in_rows: number }[]> {
  const wanted = rows.map(({ webhook_id, position, place, created_at }) => ({
    webhook_id,
    position,
    place,
    created_at,
  }));
  return tx<{ id: number; place_in_rows: number }>`
    select d.id, place_in_rows from webhook_deliveries d
    join rows from (jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        as (webhook_id bigint, position bigint, place integer, created_at timestamptz)) with ordinality
      as sent (webhook_id, position, place, created_at, place_in_rows)
      on d.webhook_id = sent.webhook_id and d.position = sent.position and d.place = sent.place and d.created_at = sent.created_at
    where d.account_id = ${accountId}`;
}

/**
 * Adds new attempts to the stored ones, once each: it is repeated if the connection broke at the commit. If staff have asked
 * for a new attempt meanwhile, it stays due.
 */
export async function updateDeliveries(tx: Tx, accountId: number, rows: StoredDelivery[]): Promise<void> {
  await tx`
    update webhook_deliveries d set state = sent.state,
      tries = case when d.tries = sent.stored_tries then sent.tries else d.tries end,
      next_attempt_at = case when d.tries = sent.stored_tries or sent.state <> 'pending' then sent.next_attempt_at else d.next_attempt_at end,
      attempts = (
      select coalesce(jsonb_agg(attempt order by place), '[]') from (
        select attempt, place from jsonb_array_elements(d.attempts || sent.attempts) with ordinality as one (attempt, place)
        where place <= jsonb_array_length(d.attempts) or not d.attempts @> jsonb_build_array(jsonb_build_object('at', attempt -> 'at'))
        order by place desc limit ${mostAttempts}) as latest)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as sent (id bigint, state text, attempts jsonb, tries smallint, stored_tries smallint, next_attempt_at timestamptz)
    where d.account_id = ${accountId} and d.id = sent.id`;
}

/** How far a webhook has come. */
export interface Progress extends EventPlace {
  id: number;
  /** The status that the sender knows. If it has changed, `failing_since` belongs to the time before. */
  status: WebhookStatus;
  failing_since: string | null;
  /** The replay that began. */
  replayed: number | null;
}

export async function storeProgress(tx: Tx, accountId: number, all: Progress[]): Promise<void> {
  await tx`
    update webhooks w set position = sent.position, place = sent.place,
      failing_since = case when w.status = sent.status then sent.failing_since else w.failing_since end,
      replay_position = case when w.replay_position = sent.replayed then null else w.replay_position end
    from jsonb_to_recordset(${JSON.stringify(all)}::jsonb)
      as sent (id bigint, status text, position bigint, place integer, failing_since timestamptz, replayed bigint)
    where w.account_id = ${accountId} and w.id = sent.id`;
}

export interface HourCounts {
  webhook_id: number;
  succeeded: number;
  failed: number;
  duration_ms: number;
}

export async function addToHours(tx: Tx, accountId: number, counts: HourCounts[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'webhook_hours',
    columns: { webhook_id: 'bigint', succeeded: 'integer', failed: 'integer', duration_ms: 'bigint' },
    rows: counts,
    computed: { hour: () => sql`date_trunc('hour', now())` },
    clauses: sql`
      on conflict (account_id, webhook_id, hour) do update set succeeded = webhook_hours.succeeded + excluded.succeeded,
        failed = webhook_hours.failed + excluded.failed, duration_ms = webhook_hours.duration_ms + excluded.duration_ms`,
  });
}

/** False: it is disabled already, or was deleted. */
export async function disableWebhook(tx: Tx, accountId: number, id: number, reason: string): Promise<boolean> {
  const { count } = await tx`
    update webhooks set status = 'disabled', disabled_reason = ${reason}, revision = revision + 1, updated_at = ${tx.now}
    where account_id = ${accountId} and id = ${id} and status = 'active'`;
  return count > 0;
}
