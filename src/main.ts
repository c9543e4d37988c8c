import { readConfig } from './config.ts';
import { createLog } from './log.ts';
import { startService } from './service.ts';
import { giveUp, untilStopped } from './until-stopped.ts';

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  const print = (text: string) => void process.stdout.write(text);
  await untilStopped(config, log, (signal) => startService(config, log, print, signal));
}

main().catch(giveUp);
