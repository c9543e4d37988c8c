import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { fresh, place } from '../../support/till.ts';
import { accepted, refusal } from '../../support/vouchers.ts';

const { account, admin, call } = await testApp();
const home = await place({ account, admin, call });
const { written, sent, staff, read, newGroup, addCodes, assign } = home;
const redeem = async (unique_code: string, unique_code_group_id?: number) => {
  const body = { account_id: home.id, unit_id: home.unit, unique_code, unique_code_group_id };
  return accepted(await call('POST', '/v1/unique_code/redeem', { token: home.token, body }));
};
const give = async (group: number, contact_ids: number[]) =>
  accepted(await admin('POST', `/accounts/${home.id}/unique_code_groups/${group}/assign`, { contact_ids }));
/** Whose a purchase is, and by what. */
const whose = async (id: number) => {
  const { contact_id, matched_by } = await staff(`${id}`);
  return [contact_id, matched_by];
};
const nobody = [null, null];
/** A purchase that named a code, and no group, before two groups got it. */
const shared = async () => {
  const [spring, summer, unique_code] = [await newGroup(), await newGroup(), fresh('CODE')];
  const { id } = await sent({ unique_code });
  await addCodes(spring, [unique_code]);
  await addCodes(summer, [unique_code.toLowerCase()]);
  return { spring, summer, unique_code, id };
};

describe('a purchase waiting for a code', () => {
  it.each([
    ['in capitals for one in small letters', 'WAIT-A', 'wait-a'],
    ['in small letters for one in capitals', 'wait-b', 'WAIT-B'],
    ['with space around it', ' Wait-C ', 'wAIT-c'],
  ])('is matched when the code is assigned: %s', async (_, said, stored) => {
    const [group, contact] = [await newGroup(), await written({})];
    const { id } = await sent({ unique_code: said });
    await addCodes(group, [stored]);
    expect(await whose(id)).toEqual(nobody);
    await assign(group, stored, contact);
    expect(await whose(id)).toEqual([contact, 'unique_code']);
    expect(await read(contact)).toMatchObject([{ id, contact_id: contact, matched_by: 'unique_code' }]);
    // The next purchase is matched at once, in any notation.
    expect(await sent({ unique_code: said })).toMatchObject({ contact_id: contact, matched_by: 'unique_code' });
  });
  it('is not matched by a code with other leading zeros', async () => {
    const [group, contact] = [await newGroup(), await written({})];
    const { id } = await sent({ unique_code: '0815' });
    await addCodes(group, ['815', '00815', '0815']);
    for (const code of ['815', '00815']) await assign(group, code, contact);
    expect(await whose(id)).toEqual(nobody);
    await assign(group, '0815', contact);
    expect(await whose(id)).toEqual([contact, 'unique_code']);
  });
  it('is matched when codes are assigned to many contacts at once', async () => {
    const [group, unique_code, contacts] = [await newGroup(), fresh('CODE'), [await written({}), await written({})]];
    await addCodes(group, [fresh('CODE'), unique_code]);
    const { id } = await sent({ unique_code: unique_code.toLowerCase() });
    await give(group, contacts);
    expect(await whose(id)).toEqual([contacts[1], 'unique_code']);
  });
  it('keeps its contact when the code is unassigned', async () => {
    const [group, unique_code, contact] = [await newGroup(), fresh('CODE'), await written({})];
    await addCodes(group, [unique_code]);
    const { id } = await sent({ unique_code });
    await assign(group, unique_code, contact);
    const body = { unique_code_group_id: group, unique_code };
    accepted(await admin('POST', `/accounts/${home.id}/unique_codes/unassign`, body));
    expect(await whose(id)).toEqual([contact, 'unique_code']);
    expect(await sent({ unique_code })).toMatchObject({ contact_id: null });
  });
});

