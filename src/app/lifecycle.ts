import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/log.ts';
import { SetupProblem } from '../shared/problem.ts';
import { textIn } from '../shared/record.ts';
import type { Service } from './service.ts';

/** The shutdown timeout. Orchestrators often kill after ten seconds. */
const shutdownTimeoutMs = 9500;

/** Starts a service, stops it on a signal, and ends the process. */
export async function runUntilStopped(
  config: Config,
  log: Logger,
  start: (signal: AbortSignal) => Promise<Service>,
): Promise<void> {
  const stopping = new AbortController();
  const stopRequested = new Promise<void>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  // Under npm, Ctrl-C sends two signals (from the terminal and from npm), so the second one does not force the exit.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  if (config.startedByNpm) onParentExit(() => stopping.abort());

  let service: Service;
  try {
    service = await start(stopping.signal);
  } catch (error) {
    // A stop during the start is not an error.
    if (stopping.signal.aborted) process.exit(0);
    throw error;
  }
  await stopRequested;
  log.info('stopping');
  setTimeout(() => process.exit(1), shutdownTimeoutMs).unref();
  await service.stop();
  process.exit(0);
}

/** A killed npm cannot forward signals. The service must not keep its port then. */
function onParentExit(act: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) act();
  }, 200).unref();
}

/** Prints why the program cannot start, and exits. */
export function exitWithError(error: unknown): never {
  const text = error instanceof SetupProblem ? error.message : (textIn(error, 'stack') ?? String(error));
  process.stderr.write(`\nRegulars can't start. ${text}\n\n`);
  process.exit(1);
}
