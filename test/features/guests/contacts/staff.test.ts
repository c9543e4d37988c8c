import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';

const { account, admin, call } = await testApp();

describe('the list of contacts for staff', async () => {
  const { id, token } = await account();
  const write = async (body: object) => (await call('POST', '/v1/contact', { token, body })).body;
  const ana = await write({ email: 'ana@gmail.com', mobile_number: '07700900001', card_reference: 'C1' });
  const rui = await write({ email: 'rui@gmail.com' });
  const half = await write({ mobile_number: '07700900002' });
  await write({ email: 'rui@gmail.com', mobile_number: '07700900002' });
  const list = async (query: string) => {
    const { status, body } = await admin('GET', `/accounts/${id}/contacts${query}`);
    return status === 200 ? body.data.map((contact: { id: number }) => contact.id) : body.errors;
  };

  it('has the contacts without merged ones', async () => {
    expect(await list('')).toEqual([ana.id, rui.id]);
    expect((await admin('GET', `/accounts/${id}/contacts/${half.id}`)).body).toMatchObject({
      id: rui.id,
      merged_contact_ids: [half.id],
      email_status: null,
    });
    expect((await admin('GET', `/accounts/${id}/contacts/${ana.id}`)).body).toMatchObject({ card_reference: 'C1' });
  });
  it.each([
    ['?email=ANA@gmail.com', 'ana'],
    ['?mobile_number=%2B447700900002', 'rui'],
    ['?email=nobody@gmail.com', 'nobody'],
    ['?email=ana@gmail.com&email_status=invalid', 'nobody'],
  ])('finds a contact by %s: %s', async (query, who) => {
    expect(await list(query)).toEqual({ ana: [ana.id], rui: [rui.id], nobody: [] }[who]);
  });
  it('rejects an invalid e-mail', async () => {
    expect(await list('?email=ana')).toEqual({ email: ['The email must be a valid email address.'] });
  });
});

describe('a contact that is read, changed and written back', () => {
  it('is accepted, and nothing else changes', async () => {
    const { token } = await account();
    const send = (body: object) => call('POST', '/v1/contact', { token, body });
    const { body: before } = await send({
      email: 'ana@gmail.com',
      first_name: 'Ana',
      allow_sms: true,
      feedback: [{ comments: [{ note: 'fine' }] }],
    });
    const { status, body: after } = await send({ ...before, first_name: 'Anabel' });
    expect(status).toBe(200);
    expect(after).toEqual({ ...before, first_name: 'Anabel' });
    expect((await call('GET', `/v1/contact/${before.id}/feedback`, { token })).body.total).toBe(1);
  });
});
