import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible, inDashboard } from '../support/dashboard.ts';
import { title } from '../support/dashboard-guests.ts';
import { bill, day, figureOf, rated } from '../support/dashboard-home.ts';

const address = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const venues = (page: Page) => page.getByRole('table', { name: 'Visits and spend by venue' });

/** The numbers at the start of the page's heading, such as 61 of "61 purchases", after all rows are loaded. */
async function listed(page: Page): Promise<number> {
  await title(page, 'Activity').waitFor();
  const heading = page.getByRole('heading', { level: 2, name: /^\d/ });
  await heading.waitFor();
  const count = Number.parseInt(await heading.innerText(), 10);
  const rows = page.locator('tbody tr');
  if (count === 0) await page.getByText('Choose other days or another venue.').waitFor();
  else await expect.poll(() => rows.count()).toBeGreaterThan(0);
  const more = page.getByRole('button', { name: 'Show more' });
  while ((await rows.count()) < count) {
    const before = await rows.count();
    await more.click();
    await expect.poll(() => rows.count()).toBeGreaterThan(before);
  }
  expect([await rows.count(), await more.count()]).toEqual([count, 0]);
  return count;
}

/** The number that the list of guests shows. */
async function guestsListed(page: Page): Promise<number> {
  await title(page, 'Guests').waitFor();
  const text = page.getByText(/^\d+ guests?$/);
  await text.waitFor();
  const count = Number.parseInt(await text.innerText(), 10);
  await expect.poll(() => page.getByRole('table', { name: 'Guests' }).locator('tbody tr').count()).toBe(count);
  return count;
}

async function waitingListed(page: Page): Promise<number> {
  await title(page, 'Waiting purchases').waitFor();
  const all = page.getByRole('navigation', { name: 'Filter by key' }).getByRole('link', { name: /^All \d/ });
  const count = Number((await all.innerText()).replace(/\D/g, ''));
  await expect
    .poll(() => page.getByRole('table', { name: 'Waiting purchases' }).locator('tbody tr').count())
    .toBe(count);
  return count;
}

