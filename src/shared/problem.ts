/** Field name (dotted for nested ones, `purchases.0.items.2.quantity`) to the sentences about it. */
export type FieldErrors = Record<string, string[]>;

/** What was sent can't be taken: every failing field at once. */
export class Invalid extends Error {
  override name = 'Invalid';
  readonly errors: FieldErrors;

  constructor(errors: FieldErrors) {
    super(Object.values(errors).flat().join(' '));
    this.errors = errors;
  }
}

/** An account that is out of reach and one that does not exist, or no longer, look the same. */
export const noSuchAccount = () => new Invalid({ account_id: [outOfReach] });
export const outOfReach = 'The account id is not one that you can access.';

/** The one thing that was asked for does not exist, or not for this caller. */
export class NotFound extends Error {
  override name = 'NotFound';
}

/** No credential, or one that is unknown, revoked or expired. Which of these is never said. */
export class Unauthorized extends Error {
  override name = 'Unauthorized';
}

/** Known, but not allowed to. */
export class Forbidden extends Error {
  override name = 'Forbidden';
}

/** Right request, wrong moment: the caller should come back after so many seconds. */
export class TooMany extends Error {
  override name = 'TooMany';
  readonly retryAfter: number;
  /** How many a minute there may be, where that is no secret. */
  readonly limit: number | undefined;

  constructor(message: string, retryAfter: number, limit?: number) {
    super(message);
    this.retryAfter = retryAfter;
    this.limit = limit;
  }
}

/** Not now: we are stopping, or what we stand on is away. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/** The service or a command can't start or go on, for a reason the operator can mend: shown as a sentence, without a stack. */
export class SetupProblem extends Error {
  override name = 'SetupProblem';
}
