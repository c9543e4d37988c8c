import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

export const sessionCookieName = 'regulars_session';
/** The service decides when a session ends. No session is older than this. */
const maxAgeSeconds = 30 * 24 * 60 * 60;

/** The Set-Cookie header of a session. Only the admin API receives the cookie; scripts and other sites cannot use it. */
export function sessionCookie(request: FastifyRequest, secret: string | null): string {
  return setCookie(request, sessionCookieName, secret ?? '', secret === null ? 0 : maxAgeSeconds);
}

function setCookie(request: FastifyRequest, name: string, value: string, maxAge: number): string {
  // With a proxy in front, only the browser's headers show that the connection uses HTTPS.
  const isSecure = request.protocol === 'https' || request.headers.origin?.startsWith('https:') === true;
  return stringifySetCookie({
    ...{ name, value, maxAge },
    path: '/admin',
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure,
  });
}

const writtenCookieName = 'regulars_written';

/**
 * The Set-Cookie header of a session that wrote something. While the browser sends the cookie, the session does not read
 * from the replica. A client that forges or drops it changes only what it sees itself.
 */
export function writtenCookie(request: FastifyRequest, seconds: number): string {
  return setCookie(request, writtenCookieName, '1', seconds);
}

export function hasWritten(request: FastifyRequest): boolean {
  const { cookie } = request.headers;
  return cookie !== undefined && writtenCookieName in parseCookie(cookie);
}

/** The secret in the session cookie of a request. */
export function sessionSecret(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers;
  return cookie === undefined ? undefined : parseCookie(cookie)[sessionCookieName];
}
