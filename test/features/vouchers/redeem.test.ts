import { describe, expect, it } from 'vitest';
import { type Redeemed, redeemCodes } from '../../../src/features/vouchers/redeem.ts';
import { appOver, testApp } from '../../support/app.ts';
import { connectTo, countLockWaits, everyNode } from '../../support/database.ts';
import { fresh } from '../../support/till.ts';
import { accepted, refusal, shop } from '../../support/vouchers.ts';

const { admin, call, db, database } = await testApp();
const home = await shop({ admin, call });
const { unit, newGroup, newCode, newContact, redeem, redeemed, checked, statusOf } = home;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe('redeeming a code', () => {
  it('returns the redeemed code and nothing else', async () => {
    const contact = await newContact();
    const { group, unique_code } = await newCode(fresh('CODE'), contact);
    const { id } = await checked({ unique_code });
    const answer = await redeem({ unique_code, redemption_date: '2025-03-01 12:30:00' });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        id,
        unique_code,
        unique_code_group_id: `${group}`,
        contact_id: `${contact}`,
        redeemed_at_unit_id: unit,
        redeemed_at_datetime: '2025-03-01T12:30:00.000000Z',
        unique_code_status: 'Redeemed',
      },
    ]);
    expect(Number.isInteger(id)).toBe(true);
  });
  it('returns a blank contact id if it is unassigned', async () => {
    expect((await redeemed(await newCode())).contact_id).toBe('');
  });
  it('uses the time of the request by default', async () => {
    for (const redemption_date of [undefined, null, '']) {
      const before = Date.now();
      const { unique_code } = await newCode();
      const { redeemed_at_datetime } = await redeemed({ unique_code, redemption_date });
      expect(redeemed_at_datetime).toMatch(instant);
      expect(Date.parse(redeemed_at_datetime)).toBeGreaterThanOrEqual(before - 1000);
      expect(Date.parse(redeemed_at_datetime)).toBeLessThanOrEqual(Date.now() + 1000);
    }
  });
  it('shows it as Redeemed in every later check', async () => {
    const { unique_code } = await newCode();
    const answer = await redeemed({ unique_code, unit_id: home.root, redemption_date: '2025-03-01 12:30:00' });
    expect(answer.redeemed_at_unit_id).toBe(home.root);
    expect(await checked({ unique_code })).toEqual(answer);
  });
  it('works if the unit of its group is deleted', async () => {
    const closed = await home.newUnit('The Closed');
    const [group, unique_code] = [await newGroup(fresh('group'), closed), fresh('CODE')];
    await home.add(group, unique_code);
    await home.removeUnit(closed);
    expect((await redeemed({ unique_code })).redeemed_at_unit_id).toBe(unit);
  });
  it('leaves the other codes of its group unchanged', async () => {
    const { group, unique_code } = await newCode();
    const other = fresh('CODE');
    await home.add(group, other);
    await redeemed({ unique_code });
    expect(await statusOf({ unique_code: other })).toBe('Active');
  });
});

describe('the time of a redemption', () => {
  it.each([
    ['Europe/London', '2025-07-01 12:30:00', '2025-07-01T11:30:00.000000Z'],
    ['Europe/London', '2025-01-01 12:30:00', '2025-01-01T12:30:00.000000Z'],
    ['Europe/London', '2025-07-01 00:15:30', '2025-06-30T23:15:30.000000Z'],
    ['America/New_York', '2025-07-01 21:00:00', '2025-07-02T01:00:00.000000Z'],
    ['America/New_York', '2025-12-31 20:15:30', '2026-01-01T01:15:30.000000Z'],
    ['America/New_York', '2025-3-1 12:30:00', '2025-03-01T17:30:00.000000Z'],
    ['Europe/London', '2025-07-01T12:30:00+02:00', '2025-07-01T10:30:00.000000Z'],
    ['America/New_York', '2025-07-01T12:30:00Z', '2025-07-01T12:30:00.000000Z'],
    ['UTC', '2025-07-01T23:30:00-04:00', '2025-07-02T03:30:00.000000Z'],
  ])('is read in the time zone of the account, %s: %s', async (zone, redemption_date, expected) => {
    const there = await shop({ admin, call }, zone);
    const { unique_code } = await there.newCode();
    expect((await there.redeemed({ unique_code, redemption_date })).redeemed_at_datetime).toBe(expected);
    expect((await there.checked({ unique_code })).redeemed_at_datetime).toBe(expected);
  });
  it('that defaults to the request is the same instant in every time zone', async () => {
    const there = await shop({ admin, call }, 'America/New_York');
    const { redeemed_at_datetime } = await there.redeemed({ unique_code: (await there.newCode()).unique_code });
    expect(Math.abs(Date.parse(redeemed_at_datetime) - Date.now())).toBeLessThan(60_000);
  });
});

