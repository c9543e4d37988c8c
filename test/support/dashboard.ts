import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect } from 'vitest';
import { type TestApp, testApp } from './app.ts';
import { browserArguments, browserPath } from './browser.ts';
import { type SignedIn, signedIn } from './staff.ts';

export type Role = 'owner' | 'staff' | 'viewer';

const viewports = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>;

export interface Visit {
  /** The signed-in user: one of the file's three users, one of `dashboard.user`, or null for none. Default: an owner. */
  as?: Role | SignedIn | null;
  viewport?: keyof typeof viewports;
  scheme?: 'light' | 'dark';
  /** Expected error responses, such as "422 POST /admin/v1/users". Each must occur, and no others may. */
  refused?: (string | RegExp)[];
}

export interface Dashboard extends Omit<TestApp, 'account'> {
  url: string;
  /** The account whose pages are opened, and which the file's staff and viewer can access. */
  account: Awaited<ReturnType<TestApp['account']>>;
  /** Opens a page in a new browser context. `guests` is a page of the account; `/profile` is an absolute path. */
  open(path: string, visit?: Visit): Promise<Page>;
  /** A separate signed-in user, for tests that sign out or change the password. */
  user(role: Role, accountIds?: number[]): Promise<SignedIn>;
}

/**
 * Tests of the dashboard's pages: the app on a real port over a database of the file's own, and a browser. Any error in
 * a page that was opened fails its test. Without a browser the tests are left out; so nothing but them may use the dashboard.
 *
 *     inDashboard('the settings', (dashboard) => {
 *       beforeAll(() => dashboard.admin('POST', …));
 *       it('rename the account', async () => {
 *         const page = await dashboard.open('settings/account', { viewport: 'phone' });
 *         await expectAccessible(page);
 *       });
 *     });
 */
export function inDashboard(
  name: string,
  tests: (dashboard: Dashboard) => void,
  settings: Record<string, string> = {},
): void {
  describe.runIf(browserPath)(`${name}, in a browser`, async () => {
    tests(browserPath ? await startDashboard(browserPath, settings) : ({} as Dashboard));
  });
}

async function startDashboard(executablePath: string, settings: Record<string, string>): Promise<Dashboard> {
  if (!existsSync('dist/dashboard/index.html'))
    throw new Error('The dashboard is not built, so there is nothing to test. Run "npm run build" first.');
  const service = await testApp(settings);
  const account = await service.account();
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const browser = await chromium.launch({ executablePath, args: browserArguments });
  afterAll(() => browser.close());

  const user = (role: Role, accountIds = [account.id]) => signedIn(service, role, accountIds);
  // Password checks are slow on purpose, so each of the three signs in once.
  const users = new Map<Role, Promise<SignedIn>>();
  const theUser = (role: Role) => users.get(role) ?? users.set(role, user(role)).get(role);

  const open = new Map<Page, Watched>();
  afterEach(async ({ task }) => {
    const pages = [...open];
    open.clear();
    try {
      if (task.result?.state === 'fail') await saveScreenshots(pages.map(([page]) => page));
      for (const [page, watched] of pages) {
        if (!page.isClosed()) await expectNoSidewaysScroll(page);
        expectUntroubled(watched);
      }
    } finally {
      await Promise.all(pages.map(([page]) => page.context().close()));
    }
  });

  return {
    ...service,
    url,
    account,
    user,
    open: async (path, visit = {}) => {
      const { as = 'owner' } = visit;
      const who = typeof as === 'string' ? await theUser(as) : as;
      const page = await newPage(browser, url, who?.cookie, visit);
      open.set(page, await watch(page, url, visit.refused ?? [], who === null));
      await page.goto(new URL(path, `${url}/accounts/${account.id}/`).href.replace(/\/$/, ''));
      return page;
    },
  };
}

