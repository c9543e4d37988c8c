import { randomUUID } from 'node:crypto';
import { isUuid } from '../../shared/uuid.ts';

const plain = /^[\w.:/+=-]{1,128}$/;
/** A domain, as in `ana=gmail.com`, or a mobile number. */
const personal = /\.[a-z]{2}|(?<![0-9a-z])(?:\+|00)?(?:44|0)7\d{9}(?![0-9a-z])/i;

/** Uses the client's request id if it is safe in a log and a header, and does not look like an e-mail address or a mobile number. */
export function requestId(sent: string | string[] | undefined): string {
  const isUsed = typeof sent === 'string' && plain.test(sent) && (isUuid(sent) || !personal.test(sent));
  return isUsed ? sent : randomUUID();
}
