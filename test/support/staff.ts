import type { Answer, CallOptions, TestApp } from './app.ts';

/** The headers that a browser adds to a request of our own page. */
export const fromOurPage = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost' };

export const staffPassword = 'correct horse battery';

export interface SignedIn {
  id: number;
  email: string;
  cookie: string;
  /** A request as the dashboard makes it. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
}

let count = 0;

/** A new user of that role, signed in as a browser is. */
export async function signedIn(
  { admin, call }: TestApp,
  role: 'owner' | 'staff' | 'viewer',
  account_ids: number[] = [],
): Promise<SignedIn> {
  const email = `${role}${++count}.${process.pid}@harbour.example`;
  const { body: user } = await admin('POST', '/users', { email, password: staffPassword, account_ids, role });
  const cookie = await signIn({ call }, email);
  return {
    ...user,
    cookie,
    call: (method, path, body, options = {}) =>
      call(method, `/admin/v1${path}`, {
        ...(body === undefined ? {} : { body }),
        ...options,
        headers: { ...fromOurPage, cookie, ...options.headers },
      }),
  };
}

/** The cookie that the browser keeps, as it sends it back. */
export async function signIn(
  { call }: Pick<TestApp, 'call'>,
  email: string,
  password = staffPassword,
): Promise<string> {
  const { status, headers } = await call('POST', '/admin/v1/session', {
    body: { email, password },
    headers: fromOurPage,
    remoteAddress: `10.9.${++count % 250}.1`,
  });
  if (status !== 201) throw new Error(`Signing in was answered with ${status}.`);
  return String(headers['set-cookie']).split(';')[0] as string;
}
