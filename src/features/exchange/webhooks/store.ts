import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, raw, sql } from '../../../platform/db/sql.ts';
import { mostPlaces } from '../../../shared/event-id.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { WebhookStatus } from './schema.ts';

export interface WebhookRow {
  id: number;
  url: string;
  types: string[];
  description: string | null;
  status: WebhookStatus;
  disabled_reason: string | null;
  failing_since: string | null;
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
}

/** How the attempts of the last day went. */
export interface HealthRow {
  succeeded: number;
  failed: number;
  duration_ms: number;
  pending: number;
}

const columns = sql`id, url, types, description, status, disabled_reason, failing_since, created_at, updated_at,
  case when previous_secret_until > now() then previous_secret_until end as previous_secret_until`;

/** More than these are not counted. */
const mostPending = 10_000;

const withHealth = (accountId: number) => sql`${columns}, health.*, (
    select count(*) from (
      select from webhook_deliveries
      where account_id = ${accountId} and webhook_id = w.id and state = 'pending' limit ${mostPending}) as pending) as pending`;

const webhooksWithHealth = (accountId: number) => sql`webhooks w
  cross join lateral (
    select coalesce(sum(succeeded), 0)::bigint as succeeded, coalesce(sum(failed), 0)::bigint as failed,
      coalesce(sum(duration_ms), 0)::bigint as duration_ms
    from webhook_hours where account_id = ${accountId} and webhook_id = w.id and hour > now() - interval '24 hours') as health
  where account_id = ${accountId}`;

export function selectWebhooks(tx: Tx, accountId: number, slice: Slice): Promise<Rows<WebhookRow & HealthRow>> {
  return listing(tx, { columns: withHealth(accountId), from: webhooksWithHealth(accountId), orderBy: sql`id` }, slice);
}

