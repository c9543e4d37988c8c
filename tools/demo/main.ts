import { Command, InvalidArgumentError } from 'commander';
import { exitWithError, runUntilStopped } from '../../src/app/lifecycle.ts';
import { startService } from '../../src/app/service.ts';
import { endBar, Progress } from '../../src/cli/progress.ts';
import { type Config, readConfig } from '../../src/platform/config.ts';
import { mustBeFree } from '../../src/platform/http/listen.ts';
import { createLog } from '../../src/platform/log.ts';
import { ensureDemo } from './ensure.ts';
import { maxGuests } from './guests.ts';
import { users } from './users.ts';
import { groupName } from './venues.ts';

/** A separate data directory, so that the demo never mixes with real data. */
const usual = { DATA_DIR: './demo-data', EMAIL_DOMAIN_CHECK: 'off', LOG_LEVEL: 'warn' };

async function main(guests: number): Promise<void> {
  const config = readConfig(undefined, usual);
  const log = createLog(config.logLevel);
  if (!/^(127\.|::1$|localhost$)/.test(config.host)) {
    log.warn('HOST: anyone who can reach the demo can sign in, because its passwords are public');
  }
  const print = (text: string) => void process.stdout.write(`${text}${signInText(config)}`);
  await runUntilStopped(config, log, async (signal) => {
    try {
      // Check the port before loading, which takes a minute.
      await mustBeFree(config);
      let bar: Progress | undefined;
      const progress = (done: number, of: number) => {
        bar ??= new Progress('things that happened');
        bar.show(done, of);
      };
      await ensureDemo(config, log, { guests, signal, progress });
    } finally {
      endBar();
    }
    return startService(config, log, print, signal);
  });
}

function signInText({ databaseUrl, dataDir }: Config): string {
  const width = Math.max(...users.map(({ email }) => email.length));
  const lines = users.map(({ role, email, password }) => `  ${role.padEnd(10)}  ${email.padEnd(width)}  ${password}`);
  const again = databaseUrl ? 'Empty the database' : `Remove ${dataDir}`;
  return [
    `  This is the demo: ${groupName}, a fictional group with fictional guests. Sign in as`,
    '',
    ...lines,
    '',
    `  ${again} for a new one that ends yesterday.`,
    '\n',
  ].join('\n');
}

function toCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 20 && count <= maxGuests) return count;
  throw new InvalidArgumentError(`It must be a whole number from 20 to ${maxGuests}.`);
}

const program = new Command('npm run demo --')
  .description('Starts the service with a fictional hospitality group.')
  .option('--guests <count>', 'how many guests to make, the first time', toCount, 5000)
  .action(({ guests }: { guests: number }) => main(guests).catch(exitWithError));
await program.parseAsync();
