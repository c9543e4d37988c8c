import type { Command } from 'commander';
import { listDomains, setDomainRule } from '../features/guests/domains/manage.ts';
import { NewEmailDomain } from '../features/guests/domains/schema.ts';
import { inDirectory, print, printRows, readInput, toSlice } from './run.ts';

export function domainCommand(program: Command): void {
  const domain = program.command('domain').description('the list of e-mail domains that receive mail');
  const ruleCommand = (verb: string, description: string, takesMail: boolean) =>
    domain
      .command(`${verb} <domain>`)
      .description(`${description}, whatever DNS says; takes effect in a running service within ten seconds`)
      .option('--json', 'print JSON')
      .action(async (name: string, options: { json?: boolean }) => {
        const input = readInput(NewEmailDomain, { domain: name });
        print(await inDirectory((tx) => setDomainRule(tx, input.domain, takesMail)), options);
      });
  ruleCommand('add', 'accept a domain', true);
  ruleCommand('refuse', 'reject a domain', false);
  domain
    .command('list')
    .description('list the domains checked by DNS, accepted or rejected; without the built-in common domains')
    .option('--json', 'print JSON')
    .option('--page <number>', 'the page, of 100 rows each')
    .action(async (options: { json?: boolean; page?: string }) => {
      const slice = toSlice(options);
      printRows(await inDirectory((tx) => listDomains(tx, slice)), slice, options);
    });
}