async function newPage(browser: Browser, url: string, cookie: string | undefined, visit: Visit): Promise<Page> {
  const context = await browser.newContext({
    ...viewports[visit.viewport ?? 'desktop'],
    colorScheme: visit.scheme ?? 'light',
    // No check runs during an animation.
    reducedMotion: 'reduce',
    locale: 'en-GB',
    // Neither the account's nor the service's time zone, so that a wrong time zone is noticed.
    timezoneId: 'Asia/Tokyo',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(30_000);
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=');
    const { hostname: domain } = new URL(url);
    await context.addCookies([{ name, value, domain, path: '/admin', httpOnly: true, sameSite: 'Strict' }]);
  }
  return context.newPage();
}

/** Unwanted events in a page. */
interface Watched {
  /** Errors and warnings in the console, and uncaught exceptions. */
  troubles: string[];
  /** Requests to other sites, which were blocked. */
  outside: string[];
  refusals: string[];
  expected: (string | RegExp)[];
  isSignedOut: boolean;
}

async function watch(page: Page, url: string, expected: (string | RegExp)[], isSignedOut: boolean): Promise<Watched> {
  const watched: Watched = { troubles: [], outside: [], refusals: [], expected, isSignedOut };
  const isOurs = (target: URL) => target.origin === url || /^(data|blob|about):$/.test(target.protocol);
  await page.context().route(
    (target) => !isOurs(target),
    (route) => {
      watched.outside.push(route.request().url());
      return route.abort();
    },
  );
  page.on('console', (message) => {
    // The responses themselves are recorded below.
    if (message.text().startsWith('Failed to load resource')) return;
    if (message.type() === 'error' || message.type() === 'warning')
      watched.troubles.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => watched.troubles.push(String(error)));
  const described = (method: string, target: string) => `${method} ${new URL(target).pathname}`;
  page.on('response', (response) => {
    const request = response.request();
    if (response.status() >= 400)
      watched.refusals.push(`${response.status()} ${described(request.method(), request.url())}`);
  });
  page.on('requestfailed', (request) => {
    // A page that is left aborts its requests.
    if (request.failure()?.errorText === 'net::ERR_ABORTED' || !isOurs(new URL(request.url()))) return;
    watched.troubles.push(`${described(request.method(), request.url())}: ${request.failure()?.errorText}`);
  });
  return watched;
}

function expectUntroubled({ troubles, outside, refusals, expected, isSignedOut }: Watched): void {
  const fits = (refusal: string, one: string | RegExp) =>
    typeof one === 'string' ? refusal === one : one.test(refusal);
  // A page without a session gets this response.
  const asked = (refusal: string) => isSignedOut && refusal === '401 GET /admin/v1/session';
  expect(troubles, 'errors and warnings in the page').toEqual([]);
  expect(outside, 'requests to other sites').toEqual([]);
  const unexpected = refusals.filter((refusal) => !asked(refusal) && !expected.some((one) => fits(refusal, one)));
  expect(unexpected, 'refusals that were not expected').toEqual([]);
  const missing = expected.filter((one) => !refusals.some((refusal) => fits(refusal, one)));
  expect(missing, 'refusals that did not come').toEqual([]);
}

/** Saves screenshots of a failed test. */
async function saveScreenshots(pages: Page[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'regulars-browser-'));
  for (const [index, page] of pages.entries()) {
    if (page.isClosed()) continue;
    const path = join(folder, `${index + 1}.png`);
    await page.screenshot({ path });
    console.error(`What the test last saw is in ${path}; the address was ${page.url()}`);
  }
}

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

interface Violation {
  id: string;
  help: string;
  nodes: { target: string[]; html: string; failureSummary: string }[];
}

/** Expects no violation found by axe, in light and dark, in the current state of the page. */
export async function expectAccessible(page: Page): Promise<void> {
  // Waits until the code of the page is loaded.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await expectNoSidewaysScroll(page);
  // The page's policy allows only its own scripts. It does not apply to the debugger.
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(`${axe}; undefined`);
  const isDark = await page.evaluate<boolean>(`matchMedia('(prefers-color-scheme: dark)').matches`);
  const [scheme, other] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  await expectNoViolations(page, scheme, {});
  // Only the contrast depends on the colour scheme.
  await expectNoViolations(page, other, { runOnly: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: scheme });
}

async function expectNoViolations(page: Page, colorScheme: 'light' | 'dark', rules: object): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const look = `axe.run(${JSON.stringify(rules)}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<Violation[]>(look);
  const found = violations.map(({ id, help, nodes }) => ({
    [`${id}: ${help}`]: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
  }));
  expect(found, `accessibility in ${colorScheme} at ${page.url()}`).toEqual([]);
}

/** Nothing is wider than the screen. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  expect(width, `the width of ${page.url()}`).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}
