import { Forbidden } from '../../shared/problem.ts';
import type { Call } from './call.ts';
import { sessionSecret } from './cookie.ts';
import type { PasswordMatch, User } from './request-auth.ts';
import { RequestCall } from './request-call.ts';

/** The caller's session. Only the routes that sign in, sign out or change a password use it. */
class CallSession {
  readonly #call: RequestCall;

  constructor(call: RequestCall) {
    this.#call = call;
  }

  /** The signed-in user; throws for the admin token, which belongs to no user. */
  get user(): User {
    const user = this.#call.request.admin?.user;
    if (!user) throw new Forbidden('The admin token belongs to no user. Sign in with e-mail and password.');
    return user;
  }

  /** Null: the admin token. */
  get userId(): number | null {
    return this.#call.userId;
  }

  /** Null: the request has e-mail and password instead of a session. */
  get id(): number | null {
    return this.#call.request.admin?.sessionId ?? null;
  }

  get client(): { address: string | null; userAgent: string } {
    const { address, headers } = this.#call.request;
    return { address, userAgent: headers['user-agent'] ?? '' };
  }

  /** The secret in the cookie of the request. */
  get secret(): string | undefined {
    return sessionSecret(this.#call.request);
  }

  /** Sets the cookie of the response. Null deletes the cookie. */
  setCookie(secret: string | null): void {
    this.#call.newCookie = secret;
  }

  /** The user with this e-mail and password. Repeated failures are slowed down. */
  userByPassword(email: string, password: string): Promise<PasswordMatch | undefined> {
    return this.#call.auth.userByPassword(this.#call.request, email, password);
  }
}

export function sessionOf(call: Call<unknown, string>): CallSession {
  if (!(call instanceof RequestCall)) throw new TypeError('Only an HTTP request has a session.');
  return new CallSession(call);
}
