/** Field name (dotted for nested ones, `purchases.0.items.2.quantity`) to the sentences about it. */
export type FieldErrors = Record<string, string[]>;

/** One answer lists this many failing fields at most. */
export const mostErrors = 100;

/** What was sent can't be taken: every failing field at once, up to the limit. */
export class Invalid extends Error {
  override name = 'Invalid';
  readonly errors: FieldErrors;
  /** Whether more fields failed than are listed. */
  readonly hasMore: boolean;

  constructor(errors: FieldErrors, hasMore = false) {
    const all = Object.entries(errors);
    const listed = all.slice(0, mostErrors);
    super(listed.flatMap(([, messages]) => messages).join(' '));
    this.errors = Object.fromEntries(listed);
    this.hasMore = hasMore || all.length > mostErrors;
  }
}

/** The failing fields by name, for a header or a log; the last entry says if there are more. */
export function named(errors: FieldErrors, hasMore: boolean): string[] {
  const names = Object.keys(errors);
  return hasMore || names.length > mostErrors ? [...names.slice(0, mostErrors), 'and more'] : names;
}

/**
 * Collects the errors of one request, up to the limit. The next failing field ends the reading with a 422. If `goOn`
 * says that invalid data is dropped, the reading continues, and only the fact that there are more errors is kept.
 * A field at the top level of the request (no dot in its path) is always kept: decisions depend on those, and a request
 * has few of them.
 */
export class ErrorCollector {
  readonly fields: FieldErrors = Object.create(null);
  hasMore = false;
  #count = 0;
  readonly #goOn: () => boolean;

  constructor(goOn: () => boolean = () => false) {
    this.#goOn = goOn;
  }

  add(path: string, message: string): undefined {
    if (this.hasMore && path.includes('.')) return undefined;
    const known = this.fields[path];
    if (known) known.push(message);
    else if (this.#count < mostErrors || !path.includes('.')) {
      this.fields[path] = [message];
      this.#count++;
    } else if (this.#goOn()) this.hasMore = true;
    else throw new Invalid(this.fields, true);
    return undefined;
  }

  copy(): ErrorCollector {
    const copy = new ErrorCollector(this.#goOn);
    for (const [path, messages] of Object.entries(this.fields)) copy.fields[path] = [...messages];
    copy.hasMore = this.hasMore;
    copy.#count = this.#count;
    return copy;
  }
}

/** An account that is out of reach and one that does not exist, or no longer, look the same. */
export const noSuchAccount = () => new Invalid({ account_id: [outOfReach] });
export const outOfReach = 'The account id is not one that you can access.';

/** The one thing that was asked for does not exist, or not for this caller. */
export class NotFound extends Error {
  override name = 'NotFound';
}

/** The path exists, but not with this method. */
export class WrongMethod extends Error {
  override name = 'WrongMethod';
  readonly allowed: string[];

  constructor(method: string, allowed: string[]) {
    super(`This address does not take ${method}, only ${allowed.join(', ')}.`);
    this.allowed = allowed;
  }
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

/**
 * The service or a command can't start or go on, for a reason the operator can mend: shown as a sentence, without a
 * stack.
 */
export class SetupProblem extends Error {
  override name = 'SetupProblem';
}
