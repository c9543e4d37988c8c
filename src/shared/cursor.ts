import { formats } from './formats.ts';
import { Invalid } from './problem.ts';

/*
 * Lists that grow at their start are read from a position instead of a page. The position is that of the last entry, as
 * one text without meaning for the client.
 */

export const encodeCursor = (...parts: (string | number)[]): string =>
  Buffer.from(parts.join('|')).toString('base64url');

/** The parts of a cursor. They come from the client, so each must be checked. */
export const cursorParts = (sent: string): string[] => Buffer.from(sent, 'base64url').toString().split('|');

/** A wall-clock time with microseconds. */
export const isExactTime = (text: string): boolean =>
  /\.\d{6}$/.test(text) && formats['wall-clock']?.read(text.slice(0, -7)) === text.slice(0, -7);

/** An id or a count. */
export const isCursorNumber = (text: string): boolean => /^\d{1,15}$/.test(text);

export const invalidCursor = () => new Invalid({ before: ['The before must be the `next` of an earlier page.'] });
