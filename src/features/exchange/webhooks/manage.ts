import type { Tx } from '../../../platform/db/database.ts';
import { givePositions, lastPosition } from '../../../platform/outbox/feed.ts';
import { isSpecialHost } from '../../../platform/outgoing/addresses.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { newSecret } from '../../../shared/webhook-signature.ts';
import { maxWebhooks, type NewWebhook, type Webhook, type WebhookUpdate, type WebhookWrite } from './schema.ts';
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  type HealthRow,
  insertWebhook,
  rotateSecret,
  selectWebhooks,
  updateWebhook,
  type WebhookRow,
} from './store.ts';

export const noSuchWebhook = () => new NotFound('There is no such webhook.');

/** What the operator allows. */
export interface AddressRule {
  allowPrivate: boolean;
}

/** Creates a webhook. It gets the events of transactions that commit from now on. */
export async function createWebhook(
  tx: Tx,
  accountId: number,
  { url, types, description }: WebhookWrite,
  rule: AddressRule,
): Promise<NewWebhook> {
  checkUrl(url, rule);
  if ((await countWebhooks(tx, accountId)) >= maxWebhooks)
    throw new Invalid({ url: [`The account already has ${maxWebhooks} webhooks, which is the maximum.`] });
  // Earlier events get their positions first, so that none of them counts as new.
  while (await givePositions(tx, accountId));
  const position = await lastPosition(tx, accountId);
  const secret = newSecret();
  const id = await insertWebhook(tx, accountId, {
    ...{ url, types: plain(types), description: description ?? null, secret, position },
  });
  return { ...(await showWebhook(tx, accountId, id)), secret };
}

/** Each type once. `*` covers all. */
const plain = (types: string[]) => (types.includes('*') ? ['*'] : [...new Set(types)]);

function checkUrl(url: string, { allowPrivate }: AddressRule): void {
  const problem = urlProblem(url, allowPrivate);
  if (problem !== undefined) throw new Invalid({ url: [problem] });
}

function urlProblem(url: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(url)) return 'The url must be a URL, such as https://crm.example.com/hooks.';
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'The url must start with https:// or http://.';
  if (username || password) return 'The url must not contain a user name or password. Requests are signed instead.';
  if (!allowPrivate && isSpecialHost(hostname))
    return 'The url must be on the internet. The operator can allow private addresses with WEBHOOK_PRIVATE_ADDRESSES=allow.';
  return undefined;
}

export async function listWebhooks(tx: Tx, accountId: number, slice: Slice): Promise<Rows<Webhook>> {
  const { rows, total } = await selectWebhooks(tx, accountId, slice);
  return { rows: rows.map(shown), total };
}

export async function showWebhook(tx: Tx, accountId: number, id: number): Promise<Webhook> {
  const row = await findWebhook(tx, accountId, id);
  if (!row) throw noSuchWebhook();
  return shown(row);
}

export async function changeWebhook(
  tx: Tx,
  accountId: number,
  id: number,
  { types, ...changes }: WebhookUpdate,
  rule: AddressRule,
): Promise<Webhook> {
  if (changes.url !== undefined) checkUrl(changes.url, rule);
  const isFound = await updateWebhook(tx, accountId, id, { ...changes, ...(types && { types: plain(types) }) });
  if (!isFound) throw noSuchWebhook();
  return showWebhook(tx, accountId, id);
}

export async function removeWebhook(tx: Tx, accountId: number, id: number): Promise<void> {
  await deleteWebhook(tx, accountId, id);
}

/** Makes a new secret. The one before signs too, for a day. */
export async function changeSecret(tx: Tx, accountId: number, id: number): Promise<{ secret: string }> {
  const secret = newSecret();
  if (!(await rotateSecret(tx, accountId, id, secret))) throw noSuchWebhook();
  return { secret };
}

function shown({ succeeded, failed, duration_ms, pending, ...row }: WebhookRow & HealthRow): Webhook {
  const attempts = succeeded + failed;
  return {
    ...row,
    types: row.types as Webhook['types'],
    health: {
      ...{ succeeded, failed, pending },
      success_rate: attempts === 0 ? null : Math.round((succeeded / attempts) * 10_000) / 10_000,
      average_ms: succeeded === 0 ? null : Math.round(duration_ms / succeeded),
    },
  };
}
