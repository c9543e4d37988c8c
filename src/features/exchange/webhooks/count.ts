import type { Database } from '../../../platform/db/database.ts';
import { accountsWithWebhooks, countByStatus, countOutbox, type OutboxCounts, type WebhookCounts } from './store.ts';

const accountsAtOnce = 1000;

async function* accountsIn(db: Database): AsyncGenerator<number> {
  for (let last = 0, more = true; more; ) {
    const ids = await db.transaction((tx) => accountsWithWebhooks(tx, last, accountsAtOnce));
    yield* ids;
    last = ids.at(-1) ?? last;
    more = ids.length === accountsAtOnce;
  }
}

/** The webhooks of all accounts, by state. */
export async function countWebhooks(db: Database): Promise<Record<keyof WebhookCounts, number>> {
  const sum: WebhookCounts = { active: 0, paused: 0, disabled: 0, failing: 0 };
  for await (const id of accountsIn(db)) {
    const counts = await db.tenant(id, (tx) => countByStatus(tx, id));
    for (const state of ['active', 'paused', 'disabled', 'failing'] as const) sum[state] += counts[state];
  }
  return { ...sum };
}

/** What waits in all accounts with webhooks. */
export async function countEvents(db: Database): Promise<Record<keyof OutboxCounts, number>> {
  const sum: OutboxCounts = { rows_without_position: 0, rows_behind: 0, pending_deliveries: 0, oldest_seconds: 0 };
  for await (const id of accountsIn(db)) {
    const counts = await db.tenant(id, (tx) => countOutbox(tx, id));
    sum.rows_without_position += counts.rows_without_position;
    sum.rows_behind = Math.max(sum.rows_behind, counts.rows_behind);
    sum.pending_deliveries += counts.pending_deliveries;
    sum.oldest_seconds = Math.max(sum.oldest_seconds, counts.oldest_seconds);
  }
  return { ...sum };
}
