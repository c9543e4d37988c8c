import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, inDashboard } from '../support/dashboard.ts';
import { staffPassword } from '../support/staff.ts';

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Presses an entry of a row's menu. */
async function fromMenu(page: Page, of: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Change ${of}`, exact: true }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

const lists = [
  { path: 'udfs', title: 'User-defined fields', noun: 'field', builtIn: [] },
  { path: 'sources', title: 'Sources', noun: 'source', builtIn: [] },
  { path: 'providers', title: 'Providers', noun: 'provider', builtIn: [] },
  { path: 'feedback-categories', title: 'Feedback categories', noun: 'category', builtIn: ['food', 'NPS'] },
  { path: 'booking-sources', title: 'Booking sources', noun: 'booking source', builtIn: ['website', 'third party'] },
] as const;

inDashboard('the settings pages', (dashboard) => {
  const viewports = ['desktop', 'phone'] as const;

  it('rename the account and change its time zone', async () => {
    const { body: other } = await dashboard.admin('POST', '/accounts', { name: 'Northern Inns' });
    const page = await dashboard.open(`/accounts/${other.id}/settings/account`, { viewport: 'phone' });
    await expectAccessible(page);
    await page.getByLabel('Name').fill('Northern Hotels');
    await page.getByRole('combobox', { name: 'Time zone' }).click();
    await page.keyboard.type('new york');
    await page.getByRole('option', { name: 'America/New York' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('option', { name: 'America/New York' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The account is changed.').waitFor();
    const { body } = await dashboard.admin('GET', `/accounts/${other.id}`);
    expect(body).toMatchObject({ name: 'Northern Hotels', time_zone: 'America/New_York' });
    // The new name is also shown outside of the form.
    await page.getByText('Northern Hotels').filter({ visible: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  });

  it('change only edited fields, and keep concurrent changes of others', async () => {
    const { body: other } = await dashboard.admin('POST', '/accounts', { name: 'Western Inns' });
    const page = await dashboard.open(`/accounts/${other.id}/settings/account`);
    await page.getByLabel('Name').fill('Western Hotels');
    await dashboard.admin('PATCH', `/accounts/${other.id}`, { time_zone: 'Europe/Lisbon' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The account is changed.').waitFor();
    const { body: account } = await dashboard.admin('GET', `/accounts/${other.id}`);
    expect(account).toMatchObject({ name: 'Western Hotels', time_zone: 'Europe/Lisbon' });

    const password = staffPassword;
    const { body: user } = await dashboard.admin('POST', '/users', {
      ...{ email: 'una@harbour.example', password, role: 'viewer', account_ids: [other.id] },
    });
    await page.goto(`${dashboard.url}/accounts/${other.id}/settings/users`);
    await fromMenu(page, 'una@harbour.example', 'Change');
    const form = page.getByRole('dialog', { name: 'Change una@harbour.example' });
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await form.getByLabel('E-mail').fill('una.b@harbour.example');
    await dashboard.admin('PATCH', `/users/${user.id}`, {
      role: 'staff',
      account_ids: [other.id, dashboard.account.id],
    });
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('una.b@harbour.example is changed.').waitFor();
    const { body } = await dashboard.admin('GET', `/users/${user.id}`);
    expect(body).toMatchObject({ email: 'una.b@harbour.example', role: 'staff' });
    expect(body.account_ids).toHaveLength(2);
  });

  it('show the account to a viewer without editing', async () => {
    const page = await dashboard.open('settings/account', { as: 'viewer' });
    await title(page, 'Account').waitFor();
    expect(await page.getByLabel('Name').getAttribute('readonly')).not.toBeNull();
    expect(await page.getByRole('button', { name: /Save|Delete/ }).count()).toBe(0);
  });

  it('delete an account after its name is typed', async () => {
    const { body: other } = await dashboard.admin('POST', '/accounts', { name: 'Short-lived' });
    const page = await dashboard.open(`/accounts/${other.id}/settings/account`);
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Short-lived?' });
    const confirm = dialog.getByRole('button', { name: 'Delete account' });
    expect(await confirm.isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByLabel('Type Short-lived to confirm').fill('Short-lived');
    await confirm.click();
    await title(page, 'Home').waitFor();
    expect(page.url()).not.toContain(`/accounts/${other.id}`);
    expect((await dashboard.admin('GET', `/accounts/${other.id}`)).status).toBe(404);
  });

  for (const viewport of viewports) {
    it(`add, change and delete a user (${viewport})`, async () => {
      const email = `sam.${viewport}@harbour.example`;
      const page = await dashboard.open('settings/users', { viewport });
      await page.getByRole('button', { name: 'New user' }).click();
      const form = page.getByRole('dialog', { name: 'New user' });
      await form.getByLabel('E-mail').fill(email);
      await form.getByLabel('Viewer').check();
      await form.getByRole('button', { name: 'Generate' }).click();
      const password = await form.getByLabel('Password').inputValue();
      expect(password).toMatch(/^(\w{5}-){3}\w{5}$/);
      await expectAccessible(page);
      await form.getByRole('button', { name: 'Add user' }).click();
      const dialog = page.getByRole('dialog', { name: 'Give this to the user' });
      await dialog.getByRole('button', { name: 'Copy sign-in' }).click();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
        `${dashboard.url}\nE-mail: ${email}\nPassword: ${password}`,
      );
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('table', { name: 'Users' }).getByText(email).waitFor();
      const body = { email, password };
      const session = await dashboard.call('POST', '/admin/v1/session', { body });
      expect(session.body).toMatchObject({ user: { role: 'viewer' }, accounts: [{ id: dashboard.account.id }] });

      await fromMenu(page, email, 'Change');
      const change = page.getByRole('dialog', { name: `Change ${email}` });
      await change.getByLabel('Owner').check();
      expect(await change.getByLabel('Accounts').count()).toBe(0);
      await change.getByRole('button', { name: 'Save' }).click();
      await page.getByText(`${email} is changed.`).waitFor();
      const users = (await dashboard.admin('GET', '/users')).body.data as { email: string; role: string }[];
      expect(users.find((user) => user.email === email)?.role).toBe('owner');

      await fromMenu(page, email, 'Delete');
      const confirm = page.getByRole('dialog', { name: `Delete ${email}?` });
      await confirm.getByRole('button', { name: 'Delete user' }).click();
      await page.getByText(`${email} is deleted.`).waitFor();
      await page.getByRole('table', { name: 'Users' }).getByText(email).waitFor({ state: 'detached' });
    });
  }

  it('show errors at the fields of a user', async () => {
    const { email } = await dashboard.user('staff');
    const page = await dashboard.open('settings/users', { refused: ['422 POST /admin/v1/users'] });
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(staffPassword);
    await page.getByRole('button', { name: 'Add user' }).click();
    await page.getByText('The email has already been taken.').waitFor();
    await expectAccessible(page);
  });

  it('show an error after the form was closed, and keep a dialog open until the response', async () => {
    const { email, id } = (
      await dashboard.admin('POST', '/users', {
        ...{ email: 'ute@harbour.example', password: staffPassword, role: 'viewer', account_ids: [] },
      })
    ).body;
    const refused = [`503 PATCH /admin/v1/users/${id}`, `503 DELETE /admin/v1/users/${id}`];
    const page = await dashboard.open('settings/users', { refused });
    let release = () => {};
    await page.route(`**/users/${id}`, async (route) => {
      await new Promise<void>((done) => {
        release = done;
      });
      await route.fulfill({ status: 503, json: { errors: [{ message: 'The kitchen is on fire.' }] } });
    });
    const failed = page.getByText('The kitchen is on fire.');

    await fromMenu(page, email, 'Change');
    const form = page.getByRole('dialog', { name: `Change ${email}` });
    await form.getByLabel('Staff').check();
    const asked = page.waitForRequest(`**/users/${id}`);
    await form.getByRole('button', { name: 'Save' }).click();
    await asked;
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    release();
    await failed.waitFor();
    await page.getByText('That did not work').waitFor();
    await failed.waitFor({ state: 'detached' });

    await fromMenu(page, email, 'Delete');
    const question = page.getByRole('dialog', { name: `Delete ${email}?` });
    const begun = page.waitForRequest(`**/users/${id}`);
    await question.getByRole('button', { name: 'Delete user' }).click();
    await begun;
    await page.keyboard.press('Escape');
    expect(await question.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    release();
    await question.getByText('The kitchen is on fire.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
  });

  it('explain that the last owner cannot be deleted', async () => {
    const page = await dashboard.open('settings/users', { refused: [/^422 DELETE \/admin\/v1\/users\/\d+$/] });
    const owner =
      (await page
        .getByText(/^owner.*@harbour\.example$/)
        .first()
        .textContent()) ?? '';
    await fromMenu(page, owner, 'Delete');
    await page.getByText('This is you. You are signed out at once').waitFor();
    await page.getByRole('button', { name: 'Delete user' }).click();
    await page.getByText('This is the last owner. Make another user an owner first.').waitFor();
    await expectAccessible(page);
  });

  for (const { path, title: name, noun, builtIn } of lists) {
    it(`manage the list of ${name.toLowerCase()}`, async () => {
      const viewport = viewports[lists.findIndex((list) => list.path === path) % 2] ?? 'desktop';
      const taken = new RegExp(`^422 POST .*/${path.replace('-', '_')}$`);
      const page = await dashboard.open(`settings/${path}`, { as: 'staff', viewport, refused: [taken] });
      await title(page, name).waitFor();
      for (const one of builtIn) {
        await page.getByText(one, { exact: true }).waitFor();
        expect(await page.getByRole('button', { name: `Change ${one}`, exact: true }).count()).toBe(0);
      }
      await page.getByRole('button', { name: `New ${noun}` }).click();
      const form = page.getByRole('dialog', { name: `New ${noun}` });
      await form.getByLabel('Name').fill('Atmosphere');
      if (path === 'udfs') await form.getByLabel('Date').check();
      await form.getByRole('button', { name: `Add ${noun}` }).click();
      await page.getByText('Atmosphere is added.').waitFor();
      await page.getByRole('button', { name: 'Change Atmosphere', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: `New ${noun}` }).click();
      await form.getByLabel('Name').fill('atmosphere');
      await form.getByRole('button', { name: `Add ${noun}` }).click();
      await form.getByText(/has already been taken/).waitFor();
      await expectAccessible(page);
      await form.getByRole('button', { name: 'Cancel' }).click();

      await fromMenu(page, 'Atmosphere', 'Rename');
      const renaming = page.getByRole('dialog', { name: 'Rename Atmosphere' });
      await renaming.getByLabel('Name').fill('Mood');
      await renaming.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('button', { name: 'Change Mood', exact: true }).waitFor();
      const stored = await dashboard.admin('GET', `/accounts/${dashboard.account.id}/${path.replace('-', '_')}`);
      const type = path === 'udfs' ? { type: 'date' } : {};
      expect(stored.body.data).toContainEqual({ id: expect.any(Number), name: 'Mood', ...type });

      await fromMenu(page, 'Mood', 'Delete');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Delete ${noun}` })
        .click();
      await page.getByText('Mood is deleted.').waitFor();
      await page.getByRole('button', { name: 'Change Mood', exact: true }).waitFor({ state: 'detached' });
    });
  }

  it('explain that an entry in use cannot be deleted', async () => {
    const body = { email: 'ana.silva@gmail.com', source_name: 'Guest wifi' };
    await dashboard.call('POST', '/v1/contact', { token: dashboard.account.token, body });
    const page = await dashboard.open('settings/sources', { refused: [/^422 DELETE .*\/sources\/\d+$/] });
    await fromMenu(page, 'Guest wifi', 'Delete');
    await page.getByRole('button', { name: 'Delete source' }).click();
    await page.getByText('The source is in use, so it can’t be deleted.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    // The focus is where it was before the window opened.
    await expect
      .poll(() => page.evaluate<string>(`document.activeElement.getAttribute('aria-label')`))
      .toBe('Change Guest wifi');
  });

  it('show lists to a viewer without buttons', async () => {
    const page = await dashboard.open('settings/feedback-categories', { as: 'viewer' });
    await page.getByText('service', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^(New|Change)/ }).count()).toBe(0);
  });

  for (const viewport of viewports) {
    it(`show what each purchase waits for, and why it has no match (${viewport})`, async () => {
      const { id, token } = dashboard.account;
      const { body: unit } = await dashboard.admin('POST', `/accounts/${id}/units`, {
        name: `The Anchor, ${viewport}`,
      });
      const at = { unit_id: unit.id, created_at: '2026-03-01 20:05:00' };
      const ale = { description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5 };
      const send = (reference: string, keys: object) =>
        dashboard.call('POST', '/v1/purchases', {
          token,
          body: {
            ...{ account_id: id, provider_id: 12, ...keys },
            purchases: [{ transaction_reference: reference, ...at, items: [ale, { ...ale, value: 3 }] }],
          },
        });
      await send(`T-1-${viewport}`, { booking_reference: `B-9-${viewport}`, table_number: '12' });
      await send(`T-2-${viewport}`, { membership_number: 'M-77' });
      const guest = {
        email: `ana.${viewport}@gmail.com`,
        bookings: [
          {
            booking_reference: `B-1-${viewport}`,
            unit_id: unit.id,
            party_datetime: '2026-03-01 19:30:00',
            party_size: 2,
            table_numbers: ['14'],
          },
        ],
      };
      const { body: contact } = await dashboard.call('POST', '/v1/contact', { token, body: guest });

      const page = await dashboard.open('settings/waiting-purchases', { as: 'viewer', viewport });
      const table = page.getByRole('table', { name: 'Waiting purchases' });
      await table.getByText(`T-2-${viewport}`).waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: /^Table \d+$/ }).click();
      await table.getByText(`T-2-${viewport}`).waitFor({ state: 'detached' });
      await table.getByText(`Booking B-9-${viewport}, or table 12`).waitFor();
      await table.getByText('14.50').first().waitFor();
      await table.getByText('1 Mar 2026, 20:05').first().waitFor();
      await table.getByRole('link', { name: `T-1-${viewport}` }).click();

      const drawer = page.getByRole('dialog');
      await drawer.getByText('There is no booking with this reference.').waitFor();
      await drawer.getByText('It is matched when a booking with this reference arrives.').waitFor();
      await drawer
        .getByText(`No booking of that day at The Anchor, ${viewport} has this table`, { exact: false })
        .waitFor();
      await drawer.getByText('It is at another table.').waitFor();
      await expectAccessible(page);
      const link = drawer.getByRole('link', { name: `Open guest ${contact.id}` });
      expect(await link.getAttribute('href')).toBe(`/accounts/${id}/guests/${contact.id}`);
      await drawer.getByRole('button', { name: 'Close' }).click();
      await drawer.waitFor({ state: 'detached' });
      // What was open is a step back.
      await page.goBack();
      await drawer.getByText('There is no booking with this reference.').waitFor();
    });
  }

  it('report that no purchase is waiting', async () => {
    const { body: other } = await dashboard.admin('POST', '/accounts', { name: 'Brand-new' });
    const page = await dashboard.open(`/accounts/${other.id}/settings/waiting-purchases`);
    await page.getByText('No waiting purchases').waitFor();
    await expectAccessible(page);
  });

  it('list e-mail domains, and add one', async () => {
    const page = await dashboard.open('settings/email-domains', { refused: ['422 POST /admin/v1/email_domains'] });
    await page.getByText('No domains yet').waitFor();
    const vouch = async (domain: string) => {
      await page.getByRole('textbox', { name: 'Domain' }).fill(domain);
      await page.getByRole('button', { name: 'Add rule' }).click();
    };
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await vouch('gmail.com');
    await page.getByText('The domain is built in. It is always accepted.').waitFor();
    await expectAccessible(page);
    await vouch('harbour-group.co.uk');
    await page.getByRole('table', { name: 'E-mail domains' }).getByText('harbour-group.co.uk').waitFor();
    await expectAccessible(page);
  });

  for (const viewport of viewports) {
    it(`show the audit trail (${viewport})`, async () => {
      const staff = await dashboard.user('staff');
      const unit = `The Crown, ${viewport}`;
      await staff.call('POST', `/accounts/${dashboard.account.id}/units`, { name: unit });
      await dashboard.admin('POST', '/email_domains', { domain: `${viewport}.harbour-group.co.uk` });
      const page = await dashboard.open('settings/audit', { viewport });
      const table = page.getByRole('table', { name: 'Audit trail' });
      await table.getByText(`Created the venue ${unit}`).waitFor();
      await table.getByText(`Vouched for the e-mail domain ${viewport}.harbour-group.co.uk`).waitFor();
      await expectAccessible(page);
      await page.getByRole('combobox', { name: 'Who' }).click();
      await page.getByRole('option', { name: staff.email }).click();
      await table.getByText('Vouched for').first().waitFor({ state: 'detached' });
      expect(new URL(page.url()).searchParams.get('user_id')).toBe(String(staff.id));
      expect(await table.getByText(staff.email).count()).toBe(2);
      await table.getByText('Signed in').waitFor();
    });
  }

  it('hide owners’ pages from others, also by URL', async () => {
    for (const [path, name] of [
      ['users', 'Users'],
      ['audit', 'Audit trail'],
      ['email-domains', 'E-mail domains'],
    ] as const) {
      const page = await dashboard.open(`settings/${path}`, { as: 'staff' });
      await title(page, name).waitFor();
      await page.getByText('Only owners can see this page').waitFor();
      await expectAccessible(page);
    }
  });
});
