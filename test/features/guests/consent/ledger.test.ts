import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { violations } from '../../../support/invariants.ts';
import { isMutating } from '../../../support/mutating.ts';

const { account, call, admin, db, database } = await testApp();
const sql = await superuser(database);
const { id: accountId, token, token_id } = await account();

const write = async (body: object) => (await call('POST', '/v1/contact', { token, body })).body;
const ledger = async (id: number) => (await call('GET', `/v1/contact/${id}/consent`, { token })).body.data;

describe('the consent ledger', () => {
  it('records every change, and every change that a rule prevented: channel, from, to, time, source, token, rule', async () => {
    const { body: source } = await admin('POST', `/accounts/${accountId}/sources`, { name: 'Wifi' });
    const email = 'ana@gmail.com';
    const { id } = await write({ email, allow_email: 'Y', allow_call: 0, source_id: source.id });
    await write({ email, allow_email: true });
    await write({ email, allow_email: 'N', rules: [{ rule_name: 'preserve_consent' }] });
    await write({ email, allow_email: 'N', allow_sms: 'Y', rules: [{ rule_name: 'historic_data' }] });
    await write({ email, allow_email: 'N' });
    const entry = { id: expect.any(Number), contact_id: id, token_id, at: expect.any(String), source_id: null };
    expect((await ledger(id)).reverse()).toEqual([
      { ...entry, channel: 'email', from: false, to: true, applied: true, rule: null, source_id: source.id },
      { ...entry, channel: 'email', from: true, to: false, applied: false, rule: 'preserve_consent' },
      { ...entry, channel: 'sms', from: false, to: true, applied: false, rule: 'historic_data' },
      { ...entry, channel: 'email', from: true, to: false, applied: false, rule: 'historic_data' },
      { ...entry, channel: 'email', from: true, to: false, applied: true, rule: null },
    ]);
  });

  it.skipIf(isMutating)(
    'explains the flags after any history, merges and undos included',
    async () => {
      const event = fc.record({
        email: fc.option(fc.constantFrom('ana@gmail.com', 'rui@gmail.com'), { nil: undefined }),
        mobile_number: fc.constantFrom('07700900001', '07700900002'),
        allow_sms: fc.option(fc.boolean(), { nil: undefined }),
        allow_email: fc.option(fc.boolean(), { nil: undefined }),
        allow_call: fc.option(fc.boolean(), { nil: undefined }),
        allow_snail_mail: fc.option(fc.boolean(), { nil: undefined }),
        rules: fc.subarray(['historic_data', 'preserve_consent']),
        city: fc.option(fc.constantFrom('Bristol'), { nil: undefined }),
        undo: fc.boolean(),
      });
      let merges = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 25 }), async (events) => {
          const { id, token: secret } = await account();
          for (const { rules, undo, ...body } of events) {
            const sent = { ...body, rules: rules.map((rule_name) => ({ rule_name })) };
            const answer = await call('POST', '/v1/contact', { token: secret, body: sent });
            expect(answer.status).toBe(200);
            if (!undo) continue;
            const { data } = (await admin('GET', `/accounts/${id}/merges`)).body;
            const standing = data.find((merge: { undone_at: string | null }) => merge.undone_at === null);
            if (!standing) continue;
            merges++;
            expect((await admin('POST', `/accounts/${id}/merges/${standing.id}/undo`)).status).toBe(200);
          }
          expect(await violations(sql)).toEqual({});
        }),
        { numRuns: 25 },
      );
      expect(merges).toBeGreaterThan(0);
    },
    90_000,
  );

  it.each(['consent_ledger', 'merges'] as const)('cannot be changed: PostgreSQL rejects it on %s', async (table) => {
    await write({ email: 'eve@gmail.com', allow_email: true });
    await write({ mobile_number: '07700900009' });
    await write({ email: 'eve@gmail.com', mobile_number: '07700900009' });
    const before = await sql.call(null, [`select * from ${table} order by id`] as unknown as TemplateStringsArray);
    expect(before.length).toBeGreaterThan(0);
    for (const statement of [`update ${table} set id = id`, `delete from ${table}`, `truncate ${table} cascade`]) {
      const attempt = db.tenant(accountId, (tx) => tx([statement] as unknown as TemplateStringsArray));
      await expect(attempt, statement).rejects.toThrow(/append-only/);
      // Not even as the superuser, nor while erasing, is a word of it changed.
      if (statement.startsWith('update')) {
        const erasing = db.tenant(accountId, async (tx) => {
          await tx`set local app.erasing = 'on'`;
          await tx([statement] as unknown as TemplateStringsArray);
        });
        await expect(erasing).rejects.toThrow(/append-only/);
      }
    }
    expect(await sql.call(null, [`select * from ${table} order by id`] as unknown as TemplateStringsArray)).toEqual(
      before,
    );
  });
});
