import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { fresh } from '../../support/till.ts';
import { accepted, refusal, shop } from '../../support/vouchers.ts';

const { admin, call } = await testApp();
const [home, away] = [await shop({ admin, call }), await shop({ admin, call })];
const { createGroup, newGroup, groups, newCode, newContact } = home;
const unknown = 999_999_999;
const create = (body: object) =>
  createGroup({ account_id: home.id, unit_id: home.root, name: fresh('group'), ...body });
/** The fields that are named; nothing is stored. */
const refused = async (body: object) => {
  const before = await groups();
  const fields = refusal(await create(body));
  expect(await groups()).toEqual(before);
  return fields;
};

describe('creating a unique code group as a partner', () => {
  it('returns its id and nothing else', async () => {
    const { status, body } = await create({ name: 'Summer vouchers' });
    expect([status, body]).toEqual([200, { id: expect.any(Number) }]);
    expect(Number.isInteger(body.id)).toBe(true);
    expect(await groups()).toContainEqual({
      ...{ id: body.id, unit_id: home.root, name: 'Summer vouchers', created_at: expect.any(String) },
    });
  });
  it('creates no codes', async () => {
    expect(await home.total(await newGroup())).toBe(0);
  });
  it('is possible on a unit other than the root', async () => {
    const id = await newGroup(fresh('group'), home.unit);
    expect(await groups()).toContainEqual(expect.objectContaining({ id, unit_id: home.unit }));
  });
  it('accepts numbers as text', async () => {
    const name = fresh('group');
    const { id } = accepted(await create({ account_id: `${home.id}`, unit_id: `${home.unit}`, name }));
    expect(await groups()).toContainEqual(expect.objectContaining({ id, unit_id: home.unit, name }));
  });
  it('requires a token', async () => {
    const body = { account_id: home.id, unit_id: home.root, name: fresh('group') };
    const answer = await call('POST', '/v1/unique_code/group', { body });
    expect([answer.status, answer.body]).toEqual([401, { errors: [{ message: 'Unauthorized' }] }]);
    expect((await groups()).map(({ name }) => name)).not.toContain(body.name);
  });
});

describe('the name of a group', () => {
  it.each([
    ['as it is', 'Autumn', 'Autumn'],
    ['in another case', 'Winter Warmers', 'wINTER wARMERS'],
    ['with space around it', 'Spring', '  Spring '],
  ])('is unique on a unit: %s', async (_, name, again) => {
    await newGroup(name);
    expect(await refused({ name: again })).toEqual(['name']);
  });
  it('can be used again on another unit', async () => {
    const name = fresh('group');
    const ids = [await newGroup(name), await newGroup(name, home.unit)];
    expect(new Set(ids).size).toBe(2);
    expect(await refused({ unit_id: home.unit, name })).toEqual(['name']);
  });
  it('can be used again in another account', async () => {
    const name = fresh('group');
    await newGroup(name);
    expect(await away.newGroup(name)).toEqual(expect.any(Number));
  });
  it('is unique for concurrent requests', async () => {
    const name = fresh('Race');
    const spelling = (number: number) => (number % 2 === 0 ? name : name.toUpperCase());
    const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => create({ name: spelling(number) })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expect(refusal(answer)).toEqual(['name']);
    expect((await groups()).filter((one) => one.name.toLowerCase() === name.toLowerCase())).toHaveLength(1);
  });
});

describe('an invalid group is not stored, and exactly these fields are named:', () => {
  it.each([
    ['missing', {}],
    ['null', { name: null }],
    ['blank', { name: '  ' }],
    ['too long', { name: 'x'.repeat(256) }],
    ['a list', { name: ['Summer'] }],
  ])('name, if it is %s', async (_, sent) => {
    const { name: __, ...rest } = { name: '', account_id: home.id, unit_id: home.root };
    const before = await groups();
    expect(refusal(await createGroup({ ...rest, ...sent }))).toEqual(['name']);
    expect(await groups()).toEqual(before);
  });
  it('unit_id and name, if the unit is unknown', async () => {
    const answer = await create({ unit_id: unknown });
    expect(refusal(answer)).toEqual(['name', 'unit_id']);
    // As the interface has it: the name gets a message that the unit id must be correct.
    expect(answer.body.errors.name[0]).toMatch(/unit id/i);
    expect(await refused({ unit_id: unknown })).toEqual(['name', 'unit_id']);
  });
  it('unit_id and name, if the unit is deleted', async () => {
    const unit_id = await home.removeUnit(await home.newUnit('The Closed'));
    expect(await refused({ unit_id })).toEqual(['name', 'unit_id']);
  });
  it('unit_id and name, if the unit is another account’s', async () => {
    const before = await away.groups();
    expect(await refused({ unit_id: away.unit })).toEqual(['name', 'unit_id']);
    expect(await refused({ unit_id: away.root })).toEqual(['name', 'unit_id']);
    expect(await away.groups()).toEqual(before);
  });
  it.each([
    ['missing', undefined],
    ['null', null],
    ['not a number', 'x'],
    ['not an integer', 1.5],
    ['below any id', 0],
    ['beyond any id', Number.MAX_SAFE_INTEGER],
  ])('unit_id and name, if the unit id is %s', async (_, unit_id) => {
    expect(await refused({ unit_id })).toEqual(['name', 'unit_id']);
  });
  it('unit_id and name, if both are invalid', async () => {
    expect(await refused({ unit_id: unknown, name: null })).toEqual(['name', 'unit_id']);
    expect(await refused({ unit_id: 'x', name: 'x'.repeat(256) })).toEqual(['name', 'unit_id']);
  });
  it('unit_id and name, if the unit is unknown and the name is used elsewhere', async () => {
    const name = fresh('group');
    await newGroup(name);
    expect(await refused({ unit_id: unknown, name })).toEqual(['name', 'unit_id']);
  });
  it('account_id, if the token has no access to the account', async () => {
    const before = await away.groups();
    expect(await refused({ account_id: away.id })).toEqual(['account_id']);
    expect(await refused({ account_id: away.id, unit_id: away.root })).toEqual(['account_id']);
    expect(await refused({ account_id: unknown })).toEqual(['account_id']);
    expect(await away.groups()).toEqual(before);
  });
  it('account_id, if it is missing or not an integer', async () => {
    expect(await refused({ account_id: undefined })).toEqual(['account_id']);
    expect(await refused({ account_id: 'x' })).toEqual(['account_id']);
  });
  it('account_id and name, if the account is inaccessible and the name is missing', async () => {
    expect(await refused({ account_id: away.id, name: null })).toEqual(['account_id', 'name']);
  });
  it('account_id and unit_id, if the account is inaccessible', async () => {
    expect(await refused({ account_id: away.id, unit_id: 'x' })).toEqual(['account_id', 'unit_id']);
  });
  it('all three, if nothing is sent', async () => {
    expect(refusal(await createGroup({}))).toEqual(['account_id', 'name', 'unit_id']);
  });
});

