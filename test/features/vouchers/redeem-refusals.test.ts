import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { fresh } from '../../support/till.ts';
import { accepted, refusal, shop } from '../../support/vouchers.ts';

const { admin, call } = await testApp();
const [home, away] = [await shop({ admin, call }), await shop({ admin, call })];
const { newGroup, newCode, newContact, redeem, redeemed, checked } = home;
const unknown = 999_999_999;
const deleted = await home.removeUnit(await home.newUnit('The Closed'));
const shut = await newCode();
await redeemed(shut);

/** The fields that are named; the code stays as it was, and can be redeemed all the same. */
const refused = async (wrong: object) => {
  const { group, unique_code } = await newCode(fresh('CODE'), await newContact());
  const before = await checked({ unique_code });
  expect(before).toMatchObject({ unique_code_status: 'Active', redeemed_at_unit_id: null, redeemed_at_datetime: null });
  const fields = refusal(await redeem({ unique_code, ...wrong }));
  expect(await checked({ unique_code, unique_code_group_id: group })).toEqual(before);
  accepted(await redeem({ unique_code, unique_code_group_id: group }));
  return fields;
};
/** The same, where the code is what is wrong. */
const fields = async (body: object) => refusal(await redeem(body));

describe('a redemption is rejected, and nothing is stored, for the unit:', () => {
  it.each([
    ['unknown', unknown],
    ['deleted', deleted],
    ['another account’s', away.unit],
    ['another account’s root', away.root],
    ['not sent', undefined],
    ['null', null],
    ['blank', ''],
    ['not a number', 'x'],
    ['not an integer', 1.5],
    ['below any id', -1],
    ['beyond any id', Number.MAX_SAFE_INTEGER],
  ])('%s', async (_, unit_id) => {
    expect(await refused({ unit_id })).toEqual(['unit_id']);
  });
});

describe('a redemption is rejected, and nothing is stored, for the account:', () => {
  it.each([
    ['one that the token may not access', away.id],
    ['unknown', unknown],
    ['not sent', undefined],
    ['not a number', 'x'],
  ])('%s', async (_, account_id) => {
    expect(await refused({ account_id })).toEqual(['account_id']);
  });
  it('another account whose code is sent; the code stays active', async () => {
    const { unique_code } = await away.newCode();
    expect(await fields({ account_id: away.id, unit_id: away.unit, unique_code })).toEqual(['account_id']);
    expect(await away.statusOf({ unique_code })).toBe('Active');
  });
  it('missing, because no token is sent', async () => {
    const { unique_code } = await newCode();
    const body = { account_id: home.id, unit_id: home.unit, unique_code };
    const answer = await call('POST', '/v1/unique_code/redeem', { body });
    expect([answer.status, answer.body]).toEqual([401, { errors: [{ message: 'Unauthorized' }] }]);
    expect(await home.statusOf({ unique_code })).toBe('Active');
  });
});

describe('a redemption is rejected, and nothing is stored, for the group:', () => {
  it.each([
    ['unknown', async () => unknown],
    ['another account’s', () => away.newGroup()],
    ['beyond any id', async () => Number.MAX_SAFE_INTEGER],
    ['not a number', async () => 'x'],
    ['not an integer', async () => 1.5],
  ])('%s', async (_, group) => {
    expect(await refused({ unique_code_group_id: await group() })).toEqual(['unique_code_group_id']);
  });
  it('missing, if several groups have the code', async () => {
    const [{ group, unique_code }, other] = [await newCode(), await newGroup()];
    await home.add(other, unique_code);
    expect(await fields({ unique_code })).toEqual(['unique_code_group_id']);
    for (const unique_code_group_id of [group, other])
      expect(await home.statusOf({ unique_code, unique_code_group_id })).toBe('Active');
    // One of them being redeemed doesn't say which is meant.
    await redeemed({ unique_code, unique_code_group_id: group });
    expect(await fields({ unique_code })).toEqual(['unique_code_group_id']);
    expect(await home.statusOf({ unique_code, unique_code_group_id: other })).toBe('Active');
  });
  it('missing, if several groups have the code in different cases', async () => {
    const [{ unique_code }, other] = [await newCode(), await newGroup()];
    await home.add(other, unique_code.toLowerCase());
    expect(await fields({ unique_code })).toEqual(['unique_code_group_id']);
  });
});

