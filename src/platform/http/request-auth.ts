import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { networkOf } from '../../shared/address.ts';
import type { AuditEvent } from '../../shared/audit-event.ts';
import { composed } from '../../shared/formats.ts';
import { chain, type MaybePromise } from '../../shared/maybe-promise.ts';
import { Forbidden, NotFound, Unauthorized } from '../../shared/problem.ts';
import { mayActAs, type Role } from '../../shared/roles.ts';
import type { Tx } from '../db/database.ts';
import { isFromElsewhere, isOurOwn, sessionIn } from './cookie.ts';
import type { Limits } from './limits.ts';
import type { Rate } from './rate-limit.ts';

/** A token that was just found good. */
export interface Partner {
  tokenId: number;
  accountId: number;
  userId: number | null;
  /** The user's role now; null: the token is no user's. */
  role: Role | null;
}

export interface User {
  id: number;
  email: string;
  role: Role;
  account_ids: number[];
}

/** Somebody who gave the right password. */
export interface PasswordMatch {
  user: User;
  /** The one that it was right for: what was checked may be another by now. */
  passwordHash: string;
}

/** Where a password comes from. */
export interface Client {
  address: string | null;
  network: string;
}

/** Who calls the admin API. */
export interface Admin {
  /** In words, for records such as a token's creator. */
  actor: string;
  /** The same without an e-mail in it, for the log. */
  caller: string;
  /** Null: whoever has the admin token. */
  user: User | null;
  sessionId: number | null;
}

/** What the gate asks the features; it decides nothing about tokens, users and accounts itself. */
export interface AuthBackend {
  partner(secret: string): MaybePromise<Partner | undefined>;
  mayAccess(partner: Partner, accountId: number): MaybePromise<boolean>;
  isAdminToken(secret: string): boolean;
  userByPassword(email: string, password: string, client: Client): Promise<PasswordMatch | undefined>;
  userBySession(secret: string): Promise<{ user: User; sessionId: number } | undefined>;
  /** Writes down what somebody changed. */
  record(tx: Tx, deed: AuditEvent): Promise<void>;
  /** Whether the account exists; if so, it does until the transaction ends. */
  holdAccount(tx: Tx, accountId: number): Promise<boolean>;
  /** An administrator changed something: what is remembered for a moment is to be looked up anew. */
  changed(): void;
}

export interface RequestAuth {
  partner(request: FastifyRequest): MaybePromise<Partner>;
  /** Throws when the token is over its rate; undefined: there is no limit. */
  admit(partner: Partner): MaybePromise<Rate | undefined>;
  /** Who it is; throws where that is nobody, or somebody who may not make this call. */
  admin(request: FastifyRequest, role: Role): Promise<Admin>;
  /** The user with that e-mail and password. */
  userByPassword(request: FastifyRequest, email: string, password: string): Promise<PasswordMatch | undefined>;
}

const adminToken: Admin = { actor: 'admin token', caller: 'admin token', user: null, sessionId: null };

