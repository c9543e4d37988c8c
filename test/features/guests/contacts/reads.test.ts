import { describe, expect, it } from 'vitest';
import { adminToken, appOver, testApp } from '../../../support/app.ts';

const { account, admin, call, db, database } = await testApp();
const { id: accountId, token, token_id, root_unit_id: root } = await account();
const made = async (path: string, body: object) => (await admin('POST', `/accounts/${accountId}/${path}`, body)).body;
const unit = await made('units', { name: 'The Anchor' });

let guests = 0;
const newEmail = () => `guest${++guests}@gmail.com`;
const newMobile = () => `4477009${String(++guests).padStart(5, '0')}`;
const write = (body: object, as = token) => call('POST', '/v1/contact', { token: as, body });
const written = async (body: object, as = token) => {
  const answer = await write(body, as);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};
const refused = async (body: object) => {
  const answer = await write(body);
  expect(answer.status).toBe(422);
  return Object.keys(answer.body.errors);
};
const get = (path: string, query: Record<string, string> = {}, as = token) => call('GET', path, { token: as, query });
const list = async (id: number, what: string, as = token) => (await get(`/v1/contact/${id}/${what}`, {}, as)).body.data;

describe('the contact of a write', () => {
  it('is identified by the e-mail, whatever the mobile', async () => {
    const { id, email } = await written({ email: newEmail(), mobile_number: newMobile() });
    const mobile_number = newMobile();
    expect(await written({ email, mobile_number })).toMatchObject({ id, email, mobile_number });
  });
  it('is identified by the mobile if no e-mail is sent, or if the contact had none', async () => {
    const { id, mobile_number } = await written({ mobile_number: newMobile() });
    expect((await written({ mobile_number })).id).toBe(id);
    const email = newEmail();
    expect(await written({ mobile_number, email })).toMatchObject({ id, email, mobile_number });
    expect((await written({ email })).id).toBe(id);
  });
  it('is not shared by two e-mails with the same phone; the number identifies the first', async () => {
    const mobile_number = newMobile();
    const first = await written({ email: newEmail(), mobile_number });
    const second = await written({ email: newEmail(), mobile_number });
    expect(second.id).not.toBe(first.id);
    expect(second.mobile_number).toBe(mobile_number);
    expect((await get('/v1/contacts', { mobile_number })).body.id).toBe(first.id);
    const { body } = await admin('GET', `/accounts/${accountId}/possible_duplicates`);
    expect(body.data[0].contacts.map((one: { id: number }) => one.id)).toEqual([first.id, second.id]);
  });
  it('is created once by concurrent writes for the same person', async () => {
    const person = { email: newEmail(), mobile_number: newMobile() };
    const contacts = await Promise.all(Array.from({ length: 20 }, () => written(person)));
    expect(new Set(contacts.map(({ id }) => id)).size).toBe(1);
  });
  it('is separate in each account', async () => {
    const other = await account('Other');
    const { id, email } = await written({ email: newEmail() });
    expect((await written({ email }, other.token)).id).not.toBe(id);
  });
});

describe('the e-mail of one contact and the mobile of another without an e-mail', () => {
  it('merge the two; the old id leads to the survivor, which has the data of both', async () => {
    const [a, b] = [
      await written({ email: newEmail(), first_name: 'Ana', allow_email: 'Y', notes: [{ text: 'of A' }] }),
      await written({
        ...{ mobile_number: newMobile(), first_name: 'Nobody', last_name: 'Silva', allow_sms: 'Y' },
        units: [{ id: unit.id, groups: [{ name: 'Of B' }] }],
        notes: [{ text: 'of B' }],
        feedback: [{ comments: [{ note: 'of B' }] }],
      }),
    ];
    const merged = await written({ email: a.email, mobile_number: b.mobile_number });
    expect(merged).toEqual({
      ...{ ...a, last_name: 'Silva', mobile_number: b.mobile_number, allow_sms: '1' },
      units: [...a.units, ...b.units],
    });
    for (const id of [a.id, b.id]) {
      expect((await get(`/v1/contact/${id}`)).body).toEqual(merged);
      expect((await list(id, 'notes')).map((note: { text: string }) => note.text)).toEqual(['of B', 'of A']);
      expect(await list(id, 'feedback')).toHaveLength(1);
    }
    const ledger = await list(b.id, 'consent');
    const came = { contact_id: a.id, channel: 'sms', from: false, to: true, applied: true, rule: 'merge' };
    expect(ledger[0]).toMatchObject(came);
    expect(ledger).toHaveLength(3);
    expect((await written({ mobile_number: b.mobile_number })).id).toBe(a.id);
  });
  it('transfer the consent for a mobile with it on the merge; a withdrawal remains', async () => {
    const a = await written({ email: newEmail(), allow_call: 'Y' });
    const { mobile_number } = await written({ mobile_number: newMobile(), allow_sms: 'Y', allow_call: 'Y' });
    await written({ mobile_number, allow_call: 'N' });
    expect(await written({ email: a.email, mobile_number })).toMatchObject({ allow_sms: '1', allow_call: '' });
    expect(await written({ email: a.email, allow_sms: 'N' })).toMatchObject({ allow_sms: '', allow_call: '' });
  });
});

