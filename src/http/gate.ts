import type { FastifyRequest } from 'fastify';
import type { Tx } from '../db/database.ts';
import { Unauthorized } from '../shared/problem.ts';
import { type Soon, whenKnown } from '../shared/soon.ts';
import { RateLimit } from './rate-limit.ts';

/** A token that was just found good. */
export interface Partner {
  tokenId: number;
  accountId: number;
  userId: number | null;
}

/** What the gate asks the features; it decides nothing about tokens, users and accounts itself. */
export interface Gatekeeper {
  partner(secret: string): Soon<Partner | undefined>;
  mayAccess(partner: Partner, accountId: number): Soon<boolean>;
  isAdminToken(secret: string): boolean;
  owner(email: string, password: string): Promise<{ id: number; email: string } | undefined>;
  /** Whether the account exists; if so, it does until the transaction ends. */
  holdAccount(tx: Tx, accountId: number): Promise<boolean>;
  /** An administrator changed something: what is remembered for a moment is to be looked up anew. */
  changed(): void;
}

export interface Gate {
  partner(request: FastifyRequest): Soon<Partner>;
  /** Throws when the token is over its rate. */
  admit(partner: Partner): void;
  /** Who it is: in words, and by a name that may stand in a log. */
  admin(request: FastifyRequest): Promise<{ actor: string; caller: string }>;
}

/** Wrong passwords a minute from one address. A token is 256 random bits: guessing those needs no brake. */
const failuresPerMinute = 10;

export function createGate(keeper: Gatekeeper, requestsPerMinute: number): Gate {
  const requests = new RateLimit(requestsPerMinute);
  const failures = new RateLimit(failuresPerMinute, 'Too many wrong passwords from this address.');

  return {
    partner: (request) => {
      const secret = credential(request, 'bearer');
      if (secret === undefined) throw new Unauthorized();
      return whenKnown(keeper.partner(secret), (partner) => {
        if (!partner) throw new Unauthorized();
        return partner;
      });
    },
    admit: (partner) => requests.take(String(partner.tokenId)),
    admin: async (request) => {
      const bearer = credential(request, 'bearer');
      if (bearer !== undefined && keeper.isAdminToken(bearer)) {
        return { actor: 'admin token', caller: 'admin token' };
      }
      const basic = credential(request, 'basic');
      if (basic === undefined) throw new Unauthorized();
      // Counted before it is checked, so that a burst of guesses does not slip through together.
      failures.take(request.ip);
      const [email = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':');
      const owner = await keeper.owner(email, rest.join(':'));
      if (!owner) throw new Unauthorized();
      failures.giveBack(request.ip);
      return { actor: owner.email, caller: `user ${owner.id}` };
    },
  };
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
