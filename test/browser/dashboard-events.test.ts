import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll, inDashboard } from '../support/dashboard.ts';
import { type Account, anotherAccount } from '../support/dashboard-guests.ts';
import { superuser } from '../support/database.ts';
import { fresh } from '../support/till.ts';
import { accepted } from '../support/vouchers.ts';

inDashboard('the event log', (dashboard) => {
  let account = {} as Account;
  let sql = {} as Awaited<ReturnType<typeof superuser>>;

  beforeAll(async () => {
    sql = await superuser(dashboard.database);
  });

  const open = (query = '', visit: Parameters<typeof dashboard.open>[1] = {}) =>
    dashboard.open(`${account.path}/developers/events${query}`, visit);
  const newGuest = async (more: object = {}): Promise<number> =>
    (await account.written({ email: `${fresh('guest')}@gmail.com`, full_contact_object: false, ...more })).id;
  const events = (page: Page) => page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  const event = (page: Page, id: number) =>
    events(page).filter({ has: page.getByRole('link', { name: `guest ${id}`, exact: true }) });
  /** Many events at once, as imports write them. */
  const manyNotes = async (count: number) => {
    const entries = Array.from({ length: count }, (_, index) => ({
      type: 'note.added',
      data: { contact_id: 1, text: `note ${index}`, created_at: '2026-03-01 12:30:00' },
    }));
    await sql`
      insert into events (account_id, at, contact_ids, entries, size, bytes)
      select ${account.id}, now(), '{1}', json_build_array(entry), 1, 100
      from json_array_elements(${JSON.stringify(entries)}::json) as entry`;
  };

  for (const viewport of ['desktop', 'phone'] as const) {
    it(`shows events live, and can be paused (${viewport})`, async () => {
      account = await anotherAccount(dashboard, fresh('Account'));
      const page = await open('', { viewport });
      await page.getByText('No events in the last 30 days').waitFor();
      await expectAccessible(page);
      const first = await newGuest({ first_name: 'Ana' });
      await event(page, first).getByText('Guest created').waitFor();
      const second = await newGuest();
      await event(page, second).waitFor();
      // The newest is first.
      expect(await events(page).first().innerText()).toContain(`guest ${second}`);

      await event(page, first).getByRole('button').click();
      await page.getByText('"to": "Ana"').waitFor();
      await page.getByRole('button', { name: 'Copy JSON' }).click();
      const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
      expect(copied).toMatchObject({ type: 'contact.created', account_id: account.id, data: { contact_id: first } });
      await expectAccessible(page);
      for (const width of viewport === 'phone' ? [320, 390] : [1024, 1280]) {
        await page.setViewportSize({ width, height: 780 });
        await expectNoSidewaysScroll(page);
      }

      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused.').waitFor();
      const third = await newGuest();
      // Longer than the time between two polls.
      await page.waitForTimeout(4000);
      expect(await event(page, third).count()).toBe(0);
      await page.getByRole('button', { name: 'Resume' }).click();
      await event(page, third).waitFor();
      // The open event is still open.
      await page.getByText('"to": "Ana"').waitFor();

      await event(page, first).getByRole('link').click();
      await page.waitForURL(new RegExp(`/guests/${first}$`));
    });
  }

  it('asks only for new events', async () => {
    account = await anotherAccount(dashboard, fresh('Account'));
    await newGuest();
    const page = await open();
    await events(page).first().waitFor();
    const request = await page.waitForRequest((sent) => sent.url().includes('/events?'));
    expect(new URL(request.url()).searchParams.get('after')).toMatch(/^evt_/);
  });

  it('filters by type and by guest, and searches the loaded events', async () => {
    account = await anotherAccount(dashboard, fresh('Account'));
    const [ana, rui] = [await newGuest({ first_name: 'Ana' }), await newGuest({ first_name: 'Rui' })];
    const consent = { full_contact_object: false, allow_email: true };
    const { body: guest } = await dashboard.admin('GET', `${account.path}/contacts/${ana}`);
    await account.written({ email: guest.email, ...consent });
    const page = await open();
    await events(page).getByText('Consent changed').waitFor();
    const all = await events(page).count();

    await page.getByRole('combobox', { name: 'Types' }).click();
    await page.getByRole('option', { name: 'Consent changed' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => events(page).count()).toBe(1);
    expect(page.url()).toContain('types=consent.changed');
    // Events of other types do not appear, and those of this type do.
    const eva = await newGuest({ allow_sms: true });
    await event(page, eva).getByText('Consent changed').waitFor();
    expect(await events(page).count()).toBe(2);
    await page.getByRole('combobox', { name: 'Types' }).press('Backspace');
    await expect.poll(() => events(page).count()).toBe(all + 2);

    await page.getByLabel('Guest id').fill(String(rui));
    await expect.poll(() => events(page).count()).toBe(1);
    await event(page, rui).waitFor();
    await page.getByLabel('Guest id').fill('999999');
    await page.getByText('No event fits').waitFor();
    await page.getByRole('button', { name: 'Any guest' }).click();
    await expect.poll(() => events(page).count()).toBe(all + 2);

    await page.getByRole('searchbox').fill('"to":"rUI"');
    await expect.poll(() => events(page).count()).toBe(1);
    await event(page, rui).waitFor();
    await page.getByText(`1 of ${all + 2} loaded events fit.`).waitFor();
    await page.getByRole('searchbox').fill('nothing like this');
    await page.getByText('No loaded event fits').waitFor();
    await expectAccessible(page);

    const shared = await open(`?types=consent.changed&contact_id=${ana}`);
    await event(shared, ana).waitFor();
    expect(await events(shared).count()).toBe(1);
  });

  it('loads older events, and keeps a bounded number', async () => {
    account = await anotherAccount(dashboard, fresh('Account'));
    await newGuest({ first_name: 'Oldest' });
    await manyNotes(650);
    const page = await open();
    await expect.poll(() => events(page).count()).toBe(100);
    for (const count of [200, 300, 400, 500]) {
      await page.getByRole('button', { name: 'Load older' }).click();
      await expect.poll(() => events(page).count()).toBe(count);
    }
    // Live events push out the oldest.
    const newest = await newGuest();
    await event(page, newest).waitFor();
    expect(await events(page).count()).toBe(500);
    // Older ones push out the newest, and the log is paused.
    await page.getByRole('button', { name: 'Load older' }).click();
    await page.getByText('Paused at older events').waitFor();
    expect(await events(page).count()).toBe(500);
    expect(await event(page, newest).count()).toBe(0);
    await page.getByRole('button', { name: 'Load older' }).click();
    await events(page).getByText('Guest created').waitFor();
    expect(await page.getByRole('button', { name: 'Load older' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await event(page, newest).waitFor();
    expect(await events(page).count()).toBe(100);
  });

  it('misses no event of a burst', async () => {
    account = await anotherAccount(dashboard, fresh('Account'));
    const first = await newGuest();
    const page = await open();
    await event(page, first).waitFor();
    await manyNotes(250);
    await expect.poll(() => events(page).count()).toBeGreaterThan(250);
    expect(await event(page, first).count()).toBe(1);
  });

  it('removes the data of a guest who is erased', async () => {
    account = await anotherAccount(dashboard, fresh('Account'));
    const id = await newGuest({ first_name: 'Xanthippe' });
    const page = await open();
    await event(page, id).getByRole('button').click();
    await page.getByText('Xanthippe').waitFor();
    accepted(await dashboard.admin('DELETE', `${account.path}/contacts/${id}`), 204);
    await events(page).getByText('Guest erased').waitFor();
    await expect.poll(() => page.getByText('Xanthippe').count()).toBe(0);
    await events(page).getByText(`guest ${id}, data removed`).waitFor();
    // There is no page to go to.
    await expect.poll(() => page.getByRole('link', { name: `guest ${id}` }).count()).toBe(0);
  });

  it('says when an update fails, and goes on', async () => {
    account = await anotherAccount(dashboard, fresh('Account'));
    const first = await newGuest();
    const page = await open('', { refused: [/^503 GET .*\/events$/] });
    await event(page, first).waitFor();
    await page.route('**/events**', (route) =>
      route.fulfill({ status: 503, json: { errors: [{ message: 'The service is busy.' }] } }),
    );
    await page.getByText('The last update failed').waitFor();
    await event(page, first).waitFor();
    await page.unroute('**/events**');
    const second = await newGuest();
    await event(page, second).waitFor();
    await page.getByText('Live.').waitFor();
  });

  it('is open to viewers', async () => {
    account = { ...account, path: `/accounts/${dashboard.account.id}` };
    const page = await open('', { as: 'viewer', viewport: 'phone' });
    await page.getByText('No events in the last 30 days').waitFor();
    await expectAccessible(page);
  });
});
