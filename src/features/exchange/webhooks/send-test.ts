import { randomUUID } from 'node:crypto';
import type { Tx } from '../../../platform/db/database.ts';
import { failureOf, type Post } from '../../../platform/outgoing/post.ts';
import { signedHeaders } from '../../../shared/webhook-signature.ts';
import { showWebhook } from './manage.ts';
import type { TestResult } from './schema.ts';
import { findSecrets } from './store.ts';

/** A test event that is ready to be sent. */
export interface TestEvent {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export const testType = 'webhook.test';

/** Makes a signed event of a type of its own. It is not in the feed. */
export async function prepareTest(tx: Tx, accountId: number, id: number, now: Date): Promise<TestEvent> {
  const { url } = await showWebhook(tx, accountId, id);
  const secrets = await findSecrets(tx, accountId, id);
  const event = {
    ...{ id: `evt_test_${randomUUID().replaceAll('-', '')}`, type: testType },
    ...{ timestamp: now.toISOString(), account_id: accountId, data: { webhook_id: id } },
  };
  const body = JSON.stringify(event);
  return { url, body, headers: signedHeaders(event.id, body, secrets, now) };
}

export async function sendTest({ url, headers, body }: TestEvent, post: Post): Promise<TestResult> {
  const posted = await post(url, headers, body);
  const { status, durationMs, response } = posted;
  const error = failureOf(posted);
  return { delivered: error === null, status_code: status, duration_ms: durationMs, response, error };
}
