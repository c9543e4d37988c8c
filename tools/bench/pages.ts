import { chromium, type Page } from 'playwright-core';
import { browserArguments, browserPath } from '../../test/support/browser.ts';
import { fillFigures } from './load/figures.ts';
import { fill } from './load/fill.ts';
import { newGroups } from './load/guests.ts';
import type { Service } from './load/service.ts';

export interface Dashboard {
  url: string;
  email: string;
  password: string;
}

export interface PagesResult {
  /** The size of the first load, and the time of the first paint. */
  first: { kilobytes: number; milliseconds: number };
  /** The time from a click to the painted title: the first time, and later ones. */
  changes: { to: string; first: number; later: number[] }[];
}

const guests = 5000;

/** An account with data, and a user. */
export async function pagesOf(service: Service, say: (text: string) => void): Promise<Dashboard> {
  say(`Making an account of ${guests.toLocaleString('en')} guests.`);
  const each = { bookingsEach: 5, purchasesEach: 10 };
  const groups = await newGroups(service, [{ contacts: guests, ...each, waiting: 1000, codes: 0 }]);
  await fill(service, groups, say);
  await fillFigures(service, groups, say);
  const user = { email: 'bench@harbour.example', password: 'correct horse battery staple' };
  await service.admin('POST', '/users', {
    ...user,
    role: 'staff',
    account_ids: groups.map(({ made }) => made.accountId),
  });
  return { url: service.url, ...user };
}

/** The navigation steps: a menu link by its name, or the first row of the table. */
const walk = ['Guests', 'a guest', 'Venues', 'Vouchers', 'Settings', 'Home'];

/** Opens the main pages in a real browser. The page itself measures the time. */
export async function benchPages({ url, email, password }: Dashboard, rounds: number): Promise<PagesResult> {
  if (!browserPath) throw new Error('No Chromium was found: install one, or set CHROMIUM_PATH to it.');
  const browser = await chromium.launch({ executablePath: browserPath, args: browserArguments });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${url}/sign-in`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    // The first load is with a session and an empty cache.
    await page.goto('about:blank');
    await page.goto(url);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    // Includes the charts, which load after the page.
    await page.waitForLoadState('networkidle');
    const first = await page.evaluate<PagesResult['first']>(firstLoad);
    const changes = walk.map((to) => ({ to, first: Number.NaN, later: [] as number[] }));
    for (let round = 0; round <= rounds; round++) {
      for (const change of changes) {
        await page.waitForLoadState('networkidle');
        if (change.to === 'a guest') await page.locator('main tbody a').first().waitFor();
        const milliseconds = await timeOf(page, change.to);
        if (round === 0) change.first = milliseconds;
        else change.later.push(milliseconds);
      }
    }
    return { first, changes };
  } finally {
    await browser.close();
  }
}

const firstLoad = `(() => {
  const scripts = performance.getEntriesByType('resource').filter(({ name }) => new URL(name).pathname.endsWith('.js'));
  const painted = performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint');
  return {
    kilobytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
    milliseconds: painted?.startTime ?? NaN,
  };
})()`;

/** Clicks by script, because hovering would make the router preload the page. */
function timeOf(page: Page, to: string): Promise<number> {
  const link =
    to === 'a guest'
      ? `document.querySelector('main tbody a')`
      : `[...document.querySelectorAll('nav[aria-label="Main"] a')].find((link) => link.textContent === ${JSON.stringify(to)})`;
  return page.evaluate<number>(`new Promise((done) => {
    const title = () => document.querySelector('h1')?.textContent;
    const before = title();
    const begin = performance.now();
    const look = () => requestAnimationFrame(() => {
      if (!title() || title() === before) return look();
      // A message is handled after the frame that it was sent in was painted.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now() - begin);
      port2.postMessage(undefined);
    });
    ${link}.click();
    look();
  })`);
}
