import { crudRoutes } from '../../../platform/http/crud-routes.ts';
import { jsonRoute, listRoute, respondingRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { listDeliveries, replayEvents, resendDelivery, showDelivery } from './deliveries.ts';
import { changeSecret, changeWebhook, createWebhook, listWebhooks, removeWebhook, showWebhook } from './manage.ts';
import {
  Delivery,
  DeliveryDetails,
  deliveriesKeptDays,
  ListDeliveries,
  maxWebhooks,
  NewWebhook,
  Replay,
  ReplayStarted,
  RotatedSecret,
  TestResult,
  Webhook,
  WebhookUpdate,
  WebhookWrite,
} from './schema.ts';
import { prepareTest, sendTest } from './send-test.ts';

const webhooks = '/admin/v1/accounts/:account_id/webhooks';
const webhook = `${webhooks}/:webhook_id` as const;
const staff = { access: 'admin', tag: 'Webhooks' } as const;

const sent = {
  url: 'https://crm.example.com/hooks/regulars',
  types: ['contact.created' as const, 'contact.updated' as const],
  description: 'Newsletter',
};
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const example: Webhook = {
  id: 5,
  ...sent,
  status: 'active',
  ...{ disabled_reason: null, failing_since: null, previous_secret_until: null },
  health: { succeeded: 1240, failed: 3, success_rate: 0.9976, average_ms: 84, pending: 0 },
  created_at: '2026-03-01T12:30:00.000Z',
  updated_at: '2026-03-01T12:30:00.000Z',
};
const delivery: Delivery = {
  id: 310,
  event_id: 'evt_00000001000000000a1f0001',
  type: 'contact.updated',
  state: 'delivered',
  attempts: [{ at: '2026-03-01T12:30:00.000Z', status_code: 200, duration_ms: 84, error: null, response: 'ok' }],
  next_attempt_at: null,
  created_at: '2026-03-01T12:30:00.000Z',
};

export const webhookRoutes = [
  ...crudRoutes(
    {
      path: webhooks,
      id: 'webhook_id',
      kind: 'webhook',
      noun: 'webhook',
      plural: 'webhooks',
      tag: staff.tag,
      // A webhook sends the data of all guests to another system.
      ownersOnly: ['create', 'change', 'remove'],
      create: WebhookWrite,
      created: NewWebhook,
      change: WebhookUpdate,
      response: Webhook,
      example: { create: sent, created: { ...example, secret }, change: { status: 'paused' }, response: example },
      notes: {
        create: `Sends every event from now on to the URL, signed by the Standard Webhooks specification. At most ${maxWebhooks} for each account.`,
        change: 'What is not sent stays as it is.',
        remove: 'Its deliveries are deleted too.',
      },
    },
    {
      create: (tx, { accountId, input, services }) => createWebhook(tx, accountId, input, services),
      list: (tx, { accountId, slice }) => listWebhooks(tx, accountId, slice),
      show: (tx, { accountId }, id) => showWebhook(tx, accountId, id),
      change: (tx, { accountId, input, services }, id) => changeWebhook(tx, accountId, id, input, services),
      remove: (tx, { accountId }, id) => removeWebhook(tx, accountId, id),
    },
  ),
  respondingRoute(
    {
      ...staff,
      method: 'POST',
      path: `${webhook}/test`,
      operationId: 'adminTestWebhook',
      action: 'webhook.test',
      summary: 'Send a test event',
      description: 'Sends a signed event of the type `webhook.test` now, and returns what the receiver answered.',
      input: NoFields,
      response: TestResult,
      example: {
        input: {},
        response: { delivered: true, status_code: 200, duration_ms: 84, response: 'ok', error: null },
      },
    },
    (tx, { accountId, ids, receivedAt }) => prepareTest(tx, accountId, ids.webhook_id, receivedAt),
    (event, { services }) => sendTest(event, services.post),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${webhook}/deliveries`,
      operationId: 'adminListWebhookDeliveries',
      summary: 'List deliveries',
      description: `Newest first, for ${deliveriesKeptDays} days. A total of 10,000 means that many or more.`,
      input: ListDeliveries,
      response: Delivery,
      example: { response: delivery },
    },
    (tx, { accountId, ids, input, slice }) => listDeliveries(tx, accountId, ids.webhook_id, input, slice),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${webhook}/deliveries/:delivery_id`,
      operationId: 'adminGetWebhookDelivery',
      summary: 'Show a delivery',
      description: 'With the request and what the receiver answered.',
      input: NoFields,
      response: DeliveryDetails,
      example: {
        response: {
          ...delivery,
          request: {
            headers: { 'content-type': 'application/json', 'webhook-id': delivery.event_id },
            body: '{"id":"evt_00000001000000000a1f0001","type":"contact.updated"}',
          },
        },
      },
    },
    (tx, { accountId, ids }) => showDelivery(tx, accountId, ids.webhook_id, ids.delivery_id),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${webhook}/deliveries/:delivery_id/resend`,
      operationId: 'adminResendWebhookDelivery',
      action: 'webhook.resend',
      summary: 'Send an event again',
      description: 'At once, and then on the usual schedule until it is delivered.',
      input: NoFields,
      response: Delivery,
      status: 202,
      example: { input: {}, response: { ...delivery, state: 'pending', next_attempt_at: '2026-03-01T12:31:00.000Z' } },
    },
    (tx, { accountId, ids }) => resendDelivery(tx, accountId, ids.webhook_id, ids.delivery_id),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${webhook}/replay`,
      operationId: 'adminReplayWebhook',
      action: 'webhook.replay',
      summary: 'Send all events since a time again',
      description:
        'In their order. Newer events follow them. The ids stay the same, so a receiver can skip what it has.',
      input: Replay,
      response: ReplayStarted,
      status: 202,
      example: { input: { since: '2026-03-01T00:00:00Z' }, response: { since: '2026-03-01T00:00:00.000Z' } },
    },
    (tx, { accountId, ids, input }) => replayEvents(tx, accountId, ids.webhook_id, input),
  ),
  jsonRoute(
    {
      ...staff,
      role: 'owner',
      method: 'POST',
      path: `${webhook}/rotate_secret`,
      operationId: 'adminRotateWebhookSecret',
      action: 'webhook.rotate_secret',
      summary: 'Make a new secret',
      description: 'The one before signs too, for 24 hours. Receivers accept either signature.',
      input: NoFields,
      response: RotatedSecret,
      example: { input: {}, response: { secret } },
    },
    (tx, { accountId, ids }) => changeSecret(tx, accountId, ids.webhook_id),
  ),
];
