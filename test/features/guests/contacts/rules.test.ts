import { describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../support/app.ts';

const { account, admin, call } = await testApp();
const { id: accountId, token, token_id, root_unit_id: root } = await account();
const made = async (path: string, body: object) => (await admin('POST', `/accounts/${accountId}/${path}`, body)).body;
const [unit, other] = [await made('units', { name: 'The Anchor' }), await made('units', { name: 'The Bell' })];
const udf = await made('udfs', { name: 'Anniversary', type: 'date' });

let guests = 0;
const newEmail = () => `guest${++guests}@gmail.com`;
const newMobile = () => `4477009${String(++guests).padStart(5, '0')}`;
const rules = (...names: string[]) => ({ rules: names.map((rule_name) => ({ rule_name })) });
const discard = rules('discard_invalid_data');
const write = (body: object) => call('POST', '/v1/contact', { token, body });
const written = async (body: object) => {
  const answer = await write(body);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};
const refused = async (body: object) => {
  const answer = await write(body);
  expect([answer.status, answer.headers['discarded-fields']]).toEqual([422, undefined]);
  return Object.keys(answer.body.errors).sort();
};
const read = async (id: number, what = '') => (await call('GET', `/v1/contact/${id}${what}`, { token })).body;
const total = async (path: string) => (await admin('GET', `/accounts/${accountId}/${path}`)).body.total;
const countRows = () => Promise.all(['contacts', 'sources', 'groups', 'folders'].map(total));
const groupsOf = (contact: { units: { groups: { name: string }[] }[] }) =>
  contact.units.flatMap(({ groups }) => groups.map(({ name }) => name));

describe('without discard_invalid_data', () => {
  it('every invalid field is named, and nothing is stored: no contact, source, folder or group', async () => {
    const before = await countRows();
    expect(
      await refused({
        email: newEmail(),
        mobile_number: '123',
        dob: '2000-02-30',
        source_name: 'Never made',
        units: [{ id: unit.id, groups: [{ name: 'Never', folder_name: 'Never' }, { id: 999_999 }] }, { id: 999_999 }],
        notes: [{ text: 'fine' }, { text: 'x'.repeat(501) }, {}],
        udfs: [
          { id: 999_999, data: 'x' },
          { id: udf.id, data: 'tomorrow' },
        ],
        feedback: [{ type_id: 9, unit_id: 999_999, ratings: [{ category_id: 4, rating_text: '11' }] }],
        ...rules('update_all'),
      }),
    ).toEqual(
      [
        ...['mobile_number', 'dob', 'units.0.groups.1.id', 'units.1.id', 'notes.1.text', 'notes.2.text', 'udfs.0.id'],
        ...['udfs.1.data', 'feedback.0.type_id', 'feedback.0.unit_id', 'feedback.0.ratings.0.rating_text'],
        'rules.0.rule_name',
      ].sort(),
    );
    expect(await countRows()).toEqual(before);
  });
  it('an inaccessible account is named together with invalid fields', async () => {
    const body = { account_id: 999_999, email: 'no', units: [{ id: 'x' }], ...rules('nonsense') };
    expect(await refused(body)).toEqual(['account_id', 'email', 'rules.0.rule_name', 'units.0.id']);
  });
});

describe('discard_invalid_data', () => {
  it.each<[string, object, string]>([
    ['a mobile number', { mobile_number: '123' }, 'mobile_number'],
    ['a gender', { gender: 'X' }, 'gender'],
    ['a date of birth', { dob: '2999-01-01' }, 'dob'],
    ['a text', { last_name: 'x'.repeat(256) }, 'last_name'],
    ['a flag', { allow_sms: 'maybe' }, 'allow_sms'],
    ['a source', { source_id: 999_999 }, 'source_id'],
    ['a unit', { units: [{ id: 999_999 }] }, 'units.0.id'],
    ['a group', { units: [{ id: root, groups: [{ id: 999_999 }] }] }, 'units.0.groups.0.id'],
    ['a list', { notes: 7 }, 'notes'],
    ['a note', { notes: [{ text: 'x'.repeat(501) }] }, 'notes.0.text'],
    ['a value', { udfs: [{ id: udf.id, data: 'tomorrow' }] }, 'udfs.0.data'],
    [
      'a rating',
      { feedback: [{ ratings: [{ category_id: 99, rating_text: 'x' }] }] },
      'feedback.0.ratings.0.category_id',
    ],
  ])('skips an invalid %s, reports it, and stores the other fields', async (_, invalid, field) => {
    const email = newEmail();
    const { status, body, headers } = await write({ email, first_name: 'Ana', ...invalid, ...discard });
    expect([status, headers['discarded-fields']]).toEqual([200, field]);
    const { id, feedback, purchases, ...known } = await written({ email: newEmail(), first_name: 'Ana' });
    expect(body).toMatchObject({ ...known, email });
    expect((await write({ email, ...invalid })).body.errors).toHaveProperty([field]);
  });
  it('stores the valid neighbours of skipped values', async () => {
    const { status, body, headers } = await write({
      email: 'nobody',
      mobile_number: newMobile(),
      units: [{ id: 0 }, { id: unit.id, groups: [{}, { name: 'Kept' }] }],
      notes: [{ text: 'first' }, { text: '' }, { text: 'third' }],
      udfs: [
        { id: udf.id, data: '2020-2-29' },
        { id: udf.id, data: '2021-02-29' },
      ],
      feedback: [
        { comments: [{ type: 'x' }, { note: 'Lovely' }], ratings: [{ category_id: 4, rating_text: '7' }, {}] },
      ],
      ...discard,
    });
    expect([status, body.email, groupsOf(body)]).toEqual([200, '', ['Kept']]);
    expect(body.udfs).toEqual([{ id: udf.id, data: '2020-02-29' }]);
    expect((await read(body.id, '/notes')).data.map(({ text }: { text: string }) => text)).toEqual(['third', 'first']);
    const [feedback] = (await read(body.id, '/feedback')).data;
    expect([feedback.comments, feedback.ratings]).toEqual([
      [{ type: null, note: 'Lovely' }],
      [{ category_id: 4, rating_text: '7', contact_note: null }],
    ]);
    const dropped = ['email', 'units.0.id', 'units.1.groups.0.name', 'notes.1.text', 'udfs.1.data'];
    const nested = [
      'feedback.0.comments.0.note',
      'feedback.0.ratings.1.category_id',
      'feedback.0.ratings.1.rating_text',
    ];
    expect(String(headers['discarded-fields']).split(', ').sort()).toEqual([...dropped, ...nested].sort());
  });
  it('is recorded in the request log', async () => {
    await written({ email: newEmail(), dob: 'x', units: [{ id: 0 }], ...discard });
    await vi.waitFor(
      async () => {
        const { body } = await admin('GET', `/accounts/${accountId}/tokens/${token_id}/requests`);
        expect(body.data[0]).toMatchObject({ route: '/v1/contact', status: 200, error_fields: [] });
        expect(body.data[0].discarded_fields.sort()).toEqual(['dob', 'units.0.id']);
      },
      { timeout: 60_000 },
    );
  });
  it('sends no header if nothing was skipped', async () => {
    expect((await write({ email: newEmail(), ...discard })).headers).not.toHaveProperty('discarded-fields');
  });
  it.each<[object, string[]]>([
    [{ email: 'no' }, ['email']],
    [{ mobile_number: '123', dob: 'x' }, ['mobile_number']],
    [{ email: 'no@where', mobile_number: '123' }, ['email', 'mobile_number']],
    [{ email: 'ana@mail.invalid', mobile_number: '' }, ['email']],
    [{ first_name: 'Ana' }, ['email', 'mobile_number']],
  ])('still requires a valid e-mail or mobile, and creates nothing: %j', async (body, fields) => {
    const before = await countRows();
    const units = [{ id: unit.id, groups: [{ name: 'Never made' }] }];
    expect(await refused({ ...body, units, source_name: 'Never made', ...discard })).toEqual(fields);
    expect(await countRows()).toEqual(before);
  });
  it('does not skip an unknown account or rule', async () => {
    expect(await refused({ account_id: 999_999, email: newEmail(), ...discard })).toEqual(['account_id']);
    const both = rules('discard_invalid_data', 'discard_everything');
    expect(await refused({ email: newEmail(), ...both })).toEqual(['rules.1.rule_name']);
  });
});

describe('an unknown rule', () => {
  it.each(['', 'Update_only', 'x', null, 7])('is rejected: %j', async (rule_name) => {
    expect(await refused({ email: newEmail(), rules: [{ rule_name }] })).toEqual(['rules.0.rule_name']);
  });
});

describe('consent', () => {
  const flags = (contact: Record<string, string>) => [contact.allow_sms, contact.allow_email];
  it.each<[string, string[], boolean, boolean, string[]]>([
    ['without a rule is changed as sent', [], true, false, ['1', '']],
    ['with historic_data is not changed', ['historic_data'], true, false, ['', '1']],
    ['with preserve_consent can be given but not withdrawn', ['preserve_consent'], true, false, ['1', '1']],
    ['with both rules is not changed', ['preserve_consent', 'historic_data'], true, false, ['', '1']],
    ['with preserve_consent that was never given stays so', ['preserve_consent'], false, true, ['', '1']],
  ])('%s', async (_, names, allow_sms, allow_email, kept) => {
    const { email } = await written({ email: newEmail(), allow_sms: 'N', allow_email: 'Y' });
    expect(flags(await written({ email, allow_sms, allow_email, ...rules(...names) }))).toEqual(kept);
    expect(flags(await written({ email }))).toEqual(kept);
  });
  it.each(['historic_data', 'preserve_consent'])('of a new contact is stored as sent, even with %s', async (name) => {
    expect(flags(await written({ email: newEmail(), allow_sms: 'Y', allow_email: 'N', ...rules(name) }))).toEqual([
      '1',
      '',
    ]);
  });
});

describe('detach_existing_groups', () => {
  const start = async () => {
    const units = [unit, other].map(({ id }) => ({ id, groups: [{ name: 'A' }, { name: 'B' }] }));
    return written({ email: newEmail(), units });
  };
  it('leaves only the groups that are sent, on all units, and keeps the units', async () => {
    const { email } = await start();
    const units = [{ id: unit.id, groups: [{ name: 'b' }, { name: 'C' }] }];
    const contact = await written({ email, units, ...rules('detach_existing_groups') });
    expect([contact.units.length, groupsOf(contact)]).toEqual([2, ['B', 'C']]);
    expect(await read(contact.id)).toEqual(contact);
  });
  it.each([true, false])('leaves no group if none are sent (full object: %s)', async (full_contact_object) => {
    const { email, id } = await start();
    await written({ email, full_contact_object, ...rules('detach_existing_groups') });
    expect(groupsOf(await read(id))).toEqual([]);
  });
  it.each<[string, object]>([
    ['a unit', { units: [{ id: 999_999 }] }],
    ['a unit with a group', { units: [{ id: 999_999, groups: [{ name: 'C' }] }] }],
    ['a group', { units: [{ id: unit.id, groups: [{ id: 999_999 }] }] }],
    ['a group beside a unit', { units: [{ id: unit.id, groups: [{}] }, { id: other.id }] }],
    ['what is no unit', { units: [7] }],
    ['what is no list of units', { units: 7 }],
    ['what is no list of groups', { units: [{ id: unit.id, groups: 7 }] }],
  ])('keeps the groups if every unit or group that was sent is invalid: %s', async (_, sent) => {
    const { email, id } = await start();
    await written({ email, ...sent, ...rules('detach_existing_groups', 'discard_invalid_data') });
    expect(groupsOf(await read(id))).toEqual(['A', 'B', 'A', 'B']);
  });
  it.each<[string, object, string[]]>([
    ['a group', { units: [{ id: unit.id, groups: [{ id: 999_999 }, { name: 'C' }] }] }, ['C']],
    ['a unit without groups', { units: [{ id: 999_999 }, { id: unit.id }] }, []],
    ['nothing of units', { dob: 'x' }, []],
    ['nothing of units, in an empty list', { dob: 'x', units: [] }, []],
  ])('detaches if a valid unit or group was sent, or none at all: %s', async (_, sent, left) => {
    const { email, id } = await start();
    await written({ email, ...sent, ...rules('detach_existing_groups', 'discard_invalid_data') });
    expect(groupsOf(await read(id))).toEqual(left);
  });
  it('is required to remove groups: without it, groups are added', async () => {
    const { email } = await start();
    const contact = await written({ email, units: [{ id: unit.id, groups: [{ name: 'C' }] }] });
    expect(groupsOf(contact)).toEqual(['A', 'B', 'C', 'A', 'B']);
  });
});

describe('update_only', () => {
  it.each<[object, string[]]>([
    [{ email: 'new1@gmail.com' }, ['email']],
    [{ mobile_number: '07111000001' }, ['mobile_number']],
    [{ email: 'new1@gmail.com', mobile_number: '07111000001' }, ['email', 'mobile_number']],
  ])('creates nothing: %j', async (identity, fields) => {
    const before = await countRows();
    const named = { source_name: 'Never made', units: [{ id: unit.id, groups: [{ name: 'Never made' }] }] };
    expect(await refused({ ...identity, ...named, ...rules('update_only') })).toEqual(fields);
    expect(await countRows()).toEqual(before);
  });
  it('explains why a number that belongs to a contact is not sufficient', async () => {
    const mobile_number = newMobile();
    await written({ email: newEmail(), mobile_number });
    const { body } = await write({ email: newEmail(), mobile_number, ...rules('update_only') });
    expect(body.errors).toEqual({
      email: ['The email does not belong to a contact, and update_only never creates one.'],
      mobile_number: [
        'The mobile number belongs to a contact with another email: this would be a new contact, and update_only never creates one.',
      ],
    });
  });
  it('updates a contact that is identified by e-mail or mobile', async () => {
    const contact = await written({ email: newEmail(), mobile_number: newMobile() });
    for (const identity of ['email', 'mobile_number']) {
      const sent = {
        [identity]: contact[identity],
        title: identity,
        notes: [{ text: identity }],
        ...rules('update_only'),
      };
      expect(await written(sent)).toEqual({ ...contact, title: identity });
    }
    expect((await read(contact.id, '/notes')).total).toBe(2);
  });
});

it('all rules can be combined in one request', async () => {
  const units = [{ id: unit.id, groups: [{ name: 'Old' }] }];
  const { email, id } = await written({ email: newEmail(), allow_sms: true, units });
  const { body, headers } = await write({
    ...{ email, allow_sms: 'N', allow_email: 'Y', dob: 'x', last_name: 'Silva' },
    units: [{ id: other.id, groups: [{ name: 'New' }] }],
    ...rules('discard_invalid_data', 'historic_data', 'preserve_consent', 'detach_existing_groups', 'update_only'),
  });
  expect(body).toMatchObject({ id, allow_sms: '1', allow_email: '', dob: '', last_name: 'Silva' });
  expect([groupsOf(body), headers['discarded-fields']]).toEqual([['New'], 'dob']);
});
