import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { networkOf } from '../../shared/address.ts';
import type { AuditEvent } from '../../shared/audit-event.ts';
import { normalizeText } from '../../shared/formats.ts';
import { chain, type MaybePromise } from '../../shared/maybe-promise.ts';
import { Forbidden, NotFound, Unauthorized } from '../../shared/problem.ts';
import { propertiesOf } from '../../shared/record.ts';
import { mayActAs, type Role } from '../../shared/roles.ts';
import type { Tx } from '../db/database.ts';
import { sessionSecret } from './cookie.ts';
import type { Limits } from './limits.ts';
import { isCrossOrigin, isSameOrigin } from './origin.ts';
import type { Rate } from './rate-limit.ts';

/** The owner of a valid token. */
export interface Partner {
  tokenId: number;
  accountId: number;
  userId: number | null;
  /** The present role of the user; null: the token belongs to no user. */
  role: Role | null;
}

export interface User {
  id: number;
  email: string;
  role: Role;
  account_ids: number[];
}

/** A user who sent the right password. */
export interface PasswordMatch {
  user: User;
  /** The hash that was checked. The user's password may have changed since. */
  passwordHash: string;
}

/** The sender of a password. */
export interface Client {
  address: string | null;
  network: string;
}

/** The caller of the admin API. */
export interface Admin {
  /** The caller in words, for records such as the creator of a token. */
  actor: string;
  /** The caller without an e-mail address, for the log. */
  caller: string;
  /** Null: the admin token. */
  user: User | null;
  sessionId: number | null;
}

/** The look-ups that the features provide. The HTTP kernel does not know tokens, users and accounts itself. */
export interface AuthBackend {
  partner(secret: string): MaybePromise<Partner | undefined>;
  mayAccess(partner: Partner, accountId: number): MaybePromise<boolean>;
  isAdminToken(secret: string): boolean;
  userByPassword(email: string, password: string, client: Client): Promise<PasswordMatch | undefined>;
  userBySession(secret: string): Promise<{ user: User; sessionId: number } | undefined>;
  recordAuditEvent(tx: Tx, event: AuditEvent): Promise<void>;
  /** Whether the account exists. If so, it cannot be deleted until the transaction ends. */
  holdAccount(tx: Tx, accountId: number): Promise<boolean>;
  /** Whether the account exists, without a lock. */
  hasAccount(tx: Tx, accountId: number): Promise<boolean>;
  /** Called after each change by an administrator. Cached look-ups are dropped. */
  onAdminChange(): void;
}

export interface RequestAuth {
  partner(request: FastifyRequest): MaybePromise<Partner>;
  /** Counts the request. Throws if the token is over its rate limit; undefined: there is no limit. */
  admit(partner: Partner): MaybePromise<Rate | undefined>;
  /** Throws if the caller is unknown, or may not send this request. */
  admin(request: FastifyRequest, role: Role): Promise<Admin>;
  /** The user with this e-mail and password. */
  userByPassword(request: FastifyRequest, email: string, password: string): Promise<PasswordMatch | undefined>;
}

const adminToken: Admin = { actor: 'admin token', caller: 'admin token', user: null, sessionId: null };

