import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { assignToSegment } from '../../src/app/jobs/tasks.ts';
import { runAction } from '../../src/features/insight/segments/run-action.ts';
import { type Dashboard, expectAccessible, expectNoSidewaysScroll, inDashboard } from '../support/dashboard.ts';
import { type Account, anotherAccount, rows, title } from '../support/dashboard-guests.ts';
import { fresh } from '../support/till.ts';
import { accepted } from '../support/vouchers.ts';

const looks = process.env.SCREENSHOTS;
/** Checks a page at two widths, and stores pictures for a person to look at if SCREENSHOTS names a folder. */
async function expectFits(page: Page, name: string) {
  await expectAccessible(page);
  for (const width of [320, 1024]) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoSidewaysScroll(page);
    if (looks) await page.screenshot({ path: `${looks}/${name}-${width}.png`, fullPage: true });
  }
}

inDashboard('actions on segments', (dashboard) => {
  let account = {} as Account;
  let anchor = {} as { id: number };
  let guests: number[] = [];
  let [bath, codes, news] = [0, 0, 0];
  const make = async (list: string, body: object): Promise<number> =>
    accepted(await dashboard.admin('POST', `${account.path}/${list}`, body), 201).id;

  beforeAll(async () => {
    account = await anotherAccount(dashboard, fresh('Account'));
    anchor = accepted(await dashboard.admin('POST', `${account.path}/units`, { name: 'The Anchor' }), 201);
    guests = [];
    for (const [first_name, city] of [
      ['Ana', 'Bath'],
      ['Eva', 'Bath'],
      ['Tom', 'Bristol'],
    ]) {
      const { id } = await account.written({
        ...{ first_name, city, last_name: 'Silva', email: `${fresh('guest')}@gmail.com`, full_contact_object: false },
        ...{ allow_email: first_name !== 'Eva', units: [{ id: anchor.id }] },
        ...(first_name === 'Ana'
          ? {
              purchases: [
                {
                  ...{ transaction_reference: fresh('T'), unit_id: anchor.id, created_at: '2026-03-01 19:30:00' },
                  items: [{ name: 'Tea', quantity: 1, value: 12.5 }],
                },
              ],
            }
          : {}),
      });
      guests.push(id);
    }
    const definition = {
      all: [
        { field: 'city', op: 'is', value: 'Bath' },
        { field: 'visits', op: 'at_most', value: 9 },
      ],
    };
    bath = await make('segments', { name: 'Bathers', definition });
    codes = await make('unique_code_groups', { unit_id: account.root_unit_id, name: 'Summer vouchers' });
    await make('groups', { unit_id: anchor.id, name: 'Newsletter' });
    news = (accepted(await dashboard.admin('GET', `${account.path}/groups`)).data as { id: number }[])[0]?.id ?? 0;
  });

  const open = (path: string, visit: Parameters<Dashboard['open']>[1] = {}) =>
    dashboard.open(`${account.path}${path}`, { as: 'owner', ...visit });
  const dialog = (page: Page) => page.getByRole('dialog');
  /** Runs the last action, as a job would. */
  const runLast = async () => {
    const { data } = accepted(await dashboard.admin('GET', `${account.path}/segment_actions`));
    const payload = { account_id: account.id, action_id: data[0].id };
    await runAction(dashboard.db, payload, { signal: new AbortController().signal, assignCodes: assignToSegment });
  };
  const start = async (page: Page, button: string, label: string, option: string, confirm: string) => {
    await page.getByRole('button', { name: button }).click();
    await dialog(page).getByLabel(label, { exact: true }).first().click();
    await page.getByRole('option', { name: option }).click();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: confirm }).click();
  };

  it('give each guest a voucher, with progress and the result', async () => {
    const page = await open(`/segments/${bath}`, { refused: [/^422 POST .*assign_codes/] });
    await page.getByText('Nothing was done with all of them yet.').waitFor();
    await start(page, 'Give each a voucher', 'Voucher group', 'Summer vouchers', 'Give vouchers');
    await dialog(page).getByText('Generate 2 more first').waitFor();
    await dashboard.admin('POST', `${account.path}/unique_code_groups/${codes}/codes`, { count: 5 });
    await dialog(page).getByRole('button', { name: 'Give vouchers' }).click();
    await page.getByText('Waiting').waitFor();
    await expectFits(page, 'action-waiting');
    await runLast();
    await page.getByText('2 guests got a code').waitFor();
    await page.getByText('Done').waitFor();
    await expectFits(page, 'action-done');
  });

  it('add each guest to a group, and can be cancelled', async () => {
    const page = await open(`/segments/${bath}`, { viewport: 'phone', scheme: 'dark' });
    await start(page, 'Add to a group', 'Group', 'Newsletter', 'Add guests');
    await page.getByRole('button', { name: 'Cancel: Group: Newsletter' }).click();
    await page.getByText('Cancelled').waitFor();
    await start(page, 'Add to a group', 'Group', 'Newsletter', 'Add guests');
    await page.getByText('Waiting').waitFor();
    await runLast();
    await page.getByText('2 guests added').waitFor();
    await expectFits(page, 'action-dark');
    expect(
      accepted(await dashboard.admin('GET', `${account.path}/contacts/search?group_id=${news}`)).data,
    ).toHaveLength(2);
  });

  it('are shown to viewers, who cannot start any', async () => {
    const viewer = await dashboard.user('viewer', [account.id]);
    const page = await open(`/segments/${bath}`, { as: viewer });
    await page.getByText('2 guests got a code').waitFor();
    expect(await page.getByRole('button', { name: 'Give each a voucher' }).count()).toBe(0);
  });

  for (const scheme of ['light', 'dark'] as const)
    it(`a guest’s page shows figures and segments, and why (${scheme})`, async () => {
      const page = await open(`/guests/${guests[0]}`, { scheme });
      await page.getByText('12.50 per visit with a purchase').waitFor();
      await page.getByText('1 visit · 12.50 · last 1 Mar 2026').waitFor();
      await page.getByRole('button', { name: 'Bathers' }).press('Enter');
      await page.getByText('City is Bath').waitFor();
      await page.getByText('This guest: 1').waitFor();
      await page.getByText(/^In the segment since \d+ \w+ \d{4}, with no known end\.$/).waitFor();
      await expectFits(page, `guest-${scheme}`);
      await page.getByRole('link', { name: 'Show the segment' }).click();
      await title(page, 'Bathers').waitFor();
      const other = await open(`/guests/${guests[2]}`, { scheme });
      await other.getByText('In no segment.').waitFor();
      await other.getByText('No visits yet.').waitFor();
    });

  it('the guests can be filtered by conditions, and the filter saved as a segment', async () => {
    const page = await open('/guests');
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter');
    await page.getByRole('combobox', { name: 'Condition' }).selectOption('city');
    await page.getByRole('textbox', { name: 'Text' }).fill('Bath');
    await expectFits(page, 'filter-editing');
    await page.getByRole('button', { name: 'Show guests' }).click();
    await page.getByText('Guests whose city is Bath.').waitFor();
    await page.getByRole('status').getByText('2 guests', { exact: true }).waitFor();
    await expect.poll(() => rows(page).count()).toBe(2);
    await expectFits(page, 'filter');
    // The filter is in the URL.
    await page.reload();
    await page.getByText('Guests whose city is Bath.').waitFor();
    await page.getByRole('combobox', { name: 'Consent' }).click();
    await page.getByRole('option', { name: 'E-mail allowed' }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Save as segment' }).click();
    await dialog(page).getByLabel('Name').fill('Mailed bathers');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await title(page, 'Mailed bathers').waitFor();
    await page.getByText('Guests whose city is Bath and who may be e-mailed.').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Change conditions' }).click();
    expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('Bath');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove conditions' }).click();
    await page.getByRole('searchbox', { name: 'Search guests' }).waitFor();
    await expect.poll(() => rows(page).count()).toBe(2);
  });

  it('the filter works in the dark and for viewers', async () => {
    const viewer = await dashboard.user('viewer', [account.id]);
    const definition = JSON.stringify({ field: 'city', op: 'is', value: 'Bristol' });
    const page = await open(`/guests?definition=${encodeURIComponent(definition)}`, { as: viewer, scheme: 'dark' });
    await page.getByText('Guests whose city is Bristol.').waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Save as segment' }).count()).toBe(0);
    await expectFits(page, 'filter-dark');
  });
});
