import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvLine } from '../shared/csv.ts';
import type { After } from '../shared/fields.ts';
import { answerFor } from './errors.ts';

/** Lines of JSON. */
export const ndjson = 'application/x-ndjson';

export function accepts(request: FastifyRequest, type: string): boolean {
  return request.headers.accept?.toLowerCase().includes(type) === true;
}

/**
 * Tells how far the work is, a line at a time, and in the last line what it comes to. Until there is any progress to
 * tell, it fails as every call does; afterwards the last line is the error's body.
 */
export async function sendProgress(
  reply: FastifyReply,
  status: number,
  onLate: (error: unknown) => void,
  work: (progress: (done: number, of: number) => void) => Promise<unknown>,
): Promise<FastifyReply> {
  const lines = new PassThrough();
  let begun = false;
  const write = (line: unknown) => {
    lines.write(`${JSON.stringify(line)}\n`);
    if (begun) return;
    begun = true;
    reply.code(status).type(ndjson).send(lines);
  };
  try {
    write(await work((done, of) => write({ done, of })));
  } catch (error) {
    if (!begun) throw error;
    onLate(error);
    write(answerFor(error, reply.request.id).body);
  }
  lines.end();
  return reply;
}

const rowsAtOnce = 5000;

/**
 * A list from end to end. No transaction stays open while a slow client reads: what is sent next is read when there
 * is room for it.
 */
export async function sendCsv<Row extends { id: number }>(
  reply: FastifyReply,
  columns: readonly (keyof Row & string)[],
  onLate: (error: unknown) => void,
  next: (after: After) => Promise<Row[]>,
): Promise<FastifyReply> {
  const read = (after: number) => next({ after, limit: rowsAtOnce });
  // Before anything is sent: there may be no such list.
  let rows = await read(0);
  async function* file() {
    yield csvLine(columns);
    while (rows.length > 0) {
      yield rows.map((row) => csvLine(columns.map((column) => row[column]))).join('');
      rows = rows.length < rowsAtOnce ? [] : await read(rows.at(-1)?.id ?? 0);
    }
  }
  // The connection is broken off then, so that nobody takes half a file for a whole one.
  return reply.type('text/csv; charset=utf-8').send(Readable.from(file()).on('error', onLate));
}
