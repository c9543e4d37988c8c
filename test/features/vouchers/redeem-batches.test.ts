import { describe, expect, it } from 'vitest';
import { type Redeemed, redeemCodes } from '../../../src/features/vouchers/redeem.ts';
import { Invalid } from '../../../src/shared/problem.ts';
import { testApp } from '../../support/app.ts';
import { fresh } from '../../support/till.ts';
import { shop } from '../../support/vouchers.ts';

const { admin, call, db } = await testApp();
const home = await shop({ admin, call });
const { unit, newGroup, newCode, statusOf } = home;

/** Without the quick stage, which does what is plain before. */
const redeemTogether = (...inputs: Parameters<typeof redeemCodes>[2][number]['input'][]) =>
  db.tenant(home.id, (tx) =>
    redeemCodes(
      tx,
      home.id,
      inputs.map((input) => ({ input, errors: {}, receivedAt: '2026-03-01T12:30:00.123Z' })),
    ),
  );

describe('redemptions in one batch', () => {
  it('are redeemed or rejected one by one; redeemed ones have a time', async () => {
    const { unique_code } = await newCode();
    const [unknown, good] = await redeemTogether(
      { unique_code: fresh('NONE'), unit_id: unit },
      { unique_code, unit_id: unit },
    );
    expect(unknown).toBeInstanceOf(Invalid);
    expect((good as Redeemed).code()).toMatchObject({
      ...{ unique_code, redeemed_at_unit_id: unit, unique_code_status: 'Redeemed' },
      redeemed_at_datetime: '2026-03-01T12:30:00.123000Z',
    });
  });
  it('change nothing if all are rejected', async () => {
    const { unique_code } = await newCode();
    const answers = await redeemTogether({ unique_code }, { unique_code: fresh('NONE'), unit_id: unit });
    for (const answer of answers) expect(answer).toBeInstanceOf(Invalid);
    expect(await statusOf({ unique_code })).toBe('Active');
  });
  it('redeem a code once; the second gets the time and unit, to the second', async () => {
    const { unique_code } = await newCode();
    const [first, second] = await redeemTogether({ unique_code, unit_id: unit }, { unique_code, unit_id: unit });
    expect(first).not.toBeInstanceOf(Error);
    expect((second as Invalid).errors.unique_code).toEqual([
      'The unique code has already been redeemed, on 2026-03-01 12:30:00 at The Anchor.',
    ]);
  });
  it('of a code in two groups redeem it in the named group, and are rejected without one', async () => {
    const unique_code = fresh('BOTH');
    const [one, other] = [await newGroup(), await newGroup()];
    for (const group of [one, other]) await home.add(group, unique_code);
    const [nowhere] = await redeemTogether({ unique_code, unit_id: unit });
    expect(Object.keys((nowhere as Invalid).errors)).toEqual(['unique_code_group_id']);
    const [there] = await redeemTogether({ unique_code, unit_id: unit, unique_code_group_id: other });
    expect((there as Redeemed).code().unique_code_group_id).toBe(String(other));
    const [again, first] = await redeemTogether(
      { unique_code, unit_id: unit, unique_code_group_id: other },
      { unique_code, unit_id: unit, unique_code_group_id: one },
    );
    expect(again).toBeInstanceOf(Invalid);
    expect((first as Redeemed).code().unique_code_group_id).toBe(String(one));
  });
  it('are all rejected for a deleted account', async () => {
    const input = { unique_code: fresh('NONE'), unit_id: unit };
    const command = { input, errors: {}, receivedAt: '2026-03-01T12:30:00.123Z' };
    const answers = await db.tenant(999_999, (tx) => redeemCodes(tx, 999_999, [command, command]));
    for (const answer of answers) expect(Object.keys((answer as Invalid).errors)).toEqual(['account_id']);
    expect(answers).toHaveLength(2);
  });
  it('name the account or the group in the error for an unknown code', async () => {
    const { group } = await newCode();
    const unique_code = fresh('NONE');
    const [anywhere, inGroup] = await redeemTogether(
      { unique_code, unit_id: unit },
      { unique_code, unit_id: unit, unique_code_group_id: group },
    );
    expect((anywhere as Invalid).errors.unique_code).toEqual(['The unique code is not a code of this account.']);
    expect((inGroup as Invalid).errors.unique_code).toEqual(['The unique code is not in this group.']);
  });
});
