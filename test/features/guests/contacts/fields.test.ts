import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';

const { account, admin, call } = await testApp();
const { id: accountId, token, root_unit_id } = await account();
const root = { id: root_unit_id, name: 'The Harbour Group', groups: [] };
const made = async (path: string, body: object) => (await admin('POST', `/accounts/${accountId}/${path}`, body)).body;

let guests = 0;
const newEmail = () => `guest${++guests}@gmail.com`;
const write = (body: object) => call('POST', '/v1/contact', { token, body });
const written = async (body: object) => {
  const answer = await write(body);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};
const refused = async (body: object) => {
  const answer = await write(body);
  expect(answer.status, JSON.stringify(body)).toBe(422);
  return Object.keys(answer.body.errors);
};
const list = async (id: number, what: string) => (await call('GET', `/v1/contact/${id}/${what}`, { token })).body.data;

const texts = {
  title: 'Ms',
  first_name: 'Ana',
  last_name: 'Silva e Sá',
  building_name: 'The Lighthouse',
  building_num_street: '12 Quay Street',
  locality: 'Old Town',
  postcode: 'BS1 4QA',
  city: 'Bristol',
  country: 'United Kingdom',
  county: 'Avon',
  home_number: '0117 496 0123',
  work_number: '+44 117 496 0456',
  preferred_method_id: '2',
  membership_number: 'M-1029',
  membership_type: 'Gold',
};
const flags = ['allow_sms', 'allow_email', 'allow_call', 'allow_snail_mail'] as const;
const all = <T>(names: readonly string[], value: T) => Object.fromEntries(names.map((name) => [name, value]));
const unset = {
  ...all(flags, ''),
  ...all(Object.keys(texts), ''),
  ...{ gender: '', dob: '', mobile_number: '', email: '', source_id: '', udfs: [], units: [root] },
};
/** The full object of the interface: these keys, and no others. */
const full = (id: number, fields: object) => ({
  ...unset,
  id,
  feedback: `http://localhost:80/v1/contact/${id}/feedback`,
  purchases: `http://localhost:80/v1/contact/${id}/purchases`,
  ...fields,
});

describe('the full contact object', () => {
  it('has all keys of the interface, blank if unknown, and is assigned to the root unit', async () => {
    const email = newEmail();
    const { id, ...contact } = await written({ email });
    expect({ id, ...contact }).toEqual(full(id, { email }));
  });
  it.each(Object.entries(texts))(
    'returns %s if it is the only field, and keeps it if it is not sent again',
    async (field, value) => {
      const email = newEmail();
      const { id } = await written({ email, [field]: value });
      for (const noNews of [{}, { [field]: null }, { [field]: '' }, { [field]: '   ' }]) {
        expect(await written({ email, ...noNews })).toEqual(full(id, { email, [field]: value }));
      }
      expect((await written({ email, [field]: ` ${value}2 ` }))[field]).toBe(`${value}2`);
    },
  );
  it('returns all fields together, in the response and when read again', async () => {
    const source = await made('sources', { name: 'Everything' });
    const person = { ...texts, email: newEmail(), gender: 'F', dob: '1990-04-30', mobile_number: '447700900001' };
    const sent = { ...person, ...all(flags, true), account_id: accountId, source_id: source.id, card_reference: 'C-7' };
    const contact = await written(sent);
    expect(contact).toEqual(full(contact.id, { ...person, ...all(flags, '1'), source_id: String(source.id) }));
    expect((await call('GET', `/v1/contact/${contact.id}`, { token })).body).toEqual(contact);
    expect((await admin('GET', `/accounts/${accountId}/contacts/${contact.id}`)).body.card_reference).toBe('C-7');
    const blank = all(Object.keys(sent), '');
    expect(await written({ ...blank, email: person.email, gender: null })).toEqual(contact);
  });
  it.each([false, 'false', 0, '0'])('is only the id if full_contact_object is %j', async (full_contact_object) => {
    const email = newEmail();
    const { id } = await written({ email });
    expect(await written({ email, full_contact_object, allow_sms: 1 })).toEqual({ id });
    expect((await written({ email, full_contact_object: null })).allow_sms).toBe('1');
  });
  it.each([...Object.keys(texts), 'card_reference'])('accepts a long %s up to a limit', async (field) => {
    const most = field === 'postcode' ? 32 : /_number$|method/.test(field) && !/member/.test(field) ? 64 : 255;
    expect(await refused({ email: newEmail(), [field]: 'é'.repeat(most + 1) })).toEqual([field]);
    await written({ email: newEmail(), [field]: 'é'.repeat(most) });
  });
});

