import type { FastifyRequest } from 'fastify';

export const sessionCookieName = 'regulars_session';
/** The service decides when a session ends. No session is older than this. */
const longestSeconds = 30 * 24 * 60 * 60;

/** Only the admin API gets it, no script can read it, and no other site can have it sent. */
export function sessionCookie(request: FastifyRequest, secret: string | null): string {
  const kept =
    secret === null ? `${sessionCookieName}=; Max-Age=0` : `${sessionCookieName}=${secret}; Max-Age=${longestSeconds}`;
  // Behind a proxy the browser alone knows that it speaks HTTPS.
  const isSecure = request.protocol === 'https' || request.headers.origin?.startsWith('https:') === true;
  return `${kept}; Path=/admin; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

export function sessionIn(request: FastifyRequest): string | undefined {
  for (const cookie of request.headers.cookie?.split(';') ?? []) {
    const [key = '', value = ''] = cookie.split('=');
    if (key.trim() === sessionCookieName) return value.trim();
  }
  return undefined;
}

/** Whether a page of ours asks. Browsers say so of their own accord, and no page can have them say otherwise. */
export function isOurOwn(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = request.headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  // Behind a proxy we do not know the scheme ourselves; it says which port goes without saying.
  const own = `${protocol}//${request.host}`;
  return [own, publicUrl].some((url) => url !== undefined && URL.canParse(url) && new URL(url).host === host);
}

/** Whether a page of another site asks; a program, which says nothing of the kind, is none. */
export function isFromElsewhere(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  return (origin !== undefined || site !== undefined) && !isOurOwn(request, publicUrl);
}
