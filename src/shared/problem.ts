/** Messages by field name. Nested fields have dots: `purchases.0.items.2.quantity`. */
export type FieldErrors = Record<string, string[]>;

/** The maximum number of invalid fields in one response. */
export const mostErrors = 100;

/** Invalid input, with all invalid fields up to the limit. */
export class Invalid extends Error {
  override name = 'Invalid';
  readonly errors: FieldErrors;
  /** Whether there are more invalid fields than listed. */
  readonly hasMore: boolean;

  constructor(errors: FieldErrors, hasMore = false) {
    const all = Object.entries(errors);
    const listed = all.slice(0, mostErrors);
    super(listed.flatMap(([, messages]) => messages).join(' '));
    this.errors = Object.fromEntries(listed);
    this.hasMore = hasMore || all.length > mostErrors;
  }
}

/** The names of the invalid fields, for a header or a log. The last entry shows if there are more. */
export function invalidFields(errors: FieldErrors, hasMore: boolean): string[] {
  const names = Object.keys(errors);
  return hasMore || names.length > mostErrors ? [...names.slice(0, mostErrors), 'and more'] : names;
}

export function addError(errors: FieldErrors, path: string, message: string): undefined {
  errors[path] ??= [];
  errors[path].push(message);
  return undefined;
}

/**
 * Collects the errors of one request, up to the limit. The next invalid field ends the parsing with a 422. If `goOn`
 * returns true, because invalid data is discarded, the parsing continues, and only the fact that there are more errors
 * is stored. A top-level field (no dot in its path) is always stored, because decisions depend on it and there are few.
 */
export class ErrorCollector {
  readonly fields: FieldErrors = Object.create(null);
  hasMore = false;
  #count = 0;
  readonly #goOn: () => boolean;

  constructor(goOn: () => boolean = () => false) {
    this.#goOn = goOn;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
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

/** The same error for an account without access and one that does not exist. */
export const noSuchAccount = () => new Invalid({ account_id: [outOfReach] });
export const outOfReach = 'The account id is not one that you can access.';

/** The requested item does not exist, or the caller has no access to it. */
export class NotFound extends Error {
  override name = 'NotFound';
}

/** The path does not support this method. */
export class WrongMethod extends Error {
  override name = 'WrongMethod';
  readonly allowed: string[];

  constructor(method: string, allowed: string[]) {
    super(`This address does not take ${method}, only ${allowed.join(', ')}.`);
    this.allowed = allowed;
  }
}

/** The credential is missing, unknown, revoked or expired. The response does not tell which. */
export class Unauthorized extends Error {
  override name = 'Unauthorized';
}

/** The caller is authenticated but has no permission. */
export class Forbidden extends Error {
  override name = 'Forbidden';
}

/** The request is valid but cannot be served now. The client should retry after some seconds. */
export class TooMany extends Error {
  override name = 'TooMany';
  readonly retryAfter: number;
  /** The limit per minute, if it is public. */
  readonly limit: number | undefined;

  constructor(message: string, retryAfter: number, limit?: number) {
    super(message);
    this.retryAfter = retryAfter;
    this.limit = limit;
  }
}

/** The service is shutting down, or the database is unavailable. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/** The answer needs a job that still runs. The message says which, and the client can try again. */
export class NotReady extends Error {
  override name = 'NotReady';
}

/**
 * The service or a command cannot start or continue, and the operator can fix the cause. Shown without a stack trace.
 */
export class SetupProblem extends Error {
  override name = 'SetupProblem';
}
