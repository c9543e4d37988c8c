import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/log.ts';
import { SetupProblem } from '../shared/problem.ts';
import type { Service } from './service.ts';

/** What is still running after this is given up: an orchestrator's patience is often ten seconds. */
const patienceMs = 9500;

/** Runs what `begin` begins until the process is asked to stop, and ends the process with it. */
export async function runUntilStopped(
  config: Config,
  log: Logger,
  begin: (signal: AbortSignal) => Promise<Service>,
): Promise<void> {
  const stopping = new AbortController();
  const stopAsked = new Promise<void>((asked) =>
    stopping.signal.addEventListener('abort', () => asked(), { once: true }),
  );
  // Ctrl-C reaches us twice under npm (from the terminal and from npm), so a second signal is no plea to hurry.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  if (config.startedByNpm) onParentsDeath(() => stopping.abort());

  let service: Service;
  try {
    service = await begin(stopping.signal);
  } catch (error) {
    // Asked to stop before it had begun, it has done what it was asked.
    if (stopping.signal.aborted) process.exit(0);
    throw error;
  }
  await stopAsked;
  log.info('stopping');
  setTimeout(() => process.exit(1), patienceMs).unref();
  await service.stop();
  process.exit(0);
}

/** An npm that was killed can't pass the signal on; the service must not linger on its port without it. */
function onParentsDeath(act: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) act();
  }, 200).unref();
}

/** The last words of a program that can't begin. */
export function exitWithError(error: unknown): never {
  const text = error instanceof SetupProblem ? error.message : ((error as Error).stack ?? String(error));
  process.stderr.write(`\nRegulars can't start. ${text}\n\n`);
  process.exit(1);
}
