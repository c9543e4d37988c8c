import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type Dashboard, expectAccessible, expectNoSidewaysScroll, inDashboard } from '../support/dashboard.ts';
import { type Account, anotherAccount, title } from '../support/dashboard-guests.ts';
import { figure } from '../support/dashboard-home.ts';
import { superuser } from '../support/database.ts';
import { answers, receiver } from '../support/receiver.ts';
import { fresh } from '../support/till.ts';
import { accepted } from '../support/vouchers.ts';

type Receiver = Awaited<ReturnType<typeof receiver>>;

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const attempt = (seconds: number, status_code: number | null, more: object = {}) => ({
  ...{ at: ago(seconds), status_code, duration_ms: 84, error: null, response: '' },
  ...more,
});

interface Stored {
  state: 'pending' | 'delivered' | 'failed';
  attempts: object[];
  next_attempt_at?: string | null;
}

inDashboard(
  'the webhooks pages',
  (dashboard) => {
    let account = {} as Account;
    let there = {} as Receiver;
    let sql = {} as Awaited<ReturnType<typeof superuser>>;

    beforeAll(async () => {
      account = await anotherAccount(dashboard, fresh('Account'));
      there = await receiver();
      sql = await superuser(dashboard.database);
    });

    const open = (path = '', visit: Parameters<Dashboard['open']>[1] = {}, at = account.path) =>
      dashboard.open(`${at}/developers/webhooks${path}`, visit);
    const newWebhook = async (more: object = {}, at = account.path) => {
      const sent = { url: there.url, types: ['*'], description: fresh('Newsletter'), ...more };
      const made = accepted(await dashboard.admin('POST', `${at}/webhooks`, sent), 201);
      return made as { id: number; description: string; secret: string };
    };
    const stored = async ({ id }: { id: number }) =>
      accepted(await dashboard.admin('GET', `${account.path}/webhooks/${id}`));
    /** An event of the account, with its place in the feed. */
    const newEvent = async (accountId = account.id, by: Pick<Account, 'written' | 'newEmail'> = account) => {
      const { id: contactId } = await by.written({ email: `${fresh('guest')}@gmail.com`, full_contact_object: false });
      await dashboard.admin('GET', `/accounts/${accountId}/events`);
      const [row] = await sql<{ position: number }>`
        select position from events where account_id = ${accountId} and ${contactId} = any(contact_ids) order by id`;
      return { contactId: contactId as number, position: row?.position ?? 0 };
    };
    /** Stores what the sender would store. */
    const deliver = async (webhook: { id: number }, { state, attempts, next_attempt_at = null }: Stored) => {
      const { contactId, position } = await newEvent();
      const [row] = await sql<{ id: number }>`
        insert into webhook_deliveries (account_id, webhook_id, position, place, type, contact_ids, state, attempts, tries, next_attempt_at, created_at)
        values (${account.id}, ${webhook.id}, ${position}, 0, 'contact.created', ${[contactId]}, ${state},
          ${JSON.stringify(attempts)}, ${attempts.length}, ${next_attempt_at}, now()) returning id`;
      return { id: row?.id ?? 0, contactId };
    };
    const dialog = (page: Page) => page.getByRole('dialog');
    const table = (page: Page) => page.getByRole('table', { name: 'Deliveries' });
    const rows = (page: Page) => table(page).locator('tbody').getByRole('row');
    const more = async (page: Page, item: string) => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

    for (const viewport of ['desktop', 'phone'] as const) {
      it(`create a webhook, show its secret once, and send a test event (${viewport})`, async () => {
        const other = await anotherAccount(dashboard, fresh('Account'));
        const page = await open('', { viewport, refused: [/^422 POST .*\/webhooks$/] }, other.path);
        await page.getByText('No webhooks yet').waitFor();
        await expectAccessible(page);
        const name = fresh('CRM');
        await page.getByRole('button', { name: 'New webhook' }).click();
        await dialog(page).getByLabel('URL').fill('crm.example.com');
        await dialog(page).getByLabel('Description').fill(name);
        await dialog(page).getByLabel('Only some').check();
        await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
        await dialog(page).getByText('Choose at least one event.').waitFor();
        await dialog(page).getByLabel('Guest created').check();
        await dialog(page).getByRole('button', { name: 'All of Vouchers' }).click();
        await expectAccessible(page);
        await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
        await dialog(page).getByText('The url must be a URL').waitFor();
        await dialog(page).getByLabel('URL').fill(there.url);
        await dialog(page).getByRole('button', { name: 'Create webhook' }).click();

        await dialog(page).getByText('It is not shown again').waitFor();
        await dialog(page).getByRole('button', { name: 'Copy secret' }).click();
        const secret = await clipboard(page);
        expect(secret).toMatch(/^whsec_/);
        await dialog(page).getByText(secret, { exact: true }).waitFor();
        for (const [language, start] of Object.entries({
          PHP: '<?php',
          Python: 'import base64',
          TypeScript: '// npm',
        })) {
          await dialog(page).getByRole('tab', { name: language }).click();
          await dialog(page)
            .getByRole('button', { name: `Copy ${language} code` })
            .click();
          await expect.poll(() => clipboard(page)).toMatch(new RegExp(`^${start.replaceAll(/\W/g, '\\$&')}`));
        }
        await expectAccessible(page);
        await page.keyboard.press('Escape');
        await dialog(page).getByText(secret, { exact: true }).waitFor();
        await dialog(page).getByRole('button', { name: 'Done' }).click();

        await title(page, name).waitFor();
        await dialog(page).waitFor({ state: 'detached' });
        expect(await page.content()).not.toContain(secret);
        const [made] = accepted(await dashboard.admin('GET', `${other.path}/webhooks`)).data;
        expect(made).toMatchObject({ url: there.url, description: name });
        expect(made.types).toEqual(['contact.created', 'voucher.assigned', 'voucher.redeemed']);
        await page.getByText('Guest created, Voucher assigned, Voucher redeemed').waitFor();
        await page.getByText('No deliveries in the last 7 days').waitFor();
        await expectAccessible(page);

        const before = there.all.length;
        there.state.answer = (response) => void response.end('{"taken":true}');
        await page.getByRole('button', { name: 'Send test event' }).click();
        await dialog(page).getByText('200 OK').waitFor();
        await dialog(page).getByText('"taken": true').waitFor();
        await dialog(page)
          .getByText(/^\d+ ms$/)
          .waitFor();
        await expectAccessible(page);
        const [received] = there.all.slice(before);
        expect(received && there.verify(secret, received)).toMatchObject({
          type: 'webhook.test',
          account_id: other.id,
        });
        there.state.answer = answers.status(500);
        await dialog(page).getByRole('button', { name: 'Send again' }).click();
        await dialog(page).getByText('The receiver answered 500.').waitFor();
        await dialog(page).getByText('500 Failed').waitFor();
        await dialog(page).getByText('status 500').waitFor();
        there.state.answer = answers.ok;
        expect(there.all.length).toBe(before + 2);
      });

      it(`list webhooks with their status and health (${viewport})`, async () => {
        const other = await anotherAccount(dashboard, fresh('Account'));
        const good = await newWebhook({ types: ['contact.created'] }, other.path);
        const failing = await newWebhook({}, other.path);
        const gone = await newWebhook({}, other.path);
        const paused = await newWebhook({}, other.path);
        await sql`
          insert into webhook_hours (account_id, webhook_id, hour, succeeded, failed, duration_ms)
          values (${other.id}, ${good.id}, now(), 1999, 1, ${1999 * 84})`;
        await sql`update webhooks set failing_since = now() - interval '2 hours' where id = ${failing.id}`;
        await sql`
          update webhooks set status = 'disabled', disabled_reason = 'The receiver answered 410.' where id = ${gone.id}`;
        accepted(await dashboard.admin('PATCH', `${other.path}/webhooks/${paused.id}`, { status: 'paused' }));
        const page = await open('', { viewport }, other.path);
        const row = (of: { description: string }) => page.getByRole('row').filter({ hasText: of.description });
        await row(good).getByText('Active', { exact: true }).waitFor();
        // Not 100%, because one failed.
        await row(good).getByText('99.9% succeeded').waitFor();
        await row(good).getByText('2,000 attempts').waitFor();
        await row(good).getByText('84 ms on average').waitFor();
        await row(good).getByText('Guest created').waitFor();
        await row(failing).getByText('Failing').waitFor();
        await row(failing).getByText('since 2 hours ago').waitFor();
        await row(failing).getByText('All events').waitFor();
        await row(failing).getByText('No attempts').waitFor();
        await row(gone).getByText('Disabled').waitFor();
        await row(gone).getByText('The receiver answered 410.').waitFor();
        await row(paused).getByText('Paused').waitFor();
        await expectAccessible(page);
        if (viewport === 'desktop') await page.setViewportSize({ width: 1024, height: 768 });
        await expectNoSidewaysScroll(page);
        await row(gone).getByRole('link').click();
        await title(page, gone.description).waitFor();
      });

      it(`show deliveries, which stay current, with their attempts (${viewport})`, async () => {
        const webhook = await newWebhook();
        const page = await open(`/${webhook.id}`, { viewport });
        await page.getByText('No deliveries in the last 7 days').waitFor();
        const delivered = await deliver(webhook, { state: 'delivered', attempts: [attempt(60, 200)] });
        // Without a reload.
        await rows(page).getByText('200 OK').waitFor();
        await deliver(webhook, { state: 'failed', attempts: [attempt(60, 404)] });
        const waiting = await deliver(webhook, {
          state: 'pending',
          attempts: [
            attempt(300, null, { error: 'The receiver refused the connection.' }),
            attempt(10, 503, { error: 'The receiver answered 503.', response: '{"busy":true}' }),
          ],
          next_attempt_at: ago(-1700),
        });
        await deliver(webhook, { state: 'pending', attempts: [], next_attempt_at: null });
        await expect.poll(() => rows(page).count()).toBe(4);
        await rows(page).getByText('in 28 minutes').waitFor();
        await rows(page).getByText('After an earlier event of the guest').waitFor();
        expect(await figure(page, 'Waiting')).toBe('2 Events not delivered yet');
        await expectAccessible(page);
        for (const width of viewport === 'phone' ? [320, 390] : [1024, 1280]) {
          await page.setViewportSize({ width, height: 780 });
          await expectNoSidewaysScroll(page);
        }

        const state = page.getByRole('radiogroup', { name: 'State' });
        for (const [name, count] of Object.entries({ Delivered: 1, Failed: 1, Waiting: 2 })) {
          await state.getByText(name, { exact: true }).click();
          await expect.poll(() => rows(page).count()).toBe(count);
          await expect.poll(() => rows(page).getByText(name, { exact: true }).count()).toBe(count);
        }
        await rows(page).filter({ hasText: '503' }).getByRole('link', { name: 'Guest created' }).click();
        await dialog(page).getByText('The receiver answered 503.').waitFor();
        const attempts = dialog(page).getByRole('list', { name: 'Attempts, newest first' }).getByRole('listitem');
        expect(await attempts.nth(0).innerText()).toContain('"busy": true');
        expect(await attempts.nth(1).innerText()).toContain('The receiver refused the connection.');
        await attempts.nth(1).getByText('No answer').waitFor();
        await dialog(page).getByText('webhook-id: evt_').waitFor();
        await dialog(page).getByText(`"contact_id": ${waiting.contactId}`).waitFor();
        await expectAccessible(page);

        await dialog(page).getByRole('button', { name: 'Send again' }).click();
        await page.getByText('The event is sent again.').waitFor();
        await dialog(page).getByText('Now', { exact: true }).waitFor();
        const [row] = await sql<{ tries: number; is_due: boolean }>`
          select tries, next_attempt_at <= now() as is_due from webhook_deliveries where id = ${waiting.id}`;
        expect(row).toEqual({ tries: 0, is_due: true });
        // As the sender does.
        await sql`update webhook_deliveries set state = 'delivered', next_attempt_at = null,
          attempts = attempts || ${JSON.stringify([attempt(0, 204)])}::jsonb where id = ${waiting.id}`;
        await dialog(page).getByText('204 OK').waitFor();
        await dialog(page)
          .getByRole('link', { name: `guest ${waiting.contactId}` })
          .click();
        await page.waitForURL(new RegExp(`/guests/${waiting.contactId}$`));

        const again = await open(`/${webhook.id}?delivery=${delivered.id}`, { viewport });
        await dialog(again).getByText('Delivered', { exact: true }).waitFor();
        await sql`delete from events where account_id = ${account.id} and ${delivered.contactId} = any(contact_ids)`;
        await dialog(again).getByText('so it can’t be sent again').waitFor();
        expect(await dialog(again).getByRole('button', { name: 'Send again' }).count()).toBe(0);
      });
    }

    it('show deliveries page by page', async () => {
      const webhook = await newWebhook();
      const { position } = await newEvent();
      await sql`
        insert into webhook_deliveries (account_id, webhook_id, position, place, type, contact_ids, state, attempts, tries, created_at)
        select ${account.id}, ${webhook.id}, ${position}, 0, case when n = 1 then 'note.added' else 'contact.created' end, '{}', 'delivered', '[]', 1, now()
        from generate_series(1, 140) as n`;
      const page = await open(`/${webhook.id}`);
      await expect.poll(() => rows(page).count()).toBe(100);
      await page.getByText('1–100 of 140').waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await expect.poll(() => rows(page).count()).toBe(40);
      await rows(page).getByText('Note added').waitFor();
    });

    it('pause, resume and enable a webhook', async () => {
      const webhook = await newWebhook();
      const page = await open(`/${webhook.id}`);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Nothing is sent.').waitFor();
      expect((await stored(webhook)).status).toBe('paused');
      await deliver(webhook, { state: 'pending', attempts: [attempt(9, 500)], next_attempt_at: ago(-60) });
      await rows(page).getByText('When the webhook is active').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      expect((await stored(webhook)).status).toBe('active');
      await sql`update webhooks set failing_since = now() - interval '6 days' where id = ${webhook.id}`;
      await page.getByText('All attempts fail').waitFor();
      await sql`update webhooks set status = 'disabled', disabled_reason = 'It failed for 5 days.' where id = ${webhook.id}`;
      await page.getByText('It failed for 5 days.').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      expect(await stored(webhook)).toMatchObject({ status: 'active', disabled_reason: null, failing_since: null });
    });

    it('edit a webhook, replace its secret, and delete it', async () => {
      const webhook = await newWebhook({ types: ['contact.created'] });
      const page = await open(`/${webhook.id}`);
      const name = fresh('Loyalty');
      await more(page, 'Edit');
      await dialog(page).getByLabel('Description').fill(name);
      await dialog(page).getByLabel('Guest created').uncheck();
      await dialog(page).getByLabel('Import finished').check();
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await title(page, name).waitFor();
      expect(await stored(webhook)).toMatchObject({ url: there.url, types: ['import.finished'], description: name });

      await more(page, 'New secret');
      await dialog(page).getByText('For 24 hours').waitFor();
      await expectAccessible(page);
      await dialog(page).getByRole('button', { name: 'Make new secret' }).click();
      await dialog(page).getByRole('button', { name: 'Copy secret' }).click();
      const secret = await clipboard(page);
      expect(secret).toMatch(/^whsec_/);
      expect(secret).not.toBe(webhook.secret);
      await dialog(page).getByRole('button', { name: 'Done' }).click();
      await page.getByText('Two secrets sign').waitFor();
      expect(await page.content()).not.toContain(secret);
      const before = there.all.length;
      await page.getByRole('button', { name: 'Send test event' }).click();
      await dialog(page).getByText('200 OK').waitFor();
      const [received] = there.all.slice(before);
      for (const one of [secret, webhook.secret]) expect(received && there.verify(one, received)).toBeTruthy();
      await dialog(page).getByRole('button', { name: 'Close' }).last().click();

      await deliver(webhook, { state: 'pending', attempts: [attempt(9, 500)], next_attempt_at: ago(-60) });
      await expect.poll(() => figure(page, 'Waiting')).toBe('1 Events not delivered yet');
      await more(page, 'Delete');
      await dialog(page).getByText('1 event that waits is not sent.').waitFor();
      await dialog(page).getByRole('button', { name: 'Delete webhook' }).click();
      await title(page, 'Webhooks').waitFor();
      await page.getByText(`${name} is deleted.`).waitFor();
      expect((await dashboard.admin('GET', `${account.path}/webhooks/${webhook.id}`)).status).toBe(404);
    });

    it('send earlier events again', async () => {
      const webhook = await newWebhook();
      await newEvent();
      const page = await open(`/${webhook.id}`, { refused: [/^422 POST .*\/replay$/] });
      await more(page, 'Send earlier events again');
      await dialog(page).getByText('stay the same').waitFor();
      await expectAccessible(page);
      await dialog(page).getByLabel('Since').fill('2100-01-01T12:30');
      await dialog(page).getByRole('button', { name: 'Send again' }).click();
      await dialog(page).getByText('must be in the past').waitFor();
      await dialog(page).getByLabel('Since').fill('2026-01-02T03:04');
      await dialog(page).getByRole('button', { name: 'Send again' }).click();
      // In the account's time zone, not in that of the browser.
      await page.getByText('Events since 2 Jan 2026, 3:04').waitFor();
      const [row] = await sql`select replay_position from webhooks where id = ${webhook.id}`;
      expect(row).toEqual({ replay_position: 1 });
    });

    for (const role of ['staff', 'viewer'] as const) {
      it(`let ${role} read${role === 'staff' ? ', test and send again' : ' only'}`, async () => {
        const path = `/accounts/${dashboard.account.id}`;
        const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
        const empty = await open('', { as: role }, path);
        await title(empty, 'Webhooks').waitFor();
        const webhook = await newWebhook({}, path);
        const page = await open('', { as: role, viewport: 'phone' }, path);
        await page.getByRole('link', { name: webhook.description }).click();
        await title(page, webhook.description).waitFor();
        await page.getByText('No deliveries in the last 7 days').waitFor();
        expect(await page.getByRole('button', { name: 'New webhook' }).count()).toBe(0);
        expect(await button(page, 'Pause').count()).toBe(0);
        const tests = role === 'staff' ? 1 : 0;
        expect(await button(page, 'Send test event').count()).toBe(tests);
        expect(await button(page, 'More').count()).toBe(tests);
        if (role === 'staff') {
          await button(page, 'More').click();
          const items = page.getByRole('menuitem');
          await items.first().waitFor();
          expect(await items.allInnerTexts()).toEqual(['Send earlier events again']);
          await page.keyboard.press('Escape');
          await button(page, 'Send test event').click();
          await dialog(page).getByText('200 OK').waitFor();
        }
        await expectAccessible(page);
        accepted(await dashboard.admin('DELETE', `${path}/webhooks/${webhook.id}`), 204);
      });
    }

    it('say that a webhook does not exist', async () => {
      const page = await open('/999999', { refused: [/^404 GET .*\/webhooks\/999999$/, /^404 GET .*\/deliveries$/] });
      await page.getByText('Not found').waitFor();
    });

    it('are reached by keyboard from any page of the section', async () => {
      const page = await dashboard.open(`${account.path}/developers`);
      const menu = page.getByRole('navigation', { name: 'Developers' });
      await menu.getByRole('link', { name: 'Webhooks' }).focus();
      await page.keyboard.press('Enter');
      await title(page, 'Webhooks').waitFor();
      expect(await menu.locator('[aria-current]').innerText()).toBe('Webhooks');
      expect(await page.locator('nav[aria-label=Main] [aria-current]').first().innerText()).toBe('Developers');
    });
  },
  { WEBHOOK_PRIVATE_ADDRESSES: 'allow' },
);