export async function findWebhook(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<(WebhookRow & HealthRow) | undefined> {
  const [row] = await tx<WebhookRow & HealthRow>`
    select ${withHealth(accountId)} from ${webhooksWithHealth(accountId)} and id = ${id}`;
  return row;
}

export async function countWebhooks(tx: Tx, accountId: number): Promise<number> {
  return only(await tx<{ n: number }>`select count(*) as n from webhooks where account_id = ${accountId}`).n;
}

export async function insertWebhook(
  tx: Tx,
  accountId: number,
  {
    url,
    types,
    description,
    secret,
    position,
  }: Pick<WebhookRow, 'url' | 'types' | 'description'> & { secret: string; position: number },
): Promise<number> {
  const { inserted } = await tx.inOrder({
    account: () => tx`update accounts set has_webhooks = true where id = ${accountId} and not has_webhooks`,
    inserted: () => tx<{ id: number }>`
      insert into webhooks (account_id, url, types, description, secret, position, place)
      values (${accountId}, ${url}, ${types}, ${description}, ${secret}, ${position}, ${mostPlaces}) returning id`,
  });
  return only(inserted).id;
}

/** What is not given stays. An active webhook is no longer disabled, and starts a new count of its failures. */
export async function updateWebhook(
  tx: Tx,
  accountId: number,
  id: number,
  { url, types, description, status }: Partial<Pick<WebhookRow, 'url' | 'types' | 'description' | 'status'>>,
): Promise<boolean> {
  const isActivated = status === 'active';
  const { count } = await tx`
    update webhooks set url = coalesce(${url ?? null}, url), types = coalesce(${types ?? null}::text[], types),
      description = nullif(coalesce(${description ?? null}, description), ''), status = coalesce(${status ?? null}, status),
      disabled_reason = case when ${status === undefined} then disabled_reason end,
      failing_since = case when ${isActivated} and status <> 'active' then null else failing_since end,
      revision = revision + 1, updated_at = ${tx.now}
    where account_id = ${accountId} and id = ${id}`;
  return count > 0;
}

/** Its deliveries are deleted later, because they can be many. */
export async function deleteWebhook(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx`delete from webhooks where account_id = ${accountId} and id = ${id}`;
}

const overlapHours = 24;

export async function rotateSecret(tx: Tx, accountId: number, id: number, secret: string): Promise<boolean> {
  const { count } = await tx`
    update webhooks set previous_secret = secret, previous_secret_until = ${tx.now} + make_interval(hours => ${overlapHours}),
      secret = ${secret}, revision = revision + 1, updated_at = ${tx.now}
    where account_id = ${accountId} and id = ${id}`;
  return count > 0;
}

/** The sender goes back to this position. */
export async function setReplay(tx: Tx, accountId: number, id: number, position: number): Promise<void> {
  await tx`
    update webhooks set replay_position = ${position}, revision = revision + 1 where account_id = ${accountId} and id = ${id}`;
}

/** Makes the sender read the webhook again. */
export async function bumpRevision(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx`update webhooks set revision = revision + 1 where account_id = ${accountId} and id = ${id}`;
}

/** Null: the time is not one that PostgreSQL can read. */
export async function instantOf(tx: Tx, time: string, timeZone: string): Promise<Date> {
  return only(await tx<{ at: Date }>`select to_instant(${time}, ${timeZone}) as at`).at;
}

export const secretColumns = raw(
  `secret, case when previous_secret_until > now() then previous_secret end as previous_secret`,
);

/** The secrets that sign, the newest first. */
export async function findSecrets(tx: Tx, accountId: number, id: number): Promise<string[]> {
  const [row] = await tx<{ secret: string; previous_secret: string | null }>`
    select ${secretColumns} from webhooks where account_id = ${accountId} and id = ${id}`;
  return row ? secretsOf(row) : [];
}

export const secretsOf = ({ secret, previous_secret }: { secret: string; previous_secret: string | null }) =>
  previous_secret === null ? [secret] : [secret, previous_secret];

export interface WebhookCounts {
  active: number;
  paused: number;
  disabled: number;
  /** Active, and failing for a while. */
  failing: number;
}

const failingAfter = '5 minutes';

export async function countByStatus(tx: Tx, accountId: number): Promise<WebhookCounts> {
  return only(
    await tx<WebhookCounts>`
      select count(*) filter (where status = 'active') as active, count(*) filter (where status = 'paused') as paused,
        count(*) filter (where status = 'disabled') as disabled,
        count(*) filter (where status = 'active' and failing_since < now() - ${failingAfter}::interval) as failing
      from webhooks where account_id = ${accountId}`,
  );
}

/** The next accounts that have had a webhook, after an id. */
export async function accountsWithWebhooks(tx: Tx, after: number, limit: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from accounts where has_webhooks and deleted_at is null and id > ${after} order by id limit ${limit}`;
  return rows.map(({ id }) => id);
}

export interface OutboxCounts {
  rows_without_position: number;
  /** Of the active webhook that is furthest behind. */
  rows_behind: number;
  pending_deliveries: number;
  /** The age of the oldest event that an active webhook has not read yet. */
  oldest_seconds: number;
}

/** More than these are not counted. */
const mostCounted = 100_000;

export async function countOutbox(tx: Tx, accountId: number): Promise<OutboxCounts> {
  return only(
    await tx<OutboxCounts>`
      select
        (select count(*) from (select from events where account_id = ${accountId} and position is null limit ${mostCounted}) as waiting)
          as rows_without_position,
        coalesce((select last_position from event_streams where account_id = ${accountId}) - behind.position, 0) as rows_behind,
        (select count(*) from (
          select from webhook_deliveries where account_id = ${accountId} and state = 'pending' limit ${mostCounted}) as pending)
          as pending_deliveries,
        coalesce(greatest(0, extract(epoch from now() - case when behind.position is not null then least(
          (select at from events where account_id = ${accountId} and position > behind.position order by position limit 1),
          (select at from events where account_id = ${accountId} and position is null order by id limit 1)) end)), 0)::float8
          as oldest_seconds
      from (select min(position) as position from webhooks where account_id = ${accountId} and status = 'active') as behind`,
  );
}
