import type { Command } from 'commander';
import { NewEmailDomain } from '../features/guests/domains/schema.ts';
import { listDomains, vouchForDomain } from '../features/guests/domains/vouch.ts';
import { inDirectory, print, printRows, readInput, toSlice } from './run.ts';

export function domainCommand(program: Command): void {
  const domain = program.command('domain').description('the list of e-mail domains that take mail');
  const say = (verb: string, description: string, takesMail: boolean) =>
    domain
      .command(`${verb} <domain>`)
      .description(`${description}, whatever DNS says of it; a running service knows within ten seconds`)
      .option('--json', 'print JSON')
      .action(async (name: string, options: { json?: boolean }) => {
        const input = readInput(NewEmailDomain, { domain: name });
        print(await inDirectory((tx) => vouchForDomain(tx, input.domain, takesMail)), options);
      });
  say('add', 'put a domain on the list', true);
  say('refuse', 'refuse a domain', false);
  domain
    .command('list')
    .description(
      'what was learnt from DNS, put on the list or refused; the common domains that come along are not in it',
    )
    .option('--json', 'print JSON')
    .option('--page <number>', 'which hundred')
    .action(async (options: { json?: boolean; page?: string }) => {
      const slice = toSlice(options);
      printRows(await inDirectory((tx) => listDomains(tx, slice)), slice, options);
    });
}
