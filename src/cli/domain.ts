import type { Command } from 'commander';
import { NewEmailDomain } from '../domains/schema.ts';
import { listDomains, vouchForDomain } from '../domains/vouch.ts';
import { inDirectory, print, printRows, readInput, toSlice } from './run.ts';

export function domainCommand(program: Command): void {
  const domain = program.command('domain').description('the list of e-mail domains that take mail');
  domain
    .command('add <domain>')
    .description('put a domain on the list, whatever DNS says of it')
    .option('--json', 'print JSON')
    .action(async (name: string, options: { json?: boolean }) => {
      const input = readInput(NewEmailDomain, { domain: name });
      print(await inDirectory((tx) => vouchForDomain(tx, input.domain)), options);
    });
  domain
    .command('list')
    .description('what was learnt from DNS or put on the list; the common domains that come along are not in it')
    .option('--json', 'print JSON')
    .option('--page <number>', 'which hundred')
    .action(async (options: { json?: boolean; page?: string }) => {
      const slice = toSlice(options);
      printRows(await inDirectory((tx) => listDomains(tx, slice)), slice, options);
    });
}