describe('a code is identified', () => {
  it('regardless of the case of A to Z and of surrounding space', async () => {
    const { group } = await newCode('SUMMER-7KQ');
    const answer = await redeemed({ unique_code: ' summer-7kq ' });
    expect(answer).toMatchObject({ unique_code: 'SUMMER-7KQ', unique_code_group_id: `${group}` });
    expect(refusal(await redeem({ unique_code: 'SUMMER-7KQ' }))).toEqual(['unique_code']);
  });
  it('in capitals if it is stored in small letters', async () => {
    await newCode('winter-7kq');
    expect((await redeemed({ unique_code: 'WINTER-7KQ' })).unique_code).toBe('winter-7kq');
  });
  it('with its leading zeros', async () => {
    const { group } = await newCode('007');
    expect(refusal(await redeem({ unique_code: '7' }))).toEqual(['unique_code']);
    expect(refusal(await redeem({ unique_code: 7 }))).toEqual(['unique_code']);
    expect(await statusOf({ unique_code: '007' })).toBe('Active');
    await home.add(group, '7');
    expect((await redeemed({ unique_code: '7' })).unique_code).toBe('7');
    expect((await redeemed({ unique_code: '007' })).unique_code).toBe('007');
  });
  it('by a number, and ids by text', async () => {
    const { group } = await newCode('4711');
    const body = { account_id: `${home.id}`, unit_id: `${unit}`, unique_code_group_id: `${group}`, unique_code: 4711 };
    expect(accepted(await home.send(body))).toMatchObject({ unique_code: '4711', redeemed_at_unit_id: unit });
  });
  it('with unknown fields, which are ignored', async () => {
    const { unique_code } = await newCode();
    expect((await redeem({ unique_code, till: 4, contact_id: 1 })).body.contact_id).toBe('');
  });
  it('with the group if several groups have it, and only that one is redeemed', async () => {
    const [{ group: spring, unique_code }, summer] = [await newCode(), await newGroup()];
    await home.add(summer, unique_code.toLowerCase());
    const answer = await redeemed({ unique_code, unique_code_group_id: summer });
    expect(answer).toMatchObject({ unique_code: unique_code.toLowerCase(), unique_code_group_id: `${summer}` });
    expect(await statusOf({ unique_code, unique_code_group_id: spring })).toBe('Active');
    expect(refusal(await redeem({ unique_code, unique_code_group_id: summer }))).toEqual(['unique_code']);
    expect((await redeemed({ unique_code, unique_code_group_id: spring })).unique_code_group_id).toBe(`${spring}`);
  });
  it('without the group if only another account also has it', async () => {
    const [away, { group, unique_code }] = [await shop({ admin, call }), await newCode()];
    await away.newCode(unique_code);
    expect((await redeemed({ unique_code })).unique_code_group_id).toBe(`${group}`);
    expect(await away.statusOf({ unique_code })).toBe('Active');
  });
});

