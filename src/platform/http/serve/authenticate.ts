import type { FastifyReply, FastifyRequest } from 'fastify';
import { chain, type MaybePromise } from '../../../shared/maybe-promise.ts';
import { Forbidden, outOfReach, TooMany } from '../../../shared/problem.ts';
import type { ReadResult } from '../../../shared/read.ts';
import { rateHeaders } from '../rate-limit.ts';
import type { AuthBackend, Partner, RequestAuth } from '../request-auth.ts';
import type { Route } from '../route.ts';

/** Throws if the caller may not use the route. Returns a promise only if there is something to wait for. */
export function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  auth: RequestAuth,
): Promise<unknown> | undefined {
  const { access } = route;
  if (access === 'admin')
    return auth.admin(request, route.role).then(({ caller }) => limitConcurrency(request, `admin ${caller}`));
  if (access === 'partner') {
    const authenticated = chain(auth.partner(request), (partner) => {
      // Set before the limits, so that a rejected request is logged with its token.
      request.partner = partner;
      limitConcurrency(request, `account ${partner.accountId}`);
      return chain(auth.admit(partner), (rate) => {
        if (rate) reply.headers(rateHeaders(rate));
        if (route.method !== 'GET' && partner.role === 'viewer')
          throw new Forbidden('This token belongs to a viewer, who may only read. Use the token of another user.');
      });
    });
    if (authenticated instanceof Promise) return authenticated;
  }
  return undefined;
}

/** One caller must not use the whole capacity for requests. */
function limitConcurrency(request: FastifyRequest, caller: string): void {
  if (!request.load.assignTo(caller))
    throw new TooMany('Too many requests at once. Wait for the responses before you send more.', 1);
}

/** The account of a partner's request: the one in the input, or else that of the token. A forbidden and a missing account get the same error. */
export function partnerAccount(
  partner: Partner,
  { partial, errors }: ReadResult<{ account_id?: number }>,
  authBackend: AuthBackend,
): MaybePromise<number> {
  const accountId = partial.account_id ?? partner.accountId;
  if (errors.fields.account_id) return accountId;
  return chain(authBackend.mayAccess(partner, accountId), (may) => {
    if (!may) errors.add('account_id', outOfReach);
    return accountId;
  });
}
