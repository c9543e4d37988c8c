import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, inDashboard } from '../support/dashboard.ts';
import { fresh } from '../support/till.ts';
import { accepted } from '../support/vouchers.ts';

const viewports = ['desktop', 'phone'] as const;

inDashboard('the developers page', (dashboard) => {
  const base = () => `/accounts/${dashboard.account.id}`;
  const newToken = async (name = fresh('Till')) => {
    const { id, token } = accepted(await dashboard.admin('POST', `${base()}/tokens`, { name }), 201);
    return { id: id as number, name, token: token as string, page: `developers/tokens/${id}` };
  };
  const units = (token: string) => dashboard.call('GET', '/v1/account/units', { token });
  const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  const log = (page: Page) => page.getByRole('table', { name: 'Requests' });

  for (const viewport of viewports) {
    it(`creates a token, shows it once, and shows its first requests (${viewport})`, async () => {
      const name = fresh('Till');
      const email = `${fresh('guest')}@gmail.com`;
      const page = await dashboard.open('developers', { viewport, refused: ['422 POST /v1/contact'] });
      await page.getByRole('button', { name: 'New token' }).click();
      await dialog(page).getByLabel('Name').fill(name);
      await dialog(page).getByRole('combobox', { name: 'Expires' }).click();
      await page.getByRole('option', { name: 'In 90 days' }).click();
      await expectAccessible(page);
      await dialog(page).getByRole('button', { name: 'Create token' }).click();

      await dialog(page).getByText('It is not shown again').waitFor();
      await dialog(page).getByRole('button', { name: 'Copy token' }).click();
      const token = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(token).toMatch(/^regulars_pat_/);
      await dialog(page).getByText(token, { exact: true }).waitFor();
      // Neither by a slip of the finger nor by Escape.
      await page.keyboard.press('Escape');

      await dialog(page).getByText(`Authorization: Bearer ${token}`).waitFor();
      await dialog(page).getByRole('button', { name: 'Send it' }).click();
      await dialog(page).getByText('200 OK').waitFor();
      await dialog(page)
        .getByText(/^\d+ ms$/)
        .waitFor();
      await dialog(page).getByText('"is_root": true').waitFor();
      await expectAccessible(page);

      await dialog(page).getByText('Write a contact').click();
      await dialog(page).getByLabel('E-mail of the contact').fill('nobody');
      await dialog(page).getByRole('button', { name: 'Send it' }).click();
      await dialog(page).getByText('422 Invalid fields').waitFor();
      await dialog(page).getByLabel('E-mail of the contact').fill(email);
      await dialog(page).getByRole('button', { name: 'Send it' }).click();
      await dialog(page)
        .getByRole('link', { name: /^guest \d+$/ })
        .waitFor();
      const { body: guest } = await dashboard.call('GET', '/v1/contacts', { token, body: { email } });
      expect(guest.email).toBe(email);

      await dialog(page).getByRole('button', { name: 'Done' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      expect(await page.content()).not.toContain(token);
      await page.getByRole('link', { name }).click();
      await title(page, name).waitFor();
      await log(page).getByText('/v1/account/units').waitFor();
      await log(page).getByText('422 Invalid fields').waitFor();
      expect(await page.content()).not.toContain(token);
    });

    it(`shows the request log of a token live (${viewport})`, async () => {
      const { token, page: path } = await newToken();
      const page = await dashboard.open(path, { viewport });
      await page.getByText('No requests in the last 7 days').waitFor();
      await expectAccessible(page);
      await units(token);
      await log(page).getByText('200 OK').waitFor();
      const body = { account_id: dashboard.account.id, email: 'nobody', mobile_number: '1' };
      await dashboard.call('POST', '/v1/contact', { token, body });
      const rules = [{ rule_name: 'discard_invalid_data' }];
      const written = { account_id: dashboard.account.id, email: `${fresh('guest')}@gmail.com`, dob: 'never', rules };
      await dashboard.call('POST', '/v1/contact', { token, body: written });
      const refused = log(page).getByRole('row').filter({ hasText: 'Invalid:' });
      for (const field of ['email', 'mobile_number']) await refused.getByText(field, { exact: true }).waitFor();
      await log(page).getByRole('row').filter({ hasText: 'Discarded:' }).getByText('dob', { exact: true }).waitFor();
      await expectAccessible(page);

      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: false }).waitFor();
      await dashboard.call('GET', '/v1/unique_code', { token, body: { account_id: dashboard.account.id } });
      // Longer than it takes to be written down and asked for.
      await page.waitForTimeout(4000);
      expect(await log(page).getByText('/v1/unique_code').count()).toBe(0);
      await page.getByRole('button', { name: 'Resume' }).click();
      await log(page).getByText('/v1/unique_code').waitFor();
    });
  }

  it('keeps the position of the log when new lines arrive, and loads older ones', async () => {
    const { token, page: path } = await newToken();
    for (let sent = 0; sent < 130; sent += 13) await Promise.all(Array.from({ length: 13 }, () => units(token)));
    await dashboard.call('GET', '/v1/unique_code', { token, body: {} });
    const page = await dashboard.open(path);
    const lines = log(page).getByRole('row');
    await log(page).getByText('/v1/unique_code').waitFor();
    await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
    await expect.poll(() => lines.count()).toBe(101);
    const line = lines.nth(90);
    await line.scrollIntoViewIfNeeded();
    const top = await line.evaluate((row) => row.getBoundingClientRect().top);
    await dashboard.call('GET', '/v1/contacts', { token, body: {} });
    await expect.poll(() => lines.count()).toBe(102);
    const moved = (await lines.nth(91).evaluate((row) => row.getBoundingClientRect().top)) - top;
    expect(Math.abs(moved)).toBeLessThan(2);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => lines.count()).toBe(133);
  });

  it('renames and revokes a token', async () => {
    const { token, page: path, name } = await newToken();
    expect((await units(token)).status).toBe(200);
    const page = await dashboard.open(path);
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog(page).getByLabel('Name').fill(`${name} again`);
    await dialog(page).getByRole('button', { name: 'Rename' }).click();
    await title(page, `${name} again`).waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await dialog(page).getByText('The next request with this token gets a 401').waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('Revoked', { exact: true }).first().waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Revoke' }).count()).toBe(0);
    expect((await units(token)).status).toBe(401);
  });

  for (const role of ['staff', 'viewer'] as const) {
    it(`shows the reference but no tokens to ${role}`, async () => {
      const { page: path, name } = await newToken();
      const page = await dashboard.open('developers', { as: role, viewport: 'phone' });
      await page.getByText('Ask an owner for one').waitFor();
      expect(await page.getByRole('link', { name: 'Open the reference' }).getAttribute('href')).toBe('/docs');
      await page.getByText(`${dashboard.url}/v1`, { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'New token' }).count()).toBe(0);
      await expectAccessible(page);
      const other = await dashboard.open(path, { as: role });
      await other.getByText('Ask an owner for one').waitFor();
      expect(await other.content()).not.toContain(name);
    });
  }

  it('has examples that work unchanged', async () => {
    const { body: group } = await dashboard.admin('POST', `${base()}/unique_code_groups`, {
      unit_id: dashboard.account.root_unit_id,
      name: fresh('Examples'),
    });
    const code = fresh('EXAMPLE');
    await dashboard.admin('POST', `${base()}/unique_code_groups/${group.id}/codes`, { codes: [code] });
    const page = await dashboard.open('developers', { as: 'staff' });
    await page.getByText(`"unique_code": "${code}"`).waitFor();
    const commands = await page.locator('pre').allTextContents();
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      const [, address = ''] = /curl [^']*'([^']+)'/.exec(command) ?? [];
      const [, body] = /-d '([^']+)'/.exec(command) ?? [];
      expect(command).toContain('-H "Authorization: Bearer $REGULARS_TOKEN"');
      const { pathname, search, origin } = new URL(address);
      expect(origin).toBe(dashboard.url);
      const answer = await dashboard.call(command.includes('-X POST') ? 'POST' : 'GET', `${pathname}${search}`, {
        token: dashboard.account.token,
        ...(body === undefined ? {} : { body: JSON.parse(body) }),
      });
      expect(answer.status, command).toBe(200);
    }
    const { body: found } = await dashboard.admin('GET', `${base()}/unique_codes?unique_code=${code}`);
    expect(found.data[0].status).toBe('Redeemed');
  });
});
