import { type Logger, pino } from 'pino';
import { iso } from '../shared/clock.ts';
import { scrub } from '../shared/scrub.ts';

export type { Logger };

const base = { service: 'regulars', pid: process.pid };

/** Structured logs, a JSON object a line on standard output, every line scrubbed on its way out. */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
    hooks: { streamWrite: scrub },
  };
  return pino(options, destination ?? standardOutput());
}

const plainBase = JSON.stringify(base).slice(1, -1);

/**
 * A line like any other, of fields that hold nothing but our own words and numbers, as JSON without its braces. There is
 * one for every request, and taking an object apart and masking it as the others would cost as much as reading the request.
 */
export function logPlain(log: Logger, level: 'info' | 'debug', fields: string, msg: string): void {
  if (!log.isLevelEnabled(level)) return;
  passOn(log, `{"level":"${level}","time":"${iso(Date.now())}",${plainBase},${fields},"msg":"${msg}"}\n`);
}

/** Whole lines, masked already, such as another process of ours wrote. */
export function passOn(log: Logger, lines: string): void {
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  stream?.write(lines);
}

/** Lines are written together, at the latest after this long: a system call for each would cost more than the line. */
const flushEveryMs = 100;
const mostCharacters = 8192;

function standardOutput() {
  const destination = pino.destination({ dest: 1, sync: true });
  let lines = '';
  const flush = () => {
    if (lines === '') return;
    destination.write(lines);
    lines = '';
  };
  setInterval(flush, flushEveryMs).unref();
  process.on('exit', () => {
    flush();
    destination.flushSync();
  });
  return {
    write: (line: string) => {
      lines += line;
      if (lines.length >= mostCharacters) flush();
    },
  };
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