describe('a redemption is rejected for the code:', () => {
  it.each([
    ['unknown', 'NO-SUCH-CODE'],
    ['not sent', undefined],
    ['null', null],
    ['blank', '   '],
    ['too long', 'x'.repeat(256)],
    ['a list', ['A']],
    ['a number too large to be exact', 2 ** 60],
  ])('%s', async (_, unique_code) => {
    expect(await refused({ unique_code })).toEqual(['unique_code']);
  });
  it('of another account', async () => {
    const { unique_code } = await away.newCode();
    expect(await fields({ unique_code })).toEqual(['unique_code']);
    expect(await away.statusOf({ unique_code })).toBe('Active');
  });
  it('not in the named group', async () => {
    expect(await refused({ unique_code_group_id: await newGroup() })).toEqual(['unique_code']);
  });
  it('already redeemed', async () => {
    expect(await fields({ unique_code: shut.unique_code })).toEqual(['unique_code']);
    expect(await fields({ unique_code: shut.unique_code, unique_code_group_id: shut.group })).toEqual(['unique_code']);
  });
});

describe('a redemption is rejected, and nothing is stored, for the time:', () => {
  it.each(['x', '2025-02-30 10:00:00', '2025-03-01 25:00:00', '01/03/2025 10:00', 20250301])('%s', async (time) => {
    expect(await refused({ redemption_date: time })).toEqual(['redemption_date']);
  });
});

describe('a rejection names all errors:', () => {
  const { unique_code } = shut;
  it.each([
    ['an unknown unit, and a redeemed code', { unit_id: unknown, unique_code }, ['unique_code', 'unit_id']],
    ['a deleted unit, and a redeemed code', { unit_id: deleted, unique_code }, ['unique_code', 'unit_id']],
    ['no unit, and a redeemed code', { unit_id: undefined, unique_code }, ['unique_code', 'unit_id']],
    ['a unit id of letters, and an unknown code', { unit_id: 'x', unique_code: 'NO' }, ['unique_code', 'unit_id']],
    ['a unit of another account, and no code', { unit_id: away.unit, unique_code: null }, ['unique_code', 'unit_id']],
    ['no code, and an unknown group', { unique_code_group_id: unknown }, ['unique_code', 'unique_code_group_id']],
    ['a bad time, and a redeemed code', { redemption_date: 'x', unique_code }, ['redemption_date', 'unique_code']],
    [
      'a bad time, and an unknown unit',
      { redemption_date: 'x', unit_id: unknown, unique_code: 'NO' },
      [...['redemption_date', 'unique_code', 'unit_id']],
    ],
    ['an account of another, and no code', { account_id: away.id }, ['account_id', 'unique_code']],
    [
      'an account of another, and a bad time',
      { account_id: away.id, unique_code, redemption_date: 'x' },
      [...['account_id', 'redemption_date']],
    ],
    [
      'everything malformed',
      { account_id: 'x', unit_id: 'x', unique_code: {}, unique_code_group_id: 'x', redemption_date: 'x' },
      [...['account_id', 'redemption_date', 'unique_code', 'unique_code_group_id', 'unit_id']],
    ],
  ])('%s', async (_, body, expected) => {
    const before = await checked({ unique_code });
    expect(await fields(body)).toEqual(expected);
    expect(await checked({ unique_code })).toEqual(before);
  });
  it('an unknown unit and an unknown group', async () => {
    expect(await refused({ unit_id: unknown, unique_code_group_id: unknown })).toEqual([
      ...['unique_code_group_id', 'unit_id'],
    ]);
  });
  it('an unknown unit and a code in several groups', async () => {
    const [{ unique_code }, other] = [await newCode(), await newGroup()];
    await home.add(other, unique_code);
    expect(await fields({ unit_id: unknown, unique_code })).toEqual(['unique_code_group_id', 'unit_id']);
  });
  it('an unknown unit and a code that is not in the group', async () => {
    const unique_code_group_id = await newGroup();
    expect(await refused({ unit_id: unknown, unique_code_group_id })).toEqual(['unique_code', 'unit_id']);
  });
  it('an empty request', async () => {
    expect(refusal(await home.send({}))).toEqual(['account_id', 'unique_code', 'unit_id']);
  });
  it('concurrent requests, each with its own errors', async () => {
    const codes = Array.from({ length: 10 }, () => fresh('CODE'));
    await home.add(await newGroup(), ...codes);
    const answers = await Promise.all(
      codes.flatMap((one) => [
        fields({ unique_code: one, unit_id: deleted }),
        fields({ unique_code, unit_id: away.unit }),
        fields({ unique_code: 'NO-SUCH-CODE' }),
      ]),
    );
    for (const [place, answer] of answers.entries())
      expect(answer).toEqual([['unit_id'], ['unique_code', 'unit_id'], ['unique_code']][place % 3]);
    for (const one of codes) expect(await home.statusOf({ unique_code: one })).toBe('Active');
  });
});
