#!/usr/bin/env node
import { Command } from 'commander';
import { version } from '../platform/version.ts';
import { accountCommand } from './account.ts';
import { auditCommand } from './audit.ts';
import { auditCommands } from './audit-trail.ts';
import { backupCommands } from './backup.ts';
import { contactCommands } from './contact.ts';
import { dbCommands } from './db.ts';
import { domainCommand } from './domain.ts';
import { eventCommands } from './events.ts';
import { figureCommands } from './figures.ts';
import { groupCommands } from './group.ts';
import { lookupCommands } from './lookup.ts';
import { migrateCommand } from './migrate.ts';
import { purchaseCommands } from './purchase.ts';
import { finish } from './run.ts';
import { segmentCommands } from './segment.ts';
import { tokenCommand } from './token.ts';
import { unitCommand } from './unit.ts';
import { userCommand } from './user.ts';
import { voucherCommands } from './voucher.ts';
import { webhookCommands } from './webhook.ts';

const program = new Command('regulars')
  .description(
    'Regulars, the customer-data platform for hospitality groups. Uses the settings of the service, which need not be running.',
  )
  .version(version)
  .showHelpAfterError('(add --help for the options)');

auditCommands(program);
program
  .command('start')
  .description('start the service (same as `npm start`)')
  .action(async () => {
    await import('../main.ts');
  });
migrateCommand(program);
backupCommands(program);
dbCommands(program);
accountCommand(program);
userCommand(program);
tokenCommand(program);
unitCommand(program);
groupCommands(program);
lookupCommands(program);
contactCommands(program);
purchaseCommands(program);
voucherCommands(program);
figureCommands(program);
segmentCommands(program);
webhookCommands(program);
eventCommands(program);
domainCommand(program);
auditCommand(program);

await finish(program, process.argv);
