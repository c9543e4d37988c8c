import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { violations } from '../../../support/invariants.ts';
import { accountIn, partner } from '../../../support/partner.ts';

const app = await testApp();
const { account, admin, call, database } = app;
const sql = await superuser(database);
const made = await account();
const { id: accountId, token } = made;
const { written, newEmail } = partner(app, made);

const path = (id: number | string, of = accountId) => `/accounts/${of}/contacts/${id}/consent`;
const record = (id: number, body: object) => admin('POST', path(id), body);
const ledger = async (id: number) => (await admin('GET', path(id))).body.data;
const none = { allow_email: false, allow_sms: false, allow_call: false, allow_snail_mail: false };

describe('consent recorded by staff', () => {
  it('sets the flags, with a ledger entry for each change: who and why', async () => {
    const { id } = await written({ email: newEmail(), allow_email: true });
    const reason = 'Asked at the bar.';
    const { status, body } = await record(id, { allow_email: false, allow_sms: true, allow_call: false, reason });
    expect([status, body]).toEqual([200, { ...none, allow_sms: true }]);
    const { body: contact } = await admin('GET', `/accounts/${accountId}/contacts/${id}`);
    expect([contact.allow_email, contact.allow_sms, contact.allow_call]).toEqual(['', '1', '']);
    const entry = {
      ...{ id: expect.any(Number), contact_id: id, applied: true, rule: null, source_id: null, source_name: null },
      ...{ token_id: null, token_name: null, actor: expect.stringMatching(/./), reason, at: expect.any(String) },
    };
    const [email, sms, first] = await ledger(id);
    expect([email, sms].sort((a, b) => (a.channel < b.channel ? -1 : 1))).toEqual([
      { ...entry, channel: 'email', from: true, to: false },
      { ...entry, channel: 'sms', from: false, to: true },
    ]);
    expect(first).toMatchObject({ channel: 'email', to: true, token_name: 'test', actor: null, reason: null });
    expect(await violations(sql)).toEqual({});
  });

  it('writes nothing if nothing changes', async () => {
    const { id } = await written({ email: newEmail(), allow_email: true });
    const before = await sql`select xmin from contacts where id = ${id}`;
    const { body } = await record(id, { allow_email: true, allow_sms: false, reason: 'Again.' });
    expect(body).toEqual({ ...none, allow_email: true });
    expect(await sql`select xmin from contacts where id = ${id}`).toEqual(before);
    expect(await ledger(id)).toHaveLength(1);
  });

  it('requires a flag and a reason', async () => {
    const { id } = await written({ email: newEmail() });
    const refused = async (sent: object) => {
      const { status, body } = await record(id, sent);
      expect(status).toBe(422);
      return Object.keys(body.errors).sort();
    };
    expect(await refused({ reason: 'Why not.' })).toEqual([
      'allow_call',
      'allow_email',
      'allow_sms',
      'allow_snail_mail',
    ]);
    expect((await record(id, { reason: 'Why not.' })).body.errors.allow_snail_mail).toEqual([
      'The allow snail mail field is required when no other flag is given.',
    ]);
    expect(await refused({ allow_email: true })).toEqual(['reason']);
    expect(await refused({ allow_email: true, reason: ' ' })).toEqual(['reason']);
    expect(await refused({ allow_email: 'maybe', reason: 'x'.repeat(501) })).toEqual(['allow_email', 'reason']);
    expect(await ledger(id)).toEqual([]);
  });

  it('for a merged contact is recorded on the survivor', async () => {
    const old = await written({ email: newEmail(), allow_call: true });
    const now = await written({ email: newEmail() });
    await admin('POST', `/accounts/${accountId}/contacts/${now.id}/merge`, { contact_id: old.id });
    expect((await record(old.id, { allow_sms: true, reason: 'Asked.' })).body).toEqual({ ...none, allow_sms: true });
    const entries = await ledger(old.id);
    expect(entries).toEqual(await ledger(now.id));
    expect(entries[0]).toMatchObject({ contact_id: now.id, channel: 'sms', reason: 'Asked.' });
    // The entry that the merge prevented names who merged them.
    expect(entries[1]).toMatchObject({ channel: 'call', applied: false, rule: 'merge', token_id: null });
    expect(entries[1].actor).toBe(entries[0].actor);
    expect(await violations(sql)).toEqual({});
  });

  it('is serialized: the ledger matches the flags after concurrent writes by partners', async () => {
    const email = newEmail();
    const { id } = await written({ email });
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => [
        record(id, { allow_email: n % 2 === 0, reason: `Race ${n}.` }),
        call('POST', '/v1/contact', { token, body: { email, allow_email: n % 2 === 1 } }),
      ]).flat(),
    );
    expect(await violations(sql)).toEqual({});
  });

  it('names the source, but no deleted token or source; partners see the ledger as before', async () => {
    const { id } = await written({ email: newEmail(), allow_email: true, source_name: 'Guest wifi' });
    const [entry] = await ledger(id);
    expect(entry).toMatchObject({ source_name: 'Guest wifi', token_name: 'test' });
    const { body } = await call('GET', `/v1/contact/${id}/consent`, { token });
    const { source_name: _, token_name: __, actor: ___, reason: ____, ...partners } = entry;
    expect(body.data).toEqual([partners]);
  });

  it('is rejected for contacts of another account', async () => {
    const other = await accountIn(app, 'UTC');
    const { id } = await written({ email: newEmail() });
    for (const at of [path(id, other.accountId), path(999_999_999), path('x')]) {
      expect((await admin('POST', at, { allow_email: true, reason: 'Hello.' })).status).toBe(404);
      expect((await admin('GET', at)).status).toBe(404);
    }
    expect(await ledger(id)).toEqual([]);
  });
});
