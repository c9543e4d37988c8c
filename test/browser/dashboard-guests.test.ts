import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible, inDashboard } from '../support/dashboard.ts';
import { type Account, anotherAccount, rows, title } from '../support/dashboard-guests.ts';

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search guests' });

/** One of a select's choices. */
async function choose(page: Page, label: string, choice: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: choice }).click();
}

inDashboard('the list of guests', (dashboard) => {
  const viewports = ['desktop', 'phone'] as const;
  let at: Account;
  let anchor: { id: number };

  beforeAll(async () => {
    at = await anotherAccount(dashboard, 'Harbour Inns');
    anchor = (await dashboard.admin('POST', `${at.path}/units`, { name: 'The Anchor' })).body;
    const there = (...groups: string[]) => ({ units: [{ id: anchor.id, groups: groups.map((name) => ({ name })) }] });
    const visit = [{ created_at: '2026-03-01 19:30:00' }];
    for (const guest of [
      { first_name: 'Ana', last_name: 'Silva', email: 'ana@gmail.com', allow_email: true, ...there('Regulars') },
      { first_name: 'Anabel', last_name: 'Moss', email: 'moss@gmail.com', mobile_number: '07700 900123', wifi: visit },
      { first_name: 'Rui', last_name: 'Costa', email: 'rui@gmail.com', membership_number: 'M-1029', ...there() },
      { email: 'nameless@gmail.com', allow_sms: true, ...there() },
    ])
      await at.written(guest);
  });

  for (const viewport of viewports) {
    it(`is searched while typing, by name, phone, membership or e-mail (${viewport})`, async () => {
      const page = await dashboard.open(`${at.path}/guests`, { viewport });
      await expect
        .poll(() => rows(page).allTextContents())
        .toEqual(['nameless@gmail.com', 'Rui Costa', 'Anabel Moss', 'Ana Silva']);
      const moss = page.getByRole('row', { name: /Anabel Moss/ });
      await moss.getByText('+44 7700 900123').waitFor();
      // In the account's time zone, not the browser's.
      await moss.getByText('1 Mar 2026').waitFor();
      await expectAccessible(page);
      for (const [typed, found] of [
        ['ana si', ['Ana Silva']],
        ['7700 9001', ['Anabel Moss']],
        ['m-10', ['Rui Costa']],
        ['nameless@', ['nameless@gmail.com']],
      ] as const) {
        await field(page).fill(typed);
        await expect.poll(() => rows(page).allTextContents(), { message: typed }).toEqual(found);
      }
      await field(page).fill('zebedee');
      await page.getByText('No guests found for “zebedee”').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Clear the search' }).click();
      await expect.poll(() => rows(page).count()).toBe(4);
    });

    it(`is filtered by venue, group and consent, with the filters in the URL (${viewport})`, async () => {
      const page = await dashboard.open(`${at.path}/guests`, { viewport });
      await choose(page, 'Venue', 'The Anchor');
      await expect.poll(() => rows(page).allTextContents()).toEqual(['nameless@gmail.com', 'Rui Costa', 'Ana Silva']);
      await choose(page, 'Group', 'Regulars');
      await expect.poll(() => rows(page).allTextContents()).toEqual(['Ana Silva']);
      await choose(page, 'Consent', 'Texts allowed');
      await page.getByText('No guests match the filters').waitFor();
      await expectAccessible(page);
      await page.reload();
      await page.getByText('No guests match the filters').waitFor();
      await page.goBack();
      await expect.poll(() => rows(page).allTextContents()).toEqual(['Ana Silva']);
      expect(new URL(page.url()).searchParams.get('unit_id')).toBe(String(anchor.id));
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await expect.poll(() => rows(page).count()).toBe(4);
    });
  }

  it('can be used by keyboard alone', async () => {
    const page = await dashboard.open(`${at.path}/guests`);
    await rows(page).first().waitFor();
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await page.keyboard.press('/');
    await page.keyboard.type('ana');
    await expect.poll(() => rows(page).allTextContents()).toEqual(['Ana Silva', 'Anabel Moss']);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Ana Silva');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Anabel Moss');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Search guests');
    // At once, without waiting for what it finds.
    await field(page).fill('rui');
    await page.keyboard.press('Enter');
    await title(page, 'Rui Costa').waitFor();
    await page.goBack();
    await expect.poll(() => rows(page).allTextContents()).toEqual(['Rui Costa']);
    expect(await field(page).inputValue()).toBe('rui');
    await rows(page).first().click();
    await title(page, 'Rui Costa').waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Guests' }).click();
    await expect.poll(() => field(page).inputValue()).toBe('rui');
  });

  it('never shows the response to an outdated search', async () => {
    const page = await dashboard.open(`${at.path}/guests`);
    await rows(page).first().waitFor();
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    await page.route('**/contacts/search?search=a', async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    const asked = page.waitForRequest('**/contacts/search?search=a');
    await field(page).fill('a');
    await asked;
    // What was there stays until the new ones are.
    expect(await rows(page).count()).toBe(4);
    await field(page).fill('rui');
    await expect.poll(() => rows(page).allTextContents()).toEqual(['Rui Costa']);
    release();
    await page.waitForTimeout(300);
    expect(await rows(page).allTextContents()).toEqual(['Rui Costa']);
  });

  it('prefetches a guest while the pointer is on the row', async () => {
    const page = await dashboard.open(`${at.path}/guests`);
    const read = page.waitForResponse(/\/contacts\/\d+$/);
    await rows(page).first().hover();
    expect((await read).status()).toBe(200);
    await title(page, 'Guests').waitFor();
  });

  it('has pages of 50', async () => {
    const many = await anotherAccount(dashboard, 'Many');
    await Promise.all(Array.from({ length: 51 }, (_, n) => many.written({ email: `guest${n}@gmail.com` })));
    const page = await dashboard.open(`${many.path}/guests`, { viewport: 'phone' });
    await expect.poll(() => rows(page).count()).toBe(50);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(page.url()).toMatch(/page=2$/);
    await page.goBack();
    await expect.poll(() => rows(page).count()).toBe(50);
  });

  it('explains how guests are added if there are none', async () => {
    const empty = await anotherAccount(dashboard, 'New group');
    const page = await dashboard.open(`${empty.path}/guests`, { viewport: 'phone' });
    await page.getByText('No guests yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Developers', exact: true }).click();
    await page.waitForURL(/\/developers/);
  });
});

