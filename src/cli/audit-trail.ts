import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { insertAudit } from '../features/access/audit/store.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Action } from '../shared/actions.ts';
import { propertiesOf } from '../shared/record.ts';

let running: Command | undefined;

/** Registers every command for the audit trail. */
export function auditCommands(program: Command): void {
  program.hook('preAction', (_, command) => {
    running = command;
  });
}

/** The actor of a command in the audit trail. */
export function actor(): string {
  try {
    return `command line (${userInfo().username})`;
  } catch {
    return 'command line';
  }
}

/**
 * Arguments whose values can be in the trail: names of venues, lists, domains and users, addresses of webhooks, and ids.
 * A voucher code cannot.
 */
const nameArguments = ['name', 'email', 'domain', 'url'];
const idArguments = ['id', 'other', 'group', 'contact', 'segment', 'webhook', 'delivery'];

/** Commands that write nothing to the database, but have an effect elsewhere. */
const withoutWrites = ['webhook test'];

/** Whether the running command is recorded although it wrote nothing. */
export function isAlwaysRecorded(): boolean {
  return running !== undefined && withoutWrites.includes(commandPath(running));
}

/** Writes an audit event in the command's transaction. */
export async function recordCommand(tx: Tx, accountId: number | null, result: unknown): Promise<void> {
  if (!running) return;
  const { args, registeredArguments } = running;
  const given = registeredArguments.map((argument, index) => [argument.name(), args[index] ?? ''] as const);
  const ids = given.filter(([name]) => idArguments.includes(name)).map(([name, value]) => [name, Number(value)]);
  const { id, name } = propertiesOf(result);
  const allIds: Record<string, number> = { ...Object.fromEntries(ids), ...(typeof id === 'number' && { id }) };
  const sent = given.map(([name]) => name).filter((name) => !idArguments.includes(name));
  const options = Object.keys(running.opts()).filter((option) => option !== 'account' && option !== 'json');
  // Names of accounts are recorded, like those of venues. Names of guests are not.
  const isAccount = running.parent?.name() === 'account';
  await insertAudit(tx, {
    accountId: isAccount && running.name() !== 'create' ? (allIds.id ?? null) : accountId,
    userId: null,
    actor: actor(),
    address: null,
    action: actionOf(commandPath(running)),
    subject: given.find(([name]) => nameArguments.includes(name))?.[1] ?? (isAccount ? String(name) : null),
    ids: allIds,
    fields: [...sent, ...options].map(snakeCase),
  });
}

/** "unit create" */
function commandPath(command: Command): string {
  const noun = command.parent?.parent ? `${command.parent.name()} ` : '';
  return `${noun}${command.name()}`;
}

const snakeCase = (name: string) => name.replaceAll('-', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The commands that the rule of `actionOf` does not fit. */
const actions: Record<string, Action> = {
  backup: 'backup.create',
  restore: 'backup.restore',
  'db distribute': 'database.distribute',
  'db move-account': 'database.move_account',
  'db rebalance': 'database.rebalance',
  'account time-zone': 'account.update',
  'user password': 'user.set_password',
  'token delete': 'token.revoke',
  'duplicate keep-apart': 'contact.keep_apart',
  'domain add': 'email_domain.vouch',
  'voucher-group create': 'unique_code_group.create',
  'voucher-group rename': 'unique_code_group.update',
  'voucher-group delete': 'unique_code_group.delete',
  'voucher generate': 'unique_code.create',
  'voucher import': 'unique_code.create',
  'voucher assign': 'unique_code.assign',
  'voucher give': 'unique_code.assign_many',
  'voucher unassign': 'unique_code.unassign',
  'segment give-vouchers': 'segment.assign_codes',
  'segment add-to-group': 'segment.add_to_group',
  'domain refuse': 'email_domain.refuse',
  'webhook pause': 'webhook.update',
  'webhook resume': 'webhook.update',
  'webhook rotate-secret': 'webhook.rotate_secret',
};

/** The code of the same change through the admin API: "booking-source rename" is `booking_source.update`. */
export function actionOf(path: string): string {
  const [noun = '', verb = ''] = path.split(' ');
  const isUpdate = verb === 'rename' || verb === 'change';
  return actions[path] ?? `${snakeCase(noun)}.${isUpdate ? 'update' : verb}`;
}