export function createRequestAuth(keeper: AuthBackend, limits: Limits, publicUrl: string | undefined): RequestAuth {
  const checking = new Map<string, Promise<PasswordMatch | undefined>>();

  async function checkPassword(client: Client, name: string, password: string): Promise<PasswordMatch | undefined> {
    const { network } = client;
    // Counted before it is checked, so that a burst of guesses does not slip through together.
    await limits.guess(network, name);
    let known: PasswordMatch | undefined;
    try {
      known = await keeper.userByPassword(name, password, client);
    } catch (error) {
      await limits.takeBack(network, name);
      throw error;
    }
    if (known) await limits.forgive(network, name);
    return known;
  }

  /** A program may make many calls at once: the same password is checked, and counted, once for all of them. */
  function userByPassword(
    { address }: FastifyRequest,
    email: string,
    password: string,
  ): Promise<PasswordMatch | undefined> {
    const [network, name] = [networkOf(address), composed(email.trim()).toLowerCase()];
    const guess = createHash('sha256')
      .update(JSON.stringify([network, name, password]))
      .digest('base64');
    const known = checking.get(guess);
    if (known) return known;
    const check = checkPassword({ address, network }, name, password).finally(() => checking.delete(guess));
    checking.set(guess, check);
    return check;
  }

  /** A wrong token or session. Counted after it was looked up, so that good tokens from the same network are not held up. */
  async function refuseToken({ address }: FastifyRequest, secret: string): Promise<never> {
    await limits.refuseToken(networkOf(address), createHash('sha256').update(secret).digest('base64'));
    throw new Unauthorized();
  }

  async function adminOf(request: FastifyRequest): Promise<Admin> {
    const bearer = credential(request, 'bearer');
    if (bearer !== undefined && keeper.isAdminToken(bearer)) return adminToken;
    const basic = credential(request, 'basic');
    if (basic !== undefined) {
      // A browser that has the password sends it by itself, as it does the cookie.
      if (request.method !== 'GET' && isFromElsewhere(request, publicUrl)) throw fromAnotherSite();
      const [email = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':');
      const known = await userByPassword(request, email, rest.join(':'));
      if (known) return adminFor(known.user, null);
    }
    if (bearer !== undefined) return refuseToken(request, bearer);
    const secret = sessionIn(request);
    // A credential that was shown and is no good is not made up for by another.
    if (secret === undefined || basic !== undefined) throw new Unauthorized();
    const session = await keeper.userBySession(secret);
    if (!session) return refuseToken(request, secret);
    // The browser sends the cookie by itself, whichever page has it ask.
    if (request.method !== 'GET' && !isOurOwn(request, publicUrl)) throw fromAnotherSite();
    return adminFor(session.user, session.sessionId);
  }

  return {
    partner: (request) => {
      const secret = credential(request, 'bearer');
      if (secret === undefined) throw new Unauthorized();
      return chain(keeper.partner(secret), (partner) => {
        return partner ?? refuseToken(request, secret);
      });
    },
    admit: (partner) => limits.admit(partner.tokenId),
    admin: async (request, role) => {
      const admin = await adminOf(request);
      // Known from here on, also where it is refused.
      request.admin = admin;
      if (admin.user) checkRights(admin.user, role, request);
      return admin;
    },
    userByPassword: async (request, email, password) => {
      if (isFromElsewhere(request, publicUrl))
        throw new Forbidden('This request came from another site. Sign in at the dashboard itself.');
      const known = await userByPassword(request, email, password);
      if (known) request.admin = adminFor(known.user, request.admin?.sessionId ?? null);
      return known;
    },
  };
}

const fromAnotherSite = () => new Forbidden('This request came from another site. Use the dashboard itself.');

function adminFor(user: User, sessionId: number | null): Admin {
  return { actor: user.email, caller: `user ${user.id}`, user, sessionId };
}

/** An account that is not theirs looks like one that is not there. */
function checkRights(user: User, role: Role, { params }: FastifyRequest): void {
  const { account_id } = (params ?? {}) as { account_id?: string };
  if (account_id !== undefined && user.role !== 'owner' && !user.account_ids.includes(Number(account_id)))
    throw new NotFound('There is no such account.');
  if (!mayActAs(user.role, role))
    throw new Forbidden(
      role === 'owner'
        ? 'Only an owner may do this. Ask one.'
        : `A ${user.role} may look, and not change. Ask an owner for more rights.`,
    );
}

const schemes = { bearer: /^\s*bearer\s+(\S+)/i, basic: /^\s*basic\s+(\S+)/i };

/** The credential of that scheme: under `Authorization`, or under `Authentication`, as the interface also calls it. */
function credential(request: FastifyRequest, scheme: 'bearer' | 'basic'): string | undefined {
  for (const value of [request.headers.authorization, request.headers.authentication]) {
    if (typeof value !== 'string') continue;
    const secret = schemes[scheme].exec(value)?.[1];
    if (secret !== undefined) return secret;
  }
  return undefined;
}
