import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { accountIn, partner } from '../../../support/partner.ts';

const app = await testApp();
const { account, admin, call } = app;
const made = await account();
const { written, newEmail } = partner(app, made);
const notesOf = (id: number | string, of = made.id) => `/accounts/${of}/contacts/${id}/notes`;

describe('notes by staff', () => {
  it('have an author, beside those sent by partners; partners see only the text', async () => {
    const email = 'jo@example.com';
    await admin('POST', '/users', { email, password: 'correct horse', account_ids: [], role: 'owner' });
    const { id } = await written({ email: newEmail(), notes: [{ text: 'Sent.', created_at: '2026-01-01 10:00:00' }] });
    const basic = { authorization: `Basic ${Buffer.from(`${email}:correct horse`).toString('base64')}` };
    const body = { text: '  Prefers the window.  ' };
    const answer = await call('POST', `/admin/v1${notesOf(id)}`, { body, headers: basic });
    expect([answer.status, answer.body]).toEqual([
      201,
      { id: expect.any(Number), text: 'Prefers the window.', created_at: expect.any(String), author: email },
    ]);
    const { body: list } = await admin('GET', notesOf(id));
    expect(list.data).toEqual([
      answer.body,
      { id: expect.any(Number), text: 'Sent.', created_at: '2026-01-01 10:00:00', author: null },
    ]);
    const { body: theirs } = await call('GET', `/v1/contact/${id}/notes`, { token: made.token });
    expect(theirs.data).toEqual(list.data.map(({ author: _, ...note }: { author: unknown }) => note));
  });

  it('have times in the account’s time zone', async () => {
    const east = await accountIn(app, 'Pacific/Kiritimati');
    const { written: write } = partner(app, { id: east.accountId, token: east.token });
    const { id } = await write({ email: newEmail() });
    const { body } = await admin('POST', notesOf(id, east.accountId), { text: 'Now.' });
    const hours = (Date.parse(`${body.created_at.replace(' ', 'T')}Z`) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(14);
  });

  it('on a merged contact belong to the survivor; notes of both are listed', async () => {
    const old = await written({ email: newEmail(), notes: [{ text: 'Old.' }] });
    const now = await written({ email: newEmail() });
    await admin('POST', `/accounts/${made.id}/contacts/${now.id}/merge`, { contact_id: old.id });
    expect((await admin('POST', notesOf(old.id), { text: 'New.' })).status).toBe(201);
    const { body } = await admin('GET', notesOf(now.id));
    expect(body.data.map((note: { text: string }) => note.text)).toEqual(['New.', 'Old.']);
  });

  it('have a text of 1 to 500 characters', async () => {
    const { id } = await written({ email: newEmail() });
    for (const text of [undefined, '  ', 'x'.repeat(501), 7_000_000_000_000_000_000_000]) {
      const { status, body } = await admin('POST', notesOf(id), { text });
      expect([status, Object.keys(body.errors)]).toEqual([422, ['text']]);
    }
    expect((await admin('GET', notesOf(id))).body.total).toBe(0);
  });

  it('are rejected for contacts of another account', async () => {
    const other = await accountIn(app, 'UTC');
    const { id } = await written({ email: newEmail() });
    for (const path of [notesOf(id, other.accountId), notesOf(999_999_999), notesOf('x')]) {
      expect((await admin('POST', path, { text: 'Hello.' })).status).toBe(404);
      expect((await admin('GET', path)).status).toBe(404);
    }
  });
});