describe('a mobile number', () => {
  const prefixes = '4471 4472 4473 4474 4475 4476 4477 4478 4479 071 072 073 074 075 076 077 078 079'.split(' ');
  it.each(prefixes)('may start with %s, and is returned as 447…', async (prefix) => {
    const { mobile_number } = await written({ mobile_number: `${prefix}00900${prefix.length}99` });
    expect(mobile_number).toBe(`${prefix.replace(/^0/, '44')}00900${prefix.length}99`);
  });
  it.each([
    ['07700900123', '+44 7700 900 123', '(07700) 900-123', '07700.900.123', '0044 7700 900123', '[07700] 900123'],
    ['447700900124', 447700900124, '+447700900124', ' 07700 900 124 ', '00447700900124', '+44-7700-900-124'],
  ])('is the same in every notation: %s', async (...forms) => {
    const contacts = [];
    for (const mobile_number of forms) contacts.push(await written({ mobile_number }));
    expect(new Set(contacts.map(({ id }) => id)).size).toBe(1);
    expect(new Set(contacts.map((contact) => contact.mobile_number))).toEqual(new Set([contacts[0].mobile_number]));
    expect(contacts[0].mobile_number).toMatch(/^44770090012[34]$/);
  });
  it.each(['0770090', '077009001234567', '4477009'])('may have 7 to 15 digits: %s', async (mobile_number) => {
    expect((await written({ mobile_number })).mobile_number).toBe(mobile_number.replace(/^0/, '44'));
  });
  it.each([
    '077009',
    '0770090012345678',
    '07000 900123',
    '447000900123',
    '7700900123',
    '0800 900123',
    '+1 212 555 0123',
  ])('is rejected with too few digits, too many, or another prefix: %s', async (mobile_number) =>
    expect(await refused({ mobile_number, email: newEmail() })).toEqual(['mobile_number']),
  );
  it.each(['07700 90012x', 'unknown', '٠٧٧٠٠٩٠٠١٢٣', '07700/900123', true, ['07700900123']])(
    'is rejected if it is not a number: %j',
    async (mobile_number) => expect(await refused({ mobile_number, email: newEmail() })).toEqual(['mobile_number']),
  );
});

describe('an e-mail', () => {
  it.each([
    ['  Ana.Trim@GMAIL.com ', 'ana.trim@gmail.com'],
    ["o'hara+news@gmail.com", "o'hara+news@gmail.com"],
    [`${'x'.repeat(244)}@gmail.com`, `${'x'.repeat(244)}@gmail.com`],
  ])('is trimmed and lower-cased: %s', async (email, stored) => {
    const contact = await written({ email });
    expect(contact.email).toBe(stored);
    expect((await written({ email: stored.toUpperCase() })).id).toBe(contact.id);
  });
  it.each([
    'gmail.com',
    'a@@gmail.com',
    'a@b@gmail.com',
    'a b@gmail.com',
    'a@gmail',
    'a@',
    '@gmail.com',
    'a@gmail..com',
  ])('is rejected if it is malformed: %s', async (email) =>
    expect(await refused({ email, mobile_number: '07700900125' })).toEqual(['email']),
  );
  it.each([`${'x'.repeat(245)}@gmail.com`, 'ana@nobody-has-this-domain.com', 'ana@mail.invalid'])(
    'is rejected if it is too long or its domain accepts no mail: %s',
    async (email) => expect(await refused({ email, mobile_number: '07700900125' })).toEqual(['email']),
  );
  it.each([{}, { email: '' }, { mobile_number: null, email: ' ' }, { first_name: 'Ana' }])(
    'or a mobile number is required: %j',
    async (body) => expect((await refused(body)).sort()).toEqual(['email', 'mobile_number']),
  );
});

