import type { Command } from 'commander';
import { fillAccounts } from '../features/figures/check.ts';
import { Progress } from './progress.ts';
import { print, withDatabase } from './run.ts';

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to this version and exit')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const { applied, version } = await withDatabase({ migrate: 'all', mayCreate: true }, async (database, signal) => {
        const progress = new Progress('guests counted for the figures');
        const onProgress = (done: number, of: number) => progress.show(done, of);
        const counts = new Progress('venues and voucher groups counted');
        const onCounts = (done: number, of: number) => counts.show(done, of);
        await fillAccounts(database.db, { signal, onProgress, onCounts });
        return database;
      });
      if (options.json) print({ applied, version }, options);
      else
        print(
          applied.length > 0
            ? `Applied:\n  ${applied.join('\n  ')}`
            : `Nothing to do: the database is at migration ${version}.`,
          options,
        );
    });
}
