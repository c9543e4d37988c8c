import Type from 'typebox';
import { eventKind } from '../../../shared/event-kind.ts';
import { Id } from '../../../shared/fields.ts';

/** Not a type of the feed. */
export const webhookTest = eventKind(
  'webhook.test',
  'Staff test a webhook. The event is not in the feed, and its id begins with `evt_test_`.',
  Type.Object({ webhook_id: Id('The webhook.') }, { title: 'WebhookTestData' }),
  { webhook_id: 5 },
);
