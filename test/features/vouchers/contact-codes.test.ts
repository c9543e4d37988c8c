import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { fresh } from '../../support/till.ts';
import { shop } from '../../support/vouchers.ts';

const { admin, call } = await testApp();
const [home, away] = [await shop({ admin, call }), await shop({ admin, call })];
const { unit, token, newGroup, newCode, newContact, redeemed, codesOf } = home;
const look = (contact: number | string, by = token) =>
  call('GET', `/v1/contact/${contact}/unique_codes`, { token: by });

describe('a contact’s voucher codes', () => {
  it('are empty before one is assigned', async () => {
    expect(await codesOf(await newContact())).toMatchObject({ data: [], total: 0, from: null, to: null });
  });
  it('have the code, its group and its status', async () => {
    const [contact, name, unique_code] = [await newContact(), fresh('Summer'), fresh('CODE')];
    const group = await newGroup(name);
    await home.add(group, unique_code);
    const { id } = await home.assigned(group, unique_code, contact);
    expect((await codesOf(contact)).data).toEqual([
      {
        ...{
          id,
          unique_code,
          unique_code_group_id: `${group}`,
          unique_code_group_name: name,
          contact_id: `${contact}`,
        },
        ...{ unique_code_status: 'Active', redeemed_at_datetime: null },
        ...{ redeemed_at_unit_id: null, redeemed_at_unit_name: null },
      },
    ]);
  });
  it('have the time and the unit of the redemption', async () => {
    const contact = await newContact();
    const { unique_code } = await newCode(fresh('CODE'), contact);
    const [before] = (await codesOf(contact)).data;
    await redeemed({ unique_code, redemption_date: '2025-03-01 12:30:00' });
    expect((await codesOf(contact)).data).toEqual([
      {
        ...before,
        ...{ unique_code_status: 'Redeemed', redeemed_at_datetime: '2025-03-01T12:30:00.000000Z' },
        ...{ redeemed_at_unit_id: unit, redeemed_at_unit_name: 'The Anchor' },
      },
    ]);
  });
  it('include a code that was assigned after its redemption', async () => {
    const [contact, { group, unique_code }] = [await newContact(), await newCode()];
    const { redeemed_at_datetime } = await redeemed({ unique_code });
    await home.assigned(group, unique_code, contact);
    expect((await codesOf(contact)).data).toMatchObject([{ unique_code, redeemed_at_datetime }]);
  });
  it('exclude codes that were unassigned', async () => {
    const contact = await newContact();
    const { group, unique_code } = await newCode(fresh('CODE'), contact);
    expect((await home.unassign(group, unique_code)).status).toBe(200);
    expect((await codesOf(contact)).data).toEqual([]);
  });
  it('are only those of the contact', async () => {
    const [ana, rui] = [await newContact(), await newContact()];
    const [{ unique_code: hers }, { unique_code: his }] = [
      await newCode(fresh('CODE'), ana),
      await newCode(fresh('CODE'), rui),
    ];
    expect((await codesOf(ana)).data).toMatchObject([{ unique_code: hers }]);
    expect((await codesOf(rui)).data).toMatchObject([{ unique_code: his }]);
  });
  it('are found under a merged id, with the codes of both', async () => {
    const [goes, stays] = [await newContact(), await newContact()];
    const codes = [await newCode(fresh('CODE'), goes), await newCode(fresh('CODE'), stays)];
    await home.merge(goes, stays);
    const { data } = await codesOf(stays);
    expect(data.map((one: { unique_code: string }) => one.unique_code).sort()).toEqual(
      codes.map(({ unique_code }) => unique_code).sort(),
    );
    for (const one of data) expect(one.contact_id).toBe(`${stays}`);
    expect((await codesOf(goes)).data).toEqual(data);
  });
  it('are returned 100 per page, each once', async () => {
    const [contact, group] = [await newContact(), await newGroup()];
    const codes = Array.from({ length: 101 }, () => fresh('CODE'));
    await home.add(group, ...codes);
    for (const unique_code of codes) await home.assigned(group, unique_code, contact);
    const [first, second, third] = [
      await codesOf(contact),
      await codesOf(contact, { page: '2' }),
      await codesOf(contact, { page: '3' }),
    ];
    expect(first).toMatchObject({ current_page: 1, last_page: 2, per_page: 100, total: 101, from: 1, to: 100 });
    expect(first.prev_page_url).toBeNull();
    expect(first.path).toMatch(new RegExp(`/v1/contact/${contact}/unique_codes$`));
    expect(first.next_page_url).toBe(`${first.path}?page=2`);
    expect([first.data.length, second.data.length]).toEqual([100, 1]);
    expect(second).toMatchObject({ next_page_url: null, from: 101, to: 101 });
    expect(third).toMatchObject({ data: [], from: null, to: null, total: 101 });
    const listed = [...first.data, ...second.data].map((one) => one.unique_code);
    expect(listed.sort()).toEqual(codes.sort());
  });
  it('are a 404 for another account’s contact and for an unknown contact', async () => {
    const contact = await away.newContact();
    await away.newCode(fresh('CODE'), contact);
    expect((await look(contact, away.token)).body.total).toBe(1);
    for (const id of [contact, 999_999_999, 'x']) expect((await look(id)).status).toBe(404);
  });
  it('are a 422 for an inaccessible account', async () => {
    const [contact, query] = [await newContact(), { account_id: `${away.id}` }];
    const { status, body } = await call('GET', `/v1/contact/${contact}/unique_codes`, { token, query });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['account_id']]);
  });
});

describe('a contact’s voucher codes, for staff', () => {
  const listForStaff = (contact: number | string) =>
    admin('GET', `/accounts/${home.id}/contacts/${contact}/unique_codes`);

  it('have the group, the time of the assignment, and the redemption', async () => {
    const [contact, name, unique_code] = [await newContact(), fresh('Summer'), fresh('CODE')];
    const group = await newGroup(name);
    await home.add(group, unique_code);
    const { id } = await home.assigned(group, unique_code, contact);
    const { unique_code: newer } = await newCode(fresh('CODE'), contact);
    await redeemed({ unique_code, redemption_date: '2025-03-01 12:30:00' });
    const { body } = await listForStaff(contact);
    expect(body.data.map((code: { unique_code: string }) => code.unique_code)).toEqual([newer, unique_code]);
    expect(body.data[1]).toEqual({
      ...{ id, unique_code, unique_code_group_id: group, unique_code_group_name: name },
      ...{ contact_id: contact, contact_name: null },
      ...{ status: 'Redeemed', assigned_at: expect.any(String), created_at: expect.any(String) },
      ...{ redeemed_at_datetime: '2025-03-01T12:30:00.000000Z', redeemed_at_unit_id: unit },
      redeemed_at_unit_name: 'The Anchor',
    });
    expect(body.data[0]).toMatchObject({ status: 'Active', redeemed_at_unit_name: null });
  });
  it('include those of contacts merged into it', async () => {
    const [old, now] = [await newContact(), await newContact()];
    const { unique_code } = await newCode(fresh('CODE'), old);
    await home.merge(old, now);
    for (const id of [old, now]) {
      expect((await listForStaff(id)).body.data).toMatchObject([{ unique_code, contact_id: now }]);
    }
  });
  it('are a 404 for another account’s contact and for an unknown contact', async () => {
    for (const id of [await away.newContact(), 999_999_999, 'x']) expect((await listForStaff(id)).status).toBe(404);
  });
});