describe('a gender', () => {
  it.each([
    ['M', 'M'],
    ['F', 'F'],
    ['m', 'M'],
    [' f ', 'F'],
  ])('%j is read as %s', async (gender, stored) => {
    expect((await written({ email: newEmail(), gender })).gender).toBe(stored);
  });
  it('that is blank is stored; null and absent change nothing', async () => {
    const email = newEmail();
    await written({ email, gender: 'F' });
    expect((await written({ email, gender: null })).gender).toBe('F');
    expect((await written({ email })).gender).toBe('F');
    expect((await written({ email, gender: '' })).gender).toBe('');
    expect((await written({ email })).gender).toBe('');
  });
  it.each(['X', 'male', 'MF', 1, {}])('%j is rejected', async (gender) => {
    expect(await refused({ email: newEmail(), gender })).toEqual(['gender']);
  });
});

describe('a date of birth', () => {
  it.each([
    ['2000-01-1', '2000-01-01'],
    ['1999-2-03', '1999-02-03'],
    ['2004-02-29', '2004-02-29'],
  ])('%s is %s', async (dob, stored) => expect((await written({ email: newEmail(), dob })).dob).toBe(stored));
  it.each(['2001-02-29', '2000-13-01', '2000-00-10', '2000-06-31', '2999-01-01', '30/04/1990', '19900430', 'x', 7])(
    '%j is rejected',
    async (dob) => expect(await refused({ email: newEmail(), dob })).toEqual(['dob']),
  );
});

describe('a source', () => {
  const sources = async () => (await admin('GET', `/accounts/${accountId}/sources`)).body.data;
  it('is found by its name regardless of case, or created', async () => {
    const { source_id } = await written({ email: newEmail(), source_name: ' Café Wifi ' });
    expect(await sources()).toContainEqual({ id: Number(source_id), name: 'Café Wifi' });
    const before = (await sources()).length;
    expect((await written({ email: newEmail(), source_name: 'CAFÉ WIFI' })).source_id).toBe(source_id);
    expect(await sources()).toHaveLength(before);
  });
  it('is taken from the id if both are sent, and the name creates none', async () => {
    const { id } = await made('sources', { name: 'Till' });
    const before = (await sources()).length;
    const contact = await written({ email: newEmail(), source_id: String(id), source_name: 'Never made' });
    expect([contact.source_id, (await sources()).length]).toEqual([String(id), before]);
    expect((await written({ email: contact.email, source_id: null, source_name: '' })).source_id).toBe(String(id));
  });
  it('must belong to the account', async () => {
    const other = await account('Other');
    const { body: theirs } = await admin('POST', `/accounts/${other.id}/sources`, { name: 'Theirs' });
    for (const source_id of [theirs.id, 999_999, 0, 'wifi', 1.5]) {
      expect(await refused({ email: newEmail(), source_id })).toEqual(['source_id']);
    }
  });
});

describe('consent flags', () => {
  it.each([true, 1, '1', 'true', 'TRUE', 'Y', 'y'])('are set by %j', async (given) => {
    expect(await written({ email: newEmail(), ...all(flags, given) })).toMatchObject(all(flags, '1'));
  });
  it.each([false, 0, '0', 'false', 'N', 'n'])('are cleared by %j', async (taken) => {
    const { email } = await written({ email: newEmail(), ...all(flags, true) });
    expect(await written({ email, ...all(flags, taken) })).toMatchObject(all(flags, ''));
  });
  it.each([null, '', ' ', undefined])('do not change with %j', async (noNews) => {
    const { email } = await written({ email: newEmail(), ...all(flags, true) });
    expect(await written({ email, ...all(flags, noNews) })).toMatchObject(all(flags, '1'));
  });
  it.each(flags)('are independent of each other: %s', async (flag) => {
    const given = { ...all(flags, ''), [flag]: '1' };
    const contact = await written({ email: newEmail(), [flag]: 'Y' });
    expect(contact).toMatchObject(given);
    expect((await list(contact.id, 'consent')).map((entry: { channel: string }) => `allow_${entry.channel}`)).toEqual([
      flag,
    ]);
  });
  it.each(['maybe', 2, [], {}, 'on and off'])('reject %j', async (value) => {
    expect(await refused({ email: newEmail(), ...all(flags, value) })).toEqual([...flags]);
  });
});
