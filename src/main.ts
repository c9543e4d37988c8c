import { exitWithError, runUntilStopped } from './app/lifecycle.ts';
import { startService } from './app/service.ts';
import { readConfig } from './platform/config.ts';
import { createLog } from './platform/log.ts';

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  const print = (text: string) => void process.stdout.write(text);
  await runUntilStopped(config, log, (signal) => startService(config, log, print, signal));
}

main().catch(exitWithError);
