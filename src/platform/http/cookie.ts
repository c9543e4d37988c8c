import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

export const sessionCookieName = 'regulars_session';
/** The service decides when a session ends. No session is older than this. */
const maxAgeSeconds = 30 * 24 * 60 * 60;

/** The Set-Cookie header of a session. Only the admin API receives the cookie; scripts and other sites cannot use it. */
export function sessionCookie(request: FastifyRequest, secret: string | null): string {
  // With a proxy in front, only the browser's headers show that the connection uses HTTPS.
  const isSecure = request.protocol === 'https' || request.headers.origin?.startsWith('https:') === true;
  return stringifySetCookie({
    name: sessionCookieName,
    value: secret ?? '',
    maxAge: secret === null ? 0 : maxAgeSeconds,
    path: '/admin',
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure,
  });
}

/** The secret in the session cookie of a request. */
export function sessionSecret(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers;
  return cookie === undefined ? undefined : parseCookie(cookie)[sessionCookieName];
}