describe('the consent ledger', () => {
  it('has each change, and each change that a rule prevented, newest first', async () => {
    const source = await made('sources', { name: 'Wifi' });
    const { id, email } = await written({ email: newEmail(), allow_email: 'Y', allow_call: 'N', source_id: source.id });
    await written({ email, allow_email: 'Y' });
    await written({ email, allow_email: 'N', rules: [{ rule_name: 'preserve_consent' }] });
    await written({ email, allow_snail_mail: 'Y', rules: [{ rule_name: 'historic_data' }], source_name: 'Till' });
    await written({ email, allow_email: 'N' });
    const entries = await list(id, 'consent');
    const entry = (channel: string, from: boolean, rule: string | null, source_id: unknown) => ({
      ...{ id: expect.any(Number), contact_id: id, channel, from, to: !from, applied: rule === null, rule },
      ...{ source_id, token_id, at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
    });
    expect(entries).toEqual([
      entry('email', true, null, null),
      entry('snail_mail', false, 'historic_data', expect.any(Number)),
      entry('email', true, 'preserve_consent', null),
      entry('email', false, null, source.id),
    ]);
    expect(Date.now() - Date.parse(entries[0].at)).toBeLessThan(60_000);
  });
});

describe('notes', () => {
  it('are added by every write, up to 500 characters regardless of bytes', async () => {
    const { id, email } = await written({ email: newEmail(), notes: [{ text: '🍷'.repeat(500) }] });
    await written({ email, notes: [{ text: 'Same' }, { text: 'Same' }] });
    await written({ email, notes: null });
    expect((await list(id, 'notes')).map((note: { text: string }) => note.text)).toEqual([
      'Same',
      'Same',
      '🍷'.repeat(500),
    ]);
    const notes = [
      { text: '🍷'.repeat(501) },
      { text: 'x'.repeat(501) },
      { text: '' },
      { created_at: '2026-01-01 10:00:00' },
    ];
    expect(await refused({ email, notes })).toEqual(['notes.0.text', 'notes.1.text', 'notes.2.text', 'notes.3.text']);
  });
  it('have the given time, or the time of the request, in the account’s time zone', async () => {
    const { body: tokyo } = await admin('POST', '/accounts', { name: 'Tokyo', time_zone: 'Asia/Tokyo' });
    const { token: theirs } = (await admin('POST', `/accounts/${tokyo.id}/tokens`, { name: 'test' })).body;
    const times = [
      '2026-03-01 12:30:00',
      '2026-3-1 9:05:00',
      '2026-03-01T12:30:00Z',
      '2026-03-01T23:30:00-05:00',
      null,
    ];
    const { id } = await written(
      { email: newEmail(), notes: times.map((created_at) => ({ text: 'x', created_at })) },
      theirs,
    );
    const [latest, ...given] = (await list(id, 'notes', theirs)).map((note: { created_at: string }) => note.created_at);
    expect(given.reverse()).toEqual([
      '2026-03-01 12:30:00',
      '2026-03-01 09:05:00',
      '2026-03-01 21:30:00',
      '2026-03-02 13:30:00',
    ]);
    const age = Date.now() - Date.parse(`${latest.replace(' ', 'T')}+09:00`);
    expect(age).toBeGreaterThan(-1000);
    expect(age).toBeLessThan(60_000);
  });
  it.each(['2026-02-30 10:00:00', '2026-01-01 25:00:00', '2026-01-01', 'now', '2026-01-01T10:00:00+99:00', 5])(
    'are rejected with an invalid time: %j',
    async (created_at) =>
      expect(await refused({ email: newEmail(), notes: [{ text: 'x', created_at }] })).toEqual(['notes.0.created_at']),
  );
  it('are returned in pages of 100', async () => {
    const { id } = await written({
      email: newEmail(),
      notes: Array.from({ length: 201 }, (_, n) => ({ text: `${n}` })),
    });
    const path = `/v1/contact/${id}/notes`;
    const { body: second } = await get(path, { page: '2', account_id: String(accountId) });
    expect(second).toMatchObject({ current_page: 2, from: 101, to: 200, last_page: 3, per_page: 100, total: 201 });
    expect([second.data[0].text, second.data[99].text]).toEqual(['100', '1']);
    const page = (n: number) => `http://localhost:80${path}?account_id=${accountId}&page=${n}`;
    expect([second.prev_page_url, second.next_page_url, second.path]).toEqual([
      page(1),
      page(3),
      `http://localhost:80${path}`,
    ]);
    expect((await get(path, { page: '3' })).body).toMatchObject({ next_page_url: null, data: [{ text: '0' }] });
    expect((await get(path, { page: '4' })).body).toMatchObject({ from: null, to: null, data: [], total: 201 });
  });
});

describe('feedback', () => {
  it('is returned with its comments and ratings; defaults are type unknown and the root unit', async () => {
    const category = await made('feedback_categories', { name: 'Music' });
    const given = {
      ...{ type_id: 2, source_id: 3, unit_id: unit.id, created_at: '2026-01-02 03:04:05' },
      comments: [
        { type: 'noise', note: 'Too loud 🔊' },
        { type: null, note: 'Again' },
      ],
      ratings: [
        { category_id: category.id, rating_text: 'poor', contact_note: 'Turn it down' },
        { category_id: 4, rating_text: '0', contact_note: null },
        { category_id: 4, rating_text: '10', contact_note: null },
      ],
    };
    const { id, feedback } = await written({ email: newEmail(), feedback: [{ comments: [{ note: 'Nice' }] }, given] });
    const path = new URL(feedback).pathname;
    expect((await get(path)).body.data).toEqual([
      { id: expect.any(Number), ...given },
      {
        ...{ id: expect.any(Number), type_id: 4, source_id: null, unit_id: root, ratings: [] },
        ...{
          comments: [{ type: null, note: 'Nice' }],
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        },
      },
    ]);
    expect(path).toBe(`/v1/contact/${id}/feedback`);
  });
  it.each<[object, string]>([
    [{ type_id: 5 }, 'type_id'],
    [{ source_id: 0 }, 'source_id'],
    [{ unit_id: 999_999 }, 'unit_id'],
    [{ comments: [{ type: 'x' }] }, 'comments.0.note'],
    [{ ratings: [{ category_id: 999_999, rating_text: 'x' }] }, 'ratings.0.category_id'],
    [{ ratings: [{ category_id: 1 }] }, 'ratings.0.rating_text'],
    ...['11', '-1', 'ten', '10.5', '1e1'].map((rating_text): [object, string] => [
      { ratings: [{ category_id: 4, rating_text }] },
      'ratings.0.rating_text',
    ]),
  ])('is rejected: %j', async (feedback, field) => {
    expect(await refused({ email: newEmail(), feedback: [{}, feedback] })).toEqual([`feedback.1.${field}`]);
  });
});

describe('reading a contact', () => {
  const parts = ['', '/notes', '/feedback', '/consent'];
  it('finds it by e-mail or mobile, in the query or as JSON', async () => {
    const contact = await written({ email: newEmail(), mobile_number: newMobile() });
    const mobile = `+${contact.mobile_number}`;
    for (const sought of [{ email: contact.email.toUpperCase() }, { mobile_number: mobile }]) {
      expect((await get('/v1/contacts', sought)).body).toEqual(contact);
      expect((await call('GET', '/v1/contacts', { token, body: { account_id: accountId, ...sought } })).body).toEqual(
        contact,
      );
    }
    expect((await get('/v1/contacts', { email: newEmail(), mobile_number: mobile })).body.id).toBe(contact.id);
    expect((await get('/v1/contacts', { email: newEmail() })).status).toBe(404);
    expect((await get('/v1/contacts', { mobile_number: newMobile() })).status).toBe(404);
    expect(Object.keys((await get('/v1/contacts')).body.errors)).toEqual(['email', 'mobile_number']);
    expect(Object.keys((await get('/v1/contacts', { email: 'no' })).body.errors)).toEqual(['email']);
  });
  it.each(parts)('requires access and an existing contact: /v1/contact/{id}%s', async (part) => {
    const [{ id, email }, other] = [await written({ email: newEmail() }), await account('Other')];
    const statusOf = async (path: string, query = {}, as = token) => (await get(path, query, as)).status;
    expect(await statusOf(`/v1/contact/${id}${part}`)).toBe(200);
    expect(await statusOf(`/v1/contact/${id}${part}`, {}, other.token)).toBe(404);
    expect(await statusOf('/v1/contacts', { email }, other.token)).toBe(404);
    for (const none of ['999999', 'abc', '0', '-1', '1.5', '99999999999999999999']) {
      expect(await statusOf(`/v1/contact/${none}${part}`)).toBe(404);
    }
    for (const account_id of [String(other.id), '999999', 'abc']) {
      const { status, body } = await get(`/v1/contact/${id}${part}`, { account_id });
      expect([status, Object.keys(body.errors)]).toEqual([422, ['account_id']]);
    }
    expect((await call('GET', `/v1/contact/${id}${part}`)).status).toBe(401);
    expect((await call('GET', `/v1/contact/${id}${part}`, { token: adminToken })).status).toBe(401);
  });
  it('returns URLs that start with PUBLIC_URL if it is set', async () => {
    const app = await appOver(db, database, { PUBLIC_URL: 'https://guests.example.com' });
    const { body } = await app.call('POST', '/v1/contact', { token, body: { email: newEmail() } });
    const address = `https://guests.example.com/v1/contact/${body.id}`;
    expect([body.feedback, body.purchases]).toEqual([`${address}/feedback`, `${address}/purchases`]);
    expect((await app.call('GET', `/v1/contact/${body.id}/notes`, { token })).body.path).toBe(`${address}/notes`);
  });
});
