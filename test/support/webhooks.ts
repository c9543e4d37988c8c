import { afterAll, expect } from 'vitest';
import { Sender } from '../../src/features/exchange/webhooks/sender/sender.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { createPost, type PostOptions } from '../../src/platform/outgoing/post.ts';
import type { TestApp } from './app.ts';

/** A sender as the service runs it. It stops after the tests of the file. */
export function startSender(db: Database, options: Partial<PostOptions> = {}) {
  const errors: unknown[] = [];
  const post = createPost({ allowPrivate: true, ...options });
  const disabled: string[] = [];
  const sender = new Sender(db, post, {
    onError: (error) => errors.push(error),
    onDisabled: (_account, _webhook, reason) => disabled.push(reason),
  }).start();
  const stop = async () => {
    await sender.stop();
    post.close();
  };
  afterAll(stop);
  return { sender, errors, disabled, stop };
}

/** An account with the requests for webhooks. */
export async function webhookAccount(app: TestApp) {
  const account = await app.account();
  const base = `/accounts/${account.id}`;
  let count = 0;
  const create = async (url: string, more: object = {}) => {
    const { status, body } = await app.admin('POST', `${base}/webhooks`, { url, types: ['*'], ...more });
    expect([status, body.errors]).toEqual([201, undefined]);
    return { ...body, path: `${base}/webhooks/${body.id}` } as { id: number; secret: string; path: string };
  };
  const write = async (body: object = {}): Promise<number> => {
    const email = `guest${++count}-${account.id}@gmail.com`;
    const answer = await app.call('POST', '/v1/contact', { token: account.token, body: { email, ...body } });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body.id;
  };
  const deliveries = async (webhook: { path: string }, query = '') =>
    (await app.admin('GET', `${webhook.path}/deliveries${query}`)).body.data;
  return { ...account, base, create, write, deliveries };
}