inDashboard('possible duplicates', (dashboard) => {
  for (const viewport of ['desktop', 'phone'] as const) {
    it(`are merged, or marked as different people (${viewport})`, async () => {
      const at = await anotherAccount(dashboard, `Doubles ${viewport}`);
      const [jo, joanna] = [
        await at.written({ first_name: 'Jo', email: 'jo@gmail.com', mobile_number: '07700 900001' }),
        await at.written({ first_name: 'Joanna', email: 'joanna@gmail.com', mobile_number: '07700 900001' }),
      ];
      await at.written({ first_name: 'Sam', email: 'sam@gmail.com', mobile_number: '07700 900002' });
      await at.written({ first_name: 'Sue', email: 'sue@gmail.com', mobile_number: '07700 900002' });
      const page = await dashboard.open(`${at.path}/guests`, { viewport });
      await page.getByRole('link', { name: '2 possible duplicates' }).click();
      await title(page, 'Possible duplicates').waitFor();
      const pair = page.getByRole('table', { name: 'Jo and Joanna' });
      await pair.getByRole('row', { name: /Mobile \(same\)/ }).waitFor();
      await pair.getByRole('row', { name: /Name \(differs\)/ }).waitFor();
      await expectAccessible(page);

      await page.getByRole('button', { name: 'Different people: Sam and Sue' }).click();
      await page.getByRole('table', { name: 'Sam and Sue' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Merge into right: Jo and Joanna' }).click();
      const dialog = page.getByRole('dialog', { name: 'Merge these two?' });
      await dialog.getByText('takes over missing ones').waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Merge into Joanna' }).click();
      await page.getByText('No possible duplicates').waitFor();
      await expectAccessible(page);
      expect((await dashboard.admin('GET', `${at.path}/contacts/${jo.id}`)).body.id).toBe(joanna.id);
      const { body } = await dashboard.admin('GET', `${at.path}/contacts/search?search=s`);
      expect(body.data).toHaveLength(2);
    });
  }

  it('cannot be merged if they already are', async () => {
    const at = await anotherAccount(dashboard, 'Doubles meanwhile');
    const kim = await at.written({ first_name: 'Kim', email: 'kim@gmail.com', mobile_number: '07700 900003' });
    const kimmy = await at.written({ first_name: 'Kimmy', email: 'kimmy@gmail.com', mobile_number: '07700 900003' });
    const page = await dashboard.open(`${at.path}/duplicates`);
    await page.getByRole('table', { name: 'Kim and Kimmy' }).waitFor();
    await dashboard.admin('POST', `${at.path}/contacts/${kim.id}/merge`, { contact_id: kimmy.id });
    await page.getByRole('button', { name: 'Merge into left: Kim and Kimmy' }).click();
    const dialog = page.getByRole('dialog', { name: 'Nothing to merge' });
    await dialog.getByText('These two are already one guest.').waitFor();
    expect(await dialog.getByRole('button', { name: /Merge/ }).count()).toBe(0);
    await expectAccessible(page);
    await dialog.getByText('Close', { exact: true }).click();
    await page.getByText('No possible duplicates').waitFor();
  });
});