describe('staff', () => {
  const path = `${home.base}/unique_code_groups`;
  const made = async (body: object = {}) =>
    accepted(await admin('POST', path, { unit_id: home.unit, name: fresh('group'), ...body }), 201);

  it('can create and read a group', async () => {
    const name = fresh('group');
    const group = await made({ name });
    expect(group).toEqual({ id: expect.any(Number), unit_id: home.unit, name, created_at: expect.any(String) });
    expect(accepted(await admin('GET', `${path}/${group.id}`))).toEqual(group);
    expect(await groups()).toContainEqual(group);
  });
  it('can list the groups of a unit', async () => {
    const here = await home.newUnit('The Quay');
    const group = await made({ unit_id: here });
    expect(accepted(await admin('GET', `${path}?unit_id=${here}`))).toMatchObject({ data: [group], total: 1 });
  });
  it('get the same errors as partners', async () => {
    const { name } = await made();
    expect(refusal(await admin('POST', path, { unit_id: home.unit, name }))).toEqual(['name']);
    expect(refusal(await admin('POST', path, { unit_id: unknown, name: fresh('group') }))).toContain('unit_id');
  });
  it('can rename a group', async () => {
    const [group, name] = [await made(), fresh('group')];
    expect(accepted(await admin('PATCH', `${path}/${group.id}`, { name }))).toEqual({ ...group, name });
    expect(accepted(await admin('GET', `${path}/${group.id}`))).toEqual({ ...group, name });
    // The old name is free again.
    expect((await made({ name: group.name })).id).not.toBe(group.id);
  });
  it('can change only the case of a group’s name', async () => {
    const group = await made();
    const name = group.name.toUpperCase();
    expect(accepted(await admin('PATCH', `${path}/${group.id}`, { name }))).toEqual({ ...group, name });
  });
  it('cannot rename a group to a name that exists on its unit', async () => {
    const [group, other] = [await made(), await made()];
    expect(refusal(await admin('PATCH', `${path}/${group.id}`, { name: other.name.toUpperCase() }))).toEqual(['name']);
    expect(accepted(await admin('GET', `${path}/${group.id}`))).toEqual(group);
    const elsewhere = await made({ unit_id: home.root });
    expect((await admin('PATCH', `${path}/${group.id}`, { name: elsewhere.name })).status).toBe(200);
  });
  it('can delete a group with unassigned codes', async () => {
    const { group, unique_code } = await newCode();
    expect((await admin('DELETE', `${path}/${group}`)).status).toBe(204);
    expect((await admin('GET', `${path}/${group}`)).status).toBe(404);
    expect(refusal(await home.check({ unique_code }))).toEqual(['unique_code']);
    expect(refusal(await home.check({ unique_code, unique_code_group_id: group }))).toContain('unique_code_group_id');
  });
  it.each(['assigned', 'redeemed'])('cannot delete a group with a code that is %s', async (what) => {
    const { group, unique_code } = await newCode();
    if (what === 'assigned') await home.assigned(group, unique_code, await newContact());
    else await home.redeemed({ unique_code });
    refusal(await admin('DELETE', `${path}/${group}`));
    expect((await admin('GET', `${path}/${group}`)).status).toBe(200);
    expect(await home.statusOf({ unique_code })).toBe(what === 'assigned' ? 'Active' : 'Redeemed');
  });
  it.each(['GET', 'PATCH', 'DELETE'])('get a 404 for an unknown group: %s', async (method) => {
    const [body, there] = [method === 'PATCH' ? { name: fresh('group') } : undefined, await away.newGroup()];
    for (const id of [unknown, there, 'x']) expect((await admin(method, `${path}/${id}`, body)).status).toBe(404);
    expect((await away.groups()).map(({ id }) => id)).toContain(there);
  });
});
