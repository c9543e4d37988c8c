import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible, inDashboard } from '../support/dashboard.ts';

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const named = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const address = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;

/** Presses an entry of what can be done to a venue, folder or group. */
async function fromMenu(page: Page, of: string, entry: string): Promise<void> {
  await named(page, `Change ${of}`).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

inDashboard('the venues page', (dashboard) => {
  const viewports = ['desktop', 'phone'] as const;
  /** An account of its own, with two venues and three guests at the first. */
  async function harbour(name: string) {
    const { id, root_unit_id, token } = await dashboardAccount(name);
    const base = `/accounts/${id}`;
    const { body: anchor } = await dashboard.admin('POST', `${base}/units`, { name: 'The Anchor' });
    await dashboard.admin('POST', `${base}/units`, { name: 'The Bell' });
    const { body: gold } = await dashboard.admin('POST', `${base}/groups`, {
      ...{ unit_id: anchor.id, name: 'Gold', folder_name: 'Loyal' },
    });
    for (const guest of ['ana', 'rui', 'zoe'])
      await dashboard.call('POST', '/v1/contact', {
        token,
        body: {
          email: `${guest}@gmail.com`,
          units: [{ id: anchor.id, groups: guest === 'ana' ? [{ id: gold.id }] : [] }],
          bookings: [{ booking_reference: guest, unit_id: anchor.id, party_datetime: '2026-03-01 19:00:00' }],
        },
      });
    return { base, anchor, gold, root_unit_id };
  }
  async function dashboardAccount(name: string) {
    const { body: account } = await dashboard.admin('POST', '/accounts', { name });
    const { body: made } = await dashboard.admin('POST', `/accounts/${account.id}/tokens`, { name: 'test' });
    return { ...account, token: made.token };
  }

  for (const viewport of viewports) {
    it(`adds venues, folders and groups, and renames them (${viewport})`, async () => {
      const { base } = await harbour(`Growing, ${viewport}`);
      const page = await dashboard.open(`${base}/venues`, { viewport, refused: [/^422 POST .*\/groups$/] });
      await title(page, 'Venues').waitFor();
      await named(page, 'New venue').click();
      const window = page.getByRole('dialog');
      await expectAccessible(page);
      await window.getByLabel('Name').fill('The Crown');
      await page.keyboard.press('Enter');
      await page.getByText('The Crown is added.').waitFor();
      await named(page, 'The Crown').waitFor();

      // The first group of a venue is added to the default folder.
      await fromMenu(page, 'The Crown', 'New group');
      await page.getByRole('dialog', { name: 'New group at The Crown' }).waitFor();
      await window.getByLabel('Name').fill('Newsletter');
      await expectAccessible(page);
      await named(page, 'Add group').click();
      await page.getByText('Newsletter is added.').waitFor();
      await named(page, 'default').waitFor();

      await fromMenu(page, 'The Crown', 'New folder');
      await window.getByLabel('Name').fill('Loyal');
      await named(page, 'Add folder').click();
      await fromMenu(page, 'Loyal', 'New group');
      expect(await window.getByLabel('Folder', { exact: true }).inputValue()).toBe('Loyal');
      await window.getByLabel('Folder', { exact: true }).selectOption('default');
      await window.getByLabel('Name').fill('newsletter');
      await named(page, 'Add group').click();
      await window.getByText('The name has already been taken in this folder.').waitFor();
      await expectAccessible(page);
      await window.getByLabel('Folder', { exact: true }).selectOption({ label: 'A new folder' });
      await window.getByLabel('Name of the new folder').fill('Clubs');
      await named(page, 'Add group').click();
      await named(page, 'Clubs').waitFor();

      await fromMenu(page, 'Newsletter', 'Rename');
      await window.getByLabel('Name').fill('News');
      await page.keyboard.press('Enter');
      await page.getByText('Newsletter is now called News.').waitFor();
      await page.getByText('News', { exact: true }).waitFor();
      // As it was before the window: at the button of the row.
      await expect.poll(() => named(page, 'Change News').evaluate((button) => button.matches(':focus'))).toBe(true);
      await expectAccessible(page);

      const { body } = await dashboard.admin('GET', `${base}/venues`);
      expect(body.data.at(-1)).toMatchObject({
        name: 'The Crown',
        folders: [
          { name: 'default', groups: [{ name: 'News' }] },
          { name: 'Loyal', groups: [] },
          { name: 'Clubs', groups: [{ name: 'newsletter' }] },
        ],
      });
    });

    it(`deletes them after showing the effect (${viewport})`, async () => {
      const { base } = await harbour(`Shrinking, ${viewport}`);
      const page = await dashboard.open(`${base}/venues`, { viewport });
      const window = page.getByRole('dialog');
      await fromMenu(page, 'Loyal', 'Delete');
      await window.getByText('The folder still has groups in it. Delete those first.').waitFor();
      expect(await named(page, 'Delete folder').isDisabled()).toBe(true);
      await named(page, 'Cancel').click();

      await fromMenu(page, 'Gold', 'Delete');
      await window.getByText('1 guest stays but is no longer in it.').waitFor();
      await named(page, 'Delete group').click();
      await page.getByText('Gold is deleted.').waitFor();
      await expect.poll(() => page.getByText('Gold', { exact: true }).count()).toBe(0);

      await fromMenu(page, 'The Anchor', 'Delete');
      await window.getByText('3 guests stay but no longer belong to it.').waitFor();
      await window.getByText('Its history stays: 3 bookings.').waitFor();
      await expectAccessible(page);
      await named(page, 'Delete venue').click();
      await page.getByText('The Anchor is deleted.').waitFor();
      await expect.poll(() => named(page, 'The Anchor').count()).toBe(0);
      // What opened the window is gone; the focus is not.
      await expect.poll(() => title(page, 'Venues').evaluate((heading) => heading.matches(':focus'))).toBe(true);
      const { body } = await dashboard.admin('GET', `${base}/venues`);
      expect(body.data.map(({ name }: { name: string }) => name)).toEqual([expect.any(String), 'The Bell']);

      // The root unit holds what belongs nowhere else.
      await named(page, `Change Shrinking, ${viewport}`).click();
      await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
      expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
    });
  }

  it('links numbers to the guests', async () => {
    const { base, anchor, gold } = await harbour('Counting');
    const page = await dashboard.open(`${base}/venues`);
    await page.getByRole('link', { name: '1 guest of Gold' }).click();
    await title(page, 'Guests').waitFor();
    expect(address(page)).toBe(`${base}/guests?group_id=${gold.id}`);
    await page.goBack();
    await page.getByRole('link', { name: '3 guests of The Anchor' }).click();
    await expect.poll(() => address(page)).toBe(`${base}/guests?unit_id=${anchor.id}`);
  });

  it('can be used with the arrow keys', async () => {
    const { base } = await harbour('Walking');
    const page = await dashboard.open(`${base}/venues`);
    const focused = () =>
      page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`);
    await named(page, 'The Anchor').focus();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Loyal');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('1 guest of Gold');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('Loyal');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.getByText('Gold', { exact: true }).count()).toBe(0);
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('The Anchor');
    await page.keyboard.press('ArrowLeft');
    expect(await named(page, 'Loyal').count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    expect(await named(page, 'Loyal').count()).toBe(1);
    await page.keyboard.press('End');
    expect(await focused()).toBe('The Bell');
    // What can be done to a row has keys, too.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).press('Enter');
    await page.getByRole('dialog', { name: 'Rename The Bell' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Change The Bell');
  });

  it('shows a viewer everything without buttons', async () => {
    const { base } = await harbour('Looking');
    const viewer = await dashboard.user('viewer', [Number(base.split('/')[2])]);
    const page = await dashboard.open(`${base}/venues`, { as: viewer });
    await page.getByRole('link', { name: '1 guest of Gold' }).waitFor();
    await named(page, 'The Bell').click();
    expect(await page.getByRole('button', { name: /^(New|Change)/ }).count()).toBe(0);
    await expectAccessible(page);
  });

  let many: string;
  beforeAll(async () => {
    const { id } = await dashboardAccount('Many');
    many = `/accounts/${id}`;
    for (let n = 1; n <= 101; n++) await dashboard.admin('POST', `${many}/units`, { name: `Venue ${n}` });
    const { body } = await dashboard.admin('GET', `${many}/venues?page=2`);
    await dashboard.admin('POST', `${many}/groups`, { unit_id: body.data[0].id, name: 'Night owls' });
  });

  for (const viewport of viewports) {
    it(`has pages of a hundred, and a search by their content (${viewport})`, async () => {
      const page = await dashboard.open(`${many}/venues`, { viewport });
      await page.getByText('1–100 of 102').waitFor();
      await named(page, 'Next').click();
      await named(page, 'Venue 101').waitFor();
      expect(address(page)).toBe(`${many}/venues?page=2`);

      const search = page.getByRole('searchbox', { name: 'Find a venue, folder or group' });
      await search.fill('OWL');
      await page.getByText('Night owls').waitFor();
      await expect.poll(() => address(page)).toBe(`${many}/venues?search=OWL`);
      await expect.poll(() => page.getByRole('button', { name: /^Venue/ }).count()).toBe(1);
      await expectAccessible(page);

      await search.fill('nowhere');
      await page.getByText('Nothing found for “nowhere”').waitFor();
      await expectAccessible(page);
      await named(page, 'Show all').click();
      await page.getByText('1–100 of 102').waitFor();
      expect(address(page)).toBe(`${many}/venues`);
    });
  }
});
