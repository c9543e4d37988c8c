import { randomUUID } from 'node:crypto';

const plain = /^[\w.:/+=-]{1,128}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A domain, as in `ana=gmail.com`, or a mobile number. */
const personal = /\.[a-z]{2}|(?<![0-9a-z])(?:\+|00)?(?:44|0)7\d{9}(?![0-9a-z])/i;

export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** Uses the client's request id if it is safe in a log and a header, and does not look like an e-mail address or a mobile number. */
export function requestId(sent: string | string[] | undefined): string {
  const isUsed = typeof sent === 'string' && plain.test(sent) && (isUuid(sent) || !personal.test(sent));
  return isUsed ? sent : randomUUID();
}
