import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, inDashboard } from '../support/dashboard.ts';
import { fresh } from '../support/till.ts';
import { accepted } from '../support/vouchers.ts';

const viewports = ['desktop', 'phone'] as const;

inDashboard('the vouchers pages', (dashboard) => {
  const base = () => `/accounts/${dashboard.account.id}`;
  const newGroup = async (codes: string[] = [], name = fresh('Group')) => {
    const { id } = accepted(
      await dashboard.admin('POST', `${base()}/unique_code_groups`, { unit_id: dashboard.account.root_unit_id, name }),
      201,
    ) as { id: number };
    if (codes.length > 0) accepted(await dashboard.admin('POST', `${pathOf(id)}/codes`, { codes }), 201);
    return { id, name, page: `vouchers/${id}` };
  };
  const pathOf = (id: number) => `${base()}/unique_code_groups/${id}`;
  const codesOf = async (id: number, query = '') =>
    accepted(await dashboard.admin('GET', `${pathOf(id)}/codes${query}`)) as {
      total: number;
      data: { unique_code: string; contact_id: number | null }[];
    };
  const partner = (path: string, body: object) =>
    dashboard.call('POST', path, {
      token: dashboard.account.token,
      body: { account_id: dashboard.account.id, ...body },
    });
  const newGuest = async (first_name: string, more: object = {}): Promise<number> =>
    accepted(
      await partner('/v1/contact', {
        ...{ first_name, last_name: 'Silva', email: `${fresh('guest')}@gmail.com`, full_contact_object: false },
        ...more,
      }),
    ).id;
  const redeem = async (unique_code: string, more: object = {}) =>
    accepted(
      await partner('/v1/unique_code/redeem', { unit_id: dashboard.account.root_unit_id, unique_code, ...more }),
    );

  const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  /** One of the group's figures. */
  const figure = (page: Page, label: string) =>
    page.getByRole('term').filter({ hasText: label }).locator('xpath=following-sibling::dd');
  const choose = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  for (const viewport of viewports) {
    it(`create a group with codes that cannot be guessed (${viewport})`, async () => {
      const page = await dashboard.open('vouchers', { as: 'staff', viewport, refused: [/^422 POST .*\/codes$/] });
      const name = fresh('Summer');
      await title(page, 'Vouchers').waitFor();
      await page.getByRole('button', { name: 'New group' }).click();
      await dialog(page).getByLabel('Name').fill(name);
      await expectAccessible(page);
      await dialog(page).getByRole('button', { name: 'Create group' }).click();
      await title(page, name).waitFor();
      await page.getByText('No codes yet', { exact: true }).waitFor();

      await page.getByRole('button', { name: 'Generate codes' }).click();
      await dialog(page).getByLabel('How many').fill('12000');
      await dialog(page).getByLabel('Prefix').fill('SUN-');
      await dialog(page).getByRole('textbox', { name: 'Length' }).fill('5');
      await dialog(page).getByRole('button', { name: 'Generate' }).click();
      await dialog(page).getByText('shorter codes could be guessed').waitFor();
      await expectAccessible(page);
      await dialog(page).getByRole('textbox', { name: 'Length' }).fill('10');
      await dialog(page).getByRole('button', { name: 'Generate' }).click();

      await page.getByRole('status').getByText('12,000 codes were generated.').waitFor();
      await figure(page, 'Made').getByText('12,000').waitFor();
      await page
        .getByRole('table', { name: 'Codes' })
        .getByText(/^SUN-\w{10}$/)
        .first()
        .waitFor();
      await page.getByText('1–100 of 12,000').waitFor();
      await expectAccessible(page);
    });

    it(`import codes, and name an invalid line (${viewport})`, async () => {
      const { id, page: path } = await newGroup(['OLD-1']);
      const page = await dashboard.open(path, { as: 'staff', viewport, refused: [/^422 POST .*\/codes$/] });
      await choose(page, 'Import codes');
      const codes = dialog(page).getByRole('textbox', { name: 'Codes' });
      await codes.fill(`NEW-1\n\nnew-1\n${'x'.repeat(256)}\nNEW-2`);
      await dialog(page).getByText('3 codes, 1 repeated line left out').waitFor();
      await dialog(page).getByRole('button', { name: 'Import' }).click();
      await dialog(page).getByText('Line 4: The code may not be greater than 255 characters.').waitFor();
      await expectAccessible(page);
      expect((await codesOf(id)).total).toBe(1);

      // An image is rejected, and the entered codes stay.
      await dialog(page)
        .locator('input[type=file]')
        .setInputFiles({ name: 'codes.txt', mimeType: 'text/plain', buffer: Buffer.from([137, 80, 78, 71, 10, 0, 1]) });
      await dialog(page).getByText('This is not a text file. Choose a .txt or .csv file.').waitFor();
      await dialog(page).getByText('3 codes, 1 repeated line left out').waitFor();

      await dialog(page)
        .locator('input[type=file]')
        .setInputFiles({
          name: 'codes.txt',
          mimeType: 'text/plain',
          buffer: Buffer.from('NEW-1\r\nold-1\r\nNEW-2\r\n'),
        });
      await dialog(page).getByText('3 codes', { exact: true }).waitFor();
      await dialog(page).getByRole('button', { name: 'Import' }).click();
      await dialog(page).getByText('2 codes were added. 1 was already in the group').waitFor();
      await dialog(page).getByRole('button', { name: 'Done' }).click();
      await figure(page, 'Made').getByText('3', { exact: true }).waitFor();
    });

    it(`assign codes to a guest and to a group of guests, and unassign them (${viewport})`, async () => {
      const codes = Array.from({ length: 6 }, () => fresh('GIVE'));
      const { id, page: path } = await newGroup(codes);
      const first = fresh('Anastasia');
      const ana = await newGuest(first);
      const group = fresh('Birthday club');
      const units = [{ id: dashboard.account.root_unit_id, groups: [{ name: group }] }];
      for (const name of ['Eva', 'Rui', 'Tom']) await newGuest(name, { units });
      const page = await dashboard.open(path, { as: 'staff', viewport });

      await page.getByRole('button', { name: `Assign ${codes[0]}` }).click();
      await dialog(page).getByRole('combobox', { name: 'Guest' }).fill(first.toLowerCase());
      await page.getByRole('option', { name: first }).waitFor();
      await expectAccessible(page);
      await page.getByRole('option', { name: first }).click();
      await dialog(page).getByRole('button', { name: 'Assign' }).click();
      await page.getByRole('link', { name: `${first} Silva` }).waitFor();
      await dialog(page).waitFor({ state: 'hidden' });
      expect((await codesOf(id)).data[0]?.contact_id).toBe(ana);

      await page.getByRole('button', { name: 'Assign', exact: true }).click();
      await dialog(page).getByText('5 codes are still free.').waitFor();
      await dialog(page).getByText('A group of guests').click();
      await dialog(page).getByRole('combobox', { name: 'Group of guests' }).fill(group);
      await page.getByRole('option', { name: `${group} (3 guests)` }).click();
      await dialog(page).getByRole('button', { name: 'Assign codes' }).click();
      await dialog(page).getByText('3 guests got a code.').waitFor();
      await expectAccessible(page);
      await dialog(page).getByRole('button', { name: 'Done' }).click();
      await figure(page, 'Assigned').getByText('4', { exact: true }).waitFor();

      await page.getByRole('button', { name: `Take back ${codes[0]}` }).click();
      await expectAccessible(page);
      await dialog(page).getByRole('button', { name: 'Take it back' }).click();
      await page.getByRole('button', { name: `Assign ${codes[0]}` }).waitFor();
      expect((await codesOf(id, '?assigned=true')).total).toBe(3);
    });

    it(`show the time and venue of a redemption (${viewport})`, async () => {
      const codes = Array.from({ length: 4 }, () => fresh('USE'));
      const { page: path, name } = await newGroup(codes);
      for (const code of codes.slice(0, 3)) await redeem(code);
      const page = await dashboard.open(path, { as: 'viewer', viewport });
      await figure(page, 'Redemption rate').getByText('75%').waitFor();
      const chart = page.getByRole('figure', { name: 'Redemptions' });
      await chart.getByRole('application', { name: /^Redemptions/ }).waitFor();
      // The same as a table, for those who can't see it: every day of the 90, and today the three.
      await expect.poll(() => chart.getByRole('row').count()).toBe(91);
      await chart.getByRole('cell', { name: '3', exact: true }).waitFor();
      await expectAccessible(page);
      await page.getByText('1 year').click();
      await expect.poll(() => chart.getByRole('row').count()).toBe(53);
      expect(page.url()).toContain('period=year');
      await expectAccessible(page);

      // A viewer looks, and changes nothing.
      await title(page, name).waitFor();
      for (const button of ['Generate codes', 'Assign', 'More'])
        expect(await page.getByRole('button', { name: button, exact: true }).count()).toBe(0);
    });

    it(`find a code by typing it (${viewport})`, async () => {
      const code = fresh('FIND');
      const { name } = await newGroup([code]);
      await redeem(code);
      const page = await dashboard.open('vouchers', { as: 'viewer', viewport });
      await page.getByRole('table', { name: 'Voucher groups' }).getByText(name).waitFor();
      await page.getByLabel('Find a code').fill('NO-SUCH-CODE');
      await page.getByText('No group has the code NO-SUCH-CODE').waitFor();
      await page.getByLabel('Find a code').fill(`  ${code.toLowerCase()} `);
      const found = page.getByRole('table', { name: 'Codes found' });
      await found.getByText('Redeemed', { exact: true }).last().waitFor();
      await expectAccessible(page);
      await found.getByRole('link', { name }).click();
      await title(page, name).waitFor();
      await page.getByRole('table', { name: 'Codes' }).getByText(code).waitFor();
    });
  }

  it('show each code on one line; a wide table scrolls, not the page', async () => {
    const code = `WINTER-FESTIVAL-${fresh('LONG-AND-HYPHENATED')}`;
    const { page: path } = await newGroup([code, fresh('SHORT')]);
    await redeem(code);
    const page = await dashboard.open(path, { as: 'staff' });
    const table = page.getByRole('table', { name: 'Codes' });
    const cut = `[...document.querySelectorAll('td .mantine-Badge-label')].filter((label) => label.scrollWidth > label.clientWidth).length`;
    for (const width of [820, 1024, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect((await table.getByText(code).boundingBox())?.height).toBeLessThan(30);
      expect(await page.evaluate(cut)).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  });

  it('do not create a number of codes that was not entered', async () => {
    const { id, page: path } = await newGroup();
    const page = await dashboard.open(path, { as: 'staff' });
    await page.getByRole('button', { name: 'Generate codes' }).click();
    const count = dialog(page).getByLabel('How many');
    const length = dialog(page).getByRole('textbox', { name: 'Length' });
    for (const [typed, shown] of [['2000000', '2,000,000'], ['0'], ['-5'], ['1.5']] as [string, string?][]) {
      await count.fill(typed);
      await dialog(page).getByRole('button', { name: 'Generate' }).click();
      await dialog(page).getByText('A whole number from 1 to 1,000,000.').waitFor();
      expect(await count.inputValue()).toBe(shown ?? typed);
    }
    await expectAccessible(page);
    await count.fill('10');
    await length.fill('2');
    await dialog(page).getByRole('button', { name: 'Generate' }).click();
    await dialog(page).getByText('A whole number from 4 to 64.').waitFor();
    expect(await length.inputValue()).toBe('2');
    expect((await codesOf(id)).total).toBe(0);
    await length.fill('8');
    await dialog(page).getByRole('button', { name: 'Generate' }).click();
    await figure(page, 'Made').getByText('10', { exact: true }).waitFor();
  });

  it('do not assign codes to an empty group', async () => {
    const { page: path } = await newGroup([fresh('NOBODY')]);
    const name = fresh('Empty club');
    accepted(await dashboard.admin('POST', `${base()}/groups`, { name, unit_id: dashboard.account.root_unit_id }), 201);
    const page = await dashboard.open(path, { as: 'staff' });
    await page.getByRole('button', { name: 'Assign', exact: true }).click();
    await dialog(page).getByText('A group of guests').click();
    await dialog(page).getByRole('combobox', { name: 'Group of guests' }).fill(name);
    await page.getByRole('option', { name: `${name} (0 guests)` }).click();
    await dialog(page).getByRole('button', { name: 'Assign codes' }).click();
    await dialog(page).getByText('This group has no guests.').waitFor();
  });

  it('generate codes while other pages are open, and warn before the tab closes', async () => {
    const { page: path, name } = await newGroup();
    const page = await dashboard.open(path, { as: 'staff' });
    const asksFirst = () => page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    await page.getByRole('button', { name: 'Generate codes' }).click();
    await dialog(page).getByLabel('How many').fill('150000');
    expect(await asksFirst()).toBe(false);
    await dialog(page).getByRole('button', { name: 'Generate' }).click();
    await page.getByText(/^Generating codes: [\d,]+ of 150,000$/).waitFor();
    expect(await asksFirst()).toBe(true);
    await page.getByRole('progressbar', { name: 'Generated codes' }).waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Vouchers' }).click();
    await title(page, 'Vouchers').waitFor();
    await page.getByRole('link', { name }).click();
    await page.getByRole('status').getByText('150,000 codes were generated.').waitFor();
    await figure(page, 'Made').getByText('150,000').waitFor();
    expect(await asksFirst()).toBe(false);
  });

  it('create no codes when the generation is stopped', async () => {
    const { id, page: path } = await newGroup();
    const page = await dashboard.open(path, { as: 'staff' });
    await page.getByRole('button', { name: 'Generate codes' }).click();
    await dialog(page).getByLabel('How many').fill('1000000');
    await dialog(page).getByRole('button', { name: 'Generate' }).click();
    await page.getByText(/^Generating codes/).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. No codes were generated.').waitFor();
    // The service notices a little later; then there is room for others, and nothing of it.
    accepted(await dashboard.admin('POST', `${pathOf(id)}/codes`, { count: 20_000, prefix: 'NEXT-' }), 201);
    expect((await codesOf(id)).total).toBe(20_000);
  });

  it('save all codes or the filtered ones as a file', async () => {
    const codes = [fresh('SAVE'), fresh('SAVE')];
    const { page: path, name } = await newGroup(codes);
    await redeem(codes[1] as string);
    const page = await dashboard.open(path, { as: 'viewer' });
    const save = async (button: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: button }).click(),
      ]);
      const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
      return { file: download.suggestedFilename(), codes: lines.slice(1).map((line) => line.split(',')[1]) };
    };
    expect(await save('Export all as CSV')).toEqual({ file: `${name}.csv`, codes });
    await page.getByText('Free', { exact: true }).first().click();
    await page
      .getByRole('table', { name: 'Codes' })
      .getByText(codes[1] as string)
      .waitFor({ state: 'detached' });
    expect(page.url()).toContain('show=free');
    expect(await save('Export these as CSV')).toEqual({ file: `${name} (free).csv`, codes: codes.slice(0, 1) });
  });

  it('rename a group, and delete it as long as no code is assigned or redeemed', async () => {
    const [code, name] = [fresh('GONE'), fresh('Renamed')];
    const { id, page: path } = await newGroup([code]);
    const page = await dashboard.open(path, { as: 'staff' });
    await choose(page, 'Rename');
    await dialog(page).getByLabel('Name').fill(name);
    await dialog(page).getByRole('button', { name: 'Rename' }).click();
    await title(page, name).waitFor();
    await choose(page, 'Delete');
    await dialog(page).getByText('This also deletes its 1 code.').waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Delete group' }).click();
    await title(page, 'Vouchers').waitFor();
    await page.getByText(`${name} is deleted.`).waitFor();
    expect((await dashboard.admin('GET', pathOf(id))).status).toBe(404);
    await expect.poll(() => page.getByRole('link', { name }).count()).toBe(0);

    const used = await newGroup([fresh('KEPT')]);
    const { data } = await codesOf(used.id);
    await redeem(data[0]?.unique_code as string);
    const other = await dashboard.open(used.page, { as: 'staff' });
    await choose(other, 'Delete');
    await dialog(other).getByText('0 codes are assigned and 1 code is redeemed.').waitFor();
    expect(await dialog(other).getByRole('button', { name: 'Delete group' }).count()).toBe(0);
  });
});
