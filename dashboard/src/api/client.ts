/** An error response of the admin API, with its message. */
export class ApiError extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  /** The first message of each invalid field. Nested fields are named like `codes.3`. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, message: string, fields: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }

  static from(status: number, body: unknown): ApiError {
    const { errors } = (body ?? {}) as { errors?: { message: string }[] | Record<string, string[]> };
    if (Array.isArray(errors)) return new ApiError(status, errors[0]?.message ?? unexpectedResponse);
    if (!errors) return new ApiError(status, unexpectedResponse);
    const fields = Object.fromEntries(
      Object.entries(errors).map(([field, [first = unexpectedResponse]]) => [field, first]),
    );
    return new ApiError(status, Object.values(fields)[0] ?? unexpectedResponse, fields);
  }
}

const unexpectedResponse = 'The service sent an unexpected response. Try again in a moment.';
const unreachable = new ApiError(0, 'The service can’t be reached. Check the connection, then try again.');

export type Params = Record<string, string | number | boolean | null | undefined | readonly string[]>;

interface RequestOptions {
  signal?: AbortSignal;
  accept?: string;
}

let signedOut = () => {};
/** Registers a callback for a 401, which means that the session has ended. */
export function onSignedOut(act: () => void): void {
  signedOut = act;
}

/** The URL of a path of the admin API. Blank parameters are left out. A list is repeated as `name[]`. */
export function adminUrl(path: string, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (Array.isArray(value)) for (const item of value) query.append(`${name}[]`, item);
    else if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  return `/admin/v1${path}${query.size > 0 ? `?${query}` : ''}`;
}

async function send(method: string, url: string, body: unknown, { signal, accept }: RequestOptions): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: accept ?? 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((error: Error) => {
    throw error.name === 'AbortError' ? error : unreachable;
  });
  if (response.ok) return response;
  // The callers of /session handle a 401 themselves: sign-in and the check for a session.
  if (response.status === 401 && !url.endsWith('/v1/session')) signedOut();
  throw ApiError.from(response.status, await response.json().catch(() => undefined));
}

async function parseResponse<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T;
  return (await response.json().catch(() => {
    throw unreachable;
  })) as T;
}

/** The admin API. Paths are without `/admin/v1`: `api.get<Paged<Unit>>('/accounts/1/units', { page: 2 })`. */
export const api = {
  get: async <T>(path: string, params?: Params, asking: RequestOptions = {}) =>
    parseResponse<T>(await send('GET', adminUrl(path, params), undefined, asking)),
  post: async <T = void>(path: string, body?: unknown, asking: RequestOptions = {}) =>
    parseResponse<T>(await send('POST', adminUrl(path), body ?? {}, asking)),
  patch: async <T = void>(path: string, body: unknown, asking: RequestOptions = {}) =>
    parseResponse<T>(await send('PATCH', adminUrl(path), body, asking)),
  delete: async <T = void>(path: string, asking: RequestOptions = {}) =>
    parseResponse<T>(await send('DELETE', adminUrl(path), undefined, asking)),

  /** For routes that report progress: one JSON line at a time. The last line is the result or the error. */
  async postWithProgress<T>(
    path: string,
    body: unknown,
    onProgress: (done: number, of: number) => void,
    asking: RequestOptions = {},
  ): Promise<T> {
    const response = await send('POST', adminUrl(path), body, { ...asking, accept: 'application/x-ndjson' });
    let last: unknown;
    for await (const line of lines(response)) {
      last = JSON.parse(line);
      const { done, of, errors } = last as { done?: number; of?: number; errors?: unknown };
      if (errors !== undefined) throw ApiError.from(response.status, last);
      if (done !== undefined && of !== undefined) onProgress(done, of);
    }
    const { done, of } = (last ?? {}) as { done?: number; of?: number };
    // The connection closed before the last line, so the service rolled the request back.
    if (last === undefined || (done !== undefined && of !== undefined)) throw unreachable;
    return last as T;
  },
};

async function* lines(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read().catch((error: Error) => {
      throw error.name === 'AbortError' ? error : unreachable;
    });
    if (done) break;
    const parts = (rest + value).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter((part) => part !== '');
  }
  if (rest !== '') yield rest;
}
