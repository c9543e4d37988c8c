import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { fresh } from '../../support/till.ts';
import { accepted, refusal, shop } from '../../support/vouchers.ts';

const { admin, call } = await testApp();
const [home, away] = [await shop({ admin, call }), await shop({ admin, call })];
const { newGroup, newCode, newContact, newContacts, add, list, assign, assigned, unassign, give, redeemed } = home;
const unknown = 999_999_999;
interface Given {
  unique_code: string;
  contact_id: number | null;
  contact_name: string | null;
  assigned_at: string | null;
}
const all = async (group: number): Promise<Given[]> => accepted(await list(group)).data;
const holders = async (group: number) => (await all(group)).map((one) => one.contact_id);
/** A group with this number of unassigned codes. */
const stocked = async (count: number) => {
  const [group, codes] = [await newGroup(), Array.from({ length: count }, () => fresh('CODE'))];
  await add(group, ...codes);
  return { group, codes };
};

describe('assigning a code', () => {
  it('assigns it to the contact and returns the code', async () => {
    const [{ group, unique_code }, contact] = [await newCode(), await newContact()];
    const [before] = await all(group);
    const answer = await assign(group, unique_code.toLowerCase(), contact);
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...before, contact_id: contact, assigned_at: expect.any(String) },
    ]);
    expect(await all(group)).toEqual([answer.body]);
    expect((await home.checked({ unique_code })).contact_id).toBe(`${contact}`);
  });
  it('to the same contact again changes nothing', async () => {
    const [{ group, unique_code }, contact] = [await newCode(), await newContact()];
    const first = await assigned(group, unique_code, contact);
    expect(accepted(await assign(`${group}`, unique_code, `${contact}`))).toEqual(first);
  });
  it('of another contact is rejected', async () => {
    const [{ group, unique_code }, [ana, rui]] = [await newCode(), [await newContact(), await newContact()]];
    const first = await assigned(group, unique_code, ana);
    expect(refusal(await assign(group, unique_code, rui))).toEqual(['unique_code']);
    expect(await all(group)).toEqual([first]);
  });
  it('to a merged id assigns it to the survivor', async () => {
    const [{ group, unique_code }, [goes, stays]] = [await newCode(), [await newContact(), await newContact()]];
    await home.merge(goes, stays);
    const first = await assigned(group, unique_code, goes);
    expect(first.contact_id).toBe(stays);
    expect(await assigned(group, unique_code, stays)).toEqual(first);
  });
  it('to two contacts concurrently assigns it to one', async () => {
    const [{ group, unique_code }, contacts] = [await newCode(), await newContacts(6)];
    const answers = await Promise.all(contacts.map((contact) => assign(group, unique_code, contact)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expect(refusal(answer)).toEqual(['unique_code']);
    expect(await all(group)).toEqual([won[0]?.body]);
  });
  it('is rejected with every error at once', async () => {
    const [{ group, unique_code }, contact] = [await newCode(), await newContact()];
    const [stranger, empty, theirs] = [await away.newContact(), await newGroup(), await away.newGroup()];
    const refused = async (...sent: [unknown, unknown, unknown]) => refusal(await assign(...sent));
    expect(await refused(group, unique_code, unknown)).toEqual(['contact_id']);
    expect(await refused(group, unique_code, stranger)).toEqual(['contact_id']);
    expect(await refused(unknown, unique_code, contact)).toEqual(['unique_code_group_id']);
    expect(await refused(theirs, unique_code, contact)).toEqual(['unique_code_group_id']);
    expect(await refused(empty, unique_code, contact)).toEqual(['unique_code']);
    expect(await refused(group, 'NO-SUCH-CODE', unknown)).toEqual(['contact_id', 'unique_code']);
    expect(await refused(unknown, unique_code, unknown)).toEqual(['contact_id', 'unique_code_group_id']);
    expect(await refused('x', unique_code, 'x')).toEqual(['contact_id', 'unique_code_group_id']);
    expect(await refused(null, null, null)).toEqual(['contact_id', 'unique_code', 'unique_code_group_id']);
    expect(await holders(group)).toEqual([null]);
  });
  it('is rejected with both unknown and malformed values named', async () => {
    const { group, unique_code } = await newCode();
    expect(refusal(await assign(group, null, unknown))).toEqual(['contact_id', 'unique_code']);
    expect(refusal(await assign(group, 'NO-SUCH-CODE', 'x'))).toEqual(['contact_id', 'unique_code']);
    expect(refusal(await assign('x', unique_code, unknown))).toEqual(['contact_id', 'unique_code_group_id']);
  });
});

