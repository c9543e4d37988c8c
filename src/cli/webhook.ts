import type { Command } from 'commander';
import { listDeliveries, replayEvents, resendDelivery } from '../features/exchange/webhooks/deliveries.ts';
import {
  changeSecret,
  changeWebhook,
  createWebhook,
  listWebhooks,
  removeWebhook,
  showWebhook,
} from '../features/exchange/webhooks/manage.ts';
import {
  type Delivery,
  ListDeliveries,
  type NewWebhook,
  Replay,
  type TestResult,
  type Webhook,
  WebhookWrite,
} from '../features/exchange/webhooks/schema.ts';
import { prepareTest, sendTest } from '../features/exchange/webhooks/send-test.ts';
import { readConfig } from '../platform/config.ts';
import { createPost } from '../platform/outgoing/post.ts';
import { itemCommand, listCommand, withAccount } from './account-commands.ts';
import { inAccount, print, printRows, readInput, toId, toSlice, words } from './run.ts';

interface Options {
  account?: string;
  json?: boolean;
  page?: string;
  types?: string;
  description?: string;
  since?: string;
  state?: string;
}

const whenActive = 'If the webhook is paused or disabled, that begins when it is active again.';

/** Commands for webhooks. The service sends the events, so nothing but a test is sent while no service runs. */
export function webhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('webhooks: the addresses that the service sends events to');
  withAccount(webhook.command('create <url>'))
    .description('send every event from now on to an address; the secret is shown once')
    .option('--types <types>', 'only events of these types, separated by commas (default: all)')
    .option('--description <text>', 'what it is for')
    .action(async (url: string, { account, types, description, ...options }: Options) => {
      const input = readInput(WebhookWrite, { url, types: words(types) ?? ['*'], description });
      const created = await inAccount(account, (tx, accountId) => createWebhook(tx, accountId, input, addressRule()));
      print(options.json ? created : withSecret(created), options);
      if (!options.json)
        process.stderr.write('The secret is not shown again. The receiver checks signatures with it.\n');
    });
  listCommand(webhook, 'list', 'list webhooks with the attempts of the last 24 hours', listWebhooks, inWords);
  itemCommand(
    webhook,
    'show <id>',
    'show a webhook',
    (tx, accountId, id) => showWebhook(tx, accountId, webhookId(id)),
    ({ health, ...shown }) => ({ ...shown, ...health }),
  );
  withAccount(webhook.command('test <id>'))
    .description('send a signed test event now, and show the response; exits with 1 if it is not delivered')
    .action(async (id: string, { account, ...options }: Options) => {
      const event = await inAccount(account, (tx, accountId) => prepareTest(tx, accountId, webhookId(id), new Date()));
      // After the commit, so that no transaction waits for the receiver.
      const post = createPost({ ...addressRule(), dnsServers: readConfig().dnsServers });
      const result = await sendTest(event, post).finally(post.close);
      if (!result.delivered) process.exitCode = 1;
      print(options.json ? result : testInWords(result), options);
    });
  setStatus(webhook, 'pause', 'stop sending; events wait, for at most 30 days', 'paused');
  setStatus(webhook, 'resume', 'send again what waits, also after the service disabled the webhook', 'active');
  itemCommand(
    webhook,
    'rotate-secret <id>',
    'make a new secret, which is shown once; the one before signs too, for 24 hours',
    (tx, accountId, id) => changeSecret(tx, accountId, webhookId(id)),
  );
  itemCommand(webhook, 'delete <id>', 'delete a webhook and its deliveries', async (tx, accountId, id) => {
    const { url } = await showWebhook(tx, accountId, webhookId(id));
    await removeWebhook(tx, accountId, webhookId(id));
    return `The webhook to ${url} is deleted.`;
  });
  withAccount(webhook.command('replay <id>'))
    .description('send all events since a time again, in their order')
    .requiredOption('--since <time>', 'yyyy-mm-dd hh:mm:ss in the account’s time zone, or ISO 8601 with an offset')
    .action(async (id: string, { account, since, ...options }: Options) => {
      const input = readInput(Replay, { since });
      const started = await inAccount(account, (tx, accountId) => replayEvents(tx, accountId, webhookId(id), input));
      print(
        options.json ? started : `The service sends the events since ${started.since} again. ${whenActive}`,
        options,
      );
    });
  withAccount(webhook.command('deliveries <id>'))
    .description('list the deliveries of a webhook in the last 7 days, newest first')
    .option('--state <state>', 'only deliveries in this state: pending, delivered or failed')
    .option('--page <n>', 'the page, of 100 rows each')
    .action(async (id: string, options: Options) => {
      const slice = toSlice(options);
      const input = readInput(ListDeliveries, { state: options.state });
      const { rows, total } = await inAccount(options.account, (tx, accountId) =>
        listDeliveries(tx, accountId, webhookId(id), input, slice),
      );
      printRows({ rows: options.json ? rows : rows.map(deliveryInWords), total }, slice, options);
    });
  itemCommand(
    webhook,
    'resend <webhook> <delivery>',
    'send the event of a delivery again, at once and then on the usual schedule',
    (tx, accountId, id, delivery) => resendDelivery(tx, accountId, webhookId(id), toId(delivery ?? '', 'delivery')),
    ({ id, event_id }) => `The service sends the event ${event_id} of the delivery ${id} again. ${whenActive}`,
  );
}

function setStatus(parent: Command, verb: string, description: string, status: 'active' | 'paused'): void {
  itemCommand(
    parent,
    `${verb} <id>`,
    description,
    (tx, accountId, id) => changeWebhook(tx, accountId, webhookId(id), { status }, addressRule()),
    inWords,
  );
}

const webhookId = (text: string | undefined) => toId(text ?? '', 'webhook');
const addressRule = () => ({ allowPrivate: readConfig().webhookPrivateAddresses === 'allow' });

function withSecret({ id, url, types, secret }: NewWebhook): object {
  return { id, url, types, secret };
}

function inWords({ id, url, types, status, failing_since, health }: Webhook): object {
  const { succeeded, failed, pending } = health;
  return { id, url, types, status, failing_since, succeeded, failed, pending };
}

function deliveryInWords({ id, event_id, type, state, attempts, next_attempt_at }: Delivery): object {
  const last = attempts.at(-1);
  return {
    id,
    event_id,
    type,
    state,
    attempts: attempts.length,
    next_attempt_at,
    last: last?.error ?? last?.status_code,
  };
}

function testInWords({ delivered, status_code, duration_ms, response, error }: TestResult): string {
  const result = delivered
    ? `Delivered: the receiver answered ${status_code}`
    : `Not delivered: ${error?.replace(/\.$/, '')}`;
  const lines = [`${result} (${duration_ms} ms).`, ...(response === '' ? [] : [response])];
  return lines.join('\n');
}
