import { type Logger, pino } from 'pino';
import { scrub } from './shared/scrub.ts';

export type { Logger };

/** Structured logs, a JSON object a line on standard output, every line scrubbed on its way out. */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: { service: 'regulars', pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
    hooks: { streamWrite: scrub },
  };
  return pino(options, destination ?? standardOutput());
}

/** Lines are written together, at the latest after this long: a system call for each would cost more than the line. */
const flushEveryMs = 100;

function standardOutput() {
  const destination = pino.destination({ dest: 1, sync: true, minLength: 8192 });
  setInterval(() => destination.flush(), flushEveryMs).unref();
  process.on('exit', () => destination.flushSync());
  return destination;
}

/** An error without what it may quote: PostgreSQL's detail, the query and its parameters hold guests' data. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint, table, severity } = error as Error & Record<string, unknown>;
  return {
    type: error.name,
    message: error.message,
    code,
    severity,
    table,
    constraint,
    stack: error.stack,
  };
}
