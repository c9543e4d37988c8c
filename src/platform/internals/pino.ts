import { type Logger, pino } from 'pino';

/** Writes complete lines to the stream of a logger, without formatting. Pino has no public method for it. */
export function writeRaw(log: Logger, lines: string): void {
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  stream?.write(lines);
}
