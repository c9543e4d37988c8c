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
  return destination ? pino(options, destination) : pino(options);
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
