import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type Dashboard, expectAccessible, expectNoSidewaysScroll, inDashboard } from '../support/dashboard.ts';
import { type Account, anotherAccount, rows, title } from '../support/dashboard-guests.ts';
import { superuser } from '../support/database.ts';
import { putFigures } from '../support/figures.ts';
import { fresh } from '../support/till.ts';
import { accepted } from '../support/vouchers.ts';

const today = new Date().toISOString().slice(0, 10);

inDashboard('the segments pages', (dashboard) => {
  let account = {} as Account;
  let anchor = {} as { id: number; name: string };
  const base = () => `/accounts/${account.id}/segments`;

  beforeAll(async () => {
    account = await anotherAccount(dashboard, fresh('Account'));
    anchor = accepted(await dashboard.admin('POST', `${account.path}/units`, { name: 'The Anchor' }), 201);
    const guests = [
      { first_name: 'Ana', city: 'Bath', allow_email: true, allow_sms: true, mobile_number: '07700900001' },
      { first_name: 'Eva', city: 'Bath', allow_email: true },
      { first_name: 'Rui', city: 'Bath' },
      { first_name: 'Tom', city: 'Bristol', allow_email: true },
    ];
    const ids: number[] = [];
    for (const guest of guests) {
      const units = [{ id: guest.first_name === 'Tom' ? account.root_unit_id : anchor.id }];
      const { id } = await account.written({
        ...guest,
        ...{ last_name: 'Silva', email: `${fresh(guest.first_name)}@gmail.com`, units, full_contact_object: false },
      });
      ids.push(id);
    }
    const sql = await superuser(dashboard.database);
    const [ana = 0, eva = 0] = ids;
    const visit = (contact_id: number, day: string, unit_id: number) => ({ contact_id, day, unit_id, purchases: 1 });
    await putFigures(
      sql,
      account.id,
      [visit(ana, '2026-01-02', anchor.id), visit(ana, today, anchor.id), visit(eva, today, account.root_unit_id)],
      today,
    );
  });

  const city = (value: string) => ({ field: 'city', op: 'is', value });
  const newSegment = async (definition: object, name = fresh('Segment')): Promise<{ id: number; name: string }> =>
    accepted(await dashboard.admin('POST', base(), { name, definition }), 201);
  const stored = async (id: number) => accepted(await dashboard.admin('GET', `${base()}/${id}`));
  const open = (path: string, visit: Parameters<Dashboard['open']>[1] = {}) =>
    dashboard.open(`${base()}${path}`, { as: 'owner', ...visit });

  const dialog = (page: Page) => page.getByRole('dialog');
  const condition = (page: Page, number: string) =>
    page.getByRole('group', { name: `Condition ${number}`, exact: true });
  const field = (part: Locator) => part.getByRole('combobox', { name: 'Condition' });
  const counted = async (page: Page, count: number) =>
    page
      .getByRole('status')
      .getByText(new RegExp(`^${count} guests?$`))
      .waitFor();
  const idIn = (page: Page) => Number(/segments\/(\d+)/.exec(page.url())?.[1]);
  const save = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Save segment' }).click();
    await dialog(page).getByLabel('Name').fill(name);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await title(page, name).waitFor();
  };

  it('offer ready-made segments, and change their settings', async () => {
    const page = await open('');
    await page.getByText('No segments yet').waitFor();
    await page.getByRole('link', { name: 'Regulars of a venue' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Regulars of a venue' }).click();
    await title(page, 'New segment').waitFor();
    await counted(page, 0);
    await page.getByLabel('Venue', { exact: true }).selectOption('The Anchor');
    await page.getByLabel('Visits', { exact: true }).fill('1');
    await counted(page, 1);
    await page.getByText('Guests who visited The Anchor in the last 60 days.').waitFor();
    await expectAccessible(page);
    // A change of a condition takes the settings away.
    await condition(page, '1').getByRole('combobox', { name: 'Period' }).selectOption('at any time');
    await page.getByText('Guests who visited The Anchor.').waitFor();
    expect(await page.getByLabel('Visits', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Save segment' }).click();
    await expect.poll(() => dialog(page).getByLabel('Name').inputValue()).toBe('Regulars of a venue');
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await title(page, 'Segments').waitFor();
  });

  for (const viewport of ['desktop', 'phone'] as const) {
    it(`build a segment of two conditions, and edit it (${viewport})`, async () => {
      const page = await open('/new', { as: 'owner', viewport });
      const name = fresh('Bath');
      await field(condition(page, '1')).selectOption('visited');
      await counted(page, 2);
      await condition(page, '1').getByRole('combobox', { name: 'Comparison' }).selectOption('at least');
      await condition(page, '1').getByLabel('Number').fill('2');
      await counted(page, 1);
      await condition(page, '1').getByLabel('Venues').click();
      await page.getByRole('option', { name: 'The Anchor' }).click();
      await page.keyboard.press('Escape');
      await counted(page, 1);
      await page.getByRole('button', { name: 'Add condition' }).click();
      await page.getByText('Complete every condition').waitFor();
      await field(condition(page, '2')).selectOption('may be e-mailed');
      await counted(page, 1);
      await page.getByText('Guests who visited The Anchor at least twice and may be e-mailed.').waitFor();
      await page.getByRole('list', { name: 'Sample of guests' }).getByRole('link', { name: 'Ana Silva' }).waitFor();
      await expectAccessible(page);
      for (const width of viewport === 'phone' ? [375, 320] : [1024]) {
        await page.setViewportSize({ width, height: 740 });
        await expectNoSidewaysScroll(page);
      }
      await save(page, name);
      await rows(page).getByText('Ana Silva').waitFor();
      expect(await rows(page).count()).toBe(1);
      await expectAccessible(page);
      const id = idIn(page);
      expect((await stored(id)).definition).toEqual({
        all: [
          { field: 'visits', op: 'at_least', value: 2, unit_ids: [anchor.id] },
          { field: 'allow_email', op: 'is', value: true },
        ],
      });

      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await title(page, `Edit ${name}`).waitFor();
      await page.getByRole('combobox', { name: 'All conditions: all or any' }).selectOption('any');
      await counted(page, 3);
      await save(page, `${name} or more`);
      await page.getByText('Guests who visited The Anchor at least twice or may be e-mailed.').waitFor();
      await expect.poll(() => rows(page).count()).toBe(3);
      expect(await stored(id)).toMatchObject({ name: `${name} or more`, count: 3 });

      await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Segments' }).click();
      const table = page.getByRole('table', { name: 'Segments' });
      await table.getByRole('link', { name: `${name} or more` }).waitFor();
      await table.getByText('or may be e-mailed.').first().waitFor();
      await expectAccessible(page);
    });
  }

  it('nest groups, and negate conditions and groups', async () => {
    const page = await open('/new');
    await field(condition(page, '1')).selectOption('city');
    await condition(page, '1').getByLabel('Text').fill('bath');
    await counted(page, 3);
    await condition(page, '1').getByRole('button', { name: 'Not: condition 1' }).click();
    await counted(page, 1);
    await page.getByText('Guests except those whose city is bath.').waitFor();
    await condition(page, '1').getByRole('button', { name: 'Not: condition 1' }).click();
    await page.getByRole('button', { name: 'Add group' }).click();
    await field(condition(page, '2.1')).selectOption('first name');
    await condition(page, '2.1').getByRole('combobox', { name: 'Comparison' }).selectOption('starts with');
    await condition(page, '2.1').getByLabel('Text').fill('a');
    const group = page.getByRole('group', { name: 'Group 2' });
    await group.getByRole('button', { name: 'Add condition' }).click();
    await field(condition(page, '2.2')).selectOption('may be e-mailed');
    await condition(page, '2.2').getByLabel('Yes or no').selectOption('no');
    await counted(page, 2);
    await page
      .getByText('Guests whose city is bath and (whose first name starts with a or who may not be e-mailed).')
      .waitFor();
    await page.getByRole('combobox', { name: 'Group 2: match or not' }).selectOption('do not match');
    await counted(page, 1);
    await expectAccessible(page);
    await save(page, fresh('Nested'));
    expect((await stored(idIn(page))).definition).toEqual({
      all: [
        city('bath'),
        {
          not: {
            any: [
              { field: 'first_name', op: 'starts_with', value: 'a' },
              { field: 'allow_email', op: 'is', value: false },
            ],
          },
        },
      ],
    });
  });

  it('compare custom fields, groups, sources and dates', async () => {
    const create = async (path: string, body: object): Promise<{ id: number }> =>
      accepted(await dashboard.admin('POST', `${account.path}/${path}`, body), 201);
    const joined = await create('udfs', { name: 'Joined on', type: 'date' });
    const source = await create('sources', { name: 'Tablet' });
    const group = await create('groups', { name: 'Newsletter', unit_id: anchor.id, folder: 'Marketing' });
    await account.written({
      ...{ first_name: 'Zoe', city: 'York', email: `${fresh('zoe')}@gmail.com`, dob: '1990-03-14', gender: 'F' },
      ...{ source_id: source.id, udfs: [{ id: joined.id, data: '2020-05-01' }], full_contact_object: false },
      units: [{ id: anchor.id, groups: [{ id: group.id }] }],
    });
    const page = await open('/new');
    const add = async (number: string, choice: string) => {
      if (number !== '1') await page.getByRole('button', { name: 'Add condition' }).click();
      await field(condition(page, number)).selectOption(choice);
    };
    await add('1', 'Joined on');
    await condition(page, '1').getByRole('combobox', { name: 'Comparison' }).selectOption('before');
    await condition(page, '1').getByLabel('Date').fill('2021-01-01');
    await counted(page, 1);
    await add('2', 'are in the group');
    await condition(page, '2').getByLabel('Groups').click();
    await page.getByRole('option', { name: 'Newsletter' }).click();
    await page.keyboard.press('Escape');
    await add('3', 'came from the source');
    await condition(page, '3').getByLabel('Sources').click();
    await page.getByRole('option', { name: 'Tablet' }).click();
    await page.keyboard.press('Escape');
    await add('4', 'have their birthday');
    await condition(page, '4').getByRole('combobox', { name: 'Comparison' }).selectOption('in');
    await condition(page, '4').getByLabel('Month').selectOption('March');
    await add('5', 'gender');
    await add('6', 'spent');
    await condition(page, '6').getByRole('combobox', { name: 'Comparison' }).selectOption('between');
    await condition(page, '6').getByLabel('Lowest').fill('0');
    await condition(page, '6').getByLabel('Highest').fill('20.50');
    await condition(page, '6').getByRole('combobox', { name: 'Period' }).selectOption('in the last');
    await counted(page, 1);
    await page
      .getByText(
        'Guests whose Joined on is before 1 Jan 2021 and who are in the group Newsletter and came from Tablet and have ' +
          'their birthday in March and whose gender is Female and who spent between 0.00 and 20.50 in the last 90 days.',
      )
      .waitFor();
    await expectAccessible(page);
    await save(page, fresh('Dates'));
    expect((await stored(idIn(page))).definition).toEqual({
      all: [
        { field: `udf:${joined.id}`, op: 'before', value: '2021-01-01' },
        { field: 'group', op: 'in', value: [group.id] },
        { field: 'source', op: 'in', value: [source.id] },
        { field: 'birthday', op: 'in_month', value: 3 },
        { field: 'gender', op: 'is', value: 'F' },
        { field: 'spend', op: 'between', value: [0, 20.5], in_last_days: 90 },
      ],
    });
  });

  it('keep the deepest definition as it is', async () => {
    const deepest = {
      all: [city('Bath'), { any: [city('Bristol'), { all: [city('Bath'), { any: [city('Bath'), city('York')] }] }] }],
    };
    const { id, name } = await newSegment(deepest);
    const page = await open(`/${id}/edit`);
    await condition(page, '2.2.2.2').getByLabel('Text').waitFor();
    await counted(page, 3);
    await condition(page, '2.1').getByLabel('Text').fill('Leeds');
    await counted(page, 3);
    await save(page, name);
    expect((await stored(id)).definition).toEqual(JSON.parse(JSON.stringify(deepest).replace('Bristol', 'Leeds')));
  });

  it('show what is missing or not valid at its condition', async () => {
    const venue = accepted(await dashboard.admin('POST', `${account.path}/units`, { name: fresh('Venue') }), 201) as {
      id: number;
      name: string;
    };
    const page = await open('/new', { refused: [/^422 POST .*\/segments\/preview$/] });
    await page.getByRole('button', { name: 'Save segment' }).click();
    await condition(page, '1').getByText('Choose a condition.').waitFor();
    await field(condition(page, '1')).selectOption('city');
    await condition(page, '1').getByText('Enter a text.').waitFor();
    await condition(page, '1').getByLabel('Text').fill('Bath');
    await counted(page, 3);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await field(condition(page, '2')).selectOption('belong to the venue');
    await condition(page, '2').getByLabel('Venues').click();
    await page.getByRole('option', { name: venue.name }).waitFor();
    accepted(await dashboard.admin('DELETE', `${account.path}/units/${venue.id}`), 204);
    await page.getByRole('option', { name: venue.name }).click();
    await condition(page, '2').getByText('The id is not a unit of this account.').waitFor();
    await counted(page, 3);
    await expectAccessible(page);
    await condition(page, '2').getByRole('button', { name: 'Remove condition 2' }).click();
    await counted(page, 3);
  });

  it('duplicate a segment, and delete one that no other uses', async () => {
    const used = await newSegment(city('Bath'));
    const page = await open(`/${used.id}`, { refused: [/^422 DELETE .*\/segments\/\d+$/] });
    await title(page, used.name).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await title(page, 'New segment').waitFor();
    await counted(page, 3);
    await field(condition(page, '1')).selectOption('are in the segment');
    await condition(page, '1').getByLabel('Segments').click();
    await page.getByRole('option', { name: used.name }).click();
    await page.getByRole('button', { name: 'Save segment' }).click();
    await expect.poll(() => dialog(page).getByLabel('Name').inputValue()).toBe(`Copy of ${used.name}`);
    await dialog(page).getByLabel('Name').press('Enter');
    await title(page, `Copy of ${used.name}`).waitFor();
    await page.getByText(`Guests who are in the segment ${used.name}.`).waitFor();

    const remove = async (name: string) => {
      await title(page, name).waitFor();
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog(page).getByText('Its 3 guests and their data stay.').waitFor();
      await dialog(page).getByRole('button', { name: 'Delete segment' }).click();
    };
    await page.goBack();
    await page.goBack();
    await remove(used.name);
    await dialog(page).getByText(`It is used by “Copy of ${used.name}”.`).waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Segments' }).click();
    await page.getByRole('link', { name: `Copy of ${used.name}` }).click();
    await remove(`Copy of ${used.name}`);
    await page.getByText(`Copy of ${used.name} is deleted.`).waitFor();
    await expect.poll(() => page.getByRole('link', { name: `Copy of ${used.name}` }).count()).toBe(0);
  });

  it('refuse a name that is taken, and keep the draft while the user looks elsewhere', async () => {
    const taken = await newSegment(city('Bath'));
    const page = await open('/new', { refused: [/^422 POST .*\/segments$/] });
    await field(condition(page, '1')).selectOption('city');
    await condition(page, '1').getByLabel('Text').fill('Bristol');
    await counted(page, 1);
    await page.getByRole('list', { name: 'Sample of guests' }).getByRole('link', { name: 'Tom Silva' }).click();
    await title(page, 'Tom Silva').waitFor();
    await page.goBack();
    await expect.poll(() => condition(page, '1').getByLabel('Text').inputValue()).toBe('Bristol');
    await page.getByRole('button', { name: 'Save segment' }).click();
    await dialog(page).getByLabel('Name').fill(taken.name.toUpperCase());
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('The name has already been taken by another segment.').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await save(page, fresh('Bristol'));
  });

  it('are made by keyboard alone', async () => {
    const page = await open('');
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focus = () => page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.textContent');
    const tabTo = async (name: string) => {
      for (let n = 0; n < 60 && (await focus()) !== name; n++) await press('Tab');
      expect(await focus()).toBe(name);
    };
    await title(page, 'Segments').waitFor();
    await tabTo('New segment');
    await press('Enter');
    await title(page, 'New segment').waitFor();
    await condition(page, '1').waitFor();
    await tabTo('Condition');
    await page.keyboard.type('city');
    await tabTo('Text');
    await page.keyboard.type('Bath');
    await tabTo('Add condition');
    await press('Enter');
    // The new condition has the focus.
    await expect.poll(focus).toBe('Condition');
    await page.keyboard.type('belong to the v');
    await tabTo('Venues');
    await page.keyboard.type('Anchor');
    await press('ArrowDown', 'Enter', 'Escape');
    await counted(page, 3);
    await tabTo('Remove condition 2');
    await press('Enter');
    await expect.poll(focus).toBe('Add condition');
    await tabTo('Save segment');
    await press('Enter');
    const name = fresh('Keys');
    await dialog(page).getByLabel('Name').waitFor();
    await page.keyboard.type(name);
    await press('Enter');
    await title(page, name).waitFor();
    expect(await stored(idIn(page))).toMatchObject({ definition: city('Bath'), count: 3 });
  });

  it('export the guests', async () => {
    const { id, name } = await newSegment(city('Bath'));
    const page = await open(`/${id}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${name}.csv`);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(4);
  });

  it('show viewers no way to change a segment', async () => {
    const { id, name } = await newSegment(city('Bath'));
    const viewer = await dashboard.user('viewer', [account.id]);
    const page = await open('', { as: viewer });
    await page.getByRole('link', { name, exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'New segment' }).count()).toBe(0);
    await page.getByRole('link', { name, exact: true }).click();
    await rows(page).first().waitFor();
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0);
    const editor = await open(`/${id}/edit`, { as: viewer });
    await editor.getByText('Only staff and owners can change segments').waitFor();
    await expectAccessible(editor);
  });
});
