import { chromium, type Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { testApp } from '../support/app.ts';
import { browserArguments, browserPath } from '../support/browser.ts';

describe.runIf(browserPath)('the API reference in a browser', async () => {
  if (!browserPath) return;
  const { app, account } = await testApp();
  const { token } = await account('Shown in the browser');
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const browser = await chromium.launch({ executablePath: browserPath, args: browserArguments });
  afterAll(() => browser.close());

  /** A page that notes what went wrong in it, and every request that would leave the machine. */
  async function open(
    path: string,
    viewport = { width: 1280, height: 900 },
  ): Promise<{ page: Page; problems: string[]; outside: string[] }> {
    const page = await browser.newPage({ viewport });
    const problems: string[] = [];
    const outside: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.route('**', (route) => {
      const target = route.request().url();
      if (target.startsWith(url) || /^(data|blob):/.test(target)) return route.continue();
      outside.push(target);
      return route.abort();
    });
    await page.goto(`${url}${path}`);
    return { page, problems, outside };
  }

  it('shows every route without requests to other sites', async () => {
    const { page, problems, outside } = await open('/docs');
    await page.getByRole('heading', { name: 'Regulars API', exact: true }).first().waitFor();
    for (const group of ['Units', 'Look-ups', 'Manage accounts', 'Manage tokens']) {
      await page
        .getByRole('button', { name: new RegExp(`Group\\s+${group}$`) })
        .first()
        .waitFor();
    }
    await page.waitForTimeout(1000);
    expect(outside).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('shows the requests that webhooks get', async () => {
    const { page, problems, outside } = await open('/docs');
    await page
      .getByRole('button', { name: /Group\s+Events$/ })
      .first()
      .click();
    await page
      .getByRole('button', { name: /^contact\.merged/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'contact.merged' }).first().waitFor();
    await page.getByText('webhook-signature').first().waitFor();
    await page.getByText('merged_contact_id').first().waitFor();
    expect(outside).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('sends a request and shows the response', async () => {
    const { page, problems, outside } = await open('/docs');
    await page
      .getByRole('button', { name: /Group\s+Units$/ })
      .first()
      .click();
    await page
      .getByRole('button', { name: /^List units/ })
      .first()
      .click();
    await page
      .getByRole('button', { name: /Test Request.*\/v1\/account\/units/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await dialog
      .getByRole('textbox', { name: /Bearer Token|Token/ })
      .first()
      .fill(token);
    await dialog.getByRole('button', { name: /^Send/ }).first().click();
    await dialog.getByText('Shown in the browser').first().waitFor();
    expect(outside).toEqual([]);
    expect(problems).toEqual([]);
  });
});