inDashboard('the numbers of Home', (dashboard) => {
  const home = () => `/accounts/${dashboard.account.id}`;
  let [anchor, bell, sunk] = [0, 0, 0];

  beforeAll(async () => {
    // What is of today stays so.
    const left = 86_400_000 - (Date.now() % 86_400_000);
    if (left < 180_000) await pause(left);
    const { id, token } = dashboard.account;
    const made = async (path: string, body: object) => (await dashboard.admin('POST', `${home()}/${path}`, body)).body;
    [anchor, bell, sunk] = [
      (await made('units', { name: 'The Anchor' })).id,
      (await made('units', { name: 'The Bell' })).id,
      (await made('units', { name: 'The Sunk' })).id,
    ];
    const stay = (unit_id: number, stay_reference: string) => ({
      ...{ stay_reference, unit_id, provider_id: 12, booker: true, guest: true, room_type_id: 2, total_guests: 2 },
      ...{ enquiry_date: `${day(9)} 09:00:00`, checkin_date: `${day(3)} 15:00:00` },
      ...{ checkout_date: `${day(1)} 11:00:00`, booking_enquiry_source_id: 1, booking_status_id: 7 },
    });
    const booking = (unit_id: number, booking_reference: string, more: object = {}) => ({
      ...{ unit_id, booking_reference, party_datetime: `${day(1)} 19:00:00`, party_size: 4, ...more },
    });
    const write = (body: object) => dashboard.call('POST', '/v1/contact', { token, body });
    const answers = [
      await write({
        ...{ first_name: 'Ana', last_name: 'Silva', email: 'ana@gmail.com', allow_email: true },
        units: [{ id: anchor }],
        purchases: [...times(55, (index) => bill(anchor, `A${index}`, 1 + (index % 20), 2)), bill(sunk, 'S1', 2, 7)],
        bookings: [
          ...[booking(anchor, 'R1'), booking(anchor, 'R2', { stage_value: 550 }), booking(sunk, 'R3')],
          booking(anchor, 'R4', { party_datetime: `${day(-5)} 19:00:00` }),
        ],
        stays: [stay(bell, 'H1')],
        feedback: ['10', '9', '7', '3'].map((rating) => rated(anchor, rating)),
      }),
      await write({ ...{ email: 'rui@gmail.com', units: [{ id: bell }] }, purchases: [bill(bell, 'B1', 2, 5)] }),
      await dashboard.call('POST', '/v1/purchases', {
        token,
        body: { account_id: id, provider_id: 12, card_reference: '4444', purchases: [bill(bell, 'W1', 1, 4)] },
      }),
      await dashboard.call('POST', '/v1/purchases', {
        token,
        body: { account_id: id, provider_id: 12, card_reference: '5555', purchases: [bill(anchor, 'W2', 50, 4)] },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const [name, unit_id] of [
      ['Autumn', anchor],
      ['Winter', bell],
    ] as const) {
      const group = (await dashboard.call('POST', '/v1/unique_code/group', {
        token,
        body: { account_id: id, unit_id: anchor, name },
      })) as { body: { id: number } };
      await made(`unique_code_groups/${group.body.id}/codes`, { codes: [name] });
      const redeemed = { account_id: id, unit_id, unique_code: name };
      expect((await dashboard.call('POST', '/v1/unique_code/redeem', { token, body: redeemed })).status).toBe(200);
    }
    await dashboard.admin('DELETE', `${home()}/units/${sunk}`);
  });

  /** Opens a number, returns it and the number of rows, and goes back. */
  async function follow(page: Page, link: Locator, read: (page: Page) => Promise<number>): Promise<[number, number]> {
    const shown = Number.parseInt((await link.innerText()).replace(/\D/g, ''), 10);
    expect(await link.getAttribute('aria-label')).toMatch(/^[\d,.+]+ .*show |^\+\d+, show /);
    await link.click();
    const count = await read(page);
    await page.goBack();
    await title(page, 'Home').waitFor();
    return [shown, count];
  }

  const numbers = [
    ['Guests', guestsListed],
    ['New guests', guestsListed],
    ['Bookings', listed],
    ['Stays', listed],
    ['Purchases', listed],
    ['Waiting purchases', waitingListed],
  ] as const;

  async function expectSameNumbers(page: Page, expected: Record<string, number>) {
    await page.getByText('without a guest yet').waitFor();
    const found: Record<string, number> = {};
    for (const [name, read] of numbers) {
      const [shown, count] = await follow(page, figureOf(page, name).getByRole('link'), read);
      expect([name, count]).toEqual([name, shown]);
      found[name] = shown;
    }
    expect(found).toEqual(expected);
  }

  it('open as many rows', async () => {
    const page = await dashboard.open('');
    await expectSameNumbers(page, {
      ...{ Guests: 2, 'New guests': 2, Bookings: 2, Stays: 1, Purchases: 58, 'Waiting purchases': 2 },
    });
    await figureOf(page, 'Spend').getByRole('link', { name: '126.00 spent, show the purchases' }).click();
    expect(await listed(page)).toBe(58);
    await page.getByText('all venues, 126.00 in all').waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).first().click();

    await figureOf(page, 'NPS').getByRole('link', { name: '+25, show the 4 answers' }).click();
    expect(await listed(page)).toBe(4);
    await page.goBack();
    for (const [name, count] of [
      ['4 answers, show them', 4],
      ['2 promoters, show them', 2],
      ['1 passive, show it', 1],
      ['1 detractor, show it', 1],
    ] as const) {
      await page.getByRole('link', { name, exact: true }).click();
      expect(await listed(page)).toBe(count);
      await page.goBack();
    }

    await figureOf(page, 'Vouchers redeemed')
      .getByRole('link', { name: '2 vouchers redeemed, show the groups' })
      .click();
    await page.getByRole('heading', { level: 2, name: '2 vouchers redeemed' }).waitFor();
    const groups = page.locator('tbody tr');
    await expect.poll(() => groups.allInnerTexts()).toEqual(['Winter\t1', 'Autumn\t1']);
    await page.getByRole('link', { name: 'Autumn' }).click();
    await title(page, 'Autumn').waitFor();
    expect(address(page)).toMatch(/\?show=redeemed$/);
  });

  it('open as many rows at a venue, and on a phone', async () => {
    const page = await dashboard.open(`?unit_id=${bell}&range=7d`, { viewport: 'phone', as: 'viewer' });
    await expectSameNumbers(page, {
      ...{ Guests: 1, 'New guests': 1, Bookings: 0, Stays: 1, Purchases: 2, 'Waiting purchases': 1 },
    });
    await figureOf(page, 'Purchases').getByRole('link').click();
    await page.getByRole('heading', { level: 2, name: '2 purchases' }).waitFor();
    await page.getByText(', The Bell, 9.00 in all').waitFor();
    await expectAccessible(page);
  });

  it('in the table by venue open as many rows, also of a deleted venue', async () => {
    const page = await dashboard.open('');
    await venues(page).getByText('The Sunk').waitFor();
    const rows = [
      ['The Anchor', [1, 0, 55]],
      ['The Bell', [0, 1, 2]],
      ['The Sunk', [1, 0, 1]],
    ] as const;
    for (const [name, [bookings, stays, purchases]] of rows) {
      const row = venues(page).getByRole('row', { name: new RegExp(`^${name}`) });
      for (const [link, expected] of [
        [`${bookings} ${bookings === 1 ? 'booking' : 'bookings'} at ${name}, show them`, bookings],
        [`${stays} ${stays === 1 ? 'stay' : 'stays'} at ${name}, show them`, stays],
        [`${purchases} ${purchases === 1 ? 'purchase' : 'purchases'} at ${name}, show them`, purchases],
      ] as const) {
        expect(await follow(page, row.getByRole('link', { name: link, exact: true }), listed)).toEqual([
          expected,
          expected,
        ]);
      }
    }
    await venues(page).getByRole('link', { name: '7.00 in 1 purchase at The Sunk, show them' }).click();
    await page.getByText(', The Sunk (deleted), 7.00 in all').waitFor();
    expect(await page.getByRole('combobox', { name: 'Venue' }).inputValue()).toBe('The Sunk (deleted)');
    // Home has no figures of a deleted venue alone.
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Home' }).click();
    await title(page, 'Home').waitFor();
    expect(address(page)).toBe(home());
  });

  it('lead to a guest by keyboard, and to the reason for a purchase without one', async () => {
    const page = await dashboard.open('');
    await figureOf(page, 'Purchases').getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: '58 purchases' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'No guest yet' }).click();
    await page.getByRole('dialog', { name: 'Why there is no guest yet' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Ana Silva' }).first().focus();
    await page.keyboard.press('Enter');
    await title(page, 'Ana Silva').waitFor();
  });

  for (const viewport of ['desktop', 'phone'] as const) {
    it(`can be filtered by kind, venue and days (${viewport})`, async () => {
      const page = await dashboard.open('activity', { viewport });
      const heading = (name: string) => page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
      await heading('58 purchases');
      const choose = async (field: string, option: string) => {
        await page.getByRole('combobox', { name: field }).click();
        await page.getByRole('option', { name: option, exact: true }).click();
      };
      await choose('Kind', 'Ratings');
      await heading('4 ratings');
      await choose('Ratings', 'Promoters');
      await heading('2 promoters');
      expect(address(page)).toBe(`${home()}/activity?kind=ratings&nps=promoters`);
      await choose('Kind', 'Stays');
      await heading('1 stay');
      await page.getByText('Checked out').waitFor();
      await expectAccessible(page);
      await choose('Range', 'Today');
      await heading('0 stays');
      await page.getByText('No stays in these days').waitFor();
      await choose('Range', 'Last 7 days');
      await choose('Kind', 'Bookings');
      await heading('2 bookings');
      await choose('Venue', 'The Anchor');
      await heading('1 booking');
      expect(address(page)).toBe(`${home()}/activity?range=7d&unit_id=${anchor}&kind=bookings`);
      await expectAccessible(page);
      await choose('Kind', 'Vouchers redeemed');
      await heading('1 voucher redeemed');
      await expectAccessible(page);
    });
  }

  it('report an unknown venue', async () => {
    const page = await dashboard.open('activity?kind=stays&unit_id=999999', { refused: [/^422 GET .*\/activity$/] });
    await page.getByText('This venue was not found.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show the last 30 days of all venues' }).click();
    await page.getByRole('heading', { level: 2, name: '1 stay' }).waitFor();
  });

  it('can be loaded again after a failure', async () => {
    const refused = [/^503 GET .*\/activity\/redemptions$/];
    const page = await dashboard.open('activity', { refused });
    await page.getByRole('heading', { level: 2, name: '58 purchases' }).waitFor();
    const failing = /\/activity\/redemptions\?/;
    await page.route(failing, (route) => route.fulfill({ status: 503, json: { errors: [{ message: 'Too busy.' }] } }));
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Vouchers redeemed' }).click();
    await page.getByRole('alert').getByText('This could not be loaded').waitFor();
    await expectAccessible(page);
    await page.unroute(failing);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 2, name: '2 vouchers redeemed' }).waitFor();
  });
});
