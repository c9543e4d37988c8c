import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, inDashboard } from '../support/dashboard.ts';
import { staffPassword } from '../support/staff.ts';

const wrongPassword = '401 POST /admin/v1/session';

async function signIn(page: Page, email: string, password = staffPassword): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** The address within the dashboard. */
const here = (page: Page) => page.url().replace(/^https?:\/\/[^/]+/, '');

inDashboard('the dashboard’s shell', (dashboard) => {
  const userMenu = (page: Page) => page.getByRole('button', { name: /Your menu$/ });

  for (const viewport of ['desktop', 'phone'] as const) {
    it(`reports a wrong password, and accepts the correct one (${viewport})`, async () => {
      const { email } = await dashboard.user('staff');
      const page = await dashboard.open('/', { as: null, viewport, refused: [wrongPassword] });
      await title(page, 'Sign in to Regulars').waitFor();
      await signIn(page, email, 'not the password');
      await page.getByRole('alert').getByText('Wrong e-mail or password.').waitFor();
      await expectAccessible(page);
      await signIn(page, email);
      await title(page, 'Home').waitFor();
      expect(here(page)).toBe(`/accounts/${dashboard.account.id}`);
    });

    it(`is accessible (${viewport})`, async () => {
      const page = await dashboard.open('/profile', { viewport });
      await title(page, 'Profile').waitFor();
      await page.getByText('This browser').waitFor();
      await expectAccessible(page);
      if (viewport === 'phone') await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await userMenu(page).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      await expectAccessible(page);
    });
  }

  it('returns to the requested page after sign-in, and to no other site', async () => {
    const { email } = await dashboard.user('viewer');
    const page = await dashboard.open('guests?search=anna', { as: null });
    await title(page, 'Sign in to Regulars').waitFor();
    await signIn(page, email);
    await title(page, 'Guests').waitFor();
    expect(here(page)).toBe(`/accounts/${dashboard.account.id}/guests?search=anna`);

    const redirected = await dashboard.open('/sign-in?next=//elsewhere.example/guests', { as: null });
    await signIn(redirected, email);
    await title(redirected, 'Home').waitFor();
  });

  it('signs out, and the pages are no longer accessible', async () => {
    const page = await dashboard.open('guests', { as: await dashboard.user('staff'), refused: [/401 GET/] });
    await userMenu(page).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await title(page, 'Sign in to Regulars').waitFor();
    await Promise.all([page.waitForResponse(/\/session$/), page.goBack()]);
    await title(page, 'Sign in to Regulars').waitFor();
  });

  it('signs in and out in all tabs of the browser at once', async () => {
    const page = await dashboard.open('/profile', { as: await dashboard.user('staff'), refused: [/401 GET/] });
    await title(page, 'Profile').waitFor();
    const next = await dashboard.user('viewer');
    // Another user signs in although the first has not signed out.
    const other = await page.context().newPage();
    await other.goto(`${dashboard.url}/sign-in`);
    await signIn(other, next.email);
    await title(other, 'Home').waitFor();
    await page.getByText(`${next.email}, viewer`).waitFor();

    await userMenu(other).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await title(page, 'Sign in to Regulars').waitFor();
    expect(here(page)).toBe('/sign-in?next=%2Fprofile');
  });

  it('signs out of all sessions', async () => {
    const user = await dashboard.user('staff');
    const other = await dashboard.open('', { as: user, refused: [/401 GET/] });
    await title(other, 'Home').waitFor();
    const page = await dashboard.open('/profile', { as: user });
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign out everywhere?' });
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await title(page, 'Sign in to Regulars').waitFor();
    await other.reload();
    await title(other, 'Sign in to Regulars').waitFor();
  });

  it('shows the sign-in page when the session has ended, and returns to the same page', async () => {
    const user = await dashboard.user('staff');
    const page = await dashboard.open('', { as: user, refused: [/401 GET/] });
    await title(page, 'Home').waitFor();
    await user.call('DELETE', '/sessions');
    await userMenu(page).click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    await title(page, 'Sign in to Regulars').waitFor();
    await signIn(page, user.email);
    await title(page, 'Profile').waitFor();
  });

  it('changes the password, and requires the current one', async () => {
    const user = await dashboard.user('viewer');
    const page = await dashboard.open('/profile', { as: user, refused: ['422 POST /admin/v1/session/password'] });
    const change = async (current: string, next: string, again = next) => {
      await page.getByRole('textbox', { name: 'Current password' }).fill(current);
      await page.getByRole('textbox', { name: 'New password', exact: true }).fill(next);
      await page.getByRole('textbox', { name: 'Repeat the new password' }).fill(again);
      await page.getByRole('button', { name: 'Change password' }).click();
    };
    await change(staffPassword, 'a better password', 'a bitter password');
    await page.getByText('The new passwords do not match.').waitFor();
    await change('not the password', 'a better password');
    await page.getByText('The current password is wrong.').waitFor();
    await expectAccessible(page);
    await change(staffPassword, 'a better password');
    await page.getByText('Your password is changed.').waitFor();

    const again = await dashboard.open('/', { as: null, refused: [wrongPassword] });
    await signIn(again, user.email);
    await again.getByRole('alert').waitFor();
    await signIn(again, user.email, 'a better password');
    await title(again, 'Home').waitFor();
  });

  it('can be used by keyboard', async () => {
    const page = await dashboard.open('');
    await title(page, 'Home').waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('main');
    for (const [letter, name] of [
      ['g', 'Guests'],
      ['e', 'Segments'],
      ['v', 'Venues'],
      ['o', 'Vouchers'],
      ['d', 'Developers'],
      ['s', 'Account'],
      ['h', 'Home'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
      await title(page, name).waitFor();
    }
    const guests = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Guests' });
    await guests.focus();
    await page.keyboard.press('Enter');
    await title(page, 'Guests').waitFor();
    expect(await focused(page)).toBe('Guests');
    expect(await guests.getAttribute('aria-current')).toBe('page');
    // The menu opens, is walked through, and gives the focus back.
    await userMenu(page).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Profile' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem', { name: 'Profile' }).waitFor({ state: 'hidden' });
    expect(await focused(page)).toMatch(/Your menu$/);
  });

  it('has its menu behind a button on a phone', async () => {
    const page = await dashboard.open('', { viewport: 'phone' });
    await title(page, 'Home').waitFor();
    for (const name of ['Guests', 'Venues', 'Vouchers']) {
      await page.getByRole('button', { name: 'Menu', exact: true }).tap();
      const menu = page.getByRole('dialog', { name: 'Menu' });
      await menu.getByRole('link', { name }).tap();
      await title(page, name).waitFor();
      await menu.waitFor({ state: 'hidden' });
    }
  });

  it('uses the colours of the system, or the chosen ones, also after a reload', async () => {
    const page = await dashboard.open('', { scheme: 'dark' });
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const brightness = async () => Number(/\d+/.exec(await ground())?.[0]);
    await title(page, 'Home').waitFor();
    expect(await brightness()).toBeLessThan(60);
    await userMenu(page).click();
    await page.getByRole('menuitemradio', { name: 'Light' }).click();
    expect(await brightness()).toBeGreaterThan(200);
    await page.reload();
    await title(page, 'Home').waitFor();
    expect(await brightness()).toBeGreaterThan(200);
    await userMenu(page).click();
    expect(await page.getByRole('menuitemradio', { name: 'Light' }).getAttribute('aria-checked')).toBe('true');
  });

  for (const [what, path] of [
    ['an unknown URL', '/nowhere'],
    ['an unknown page of an account', 'nowhere'],
    ['an unknown account', '/accounts/999999/guests'],
  ] as const) {
    it(`reports ${what}`, async () => {
      const page = await dashboard.open(path);
      await title(page, 'Page not found').waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Go to the start page' }).click();
      await title(page, 'Home').waitFor();
    });
  }

  it('shows another’s account as not found', async () => {
    const page = await dashboard.open('guests', { as: await dashboard.user('staff', []) });
    await title(page, 'Page not found').waitFor();
    expect(here(page)).toBe(`/accounts/${dashboard.account.id}/guests`);
  });

  it('shows owners’ settings only to owners', async () => {
    const parts = (page: Page) =>
      page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allTextContents();
    const owner = await dashboard.open('settings/account', { as: 'owner' });
    await title(owner, 'Account').waitFor();
    expect(await parts(owner)).toEqual(expect.arrayContaining(['Users', 'Audit trail']));
    for (const as of ['staff', 'viewer'] as const) {
      const page = await dashboard.open('settings/account', { as });
      await title(page, 'Account').waitFor();
      const shown = await parts(page);
      expect(shown).toContain('Sources');
      expect(shown).not.toContain('Users');
      expect(shown).not.toContain('Audit trail');
    }
  });

  it('loads less than 300 kB of compressed JavaScript before the first page is shown', async () => {
    const page = await dashboard.open('');
    await title(page, 'Home').waitFor();
    const sizes = await page.evaluate<{ name: string; encoded: number; decoded: number }[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
        .map(({ name, encodedBodySize, decodedBodySize }) => ({ name, encoded: encodedBodySize, decoded: decodedBodySize }))`,
    );
    const sum = (of: 'encoded' | 'decoded') => sizes.reduce((total, size) => total + size[of], 0);
    expect(sum('decoded'), 'as it is run').toBeGreaterThan(sum('encoded'));
    expect(sum('encoded'), JSON.stringify(sizes)).toBeGreaterThan(0);
    expect(sum('encoded'), JSON.stringify(sizes)).toBeLessThan(300_000);
  });
});

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');
