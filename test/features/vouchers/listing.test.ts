import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { fresh } from '../../support/till.ts';
import { accepted, raw, readCsv, refusal, shop } from '../../support/vouchers.ts';

const { app, admin, call } = await testApp();
const [home, away] = [await shop({ admin, call }), await shop({ admin, call })];
const { newGroup, newContact, make, add, list, redeemed } = home;
const unknown = 999_999_999;

describe('a group’s codes', () => {
  it('are returned 100 per page in order of creation; page URLs keep the other parameters', async () => {
    const [group, codes] = [await newGroup(), Array.from({ length: 205 }, () => fresh('CODE'))];
    await add(group, ...codes);
    const pages = [];
    for (const page of [1, 2, 3]) pages.push(accepted(await list(group, `?assigned=false&page=${page}`)));
    expect(pages.map(({ data }) => data.length)).toEqual([100, 100, 5]);
    const listed = pages.flatMap(({ data }) => data).map((one) => one.unique_code);
    expect(listed).toEqual(codes);
    expect(pages[1]).toMatchObject({ current_page: 2, last_page: 3, per_page: 100, total: 205, from: 101, to: 200 });
    expect(new URL(pages[1].next_page_url).searchParams.get('assigned')).toBe('false');
    expect(new URL(pages[1].next_page_url).searchParams.get('page')).toBe('3');
    expect(accepted(await list(group, '?page=4'))).toMatchObject({ data: [], from: null, to: null });
  });
  it('can be filtered by status, assignment and code', async () => {
    const [group, contact] = [await newGroup(), await newContact({ first_name: 'Ana', last_name: 'Silva' })];
    const [free, used, given, both] = [fresh('FREE'), fresh('USED'), fresh('GIVEN'), fresh('BOTH')];
    await add(group, free, used, given, both);
    for (const code of [given, both]) await home.assigned(group, code, contact);
    for (const code of [used, both]) await redeemed({ unique_code: code, redemption_date: '2025-03-01 12:30:00' });
    const found = async (query: string) => {
      const { data, total } = accepted(await list(group, query));
      expect(total).toBe(data.length);
      return data.map((one: { unique_code: string }) => one.unique_code);
    };
    expect(await found('?status=Active')).toEqual([free, given]);
    expect(await found('?status=Redeemed')).toEqual([used, both]);
    expect(await found('?assigned=true')).toEqual([given, both]);
    expect(await found('?assigned=0')).toEqual([free, used]);
    expect(await found('?status=Redeemed&assigned=true')).toEqual([both]);
    expect(await found(`?unique_code=${free.toLowerCase()}`)).toEqual([free]);
    expect(await found(`?unique_code=${free}&status=Redeemed`)).toEqual([]);
    expect(await found('?unique_code=NO-SUCH-CODE')).toEqual([]);
    const [one] = accepted(await list(group, `?unique_code=${both}`)).data;
    expect(one).toEqual({
      ...{ id: expect.any(Number), unique_code: both, unique_code_group_id: group, status: 'Redeemed' },
      ...{ contact_id: contact, contact_name: 'Ana Silva' },
      ...{ assigned_at: expect.any(String), created_at: expect.any(String) },
      ...{ redeemed_at_datetime: '2025-03-01T12:30:00.000000Z', redeemed_at_unit_id: home.unit },
      redeemed_at_unit_name: 'The Anchor',
    });
    expect(Math.abs(Date.parse(one.assigned_at) - Date.now())).toBeLessThan(60_000);
  });
  it('are rejected with invalid filters', async () => {
    expect(refusal(await list(await newGroup(), '?status=Gone&assigned=maybe'))).toEqual(['assigned', 'status']);
  });
  it('are a 404 for an unknown group', async () => {
    for (const group of [unknown, await away.newGroup(), 'x']) expect((await list(group)).status).toBe(404);
  });
});

describe('codes with format=csv', () => {
  const link = (group: number, query: string) =>
    raw(app, 'GET', `${home.base}/unique_code_groups/${group}/codes?${query}`, 'text/html,*/*;q=0.8');

  it('are a file to download, with the filters of the list', async () => {
    const [group, codes] = [await newGroup(), [fresh('CODE'), fresh('CODE')]];
    await add(group, ...codes);
    await redeemed({ unique_code: codes[0] });
    const answer = await link(group, 'format=csv&status=Active');
    expect([answer.statusCode, answer.headers['content-disposition']]).toEqual([200, 'attachment']);
    expect(answer.headers['content-type']).toMatch(/^text\/csv/);
    const [header = [], ...rows] = readCsv(answer.body);
    expect(rows.map((row) => row[header.indexOf('unique_code')])).toEqual([codes[1]]);
  });
  it('are rejected for any other format', async () => {
    const answer = await link(await newGroup(), 'format=xml');
    expect([answer.statusCode, Object.keys(answer.json().errors)]).toEqual([422, ['format']]);
  });
});

