import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvFile } from '../../shared/csv.ts';
import type { After } from '../../shared/fields.ts';
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
  const parts = Readable.from(await csvFile(columns, next));
  // The connection is broken off then, so that nobody takes half a file for a whole one.
  return reply.type('text/csv; charset=utf-8').send(parts.on('error', onLate));
}