export function createRequestAuth(backend: AuthBackend, limits: Limits, publicUrl: string | undefined): RequestAuth {
  const running = new Map<string, Promise<PasswordMatch | undefined>>();

  async function checkPassword(client: Client, name: string, password: string): Promise<PasswordMatch | undefined> {
    const { network } = client;
    // Counted before the check, so that concurrent tries cannot exceed the limit.
    await limits.guess(network, name);
    let match: PasswordMatch | undefined;
    try {
      match = await backend.userByPassword(name, password, client);
    } catch (error) {
      await limits.takeBack(network, name);
      throw error;
    }
    if (match) await limits.forgive(network, name);
    return match;
  }

  /** A program may send many requests at once. Concurrent requests with the same password share one check, which counts once. */
  function userByPassword(
    { address }: FastifyRequest,
    email: string,
    password: string,
  ): Promise<PasswordMatch | undefined> {
    const [network, name] = [networkOf(address), normalizeText(email.trim()).toLowerCase()];
    const key = createHash('sha256')
      .update(JSON.stringify([network, name, password]))
      .digest('base64');
    const current = running.get(key);
    if (current) return current;
    const check = checkPassword({ address, network }, name, password).finally(() => running.delete(key));
    running.set(key, check);
    return check;
  }

  /** Rejects an invalid token or session. It is counted after the look-up, so valid tokens of the same network are not limited. */
  async function rejectToken({ address }: FastifyRequest, secret: string): Promise<never> {
    await limits.refuseToken(networkOf(address), createHash('sha256').update(secret).digest('base64'));
    throw new Unauthorized();
  }

  async function adminOf(request: FastifyRequest): Promise<Admin> {
    const bearer = credential(request, 'bearer');
    if (bearer !== undefined && backend.isAdminToken(bearer)) return adminToken;
    const basic = credential(request, 'basic');
    if (basic !== undefined) {
      // A browser that stored the password sends it with each request, as it does with the cookie.
      if (request.method !== 'GET' && isCrossOrigin(request, publicUrl)) throw fromAnotherSite();
      const [email = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':');
      const match = await userByPassword(request, email, rest.join(':'));
      if (match) return adminFor(match.user, null);
    }
    if (bearer !== undefined) return rejectToken(request, bearer);
    const secret = sessionSecret(request);
    // With an invalid credential in the header, the cookie is not tried.
    if (secret === undefined || basic !== undefined) throw new Unauthorized();
    const session = await backend.userBySession(secret);
    if (!session) return rejectToken(request, secret);
    // The browser adds the cookie to requests of any page.
    if (request.method !== 'GET' && !isSameOrigin(request, publicUrl)) throw fromAnotherSite();
    return adminFor(session.user, session.sessionId);
  }

  return {
    partner: (request) => {
      const secret = credential(request, 'bearer');
      if (secret === undefined) throw new Unauthorized();
      return chain(backend.partner(secret), (partner) => {
        return partner ?? rejectToken(request, secret);
      });
    },
    admit: (partner) => limits.admit(partner.accountId, partner.tokenId),
    admin: async (request, role) => {
      const admin = await adminOf(request);
      // Set before the check, so that a rejected request is logged with its caller.
      request.admin = admin;
      if (admin.user) checkRights(admin.user, role, request);
      return admin;
    },
    userByPassword: async (request, email, password) => {
      if (isCrossOrigin(request, publicUrl))
        throw new Forbidden('This request came from another site. Sign in at the dashboard itself.');
      const match = await userByPassword(request, email, password);
      if (match) request.admin = adminFor(match.user, request.admin?.sessionId ?? null);
      return match;
    },
  };
}

const fromAnotherSite = () => new Forbidden('This request came from another site. Use the dashboard itself.');

function adminFor(user: User, sessionId: number | null): Admin {
  return { actor: user.email, caller: `user ${user.id}`, user, sessionId };
}

/** An account that the user may not access gets the same 404 as one that does not exist. */
function checkRights(user: User, role: Role, { params }: FastifyRequest): void {
  const { account_id } = propertiesOf(params);
  if (account_id !== undefined && user.role !== 'owner' && !user.account_ids.includes(Number(account_id)))
    throw new NotFound('There is no such account.');
  if (!mayActAs(user.role, role))
    throw new Forbidden(
      role === 'owner'
        ? 'Only an owner may do this.'
        : `A ${user.role} can read, but not change anything. Ask an owner for more rights.`,
    );
}

const schemes = { bearer: /^\s*bearer\s+(\S+)/i, basic: /^\s*basic\s+(\S+)/i };

/** The credential in the header `Authorization`, or in `Authentication`, which the partner API also accepts. */
function credential(request: FastifyRequest, scheme: 'bearer' | 'basic'): string | undefined {
  for (const value of [request.headers.authorization, request.headers.authentication]) {
    if (typeof value !== 'string') continue;
    const secret = schemes[scheme].exec(value)?.[1];
    if (secret !== undefined) return secret;
  }
  return undefined;
}
