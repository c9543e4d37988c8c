import Type, { type Static } from 'typebox';
import { Changes, Id, Instant, Nullable, WallClock } from '../../../shared/fields.ts';
import { EventId, eventTypes } from '../events/schema.ts';

/** The most webhooks of an account. */
export const maxWebhooks = 200;
/** Deliveries are kept for this long. */
export const deliveriesKeptDays = 7;
/** The latest attempts of a delivery, as many as this, are kept. */
export const mostAttempts = 12;
/** A webhook whose attempts all failed for this long is disabled. */
export const disabledAfterDays = 5;

const url = Type.String({
  description: 'Where events are sent: a URL with `https`, or `http`. It must not lead to a private network.',
  minLength: 1,
  maxLength: 2048,
  examples: ['https://crm.example.com/hooks/regulars'],
});
const types = Type.Array(Type.Enum(['*', ...eventTypes]), {
  description: 'The types of events to send. `["*"]`: all types.',
  minItems: 1,
  examples: [['contact.created', 'contact.updated']],
});
const description = Type.Optional(
  Type.String({ description: 'What it is for.', maxLength: 255, examples: ['Newsletter'] }),
);

export const WebhookWrite = Type.Object({ url, types, description }, { title: 'WebhookWrite' });
export type WebhookWrite = Static<typeof WebhookWrite>;

export const WebhookUpdate = Changes(
  Type.Object({
    ...WebhookWrite.properties,
    status: Type.Enum(['active', 'paused'], {
      description: '`paused`: events wait. `active`: sending goes on where it stopped.',
    }),
  }),
  'WebhookUpdate',
);
export type WebhookUpdate = Static<typeof WebhookUpdate>;

export const webhookStatuses = ['active', 'paused', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

const count = (text: string) => Type.Integer({ description: text, minimum: 0 });

export const WebhookHealth = Type.Object(
  {
    succeeded: count('Attempts that succeeded.'),
    failed: count('Attempts that failed.'),
    success_rate: Nullable(Type.Number({ description: 'The share that succeeded, from 0 to 1. Null: no attempts.' })),
    average_ms: Nullable(Type.Integer({ description: 'The average duration of those that succeeded.' })),
    pending: count('Deliveries that wait for their next attempt.'),
  },
  { title: 'WebhookHealth', description: 'The last 24 hours.' },
);
export type WebhookHealth = Static<typeof WebhookHealth>;

export const Webhook = Type.Object(
  {
    id: Id('The id of the webhook.'),
    url,
    types,
    description: Nullable(Type.String({ description: 'What it is for.' })),
    status: Type.Enum(webhookStatuses, {
      description: '`disabled`: the service stopped sending, see `disabled_reason`. Set it to `active` to go on.',
    }),
    disabled_reason: Nullable(Type.String({ description: 'Why the service disabled it.' })),
    failing_since: Nullable(Instant('Since when all attempts failed. Null: the last attempt succeeded.')),
    previous_secret_until: Nullable(Instant('Until when the secret before the rotation signs too.')),
    health: WebhookHealth,
    created_at: Instant('The time of the creation.'),
    updated_at: Instant('The time of the last change.'),
  },
  { title: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

const secret = Type.String({
  description: 'The secret that signs the requests. It is shown this once.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});

export const NewWebhook = Type.Object({ ...Webhook.properties, secret }, { title: 'NewWebhook' });
export type NewWebhook = Static<typeof NewWebhook>;

export const RotatedSecret = Type.Object({ secret }, { title: 'RotatedSecret' });
export type RotatedSecret = Static<typeof RotatedSecret>;

export const TestResult = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the receiver answered with a 2xx.' }),
    status_code: Nullable(Type.Integer({ description: 'The status. Null: no response.' })),
    duration_ms: Type.Integer({ description: 'The duration.' }),
    response: Type.String({ description: 'The start of the body.' }),
    error: Nullable(Type.String({ description: 'Why it was not delivered.' })),
  },
  { title: 'WebhookTest' },
);
export type TestResult = Static<typeof TestResult>;

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const Attempt = Type.Object(
  {
    at: Instant('The time.'),
    status_code: Nullable(Type.Integer({ description: 'The status. Null: no response.' })),
    duration_ms: Type.Integer({ description: 'The duration.' }),
    error: Nullable(Type.String({ description: 'Why it failed. Null: it succeeded.' })),
    response: Type.String({ description: 'The start of the body.' }),
  },
  { title: 'WebhookAttempt' },
);
export type Attempt = Static<typeof Attempt>;

export const Delivery = Type.Object(
  {
    id: Id('The id of the delivery.'),
    event_id: EventId('The event. Also the header `webhook-id`.'),
    type: Type.String({ description: 'The type of the event.' }),
    state: Type.Enum(deliveryStates, {
      description: '`pending`: it is tried again. `failed`: all attempts failed, or the receiver answered 410.',
    }),
    attempts: Type.Array(Attempt, { description: 'The latest attempts, oldest first.' }),
    next_attempt_at: Nullable(
      Instant('The next attempt. Null for a pending delivery: it waits for an earlier one of the same contact.'),
    ),
    created_at: Instant('The time of the first attempt.'),
  },
  { title: 'WebhookDelivery' },
);
export type Delivery = Static<typeof Delivery>;

export const DeliveryDetails = Type.Object(
  {
    ...Delivery.properties,
    request: Nullable(
      Type.Object(
        {
          headers: Type.Record(Type.String(), Type.String(), {
            description: 'The headers, without those that differ for each attempt.',
          }),
          body: Type.String({ description: 'The body.' }),
        },
        { title: 'WebhookRequest', description: 'What is sent. Null: the event has expired.' },
      ),
    ),
  },
  { title: 'WebhookDeliveryDetails' },
);
export type DeliveryDetails = Static<typeof DeliveryDetails>;

export const ListDeliveries = Type.Object({
  state: Type.Optional(Type.Enum(deliveryStates, { description: 'Only deliveries in this state.' })),
});
export type ListDeliveries = Static<typeof ListDeliveries>;

export const Replay = Type.Object(
  {
    since: WallClock(
      'Events since then are sent again. ISO 8601 with an offset, or a time in the account’s time zone.',
    ),
  },
  { title: 'WebhookReplay' },
);
export type Replay = Static<typeof Replay>;

export const ReplayStarted = Type.Object(
  { since: Instant('Since when events are sent again.') },
  { title: 'WebhookReplayStarted' },
);
export type ReplayStarted = Static<typeof ReplayStarted>;
