import { createHmac, randomBytes } from 'node:crypto';

/*
 * Signatures by the Standard Webhooks specification.
 */

const prefix = 'whsec_';
const secretBytes = 32;

export const newSecret = (): string => prefix + randomBytes(secretBytes).toString('base64');

/** The headers of one attempt. Each secret signs, because the receiver knows one of them. */
export function signedHeaders(id: string, body: string, secrets: string[], at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = secrets.map((secret) => `v1,${sign(secret, `${id}.${timestamp}.${body}`)}`).join(' ');
  return {
    ...commonHeaders(id),
    ...{ 'webhook-timestamp': timestamp, 'webhook-signature': signature },
  };
}

export const commonHeaders = (id: string): Record<string, string> => ({
  ...{ 'content-type': 'application/json', 'user-agent': 'Regulars-Webhooks/1.0', 'webhook-id': id },
});

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
