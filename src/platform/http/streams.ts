import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CsvPart, csvFile } from '../../shared/csv.ts';
import type { After } from '../../shared/fields.ts';
import { errorResponse } from './errors.ts';

/** One JSON value per line. */
export const ndjson = 'application/x-ndjson';

export function accepts(request: FastifyRequest, type: string): boolean {
  return request.headers.accept?.toLowerCase().includes(type) === true;
}

/**
 * Sends one line per progress report, and the result as the last line. Before the first report an error gets an ordinary
 * error response. After it, the last line is the body of the error response.
 */
export async function sendProgress(
  reply: FastifyReply,
  status: number,
  onLateError: (error: unknown) => void,
  work: (progress: (done: number, of: number) => void) => Promise<unknown>,
): Promise<FastifyReply> {
  const lines = new PassThrough();
  let hasStarted = false;
  const write = (line: unknown) => {
    lines.write(`${JSON.stringify(line)}\n`);
    if (hasStarted) return;
    hasStarted = true;
    reply.code(status).type(ndjson).send(lines);
  };
  try {
    write(await work((done, of) => write({ done, of })));
  } catch (error) {
    if (!hasStarted) throw error;
    onLateError(error);
    write(errorResponse(error, reply.request.id).body);
  }
  lines.end();
  return reply;
}

/** Sends a whole list as CSV. The next rows are read when the client is ready for them, so no transaction waits for a slow client. */
export async function sendCsv(
  reply: FastifyReply,
  columns: readonly string[],
  onLateError: (error: unknown) => void,
  next: (after: After) => Promise<CsvPart | undefined>,
): Promise<FastifyReply> {
  const parts = Readable.from(await csvFile(columns, next));
  // An error closes the connection, so that the client does not mistake a part for the whole file.
  return reply.type('text/csv; charset=utf-8').send(parts.on('error', onLateError));
}
