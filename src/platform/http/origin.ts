import type { FastifyRequest } from 'fastify';

/** Whether a page of this service sent the request. Browsers set these headers themselves; a page cannot change them. */
export function isSameOrigin(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = request.headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  // Behind a proxy the scheme is known from the origin only. It decides which port is the default.
  const own = `${protocol}//${request.host}`;
  return [own, publicUrl].some((url) => url !== undefined && URL.canParse(url) && new URL(url).host === host);
}

/** Whether a page of another site sent the request. Programs send neither header, so their requests pass. */
export function isCrossOrigin(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  return (origin !== undefined || site !== undefined) && !isSameOrigin(request, publicUrl);
}
