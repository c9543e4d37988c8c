import type { Tx } from '../../../platform/db/database.ts';
import { findEvent, placeBefore } from '../../../platform/outbox/feed.ts';
import { eventId } from '../../../shared/event-id.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { commonHeaders } from '../../../shared/webhook-signature.ts';
import { getAccount } from '../../access/accounts/store.ts';
import { eventObject } from '../events/view.ts';
import { type DeliveryRow, findDelivery, restartDelivery, selectDeliveries } from './delivery-store.ts';
import { noSuchWebhook } from './manage.ts';
import type { Delivery, DeliveryDetails, ListDeliveries, Replay, ReplayStarted } from './schema.ts';
import { bumpRevision, findWebhook, instantOf, setReplay } from './store.ts';

const noSuchDelivery = () => new NotFound('There is no such delivery.');

async function mustHaveWebhook(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await findWebhook(tx, accountId, id))) throw noSuchWebhook();
}

export async function listDeliveries(
  tx: Tx,
  accountId: number,
  webhookId: number,
  { state }: ListDeliveries,
  slice: Slice,
): Promise<Rows<Delivery>> {
  await mustHaveWebhook(tx, accountId, webhookId);
  const { rows, total } = await selectDeliveries(tx, accountId, webhookId, state, slice);
  return { rows: rows.map((row) => shown(accountId, row)), total };
}

async function existingDelivery(tx: Tx, accountId: number, webhookId: number, id: number): Promise<DeliveryRow> {
  await mustHaveWebhook(tx, accountId, webhookId);
  const row = await findDelivery(tx, accountId, webhookId, id);
  if (!row) throw noSuchDelivery();
  return row;
}

/** A delivery with what is sent. */
export async function showDelivery(tx: Tx, accountId: number, webhookId: number, id: number): Promise<DeliveryDetails> {
  const row = await existingDelivery(tx, accountId, webhookId, id);
  const event = await findEvent(tx, accountId, row);
  const request = event && {
    headers: commonHeaders(eventId(accountId, row)),
    body: JSON.stringify(eventObject(accountId, event)),
  };
  return { ...shown(accountId, row), request: request ?? null };
}

/** Sends an event again: at once, and then on the usual schedule until it is delivered. */
export async function resendDelivery(tx: Tx, accountId: number, webhookId: number, id: number): Promise<Delivery> {
  const row = await existingDelivery(tx, accountId, webhookId, id);
  if (!(await findEvent(tx, accountId, row)))
    throw new Invalid({ delivery_id: ['The event has expired, so it can’t be sent again.'] });
  await restartDelivery(tx, accountId, id);
  await bumpRevision(tx, accountId, webhookId);
  return shown(accountId, (await findDelivery(tx, accountId, webhookId, id)) ?? row);
}

/** Sends all events since a time again, in their order. Newer events follow them. */
export async function replayEvents(
  tx: Tx,
  accountId: number,
  webhookId: number,
  { since }: Replay,
): Promise<ReplayStarted> {
  await mustHaveWebhook(tx, accountId, webhookId);
  const { time_zone } = await getAccount(tx, accountId);
  const at = await instantOf(tx, since, time_zone);
  if (at.getTime() > Date.now()) throw new Invalid({ since: ['The since must be in the past.'] });
  await setReplay(tx, accountId, webhookId, (await placeBefore(tx, accountId, at)).position);
  return { since: at.toISOString() };
}

function shown(accountId: number, { position, place, ...row }: DeliveryRow): Delivery {
  return { ...row, event_id: eventId(accountId, { position, place }) };
}
