import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible, inDashboard } from '../support/dashboard.ts';
import { type Account, anotherAccount, rows, title } from '../support/dashboard-guests.ts';

import { staffPassword } from '../support/staff.ts';

inDashboard('a guest’s page', (dashboard) => {
  let at: Account;
  let anchor: { id: number };
  const bea = { email: 'bea@gmail.com', first_name: 'Bea', last_name: 'Almeida' };
  let id: number;

  beforeAll(async () => {
    at = await anotherAccount(dashboard, 'Harbour Inns');
    const { admin, call } = dashboard;
    anchor = (await admin('POST', `${at.path}/units`, { name: 'The Anchor' })).body;
    const { body: udf } = await admin('POST', `${at.path}/udfs`, { name: 'Favourite table', type: 'text' });
    ({ id } = await at.written({
      ...{ ...bea, mobile_number: '07700 900555', dob: '1988-04-30', gender: 'F', city: 'Bristol', allow_email: true },
      ...{ source_name: 'Guest wifi', units: [{ id: anchor.id, groups: [{ name: 'Regulars' }] }] },
      udfs: [{ id: udf.id, data: 'By the window' }],
      notes: [{ text: 'Nut allergy.', created_at: '2026-01-01 12:00:00' }],
      purchases: [
        {
          ...{ transaction_reference: 'T-1', unit_id: anchor.id, created_at: '2026-03-01 21:05:00', order_type_id: 4 },
          items: [
            { description: 'Pale ale', quantity: 2, value: 11.5 },
            { description: 'Pie', quantity: 1, value: 14 },
          ],
        },
      ],
      bookings: [
        {
          ...{ booking_reference: 'B-1', unit_id: anchor.id, party_datetime: '2026-03-01 19:30:00', party_size: 4 },
          ...{ stage_value: 550, table_numbers: ['12'] },
        },
        { booking_reference: 'B-2', unit_id: anchor.id, party_datetime: '2099-01-01 19:30:00', party_size: 2 },
      ],
      feedback: [
        {
          ...{ unit_id: anchor.id, created_at: '2026-03-02 10:00:00', type_id: 1 },
          ...{ comments: [{ note: 'Lovely fire.' }], ratings: [{ category_id: 4, rating_text: '9' }] },
        },
      ],
      wifi: Array.from({ length: 50 }, (_, n) => ({
        ...{ unit_id: anchor.id, interaction_type: 'connected', hotspot_name: `Hotspot ${n}` },
        created_at: '2026-01-15 18:00:00',
      })),
    }));
    await at.written({ ...bea, allow_email: false, rules: [{ rule_name: 'preserve_consent' }], source_name: 'Till' });
    await at.written({ ...bea, allow_call: true, rules: [{ rule_name: 'historic_data' }] });
    const { body: group } = await admin('POST', `${at.path}/unique_code_groups`, {
      ...{ unit_id: anchor.id, name: 'Summer vouchers' },
    });
    await admin('POST', `${at.path}/unique_code_groups/${group.id}/codes`, { codes: ['SUMMER-1', 'SUMMER-2'] });
    for (const unique_code of ['SUMMER-1', 'SUMMER-2'])
      await admin('POST', `${at.path}/unique_codes/assign`, {
        ...{ unique_code_group_id: group.id, unique_code, contact_id: id },
      });
    const redemption = { unique_code: 'SUMMER-1', unit_id: anchor.id, redemption_date: '2026-03-03 20:00:00' };
    await call('POST', '/v1/unique_code/redeem', { token: at.token, body: { account_id: at.id, ...redemption } });
  });

  const guest = (path = id) => `${at.path}/guests/${path}`;
  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  for (const viewport of ['desktop', 'phone'] as const) {
    it(`shows the profile and all activity (${viewport})`, async () => {
      const page = await dashboard.open(guest(), { viewport });
      await title(page, 'Bea Almeida').waitFor();
      await page.getByText('25.50').first().waitFor();
      for (const text of ['bea@gmail.com', '+44 7700 900555', 'Bristol', '30 Apr 1988', 'Female', 'Till'])
        await part(page, 'Profile').getByText(text).waitFor();
      await part(page, 'Venues and groups').getByText('Regulars').waitFor();
      await part(page, 'User-defined fields').getByText('By the window').waitFor();
      await part(page, 'Notes').getByText('Nut allergy.').waitFor();
      const vouchers = part(page, 'Vouchers').getByRole('listitem');
      await expect
        .poll(() => vouchers.allTextContents())
        .toEqual([
          expect.stringMatching(/SUMMER-2.*Active/),
          expect.stringMatching(/SUMMER-1.*Redeemed.*3 Mar 2026, 20:00 at The Anchor/),
        ]);

      const timeline = part(page, 'Timeline');
      await timeline.getByRole('list', { name: 'Upcoming' }).getByText('Booking for 2').waitFor();
      const march = timeline.getByRole('list', { name: 'Mar 2026' }).getByRole('listitem');
      await expect
        .poll(() => march.allTextContents())
        .toEqual([
          expect.stringContaining('Redeemed SUMMER-1'),
          expect.stringMatching(/Feedback.*Positive.*NPS: 9 of 10.*Lovely fire\./),
          expect.stringMatching(/Purchase.*1 Mar 2026, 21:05.*dined in.*25\.50/),
          expect.stringMatching(/Booking for 4.*Cancelled.*1 Mar 2026, 19:30.*table 12/),
        ]);
      await timeline.getByRole('button', { name: '2 items' }).click();
      await timeline.getByRole('row', { name: /Pale ale.*× 2.*11\.50/ }).waitFor();
      await expectAccessible(page);

      await timeline.getByText('Hotspot').first().waitFor();
      const before = await timeline.getByText('Hotspot').count();
      await timeline.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => timeline.getByText('Hotspot').count()).toBeGreaterThan(before);
      await timeline.getByText('Bookings 2').click();
      await expect.poll(() => timeline.getByRole('listitem').count()).toBe(2);
      expect(page.url()).toMatch(/kind=booking$/);
    });

    it(`adds a note (${viewport})`, async () => {
      const page = await dashboard.open(guest(), { viewport, as: await dashboard.user('staff', [at.id]) });
      const text = `Likes the ${viewport}.`;
      await page.getByRole('textbox', { name: 'New note' }).fill(text);
      await expectAccessible(page);
      if (viewport === 'phone') await page.getByRole('button', { name: 'Add note' }).click();
      else await page.keyboard.press('Control+Enter');
      const first = part(page, 'Notes').getByRole('listitem').first();
      await expect.poll(() => first.textContent()).toMatch(new RegExp(`${text}staff.*@harbour\\.example`));
      expect(await page.getByRole('textbox', { name: 'New note' }).inputValue()).toBe('');
      const { body } = await dashboard.admin('GET', `${at.path}/contacts/${id}/notes`);
      expect(body.data[0]).toMatchObject({ text, author: expect.stringContaining('@harbour.example') });
    });
  }

  it('keeps an unfinished note until sign-out', async () => {
    const user = await dashboard.user('staff', [at.id]);
    const page = await dashboard.open(guest(), { as: user });
    const note = page.getByRole('textbox', { name: 'New note' });
    await note.fill('Likes the');
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Guests' }).click();
    await title(page, 'Guests').waitFor();
    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await rows(page).getByText('Bea Almeida').click();
    await expect.poll(() => note.inputValue()).toBe('Likes the');

    await page.getByRole('button', { name: /Your menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(staffPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await title(page, 'Home').waitFor();
    await page.keyboard.press('/');
    await rows(page).getByText('Bea Almeida').click();
    await note.waitFor();
    expect(await note.inputValue()).toBe('');
  });

  it('explains every change of consent, and records a change', async () => {
    const page = await dashboard.open(guest(), { viewport: 'phone' });
    const consent = part(page, 'Consent');
    const history = consent.getByRole('list', { name: 'Consent history' }).getByRole('listitem');
    await expect
      .poll(() => history.allTextContents())
      .toEqual([
        expect.stringMatching(
          /^Calls: still not allowedNot appliedNot applied because of historic_data: .*“Till” said yes, but as old/,
        ),
        expect.stringMatching(
          /^E-mail: still allowedNot appliedNot applied because of preserve_consent: the source “Till”.*said no/,
        ),
        expect.stringMatching(/^E-mail: allowedThe source “Guest wifi”, sent with the token “Till”, said yes\./),
      ]);
    await consent.getByRole('button', { name: 'Record a change' }).click();
    const form = page.getByRole('dialog', { name: 'What did Bea Almeida ask for?' });
    await form.getByLabel('How the guest asked for it').fill('Rang the bar.');
    await form.getByText('No changes yet.').waitFor();
    expect(await form.getByRole('button', { name: 'Record' }).isDisabled()).toBe(true);
    await form.getByLabel('Texts').check();
    await form.getByLabel('How the guest asked for it').fill('');
    await form.getByRole('button', { name: 'Record' }).click();
    await form.getByText('Enter how the guest asked for it.').waitFor();
    await expectAccessible(page);
    await form.getByLabel('How the guest asked for it').fill('x'.repeat(480));
    await form.getByText('480 of 500').waitFor();
    await form.getByLabel('How the guest asked for it').fill('x'.repeat(500));
    await form.getByText('500 of 500. The limit is reached.').waitFor();
    await expectAccessible(page);
    await form.getByLabel('How the guest asked for it').fill('Rang the bar.');
    await form.getByRole('button', { name: 'Record' }).click();
    await form.waitFor({ state: 'detached' });
    await expect.poll(() => history.first().textContent()).toMatch(/^Texts: allowedRecorded by .*: “Rang the bar.”/);
    await expect
      .poll(() => consent.getByRole('list', { name: 'Consent', exact: true }).textContent())
      .toContain('TextsAllowed');
    const { body } = await dashboard.admin('GET', `${at.path}/contacts/${id}`);
    expect(body).toMatchObject({ allow_sms: '1', allow_email: '1', allow_call: '' });
  });

  it('records only the consent that was changed in the form', async () => {
    const cleo = { first_name: 'Cleo', email: 'cleo@gmail.com' };
    const { id: cleoId } = await at.written({ ...cleo, allow_email: true });
    const page = await dashboard.open(guest(cleoId));
    const consent = part(page, 'Consent');
    await consent.getByRole('button', { name: 'Record a change' }).click();
    const form = page.getByRole('dialog', { name: 'What did Cleo ask for?' });
    await form.getByLabel('Texts').waitFor();
    await at.written({ ...cleo, allow_email: false });
    // The page reads it again, as it does when one comes back to it after a while.
    await page.clock.install();
    await page.clock.fastForward(60_000);
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await expect
      .poll(() => consent.getByRole('list', { name: 'Consent', exact: true, includeHidden: true }).textContent())
      .toContain('E-mailNot allowed');
    await form.getByLabel('Texts').check();
    await form.getByLabel('How the guest asked for it').fill('Asked at the bar.');
    await form.getByRole('button', { name: 'Record' }).click();
    await form.waitFor({ state: 'detached' });
    const { body } = await dashboard.admin('GET', `${at.path}/contacts/${cleoId}`);
    expect(body).toMatchObject({ allow_sms: '1', allow_email: '' });
  });

  for (const viewport of ['desktop', 'phone'] as const) {
    it(`merges a guest with another, and undoes the merge (${viewport})`, async () => {
      const name = viewport === 'phone' ? 'Petra' : 'Dora';
      const stays = await at.written({ first_name: name, email: `${name}@gmail.com`, city: 'Bath', allow_email: true });
      const ends = await at.written({
        first_name: name,
        last_name: 'Work',
        email: `${name}.w@gmail.com`,
        allow_sms: true,
      });
      const page = await dashboard.open(guest(ends.id), { viewport });
      await page.getByRole('button', { name: 'Merge', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Who is the same guest?').fill(name);
      await dialog.getByRole('list', { name: 'Guests found' }).getByText(`${name.toLowerCase()}@gmail.com`).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await dialog.getByRole('row', { name: /E-mail \(differs\)/ }).waitFor();
      await dialog.getByText('Consent moves with the mobile').waitFor();
      await dialog.getByLabel(`Contact ${stays.id}`).check();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: `Merge into ${name}`, exact: true }).click();
      await page.waitForURL(new RegExp(`/guests/${stays.id}$`));
      await title(page, `${name} Work`).waitFor();
      expect((await dashboard.admin('GET', `${at.path}/contacts/${ends.id}`)).body).toMatchObject({
        ...{ id: stays.id, last_name: 'Work', city: 'Bath', allow_email: '1', allow_sms: '' },
      });

      // The old address leads to the one who stays.
      await page.goto(`${dashboard.url}${guest(ends.id)}`);
      await page.waitForURL(new RegExp(`/guests/${stays.id}$`));
      await part(page, 'Merges')
        .getByRole('button', { name: `Undo the merge of ${name} Work` })
        .click();
      await page
        .getByRole('dialog', { name: 'Undo this merge?' })
        .getByText('becomes a separate guest again')
        .waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Undo the merge', exact: true }).click();
      await part(page, 'Merges').getByText('Undone by').waitFor();
      await title(page, name).waitFor();
      expect((await dashboard.admin('GET', `${at.path}/contacts/${ends.id}`)).body.id).toBe(ends.id);
    });
  }

  it('erases a guest after a confirmation', async () => {
    const { id: gone } = await at.written({ first_name: 'Gus', last_name: 'Gone', email: 'gus@gmail.com' });
    const page = await dashboard.open(guest(gone), { viewport: 'phone' });
    await page.getByRole('button', { name: 'Erase' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase Gus Gone?' });
    const erase = dialog.getByRole('button', { name: 'Erase for good' });
    expect(await erase.isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByLabel(/^Type “Gus Gone”/).fill('gus gone');
    await erase.click();
    await title(page, 'Guests').waitFor();
    await page.getByText('Gus Gone is erased.').waitFor();
    await expect.poll(() => rows(page).allTextContents()).not.toContain('Gus Gone');
    expect((await dashboard.admin('GET', `${at.path}/contacts/${gone}`)).status).toBe(404);
  });

  it('has no buttons for changes for a viewer', async () => {
    const page = await dashboard.open(guest(), { as: await dashboard.user('viewer', [at.id]) });
    await part(page, 'Notes').getByText('Nut allergy.').waitFor();
    expect(await page.getByRole('button', { name: /Merge|Erase|Record|Add note|Undo/ }).count()).toBe(0);
    expect(await page.getByRole('textbox').count()).toBe(0);
  });

  it('reports an unknown guest', async () => {
    const page = await dashboard.open(guest(99_999_999), { refused: [/^404 GET .*\/contacts\/99999999/] });
    await page.getByText('Not found').waitFor();
    await expectAccessible(page);
  });
});
