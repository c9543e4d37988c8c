import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';

const { account, admin, call } = await testApp();
const { id: accountId, token, root_unit_id: root } = await account();
const other = await account('Other');
const made = async (path: string, body: object, id = accountId) =>
  (await admin('POST', `/accounts/${id}/${path}`, body)).body;
const [unit, second] = [await made('units', { name: 'The Anchor' }), await made('units', { name: 'The Bell' })];
const udfs = {
  text: await made('udfs', { name: 'Allergy', type: 'text' }),
  date: await made('udfs', { name: 'Day', type: 'date' }),
};

let guests = 0;
const newEmail = () => `guest${++guests}@gmail.com`;
/** A text is sent to the letter. */
const write = (body: object | string) => call('POST', '/v1/contact', { token, body });
const written = async (body: object | string) => {
  const answer = await write(body);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};
const refused = async (body: object | string) => {
  const answer = await write(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(422);
  return Object.keys(answer.body.errors).sort();
};
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const all = <T>(names: string[], value: T) => Object.fromEntries(names.map((name) => [name, value]));
const on = (id: unknown, ...groups: object[]) => ({ id, groups });

describe('units and groups', () => {
  const folders = async (id: number) => {
    const { body } = await call('GET', '/v1/account/units', { token, query: { groups: 'true' } });
    return body.data.find((one: { id: number }) => one.id === id).folders;
  };
  it('are assigned to the contact; a group is created in its folder or in “default”, and found regardless of case', async () => {
    const { id } = await made('units', { name: 'Fresh' });
    const groups = [{ name: 'News' }, { name: 'News', folder_name: 'Été' }];
    const contact = await written({ email: newEmail(), units: [on(id, ...groups), { id: second.id }] });
    const [first, next] = contact.units.find((one: { id: number }) => one.id === id).groups;
    expect(contact.units).toEqual([
      { id: second.id, name: 'The Bell', groups: [] },
      { id, name: 'Fresh', groups: [first, next] },
    ]);
    const inFolders = [
      { name: 'default', groups: [first] },
      { name: 'Été', groups: [next] },
    ];
    expect(await folders(id)).toEqual(inFolders.map((folder) => ({ id: expect.any(Number), ...folder })));
    const before = await folders(id);
    const again = [
      { name: 'NEWS', folder_name: 'Default' },
      { name: ' news ', folder_name: 'ÉTÉ' },
      { id: String(first.id) },
    ];
    const { units } = await written({ email: newEmail(), units: [on(id, ...again)] });
    expect(units).toEqual([{ id, name: 'Fresh', groups: [first, next] }]);
    expect(await folders(id)).toEqual(before);
  });
  it('with the same name on two units are two groups', async () => {
    const { units } = await written({
      email: newEmail(),
      units: [on(unit.id, { name: 'X' }), on(second.id, { name: 'X' })],
    });
    expect(units[0].groups[0].id).not.toBe(units[1].groups[0].id);
  });
  it('are added to those of an existing contact; without any, the contact keeps its own', async () => {
    const { email, units } = await written({ email: newEmail(), units: [on(unit.id, { name: 'A' })] });
    for (const noNews of [{}, { units: null }, { units: [] }, { units: '' }]) {
      expect((await written({ email, ...noNews })).units).toEqual(units);
    }
    expect((await written({ email, units: [on(second.id)] })).units).toEqual([
      ...units,
      { id: second.id, name: 'The Bell', groups: [] },
    ]);
  });
  it.each([{ units: [] }, { units: null }, {}])('default to the root unit for a new contact: %j', async (none) => {
    expect((await written({ email: newEmail(), ...none })).units.map((one: { id: number }) => one.id)).toEqual([root]);
  });
  it('that are unknown, deleted or another account’s are rejected, and each is named', async () => {
    const gone = await made('units', { name: 'Gone' });
    const { id, email } = await written({ email: newEmail(), units: [on(gone.id, { name: 'G' }), on(unit.id)] });
    await admin('DELETE', `/accounts/${accountId}/units/${gone.id}`);
    const foreign = await made('units', { name: 'Theirs' }, other.id);
    const units = [gone, foreign, { id: 999_999 }, unit, { id: 2 ** 53 - 1 }, { id: '9'.repeat(30) }, { id: -1 }].map(
      (one) => on(one.id),
    );
    expect(await refused({ email, units })).toEqual([0, 1, 2, 4, 5, 6].map((place) => `units.${place}.id`));
    expect((await call('GET', `/v1/contact/${id}`, { token })).body.units).toEqual([
      { id: unit.id, name: 'The Anchor', groups: [] },
    ]);
  });
  it('must belong together: a group id must be of that unit, and a group requires an id or a name', async () => {
    const { units } = await written({ email: newEmail(), units: [on(unit.id, { name: 'Ours' })] });
    const { id } = units[0].groups.at(-1);
    const groups = [{ id }, { id: 999_999 }, {}, { name: ' ' }, { folder_name: 'x' }, { name: 'x'.repeat(256) }];
    const fields = ['0.id', '1.id', '2.name', '3.name', '4.name', '5.name'].map((field) => `units.0.groups.${field}`);
    expect(await refused({ email: newEmail(), units: [on(second.id, ...groups)] })).toEqual(fields);
  });
  it('may be sent twice', async () => {
    const twice = [
      on(unit.id, { name: 'Twice' }, { name: 'TWICE' }),
      on(String(unit.id), { name: 'twice' }, { name: 'Once' }),
    ];
    const { units, id } = await written({ email: newEmail(), units: twice });
    expect(units).toHaveLength(1);
    expect(units[0].groups.map(({ name }: { name: string }) => name.toLowerCase()).sort()).toEqual(['once', 'twice']);
    expect((await call('GET', `/v1/contact/${id}`, { token })).body.units).toEqual(units);
  });
});

describe('user-defined fields', () => {
  it('have text or a date; the last value in a request wins', async () => {
    const values = [
      { id: udfs.date.id, data: '2000-01-1' },
      { id: String(udfs.text.id), data: 'Nuts' },
      { id: udfs.text.id, data: 5 },
    ];
    const { email, id, ...contact } = await written({ email: newEmail(), udfs: values });
    const stored = [
      { id: udfs.text.id, data: '5' },
      { id: udfs.date.id, data: '2000-01-01' },
    ];
    expect(contact.udfs).toEqual(stored);
    expect((await written({ email, udfs: [] })).udfs).toEqual(stored);
    const changed = [{ id: udfs.text.id, data: 'None' }, stored[1]];
    expect((await written({ email, udfs: changed.slice(0, 1) })).udfs).toEqual(changed);
    expect((await call('GET', `/v1/contact/${id}`, { token })).body.udfs).toEqual(changed);
  });
  it('must belong to the account, and a date must be valid', async () => {
    const theirs = await made('udfs', { name: 'Theirs', type: 'text' }, other.id);
    const date = (data: unknown) => ({ id: udfs.date.id, data });
    const values = [{ id: theirs.id, data: 'x' }, { data: 'x' }, ...['2001-02-29', 'soon', '2000-13-1'].map(date)];
    const fields = ['0.id', '1.id', '2.data', '3.data', '4.data'].map((field) => `udfs.${field}`);
    expect(await refused({ email: newEmail(), udfs: values })).toEqual(fields);
  });
});

describe('payloads of real clients', () => {
  it('may leave most fields blank, and send everything as text or as numbers', async () => {
    const blank = { ...all(['title', 'gender', 'dob', 'allow_sms', 'source_id', 'full_contact_object', 'udfs'], '') };
    const none = { ...all(['city', 'email', 'source_name', 'units', 'feedback'], null), notes: [], rules: [] };
    const sent = { account_id: String(accountId), first_name: 7, mobile_number: 447700900777, unknown: {} };
    const answered = { ...all(['title', 'gender', 'dob', 'allow_sms', 'source_id', 'city', 'email'], ''), udfs: [] };
    const named = { first_name: '7', mobile_number: '447700900777' };
    expect(await written({ ...blank, ...none, ...sent })).toMatchObject({ ...answered, ...named });
  });
  it('may name another account of the token’s user', async () => {
    const login = { email: 'jo@gmail.com', password: 'a long enough password', account_ids: [accountId, other.id] };
    const { body: user } = await admin('POST', '/users', login);
    const { token: both } = await made('tokens', { name: 'both', user_id: user.id });
    const { body } = await call('POST', '/v1/contact', {
      token: both,
      body: { account_id: other.id, email: newEmail() },
    });
    expect(body.units).toEqual([{ id: other.root_unit_id, name: 'Other', groups: [] }]);
    expect((await call('GET', `/v1/contact/${body.id}`, { token: other.token })).status).toBe(200);
    expect((await call('GET', `/v1/contact/${body.id}`, { token: both })).status).toBe(404);
  });
  it.each([
    'José',
    'Jose\u0301',
    'مريم بنت',
    '👩‍👩‍👧 Ana 🏴󠁧󠁢󠁳󠁣󠁴󠁿',
    '山田',
    "'; drop table contacts; --",
    '\\u0000',
    '<b>&amp;',
    'a\tb\nc',
  ])('may contain the name %s', async (name) => {
    const value = { id: udfs.text.id, data: name };
    const sent = {
      email: newEmail(),
      first_name: name,
      units: [on(unit.id, { name, folder_name: name })],
      udfs: [value],
    };
    const { id } = await written({ ...sent, notes: [{ text: name }] });
    const { body } = await call('GET', `/v1/contact/${id}`, { token });
    // Stored in Unicode NFC.
    const kept = name.normalize('NFC');
    expect([body.first_name, body.units[0].groups[0].name, body.udfs]).toEqual([
      kept,
      kept,
      [{ ...value, data: kept }],
    ]);
    expect((await call('GET', `/v1/contact/${id}/notes`, { token })).body.data[0].text).toBe(kept);
  });
  it('may contain the same name in composed and in decomposed characters', async () => {
    const guest = (letter: string) => ({
      email: `jos${letter}@gmail.com`,
      membership_number: `M-${letter}`,
      source_name: `Caf${letter}`,
      units: [on(unit.id, { name: `Caf${letter}`, folder_name: `Caf${letter}` })],
    });
    const [one, other] = [guest('é'), guest('e\u0301')];
    const first = await written(one);
    expect(await written(other)).toEqual(first);
    for (const { email } of [one, other]) {
      const found = await call('GET', '/v1/contacts', { token, query: { account_id: String(accountId), email } });
      expect(found.body.id).toBe(first.id);
    }
  });
  it('may contain names up to the limit, counted in characters as stored', async () => {
    const [longest, tooLong] = ['e\u0301'.repeat(255), 'e\u0301'.repeat(256)];
    expect((await written({ email: newEmail(), first_name: longest })).first_name).toBe('é'.repeat(255));
    expect(await refused({ email: newEmail(), first_name: tooLong })).toEqual(['first_name']);
  });
  it('may send back the URLs of a response, from any host', async () => {
    const email = newEmail();
    const { id, purchases, feedback } = await written({ email, purchases: [{ transaction_reference: 'Mine' }] });
    const moved = (address: string) => address.replace(/^http:..[^/]+/, 'https://guests.example.com/regulars');
    await written({ email, purchases, feedback });
    await written({ email, purchases: moved(purchases), feedback: moved(feedback) });
    expect((await call('GET', `/v1/contact/${id}/purchases`, { token })).body.total).toBe(1);
  });
  it.each([
    'rubbish',
    '[]',
    JSON.stringify([{ transaction_reference: 'T-1' }]),
    'T-1,T-2',
    '/v1/contact/1/LIST',
    'ftp://localhost/v1/contact/1/LIST',
    'http://localhost/v1/contact/1/LIST?page=2',
    'http://localhost/v1/contact/x/LIST',
    'http://localhost/v1/contact/1/stays',
    'http://localhost/v1/contact/1/LIST/1',
  ])('may not send other text for a list: %s', async (text) => {
    for (const list of ['purchases', 'feedback']) {
      const sent = { email: newEmail(), [list]: text.replace('LIST', list) };
      const { status, body } = await write(sent);
      expect([status, body.errors]).toEqual([422, { [list]: [`The ${list} must be an array.`] }]);
      const { status: taken, headers } = await write({ ...sent, rules: [{ rule_name: 'discard_invalid_data' }] });
      expect([taken, headers['discarded-fields']]).toEqual([200, list]);
    }
  });
  it('may have keys with a special meaning in JavaScript', async () => {
    const groups = '[{"name":"__proto__","folder_name":"constructor"}]';
    const odd =
      '"__proto__":{"first_name":"Evil","id":1},"constructor":{"prototype":1},"toString":1,"hasOwnProperty":0';
    const contact = await written(
      `{"email":"${newEmail()}","source_name":"__proto__",${odd},"units":[{"id":${unit.id},${odd},"groups":${groups}}]}`,
    );
    expect(contact).toMatchObject({ first_name: '', units: [{ id: unit.id, groups: [{ name: '__proto__' }] }] });
    expect(await refused(`{${odd},"__proto__":{"email":"ana@gmail.com"}}`)).toEqual(['email', 'mobile_number']);
  });
  it('may have 1000 elements in a list', async () => {
    const sent = {
      units: [on(unit.id, ...times(1000, (n) => ({ name: `Group ${n}` })))],
      notes: times(1000, (n) => ({ text: `Note ${n}` })),
    };
    const { id, units } = await written({ email: newEmail(), ...sent });
    expect(units[0].groups).toHaveLength(1000);
    const { body: notes } = await call('GET', `/v1/contact/${id}/notes`, { token });
    expect([notes.total, notes.data[0].text]).toEqual([1000, 'Note 999']);
  });
});

/** A write with something in all its lists, and in one place of it that value. */
function withValue(path: string, value: unknown): object {
  const body: Record<string, unknown> = {
    email: newEmail(),
    units: [on(unit.id, { name: 'x' })],
    notes: [{ text: 'x' }],
    udfs: [{ id: udfs.text.id, data: 'x' }],
    feedback: [{ comments: [{ note: 'x' }], ratings: [{ category_id: 1, rating_text: 'x' }] }],
    rules: [{ rule_name: 'historic_data' }],
  };
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const place = steps.reduce((inner, step) => inner[step] as typeof body, body);
  place[last] = value;
  return body;
}
const profile = `title first_name last_name gender dob email mobile_number home_number work_number building_name
  building_num_street locality postcode city county country preferred_method_id membership_number membership_type
  card_reference source_name`.split(/\s+/);
const nested = `units.0.groups.0.name units.0.groups.0.folder_name notes.0.text notes.0.created_at udfs.0.data
  feedback.0.comments.0.type feedback.0.comments.0.note feedback.0.ratings.0.rating_text feedback.0.created_at
  feedback.0.ratings.0.contact_note rules.0.rule_name`.split(/\s+/);
const lists = [
  'units',
  'units.0.groups',
  'notes',
  'udfs',
  'feedback',
  'feedback.0.comments',
  'feedback.0.ratings',
  'rules',
];
const others = `account_id full_contact_object source_id allow_sms allow_email allow_call allow_snail_mail units.0.id
  units.0.groups.0.id udfs.0.id feedback.0.type_id feedback.0.source_id feedback.0.unit_id
  feedback.0.ratings.0.category_id`.split(/\s+/);

describe('invalid payloads are a 422 that names the field', () => {
  it('(the same payload with a valid value is accepted)', async () => {
    await written(withValue('first_name', 'Ana'));
  });
  it.each([...profile, ...nested])('%s of the wrong type, or with invalid characters', async (field) => {
    for (const wrong of [{}, { a: 1 }, ['x'], [], true, 'a\0b', '\ud800', 'x\udc00y']) {
      expect(await refused(withValue(field, wrong)), JSON.stringify(wrong)).toEqual([field]);
    }
  });
  it.each([...lists, ...others])('%s of the wrong type', async (field) => {
    for (const wrong of [{}, { id: 1 }, 1.5, 1e300, -7.25]) {
      expect(await refused(withValue(field, wrong)), JSON.stringify(wrong)).toEqual([field]);
    }
  });
  it.each(lists)('%s with elements that are not objects', async (field) => {
    for (const wrong of [null, 1, 'x', [], [[]], true]) {
      expect(await refused(withValue(field, [wrong])), JSON.stringify(wrong)).toEqual([`${field}.0`]);
    }
  });
  it.each(lists)('%s with 5000 elements', async (field) => {
    const { status, body } = await write(
      withValue(
        field,
        times(5000, () => ({})),
      ),
    );
    const name = field.split('.').at(-1);
    expect([status, body.errors]).toEqual([422, { [field]: [`The ${name} may not have more than 1000 items.`] }]);
  });
});
