import { textIn } from './record.ts';

/** The message of a caught value. Code may throw anything, so a value without a message is turned into text. */
export function messageOf(error: unknown): string {
  return textIn(error, 'message') ?? String(error);
}

/** The code of an error of Node (`ECONNREFUSED`), PostgreSQL (`23505`) or Fastify. */
export function codeOf(error: unknown): string | undefined {
  return textIn(error, 'code');
}

/** A caught value as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error));
}
