import { chromium, type Page } from 'playwright-core';
import { browserArguments, browserPath } from '../../test/support/browser.ts';
import { fill } from './load/fill.ts';
import { newGroups } from './load/guests.ts';
import type { Service } from './load/service.ts';

export interface Dashboard {
  url: string;
  email: string;
  password: string;
}

export interface PagesResult {
  /** What the browser received for the first page, and when something of it was seen. */
  first: { kilobytes: number; milliseconds: number };
  /** From the click until the new page's title was painted: the first time, and the times after. */
  changes: { to: string; first: number; later: number[] }[];
}

const guests = 5000;

/** An account worth looking at, and somebody to look at it. */
export async function pagesOf(service: Service, say: (text: string) => void): Promise<Dashboard> {
  say(`Making an account of ${guests.toLocaleString('en')} guests.`);
  const each = { bookingsEach: 5, purchasesEach: 10 };
  const groups = await newGroups(service, [{ contacts: guests, ...each, waiting: 1000, codes: 0 }]);
  await fill(service, groups, say);
  const user = { email: 'bench@harbour.example', password: 'correct horse battery staple' };
  await service.admin('POST', '/users', {
    ...user,
    role: 'staff',
    account_ids: groups.map(({ made }) => made.accountId),
  });
  return { url: service.url, ...user };
}

/** The walk: a link of the menu by its name, or the first row of the table that is shown. */
const walk = ['Guests', 'a guest', 'Venues', 'Vouchers', 'Settings', 'Home'];

/** Walks through the main pages in a real browser, and has the page itself take the time. */
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
    // The first load is that of somebody who is signed in and comes back with nothing kept.
    await page.goto('about:blank');
    await page.goto(url);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    // With the charts, which come after the page.
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

/** Without pointing at the link beforehand, which would have the router fetch the page before the click. */
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