describe('unassigning a code', () => {
  it('makes it available for another contact', async () => {
    const [ana, rui] = [await newContact(), await newContact()];
    const { group, unique_code } = await newCode(fresh('CODE'), ana);
    const body = accepted(await unassign(group, unique_code.toLowerCase()));
    expect(body).toMatchObject({ unique_code, contact_id: null, assigned_at: null, status: 'Active' });
    expect(await all(group)).toEqual([body]);
    expect((await assigned(group, unique_code, rui)).contact_id).toBe(rui);
  });
  it('is rejected once it is redeemed', async () => {
    const ana = await newContact();
    const { group, unique_code } = await newCode(fresh('CODE'), ana);
    await redeemed({ unique_code });
    expect(refusal(await unassign(group, unique_code))).toEqual(['unique_code']);
    expect(await holders(group)).toEqual([ana]);
  });
  it('is rejected for an unknown code or group', async () => {
    const { group, unique_code } = await newCode();
    expect(refusal(await unassign(group, 'NO-SUCH-CODE'))).toEqual(['unique_code']);
    expect(refusal(await unassign(unknown, unique_code))).toEqual(['unique_code_group_id']);
  });
});

describe('assigning one code to each contact of a list', () => {
  it('uses the free codes in their order, in the order of the contacts', async () => {
    const { group, codes } = await stocked(5);
    const contacts = (await newContacts(4)).toReversed();
    await assigned(group, codes[1] as string, await newContact());
    const body = accepted(await give(group, contacts));
    expect(body.assigned).toBe(4);
    expect(body.data.map((one: Given) => [one.contact_id, one.unique_code])).toEqual(
      [0, 2, 3, 4].map((place, index) => [contacts[index], codes[place]]),
    );
    for (const one of body.data) expect(Math.abs(Date.parse(one.assigned_at) - Date.now())).toBeLessThan(60_000);
    for (const one of body.data) expect(await all(group)).toContainEqual(one);
  });
  it('never uses a redeemed code', async () => {
    const [{ group, codes }, contact] = [await stocked(2), await newContact()];
    await redeemed({ unique_code: codes[0] });
    expect(accepted(await give(group, [contact])).data).toMatchObject([{ unique_code: codes[1], status: 'Active' }]);
    expect(refusal(await give(group, [await newContact()]))).toEqual(['contact_ids']);
  });
  it('again assigns no further code', async () => {
    const [{ group }, contacts] = [await stocked(10), await newContacts(3)];
    const first = accepted(await give(group, contacts));
    expect(accepted(await give(group, contacts))).toEqual({ ...first, assigned: 0 });
    const [one] = contacts;
    const more = accepted(await give(group, [await newContact(), one]));
    expect(more.assigned).toBe(1);
    expect(more.data[1]).toEqual(first.data[0]);
    expect((await holders(group)).filter((holder) => holder === one)).toHaveLength(1);
  });
  it('skips a contact that was assigned one by hand and has redeemed it', async () => {
    const [{ group, codes }, contact] = [await stocked(3), await newContact()];
    await assigned(group, codes[2] as string, contact);
    await redeemed({ unique_code: codes[2] });
    expect(accepted(await give(group, [contact]))).toMatchObject({ assigned: 0, data: [{ unique_code: codes[2] }] });
  });
  it('counts only the codes of this group', async () => {
    const [{ group }, contact] = [await stocked(1), await newContact()];
    await newCode(fresh('CODE'), contact);
    expect(accepted(await give(group, [contact])).assigned).toBe(1);
  });
  it('assigns one code to a contact that is named twice, by its own id or a merged one', async () => {
    const [{ group }, [goes, stays]] = [await stocked(5), [await newContact(), await newContact()]];
    await home.merge(goes, stays);
    expect(accepted(await give(group, [stays, goes, stays])).assigned).toBe(1);
    expect((await holders(group)).filter((holder) => holder !== null)).toEqual([stays]);
  });
  it('assigns none if there are too few', async () => {
    const [{ group }, contacts] = [await stocked(3), await newContacts(4)];
    expect(refusal(await give(group, contacts))).toEqual(['contact_ids']);
    expect(await holders(group)).toEqual([null, null, null]);
    expect(accepted(await give(group, contacts.slice(1))).assigned).toBe(3);
  });
  it('assigns none if a contact is unknown, and names it', async () => {
    const [{ group }, contact, stranger] = [await stocked(9), await newContact(), await away.newContact()];
    expect(refusal(await give(group, [contact, unknown]))).toEqual(['contact_ids.1']);
    expect(refusal(await give(group, [stranger, contact, unknown]))).toEqual(['contact_ids.0', 'contact_ids.2']);
    expect(new Set(await holders(group))).toEqual(new Set([null]));
  });
  it('names both unknown contacts and malformed ids', async () => {
    const [{ group }, contact] = [await stocked(9), await newContact()];
    expect(refusal(await give(group, ['x', contact, unknown]))).toEqual(['contact_ids.0', 'contact_ids.2']);
  });
  it.each([undefined, null, [], {}, 'x'])('is rejected without a list of contacts: %j', async (contact_ids) => {
    const fields = refusal(await give((await stocked(1)).group, contact_ids));
    expect(fields.every((field) => /^contact_ids(\.0)?$/.test(field))).toBe(true);
  });
  it('returns the names of the contacts', async () => {
    const [{ group }, goes] = [await stocked(2), await newContact({ first_name: 'Ana', last_name: 'Silva' })];
    const stays = await newContact({ last_name: 'Costa' });
    accepted(await give(group, [goes, await newContact()]));
    expect((await all(group)).map((one) => one.contact_name)).toEqual(['Ana Silva', null]);
    await home.merge(goes, stays);
    const [one] = await all(group);
    expect([one?.contact_id, one?.contact_name]).toEqual([stays, 'Ana Costa']);
  });
  it('is a 404 for an unknown group', async () => {
    const contact = await newContact();
    for (const group of [unknown, await away.newGroup(), 'x']) expect((await give(group, [contact])).status).toBe(404);
  });
  it('concurrently, with contacts in common, assigns no contact two codes', async () => {
    const [{ group }, contacts] = [await stocked(90), await newContacts(45)];
    const calls = [contacts.slice(0, 30), contacts.slice(15).toReversed(), contacts.toReversed(), contacts];
    const answers = await Promise.all(calls.map((some) => give(group, some)));
    const counts = answers.map((answer) => accepted(answer).assigned as number);
    expect(counts.reduce((sum, count) => sum + count)).toBe(45);
    const given = (await holders(group)).filter((holder) => holder !== null);
    expect(given.toSorted((a, b) => a - b)).toEqual(contacts.toSorted((a, b) => a - b));
    for (const [place, answer] of answers.entries())
      expect(answer.body.data.map((one: Given) => one.contact_id)).toEqual(calls[place]);
  });
  it('concurrently, with too few codes, succeeds completely or not at all per request', async () => {
    const [{ group }, contacts] = [await stocked(25), await newContacts(40)];
    const calls = [0, 10, 20, 30].map((from) => contacts.slice(from, from + 10));
    const answers = await Promise.all(calls.map((some) => give(group, some)));
    for (const answer of answers) if (answer.status !== 200) expect(refusal(answer)).toEqual(['contact_ids']);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect((await holders(group)).filter((holder) => holder !== null)).toHaveLength(20);
  });
});

