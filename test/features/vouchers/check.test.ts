import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { fresh } from '../../support/till.ts';
import { accepted, refusal, shop } from '../../support/vouchers.ts';

const { admin, call } = await testApp();
const [home, away] = [await shop({ admin, call }), await shop({ admin, call })];
const { unit, token, newGroup, newCode, newContact, check, checked, redeemed } = home;
const path = '/v1/unique_code';
const unknown = 999_999_999;

const text = (asked: object) => Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, `${value}`]));
const ways: [string, (asked: object) => ReturnType<typeof check>][] = [
  ['by query', (asked) => call('GET', path, { token, query: text({ account_id: home.id, ...asked }) })],
  ['by JSON body', (asked) => call('GET', path, { token, body: { account_id: home.id, ...asked } })],
];

describe.each(ways)('a check %s', (_, ask) => {
  it('of a redeemable code returns Active', async () => {
    const contact = await newContact();
    const { group, unique_code } = await newCode(fresh('CODE'), contact);
    expect(accepted(await ask({ unique_code }))).toEqual({
      ...{ id: expect.any(Number), unique_code, unique_code_group_id: `${group}`, contact_id: `${contact}` },
      ...{ redeemed_at_unit_id: null, redeemed_at_datetime: null, unique_code_status: 'Active' },
    });
  });
  it('of an unassigned code has a blank contact id', async () => {
    const { unique_code } = await newCode();
    expect(accepted(await ask({ unique_code })).contact_id).toBe('');
  });
  it('of a redeemed code has the time and the unit', async () => {
    const { group, unique_code } = await newCode();
    await redeemed({ unique_code, redemption_date: '2025-03-01 12:30:00' });
    expect(accepted(await ask({ unique_code, unique_code_group_id: group }))).toEqual({
      ...{ id: expect.any(Number), unique_code, unique_code_group_id: `${group}`, contact_id: '' },
      ...{ redeemed_at_unit_id: unit, redeemed_at_datetime: '2025-03-01T12:30:00.000000Z' },
      unique_code_status: 'Redeemed',
    });
  });
  it('accepts the code in any case, and with its leading zeros', async () => {
    const { group } = await newCode(fresh('Kind'));
    const [code, number] = [fresh('Check'), `00${unit}42`];
    await home.add(group, code, number);
    expect(accepted(await ask({ unique_code: ` ${code.toUpperCase()} ` })).unique_code).toBe(code);
    expect(accepted(await ask({ unique_code: number, unique_code_group_id: group })).unique_code).toBe(number);
    expect(refusal(await ask({ unique_code: `${unit}42` }))).toEqual(['unique_code']);
  });
  it('of a code in several groups requires the group', async () => {
    const [{ group, unique_code }, other] = [await newCode(), await newGroup()];
    await home.add(other, unique_code);
    await redeemed({ unique_code, unique_code_group_id: other });
    expect(refusal(await ask({ unique_code }))).toEqual(['unique_code_group_id']);
    const seen = async (unique_code_group_id: number) => accepted(await ask({ unique_code, unique_code_group_id }));
    expect(await seen(group)).toMatchObject({ unique_code_group_id: `${group}`, unique_code_status: 'Active' });
    expect(await seen(other)).toMatchObject({ unique_code_group_id: `${other}`, unique_code_status: 'Redeemed' });
  });
  it('names unique_code for an unknown code', async () => {
    const { unique_code } = await away.newCode();
    for (const asked of [{ unique_code: 'NO-SUCH-CODE' }, { unique_code }, { unique_code: '' }, {}])
      expect(refusal(await ask(asked))).toEqual(['unique_code']);
  });
  it('names unique_code if the code is not in the group', async () => {
    const [{ unique_code }, other] = [await newCode(), await newGroup()];
    expect(refusal(await ask({ unique_code, unique_code_group_id: other }))).toEqual(['unique_code']);
  });
  it('names unique_code_group_id for an unknown group', async () => {
    const { unique_code } = await newCode();
    for (const group of [unknown, await away.newGroup(), 'x'])
      expect(refusal(await ask({ unique_code, unique_code_group_id: group }))).toEqual(['unique_code_group_id']);
  });
  it('names account_id if the token has no access to it', async () => {
    const { unique_code } = await away.newCode();
    for (const account_id of [away.id, unknown, 'x', ''])
      expect(refusal(await ask({ account_id, unique_code }))).toEqual(['account_id']);
  });
  it('names all errors at once', async () => {
    expect(refusal(await ask({ account_id: away.id, unique_code_group_id: 'x' }))).toEqual([
      ...['account_id', 'unique_code', 'unique_code_group_id'],
    ]);
    expect(refusal(await ask({ unique_code_group_id: unknown }))).toEqual(['unique_code', 'unique_code_group_id']);
  });
});

describe('a check', () => {
  it('uses the query’s value if a field is also in the body', async () => {
    const [{ unique_code }, { unique_code: other }] = [await newCode(), await newCode()];
    const body = { account_id: home.id, unique_code: other };
    expect(accepted(await call('GET', path, { token, query: { unique_code }, body })).unique_code).toBe(unique_code);
  });
  it('changes nothing', async () => {
    const { unique_code } = await newCode();
    const first = await checked({ unique_code });
    expect(await checked({ unique_code })).toEqual(first);
    expect((await redeemed({ unique_code })).id).toBe(first.id);
  });
  it('has the survivor of a merge as contact', async () => {
    const [goes, stays] = [await newContact(), await newContact()];
    const { unique_code } = await newCode(fresh('CODE'), goes);
    await home.merge(goes, stays);
    expect((await checked({ unique_code })).contact_id).toBe(`${stays}`);
  });
  it('requires a token', async () => {
    const { unique_code } = await newCode();
    const answer = await call('GET', path, { query: { account_id: `${home.id}`, unique_code } });
    expect([answer.status, answer.body]).toEqual([401, { errors: [{ message: 'Unauthorized' }] }]);
  });
});