describe('a code is redeemed once', () => {
  it('and every later attempt gets the time and unit, in the account’s time zone', async () => {
    const london = await shop({ admin, call }, 'Europe/London');
    const { unique_code } = await london.newCode();
    const first = await london.redeemed({ unique_code, redemption_date: '2025-07-01 00:30:00' });
    for (const unit_id of [london.unit, london.root]) {
      const answer = await london.redeem({ unique_code, unit_id, redemption_date: '2025-08-01 10:00:00' });
      expect(refusal(answer)).toEqual(['unique_code']);
      const [message] = answer.body.errors.unique_code;
      expect(message).toContain('2025-07-01 00:30:00');
      expect(message).toContain('The Anchor');
    }
    expect(await london.checked({ unique_code })).toEqual(first);
  });
  it('even if the unit is deleted since', async () => {
    const [{ unique_code }, unit_id] = [await newCode(), await home.newUnit('The Sunk')];
    const first = await redeemed({ unique_code, unit_id });
    await home.removeUnit(unit_id);
    const answer = await redeem({ unique_code });
    expect(refusal(answer)).toEqual(['unique_code']);
    expect(answer.body.errors.unique_code[0]).toContain('The Sunk');
    expect(await checked({ unique_code })).toEqual(first);
  });
  it('by one of 100 concurrent requests', async () => {
    const { group, unique_code } = await newCode();
    const spellings = [unique_code, unique_code.toLowerCase(), ` ${unique_code}`];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, number) => {
        const named = number % 2 === 0 ? {} : { unique_code_group_id: group };
        const unit_id = number % 3 === 0 ? unit : home.root;
        return redeem({ ...named, unit_id, unique_code: spellings[number % spellings.length] });
      }),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expect(refusal(answer)).toEqual(['unique_code']);
    expect(await checked({ unique_code })).toEqual(won[0]?.body);
  });
  it('through several services, and each attempt gets its own response', async () => {
    const next = await appOver(db, database);
    const codes = Array.from({ length: 25 }, () => fresh('CODE'));
    await home.add(await newGroup(), ...codes);
    const attempts = [...codes, ...codes, 'NO-SUCH-CODE', ...codes, ...codes];
    const answers = await Promise.all(
      attempts.map(async (unique_code, number) => {
        const answer = await redeem({ unique_code }, number % 2 === 0 ? next : { admin, call });
        if (answer.status === 200) expect(answer.body.unique_code).toBe(unique_code);
        else expect(refusal(answer)).toEqual(['unique_code']);
        return { unique_code, status: answer.status };
      }),
    );
    const won = answers.filter(({ status }) => status === 200).map((one) => one.unique_code);
    expect(won.sort()).toEqual(codes.sort());
  });
});

describe('the contact of a code', () => {
  it('is the new one if it is assigned while the redemption waits for the assignment', async () => {
    const [contact, { unique_code }] = [await newContact(), await newCode()];
    const assigning = await connectTo(database.superuserUrl);
    await assigning`begin`;
    await assigning`update unique_codes set contact_id = ${contact}, assigned_at = now() where unique_code = ${unique_code}`;
    const command = { input: { unique_code, unit_id: unit }, errors: {}, receivedAt: '2026-03-01T12:30:00.000Z' };
    const redeeming = db.tenant(home.id, (tx) => redeemCodes(tx, home.id, [command]));
    const nodes = await everyNode(database);
    await expect.poll(() => countLockWaits(nodes)).toBe(1);
    await assigning`commit`;
    const [done] = (await redeeming) as Redeemed[];
    expect(done?.code()).toMatchObject({ unique_code, contact_id: `${contact}`, unique_code_status: 'Redeemed' });
  });

  it.each(['before', 'after'])('is the survivor if it was merged %s the code was redeemed', async (when) => {
    const [goes, stays] = [await newContact(), await newContact()];
    const { unique_code } = await newCode(fresh('CODE'), goes);
    if (when === 'before') {
      await home.merge(goes, stays);
      expect((await redeemed({ unique_code })).contact_id).toBe(`${stays}`);
    } else {
      expect((await redeemed({ unique_code })).contact_id).toBe(`${goes}`);
      await home.merge(goes, stays);
    }
    expect(await checked({ unique_code })).toMatchObject({ contact_id: `${stays}`, unique_code_status: 'Redeemed' });
  });
  it('can be erased; the code stays redeemed', async () => {
    const contact = await newContact();
    const { unique_code } = await newCode(fresh('CODE'), contact);
    await redeemed({ unique_code });
    accepted(await admin('DELETE', `${home.base}/contacts/${contact}`), 204);
    expect(await checked({ unique_code })).toMatchObject({ contact_id: '', unique_code_status: 'Redeemed' });
    expect(refusal(await redeem({ unique_code }))).toEqual(['unique_code']);
  });
});