describe('a purchase without a group, whose code is now in two groups,', () => {
  it('is not matched by an assignment in one of them', async () => {
    const [{ spring, unique_code, id }, ana] = [await shared(), await written({})];
    await assign(spring, unique_code, ana);
    expect(await whose(id)).toEqual(nobody);
  });
  it('is matched when the code is redeemed in the group where it is assigned', async () => {
    const { spring, summer, unique_code, id } = await shared();
    const [ana, rui] = [await written({}), await written({})];
    await assign(spring, unique_code, ana);
    await assign(summer, unique_code, rui);
    expect(await whose(id)).toEqual(nobody);
    await redeem(unique_code.toLowerCase(), summer);
    expect(await whose(id)).toEqual([rui, 'unique_code']);
    expect(await read(rui)).toMatchObject([{ id }]);
    // What is redeemed later changes nothing of it.
    await redeem(unique_code, spring);
    expect(await whose(id)).toEqual([rui, 'unique_code']);
    expect(await read(ana)).toEqual([]);
  });
  it('is not matched by another purchase that names the group', async () => {
    const { spring, unique_code, id } = await shared();
    const ana = await written({});
    await assign(spring, unique_code, ana);
    const send = (body: object) => {
      const all = { account_id: home.id, provider_id: 12, unique_code, purchases: [home.bill()], ...body };
      return call('POST', '/v1/purchases', { token: home.token, body: all });
    };
    expect(refusal(await send({}))).toEqual(['unique_code_group_id']);
    const { purchases } = accepted(await send({ unique_code_group_id: spring }));
    expect(purchases).toMatchObject([{ contact_id: ana, matched_by: 'unique_code' }]);
    expect(await whose(id)).toEqual(nobody);
  });
  it('is matched when the redeemed code is assigned', async () => {
    const { spring, summer, unique_code, id } = await shared();
    const [ana, rui] = [await written({}), await written({})];
    await redeem(unique_code, summer);
    expect(await whose(id)).toEqual(nobody);
    await assign(spring, unique_code, ana);
    expect(await whose(id)).toEqual(nobody);
    await assign(summer, unique_code, rui);
    expect(await whose(id)).toEqual([rui, 'unique_code']);
  });
  it('is matched to the survivor if the code’s contact was merged', async () => {
    const { summer, unique_code, id } = await shared();
    const [goes, stays] = [await written({}), await written({})];
    await assign(summer, unique_code, goes);
    accepted(await admin('POST', `/accounts/${home.id}/contacts/${stays}/merge`, { contact_id: goes }));
    await redeem(unique_code, summer);
    expect(await whose(id)).toEqual([stays, 'unique_code']);
  });
  it('is not matched by a redemption in another account', async () => {
    const there = await place({ account, admin, call });
    const { unique_code, id } = await shared();
    const [group, contact] = [await there.newGroup(), await there.written({})];
    await there.addCodes(group, [unique_code]);
    await there.assign(group, unique_code, contact);
    const body = { account_id: there.id, unit_id: there.unit, unique_code };
    accepted(await call('POST', '/v1/unique_code/redeem', { token: there.token, body }));
    expect(await whose(id)).toEqual(nobody);
  });
});

describe('redeeming', () => {
  it('an unassigned code matches no purchase', async () => {
    const [group, unique_code] = [await newGroup(), fresh('CODE')];
    await addCodes(group, [unique_code]);
    const { id } = await sent({ unique_code });
    expect((await redeem(unique_code)).contact_id).toBe('');
    expect(await whose(id)).toEqual(nobody);
    // It is still waiting.
    const contact = await written({});
    await assign(group, unique_code, contact);
    expect(await whose(id)).toEqual([contact, 'unique_code']);
  });
  it('a code does not match purchases that named another group', async () => {
    const { spring, summer, unique_code } = await shared();
    const [ana, { id }] = [await written({}), await sent({ unique_code, unique_code_group_id: spring })];
    await assign(summer, unique_code, ana);
    await redeem(unique_code, summer);
    expect(await whose(id)).toEqual(nobody);
  });
  it('without success matches no purchase', async () => {
    const [{ summer, unique_code, id }, ana] = [await shared(), await written({})];
    await assign(summer, unique_code, ana);
    const body = { account_id: home.id, unit_id: 999_999_999, unique_code, unique_code_group_id: summer };
    expect((await call('POST', '/v1/unique_code/redeem', { token: home.token, body })).status).toBe(422);
    expect(await whose(id)).toEqual(nobody);
  });
  it('many codes concurrently matches each purchase to its own contact', async () => {
    const [spring, summer] = [await newGroup(), await newGroup()];
    const each: { unique_code: string; contact: number; id: number }[] = [];
    for (let number = 0; number < 12; number++) {
      const [unique_code, contact] = [fresh('CODE'), await written({})];
      each.push({ unique_code, contact, id: (await sent({ unique_code })).id });
    }
    for (const group of [spring, summer]) {
      await addCodes(
        group,
        each.map(({ unique_code }) => unique_code),
      );
    }
    for (const { unique_code, contact } of each) await assign(summer, unique_code, contact);
    for (const { id } of each) expect(await whose(id)).toEqual(nobody);
    await Promise.all(each.map(({ unique_code }) => redeem(unique_code, summer)));
    for (const { contact, id } of each) expect(await whose(id)).toEqual([contact, 'unique_code']);
  });
});
