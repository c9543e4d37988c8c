import { type Logger, pino } from 'pino';
import { iso } from '../shared/clock.ts';
import { propertiesOf } from '../shared/record.ts';
import { scrub } from '../shared/scrub.ts';
import { writeRaw } from './internals/pino.ts';

export type { Logger };

const base = { service: 'regulars', pid: process.pid };

/** Structured logs on standard output, one JSON object per line. Personal data is masked in every line. */
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
 * Logs fields that contain only our own words and numbers, as JSON without its braces. Each request logs one line, and
 * formatting and masking an object would cost as much as reading the request.
 */
export function logPlain(log: Logger, level: 'info' | 'debug', fields: string, msg: string): void {
  if (!log.isLevelEnabled(level)) return;
  writeRaw(log, `{"level":"${level}","time":"${iso(Date.now())}",${plainBase},${fields},"msg":"${msg}"}\n`);
}

/** Lines are written in batches, at least this often. A system call per line would cost more than the line. */
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

/** The detail, the query and the parameters of a PostgreSQL error can contain guests' data, so they are left out. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint, table, severity } = propertiesOf(error);
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
