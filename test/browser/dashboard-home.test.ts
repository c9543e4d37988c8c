import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible, inDashboard } from '../support/dashboard.ts';
import { bill, day, figure, rated } from '../support/dashboard-home.ts';

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const address = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;

/** A chart as those have it who can't see it: its lines from a day on. */
const valueOn = (page: Page, chart: string, day: string) =>
  page
    .getByRole('figure', { name: chart })
    .getByRole('row', { name: new RegExp(`^${day} `) })
    .innerText();

const shown = (iso: string) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(iso),
  );

inDashboard('the home page', (dashboard) => {
  const home = () => `/accounts/${dashboard.account.id}`;
  let anchor: number;

  beforeAll(async () => {
    // What is of today stays so.
    const left = 86_400_000 - (Date.now() % 86_400_000);
    if (left < 180_000) await pause(left);
    const { id, token } = dashboard.account;
    const made = async (path: string, body: object) => (await dashboard.admin('POST', `${home()}/${path}`, body)).body;
    anchor = (await made('units', { name: 'The Anchor' })).id;
    const bell = (await made('units', { name: 'The Bell' })).id;
    const write = (body: object) => dashboard.call('POST', '/v1/contact', { token, body });
    const answers = [
      await write({
        ...{ email: 'ana@gmail.com', allow_email: true, allow_sms: true, units: [{ id: anchor }] },
        purchases: [bill(anchor, 'A1', 0, 20), bill(anchor, 'A2', 3, 30.5), bill(anchor, 'A3', 40, 10)],
        feedback: ['10', '9', '7', '3'].map((rating) => rated(anchor, rating)),
      }),
      await write({
        ...{ email: 'rui@gmail.com', allow_email: true, units: [{ id: bell }] },
        purchases: [bill(bell, 'B1', 2, 5)],
        bookings: [{ booking_reference: 'R1', unit_id: bell, party_datetime: `${day(1)} 19:00:00` }],
      }),
      await dashboard.call('POST', '/v1/purchases', {
        token,
        body: { account_id: id, provider_id: 12, card_reference: '4444', purchases: [bill(bell, 'W1', 1, 4)] },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const group = (await dashboard.call('POST', '/v1/unique_code/group', {
      token,
      body: { account_id: id, unit_id: anchor, name: 'Autumn' },
    })) as { body: { id: number } };
    await made(`unique_code_groups/${group.body.id}/codes`, { codes: ['ONE'] });
    const redeemed = { account_id: id, unit_id: anchor, unique_code: 'ONE' };
    expect((await dashboard.call('POST', '/v1/unique_code/redeem', { token, body: redeemed })).status).toBe(200);
  });

  for (const viewport of ['desktop', 'phone'] as const) {
    it(`shows the overview of the account (${viewport})`, async () => {
      const page = await dashboard.open('', { viewport });
      await title(page, 'Home').waitFor();
      await page.getByText('without a guest yet').waitFor();
      expect(await figure(page, 'Guests')).toBe('2 now');
      expect(await figure(page, 'New guests')).toBe('2 none in the 30 days before');
      expect(await figure(page, 'Bookings')).toBe('1 none in the 30 days before');
      expect(await figure(page, 'Purchases')).toBe('4 +300% vs the 30 days before');
      expect(await figure(page, 'Spend')).toBe('59.50 +495% vs the 30 days before');
      expect(await figure(page, 'NPS')).toBe('+25 4 answers');
      expect(await figure(page, 'Vouchers redeemed')).toBe('1 none in the 30 days before');
      expect(await figure(page, 'Waiting purchases')).toBe('1 without a guest yet');

      // The charts are drawn, and have text for screen readers.
      for (const name of ['New guests', 'Visits', 'Spend', 'Vouchers redeemed', 'Net promoter score'])
        await page.getByRole('application', { name: `${name}. Use the arrow keys to move through it.` }).waitFor();
      expect(await valueOn(page, 'Spend', shown(day(3)))).toBe(`${shown(day(3))}\t30.50`);
      expect(await valueOn(page, 'Visits', shown(day(1)))).toBe(`${shown(day(1))}\t1\t1`);
      expect(await valueOn(page, 'Net promoter score', shown(day(1)))).toBe(`${shown(day(1))}\t2\t1\t1\t+25`);

      const venues = page.getByRole('table', { name: 'Visits and spend by venue' }).locator('tbody tr');
      expect(await venues.first().innerText()).toMatch(/^The Anchor\s/);
      expect((await venues.first().innerText()).split(/\s+/).slice(2)).toEqual(
        viewport === 'desktop' ? ['0', '2', '50.50'] : expect.arrayContaining(['50.50']),
      );
      await page.getByText('1 of 2 50%').waitFor();
      await expectAccessible(page);
    });

    it(`is filtered by venue and days, by keyboard, with the filters in the URL (${viewport})`, async () => {
      const page = await dashboard.open('', { viewport });
      const range = page.getByRole('combobox', { name: 'Range' });
      await range.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('option', { name: 'Last 7 days' }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await expect.poll(() => address(page)).toBe(`${home()}?range=7d`);
      await expect.poll(() => figure(page, 'Spend')).toBe('59.50 none in the 7 days before');

      const venue = page.getByRole('combobox', { name: 'Venue' });
      await venue.focus();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type('bell');
      await page.getByRole('option', { name: 'The Bell' }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect.poll(() => figure(page, 'Spend')).toBe('9.00 none in the 7 days before');
      expect(address(page)).toMatch(/\?range=7d&unit_id=\d+$/);
      // The venue's own figures are all there is to say of venues.
      await expect.poll(() => page.getByText('Visits and spend by venue').count()).toBe(0);

      await page.goBack();
      await expect.poll(() => figure(page, 'Spend')).toBe('59.50 none in the 7 days before');
      await page.goBack();
      await expect.poll(() => range.inputValue()).toBe('Last 30 days');
      expect(address(page)).toBe(home());
    });

    it(`has a calendar to choose days (${viewport})`, async () => {
      const page = await dashboard.open('?from=2026-02-01&to=2026-02-28', { viewport });
      await page.getByText('No activity in these days').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: /^Days: 1\s–\s28 Feb 2026$/ }).click();
      await page.getByRole('button', { name: '10 February 2026' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Previous month' }).click();
      await page.getByRole('button', { name: '30 January 2026' }).click();
      await page.getByRole('button', { name: 'Next month' }).click();
      await page.getByRole('button', { name: '10 February 2026' }).click();
      await expect.poll(() => address(page)).toBe(`${home()}?from=2026-01-30&to=2026-02-10`);
      await page.getByRole('button', { name: /^Days: 30 Jan\s–\s10 Feb 2026$/ }).waitFor();

      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Show the last 5 years' }).click();
      await expect.poll(() => figure(page, 'Spend')).toBe('69.50');
      expect(address(page)).toBe(`${home()}?range=all`);
    });

    it(`shows a new account what to do, until the first guest exists (${viewport})`, async () => {
      const { body: account } = await dashboard.admin('POST', '/accounts', { name: 'Brand new' });
      const { body: made } = await dashboard.admin('POST', `/accounts/${account.id}/tokens`, { name: 'test' });
      const page = await dashboard.open(`/accounts/${account.id}`, { viewport });
      await page.getByText('No guests yet').waitFor();
      expect(await page.getByRole('combobox', { name: 'Range' }).count()).toBe(0);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Copy request' }).click();
      const request = await page.evaluate<string>('navigator.clipboard.readText()');
      // The example works with a token inserted.
      const body = JSON.parse(/-d '(.*)'/.exec(request)?.[1] ?? '');
      expect(request).toContain(`curl ${dashboard.url}/v1/contact `);
      expect((await dashboard.call('POST', '/v1/contact', { token: made.token, body })).status).toBe(200);
      await expect.poll(() => page.getByRole('term').count()).toBeGreaterThan(0);
      expect(await figure(page, 'Guests')).toBe('1 now');
    });
  }

  it('links to waiting purchases, to a venue and to guests with consent', async () => {
    const page = await dashboard.open('');
    await page.getByRole('link', { name: '1 waiting purchase, show them' }).click();
    await title(page, 'Waiting purchases').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'The Anchor', exact: true }).click();
    await expect.poll(() => figure(page, 'Guests')).toBe('1 now');
    expect(address(page)).toBe(`${home()}?unit_id=${anchor}`);
    await page.getByRole('link', { name: 'Texts' }).click();
    await title(page, 'Guests').waitFor();
    expect(address(page)).toBe(`${home()}/guests?consent=sms&unit_id=${anchor}`);
  });

  it('has charts that can be read with the arrow keys', async () => {
    const page = await dashboard.open('?range=7d');
    await page.getByRole('application', { name: 'Spend.' }).focus();
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
    // The table, which is only heard, has the day in a cell.
    const chart = page.getByRole('figure', { name: 'Spend' });
    await chart
      .getByRole('paragraph')
      .getByText(shown(day(3)), { exact: true })
      .waitFor();
    await chart.locator('b', { hasText: '30.50' }).waitFor();
  });

  it('shows the default days if the URL has invalid days', async () => {
    for (const query of ['?from=2026-13-45&to=2026-11-01', '?from=2026-01-01&to=2026-02-30', '?range=ever']) {
      const page = await dashboard.open(query);
      await page.getByText('without a guest yet').waitFor();
      expect(await page.getByRole('combobox', { name: 'Range' }).inputValue()).toBe('Last 30 days');
    }
  });

  it('reports an unknown venue, with a link back', async () => {
    const page = await dashboard.open('?unit_id=999999', { refused: [/^422 GET .*\/overview$/] });
    await page.getByText('This venue was not found.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show the last 30 days of all venues' }).click();
    await expect.poll(() => figure(page, 'Guests')).toBe('2 now');
  });

  it('shows no data of one account on the page of another', async () => {
    const { body: other } = await dashboard.admin('POST', '/accounts', { name: 'The other' });
    const staff = await dashboard.user('viewer', [dashboard.account.id, other.id]);
    const page = await dashboard.open('', { as: staff });
    await page.getByText('without a guest yet').waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitemradio', { name: 'The other' }).click();
    await page.getByText('No guests yet').waitFor();
    await page.getByText('An owner creates it under').waitFor();
    expect(await page.getByRole('term').count()).toBe(0);
  });
});
