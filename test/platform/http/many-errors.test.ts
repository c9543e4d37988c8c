import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { partner } from '../../support/partner.ts';

const test = await testApp();
const { call, admin, account, app } = test;
const ours = await account();
const theirs = await account('Theirs');
const { newEmail, write, discard } = partner(test, ours);

const usual = 'The given data was invalid.';
const cut = `${usual} There are more errors; the first 100 are listed.`;
const times = <T>(count: number, value: T) => Array<T>(count).fill(value);
const names = (count: number, name: (n: number) => string) => Array.from({ length: count }, (_, n) => name(n));
const notes = names(100, (n) => `notes.${n}.text`);
const notesOf = async (contact: number) =>
  (await call('GET', `/v1/contact/${contact}/notes`, { token: ours.token })).body.data;
const isStored = async (email: string) =>
  (await call('GET', '/v1/contacts', { token: ours.token, query: { account_id: String(ours.id), email } })).status ===
  200;

describe('a request with many errors', () => {
  it('lists all of 100', async () => {
    const { status, body } = await write({ email: newEmail(), notes: times(100, {}) });
    expect([status, body.message, Object.keys(body.errors)]).toEqual([422, usual, notes]);
  });
  it('lists the first 100 in order of reading, and states that there are more', async () => {
    const email = newEmail();
    const sent = { email, notes: times(101, {}), purchases: times(344, { items: times(200, {}) }) };
    const { status, body } = await write(sent);
    expect([status, body.message, Object.keys(body.errors)]).toEqual([422, cut, notes]);
    expect(await isStored(email)).toBe(false);
    const log = `/accounts/${ours.id}/tokens/${ours.token_id}/requests`;
    await expect
      .poll(async () =>
        (await admin('GET', log)).body.data.map((entry: { error_fields: string[] }) => entry.error_fields),
      )
      .toContainEqual([...notes, 'and more']);
  });
  it('lists errors that only the database finds as well', async () => {
    const wifi = times(101, { unit_id: 999_999 });
    const { status, body } = await write({ email: newEmail(), wifi });
    expect([status, body.message]).toEqual([422, cut]);
    expect(Object.keys(body.errors)).toEqual(names(100, (n) => `wifi.${n}.unit_id`));
    const purchases = names(101, (n) => `T-${n}`).map((transaction_reference) => ({
      transaction_reference,
      unit_id: 999_999,
    }));
    const anonymous = { account_id: ours.id, table_number: '1', purchases };
    const till = await call('POST', '/v1/purchases', { token: ours.token, body: anonymous });
    expect([till.body.message, Object.keys(till.body.errors).length]).toEqual([cut, 100]);
    const user = { email: 'someone@gmail.com', password: 'correct horse battery', account_ids: times(101, 999_999) };
    const staff = await admin('POST', '/users', user);
    expect([staff.body.message, Object.keys(staff.body.errors).length]).toEqual([cut, 100]);
  });
});

describe('with discard_invalid_data', () => {
  const bad = { notes: [...times(150, {}), { text: 'Kept' }], wifi: times(50, { unit_id: 999_999 }) };
  it('skips all invalid elements, stores the others, and names the first 100', async () => {
    const { status, body, headers } = await write({ email: newEmail(), ...bad, ...discard });
    expect([status, headers['discarded-fields']]).toEqual([200, [...notes, 'and more'].join(', ')]);
    expect((await notesOf(body.id)).map((note: { text: string }) => note.text)).toEqual(['Kept']);
  });
  it('skips all unknown references', async () => {
    const wifi = [...times(150, { unit_id: 999_999 }), { unit_id: ours.root_unit_id }];
    const { status, headers } = await write({ email: newEmail(), wifi, ...discard });
    const named = names(100, (n) => `wifi.${n}.unit_id`);
    expect([status, headers['discarded-fields']]).toEqual([200, [...named, 'and more'].join(', ')]);
  });
  it.each<[string, object, string[]]>([
    [
      'a rule that is unknown',
      { rules: [...discard.rules, { rule_name: 'no_such' }] },
      ['rules.1.rule_name', ...notes.slice(0, 99)],
    ],
    ['an account out of reach', { account_id: theirs.id }, ['account_id', ...notes.slice(0, 99)]],
    ['an invalid e-mail', { email: 'rubbish' }, ['email']],
    ['an e-mail at a domain that accepts no mail', { email: 'ana@nowhere.invalid' }, ['email']],
    ['no e-mail or mobile', { email: null }, ['email', 'mobile_number']],
  ])('is still a 422 for %s', async (_, wrong, fields) => {
    const email = newEmail();
    const { status, body } = await write({ email, ...bad, ...discard, ...wrong });
    expect([status, Object.keys(body.errors)]).toEqual([422, fields]);
    expect(await isStored(email)).toBe(false);
  });
});

describe('the elements of a body', () => {
  const send = (body: string) => call('POST', '/v1/contact', { token: ours.token, body });
  const body = (list: string) => `{"email":"${newEmail()}","full_contact_object":false,"other":${list}}`;
  it('may be 100,000 in total', async () => {
    expect((await send(body(`[${times(99_997, 1)}]`))).status).toBe(200);
    expect((await send(body(`[${times(49_998, '[1]')}]`))).status).toBe(200);
  });
  it.each([
    ['a list', `[${times(99_998, 1)}]`],
    ['lists in lists', `[${times(50_000, '[1]')}]`],
    ['objects', `[${times(50_000, '{"a":1}')}]`],
    ['one object', `{${names(99_998, (n) => `"${n}":1`)}}`],
  ])('may not be more than 100,000: %s', async (_, list) => {
    const { status, body: answer } = await send(body(list));
    const message = 'The body has more than 100,000 elements. Send it in smaller parts.';
    expect([status, answer]).toEqual([400, { errors: [{ message }] }]);
  });
  it('are counted correctly with commas in a text', async () => {
    const purchases = [{ transaction_reference: 'T-1', items: [{ quantity: 1, value: 1, tags: 'a,b' }] }];
    const { status, body } = await write({ email: newEmail(), purchases });
    expect([status, body.errors]).toEqual([422, { 'purchases.0.items.0.tags': ['The tags must be an array.'] }]);
  });
  it('get a short response, for any number of errors', async () => {
    const items = times(1000, {});
    const answerTo = (count: number) =>
      app.inject({
        method: 'POST',
        url: '/v1/contact',
        headers: { authorization: `Bearer ${ours.token}` },
        payload: { email: newEmail(), purchases: times(count, { items }) },
      });
    const [whole, most] = [await answerTo(344), await answerTo(98)];
    expect([whole.statusCode, most.statusCode]).toEqual([400, 422]);
    expect(Math.max(whole.body.length, most.body.length)).toBeLessThan(64_000);
  });
});