describe('codes with Accept: text/csv', () => {
  const file = (group: number | string, query = '') =>
    raw(app, 'GET', `${home.base}/unique_code_groups/${group}/codes${query}`, 'text/csv');

  it('are one file with all 12,000, each once, in the order of their ids', async () => {
    const group = await newGroup();
    accepted(await make(group, { count: 12_000, prefix: 'CSV-' }), 201);
    const answer = await file(group);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/csv/)]);
    const [header, ...rows] = readCsv(answer.body);
    expect(header).toEqual(expect.arrayContaining(['id', 'unique_code', 'status', 'contact_id']));
    expect(rows).toHaveLength(12_000);
    const column = (name: string) => rows.map((row) => row[header?.indexOf(name) ?? -1] as string);
    const ids = column('id').map(Number);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(new Set(column('unique_code')).size).toBe(12_000);
    expect(new Set(column('status'))).toEqual(new Set(['Active']));
    // The same that the pages say.
    const { data } = accepted(await list(group, '?page=120'));
    expect(column('unique_code').slice(-100)).toEqual(data.map((one: { unique_code: string }) => one.unique_code));
  });
  it('are escaped if a spreadsheet would read a formula, and numbers stay numbers', async () => {
    const group = await newGroup();
    await add(group, '=1+1', '+A1', '-2+3', '@SUM(1)', '-5', '+44', '2=2');
    const [header = [], ...rows] = readCsv((await file(group)).body);
    expect(rows.map((row) => row[header.indexOf('unique_code')])).toEqual([
      "'=1+1",
      "'+A1",
      "'-2+3",
      "'@SUM(1)",
      '-5',
      '+44',
      '2=2',
    ]);
  });
  it('are quoted if they have commas, quotes or line breaks', async () => {
    const [group, codes] = [await newGroup(), ['a,b', 'say "hi"', '"', 'two\nlines', 'plain', 'é ü', ',",']];
    await add(group, ...codes);
    const { body } = await file(group);
    expect(body).toContain('"a,b"');
    expect(body).toContain('"say ""hi"""');
    const [header = [], ...rows] = readCsv(body);
    expect(rows.map((row) => row[header.indexOf('unique_code')])).toEqual(codes);
    for (const row of rows) expect(row).toHaveLength(header.length);
  });
  it('have the contact, and the time and unit of the redemption', async () => {
    const [group, contact, [one, other]] = [await newGroup(), await newContact(), [fresh('CODE'), fresh('CODE')]];
    await add(group, one, other);
    await home.assigned(group, one, contact);
    await redeemed({ unique_code: one, redemption_date: '2025-03-01 12:30:00' });
    const [header = [], ...rows] = readCsv((await file(group)).body);
    const read = rows.map((row) => Object.fromEntries(header.map((name, place) => [name, row[place]])));
    expect(read).toMatchObject([
      {
        ...{ unique_code: one, status: 'Redeemed', contact_id: `${contact}`, redeemed_at_unit_id: `${home.unit}` },
        redeemed_at_datetime: '2025-03-01T12:30:00.000000Z',
      },
      { unique_code: other, status: 'Active', contact_id: '', redeemed_at_unit_id: '', redeemed_at_datetime: '' },
    ]);
  });
  it('have the filters of the list', async () => {
    const [group, [one, other]] = [await newGroup(), [fresh('CODE'), fresh('CODE')]];
    await add(group, one, other);
    await redeemed({ unique_code: other });
    const rows = readCsv((await file(group, '?status=Redeemed')).body);
    expect(rows.map((row) => row[1])).toEqual(['unique_code', other]);
  });
  it('of an empty group are only a header', async () => {
    expect(readCsv((await file(await newGroup())).body)).toEqual([expect.arrayContaining(['unique_code'])]);
  });
  it('of an unknown group are a 404', async () => {
    for (const group of [unknown, await away.newGroup()]) expect((await file(group)).statusCode).toBe(404);
  });
});

describe('searching a code in all groups', () => {
  const find = async (unique_code: string) =>
    accepted(await admin('GET', `${home.base}/unique_codes?unique_code=${encodeURIComponent(unique_code)}`));

  it('finds it in every group, regardless of case', async () => {
    const [groups, unique_code] = [[await newGroup(), await newGroup(), await newGroup()] as const, fresh('CODE')];
    const contact = await newContact();
    await add(groups[0], unique_code, fresh('OTHER'));
    await add(groups[2], unique_code.toLowerCase());
    await home.assigned(groups[2], unique_code, contact);
    await redeemed({ unique_code, unique_code_group_id: groups[0] });
    await away.newCode(unique_code);
    const { data, total } = await find(unique_code.toLowerCase());
    expect(total).toBe(2);
    expect(data.map((one: object) => one)).toMatchObject([
      { unique_code, unique_code_group_id: groups[0], status: 'Redeemed', contact_id: null },
      {
        unique_code: unique_code.toLowerCase(),
        unique_code_group_id: groups[2],
        status: 'Active',
        contact_id: contact,
      },
    ]);
  });
  it('returns nothing if it does not exist', async () => {
    expect(await find('NO-SUCH-CODE')).toMatchObject({ data: [], total: 0 });
  });
  it('requires the code', async () => {
    expect(refusal(await admin('GET', `${home.base}/unique_codes`))).toEqual(['unique_code']);
  });
});