describe('assigning one code to each contact of a group', () => {
  const path = (group: number) => `${home.base}/unique_code_groups/${group}/assign`;
  const assignToGroup = (group: number, group_id: unknown, more = {}) =>
    admin('POST', path(group), { group_id, ...more });
  /** A group of contacts with so many in it. */
  const newMembers = async (count: number) => {
    const { id } = accepted(
      await admin('POST', `${home.base}/groups`, { unit_id: home.unit, name: fresh('group') }),
      201,
    );
    const units = [{ id: home.unit, groups: [{ id }] }];
    const members = await Promise.all(Array.from({ length: count }, () => newContact({ units })));
    return { id: id as number, members, units };
  };

  it('assigns one to each member and to no other contact, and none the second time', async () => {
    const [{ group }, { id, members }] = [await stocked(5), await newMembers(3)];
    await newContact();
    const first = accepted(await assignToGroup(group, id));
    expect([first.assigned, first.remaining]).toEqual([3, 0]);
    expect((await holders(group)).filter((one) => one !== null).sort()).toEqual(members.toSorted());
    expect(accepted(await assignToGroup(group, `${id}`))).toEqual({ assigned: 0, remaining: 0, data: [] });
  });
  it('skips members that have one, also through a merged contact', async () => {
    const [{ group, codes }, { id, members }] = [await stocked(5), await newMembers(3)];
    const [ana = 0, rui = 0, eva = 0] = members;
    const merged = await newContact();
    await assigned(group, codes[0] as string, merged);
    await home.merge(merged, ana);
    await assigned(group, codes[1] as string, rui);
    const { assigned: count, remaining, data } = accepted(await assignToGroup(group, id));
    expect([count, remaining, data.map((one: Given) => one.contact_id)]).toEqual([1, 0, [eva]]);
  });
  it('assigns 400 per request and returns how many are left', async () => {
    const [{ group }, { id, units }] = [await stocked(405), await newMembers(1)];
    for (let made = 1; made < 405; made += 101)
      await Promise.all(Array.from({ length: 101 }, () => newContact({ units })));
    const counts = [];
    for (let call = 0; call < 3; call++) {
      const { assigned, remaining } = accepted(await assignToGroup(group, id));
      counts.push([assigned, remaining]);
    }
    expect(counts).toEqual([
      [400, 5],
      [5, 0],
      [0, 0],
    ]);
  });
  it('assigns none if there are too few for all', async () => {
    const [{ group }, { id }] = [await stocked(2), await newMembers(3)];
    expect(refusal(await assignToGroup(group, id))).toEqual(['group_id']);
    expect(await holders(group)).toEqual([null, null]);
  });
  it('is rejected for an unknown group, and together with contacts', async () => {
    const { group } = await stocked(2);
    for (const id of [unknown, 'x']) expect(refusal(await assignToGroup(group, id))).toEqual(['group_id']);
    const [{ id }, contact] = [await newMembers(0), await newContact()];
    expect(refusal(await assignToGroup(group, id, { contact_ids: [contact] }))).toEqual(['group_id']);
    expect(await holders(group)).toEqual([null, null]);
  });
});
