import { describe, expect, it } from 'vitest';
import { ale, asLine, lines, purchaseSetup } from './on-contacts-setup.ts';

const setup = await purchaseSetup();
const { account, admin, call, accountId, token, root, anchor, bell } = setup;
const { write, written, buy, page, bought, only, references } = setup;
const { newEmail, newReference } = setup;

describe('a purchase that is sent again', () => {
  const known = () => ({ transaction_reference: newReference(), unit_id: anchor, provider_id: 12 });
  it('replaces its lines, time and type and is stored once', async () => {
    const email = newEmail();
    const key = known();
    const { id } = await buy([{ ...key, created_at: '2026-03-01 20:00:00', items: [ale, ale] }], email);
    const first = await only(id);
    const crisps = { description: 'Crisps', sku: 'CR', quantity: 1, value: 1 };
    await buy([{ ...key, created_at: '2026-03-01 21:00:00', order_type_id: 2, items: [crisps] }], email);
    const again = await only(id);
    expect(lines(again)).toEqual([{ ...crisps, quantity: '1', value: '1.00', tags: [] }]);
    expect(again).toMatchObject({ id: first.id, transaction_date: '2026-03-01 21:00:00', order_type_id: 2 });
  });
  it('keeps the fields that are not sent', async () => {
    const email = newEmail();
    const key = known();
    const { id } = await buy([{ ...key, created_at: '2026-03-01 20:00:00', order_type_id: 5, items: [ale] }], email);
    const first = await only(id);
    await buy([key], email);
    expect(await only(id)).toEqual(first);
    await buy([{ ...key, created_at: null, order_type_id: '', items: null }], email);
    expect(await only(id)).toEqual(first);
  });
  it('is another purchase if the provider, the unit or the reference differs', async () => {
    const key = known();
    const others = [
      { ...key, provider_id: 13 },
      { ...key, provider_id: undefined },
      { ...key, unit_id: bell },
      { ...key, unit_id: undefined },
      { ...key, transaction_reference: `${key.transaction_reference}a` },
    ];
    const { id } = await buy([key, ...others]);
    const all = await bought(id);
    expect(all).toHaveLength(6);
    expect(new Set(all.map((one: { id: number }) => one.id)).size).toBe(6);
  });
  it.each([{}, { provider_id: 12 }, { unit_id: 0 }])(
    'is the same purchase without a provider or a unit: %j',
    async (key) => {
      const email = newEmail();
      const at = 'unit_id' in key ? { unit_id: anchor } : key;
      const sent = { transaction_reference: newReference(), ...at, items: [ale] };
      const { id } = await buy([sent], email);
      await buy([sent], email);
      expect(lines(await only(id))).toEqual([asLine]);
    },
  );
  it('at the root unit is the same purchase with or without the unit', async () => {
    const email = newEmail();
    const { unit_id, ...key } = known();
    const { id } = await buy([{ ...key, items: [ale] }], email);
    await buy([{ ...key, unit_id: root, items: [ale] }], email);
    expect((await only(id)).unit_id).toBe(root);
  });
  it('is stored once if a request contains it twice; the last one wins', async () => {
    const key = known();
    const { id } = await buy([
      { ...key, items: [ale, ale] },
      { ...key, items: [ale] },
    ]);
    expect(lines(await only(id))).toEqual([asLine]);
  });
  it('is stored once if many requests send it at the same time', async () => {
    const [key, email] = [known(), newEmail()];
    const all = await Promise.all(Array.from({ length: 20 }, () => buy([{ ...key, items: [ale] }], email)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(lines(await only(all[0].id))).toEqual([asLine]);
  });
  it('moves to another contact if it is sent with that contact', async () => {
    const key = known();
    const { id: first } = await buy([{ ...key, items: [ale] }]);
    const { id: before } = await only(first);
    const { id: second } = await buy([{ ...key, items: [{ ...ale, quantity: 3 }] }]);
    expect(await bought(first)).toEqual([]);
    expect(await only(second)).toMatchObject({
      id: before,
      contact_id: second,
      transaction_lines: [{ quantity: '3' }],
    });
  });
  it('is another purchase in another account; the first is unchanged', async () => {
    const there = await account('Elsewhere');
    const key = { transaction_reference: newReference(), provider_id: 12 };
    const email = newEmail();
    const { id } = await buy([{ ...key, items: [ale] }], email);
    const { id: other } = await written({ email, purchases: [{ ...key, items: [] }] }, there.token);
    expect((await only(other, there.token)).transaction_lines).toEqual([]);
    expect(lines(await only(id))).toEqual([asLine]);
  });
});

describe('a contact’s purchases', () => {
  it('are returned newest first, 100 per page', async () => {
    const email = newEmail();
    const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString().slice(0, 10);
    const many = Array.from({ length: 201 }, (_, n) => ({
      transaction_reference: `page-${n}`,
      created_at: `${day(n + 1)} 12:00:00`,
    }));
    const { id } = await buy(many, email);
    const at = `http://localhost:80/v1/contact/${id}/purchases`;
    const { data, ...first } = await page(id);
    expect(first).toEqual({
      ...{ current_page: 1, last_page: 3, per_page: 100, from: 1, to: 100, total: 201, path: at },
      ...{ first_page_url: `${at}?page=1`, last_page_url: `${at}?page=3` },
      ...{ next_page_url: `${at}?page=2`, prev_page_url: null },
    });
    const second = await page(id, '?page=2');
    const third = await page(id, '?page=3');
    expect([second.from, second.to, third.from, third.to, third.next_page_url]).toEqual([101, 200, 201, 201, null]);
    const seen = [...data, ...second.data, ...third.data].map((one) => one.transaction_reference);
    expect(seen).toEqual(many.map((one) => one.transaction_reference).reverse());
    expect(await page(id, '?page=4')).toMatchObject({ data: [], from: null, to: null, total: 201, current_page: 4 });
  });
  it('are returned by the URL in the contact object, also if there are none', async () => {
    const { id, purchases } = await written({ email: newEmail() });
    expect(purchases).toBe(`http://localhost:80/v1/contact/${id}/purchases`);
    const { body } = await call('GET', new URL(purchases).pathname, { token });
    expect(body).toMatchObject({ data: [], total: 0, from: null, to: null, last_page: 1 });
  });
  it('do not change if a contact object is sent back unchanged', async () => {
    const contact = await buy([{ transaction_reference: newReference(), items: [ale] }]);
    expect(await written(contact)).toEqual(contact);
    expect(lines(await only(contact.id))).toEqual([asLine]);
  });
  it('are found under either id after a merge, including later ones', async () => {
    const email = newEmail();
    const [byEmail, byPhone, later] = [newReference(), newReference(), newReference()];
    const at = (n: number, transaction_reference: string) => ({
      transaction_reference,
      created_at: `2026-03-0${n} 12:00`,
    });
    const { id } = await buy([at(1, byEmail)], email);
    const phone = { mobile_number: '07700900100' };
    const { id: merged } = await written({ ...phone, purchases: [at(2, byPhone)] });
    await written({ email, ...phone, purchases: [at(3, later)] });
    for (const either of [id, merged]) expect(await references(either)).toEqual([later, byPhone, byEmail]);
    expect((await bought(merged)).map((one: { contact_id: number }) => one.contact_id)).toEqual([id, id, id]);
    await buy([{ ...at(4, byPhone), items: [ale] }], email);
    expect(await references(id)).toEqual([byPhone, later, byEmail]);
  });
  it('are separated again when the merge is undone', async () => {
    const email = newEmail();
    const [byEmail, byPhone, later] = [newReference(), newReference(), newReference()];
    const { id } = await buy([{ transaction_reference: byEmail }], email);
    const phone = { mobile_number: '07700900101' };
    const { id: merged } = await written({ ...phone, purchases: [{ transaction_reference: byPhone }] });
    await written({ email, ...phone, purchases: [{ transaction_reference: later }] });
    const [merge] = (await admin('GET', `/accounts/${accountId}/merges`)).body.data;
    expect((await admin('POST', `/accounts/${accountId}/merges/${merge.id}/undo`)).status).toBeLessThan(300);
    expect((await references(id)).sort()).toEqual([byEmail, later].sort());
    expect(await references(merged)).toEqual([byPhone]);
  });
  it('are deleted when the contact is erased; sent again, they are new', async () => {
    const key = { transaction_reference: newReference(), provider_id: 12 };
    const { id } = await buy([{ ...key, order_type_id: 4, items: [ale] }]);
    const { id: first } = await only(id);
    expect((await admin('DELETE', `/accounts/${accountId}/contacts/${id}`)).status).toBe(204);
    expect((await call('GET', `/v1/contact/${id}/purchases`, { token })).status).toBe(404);
    const again = await only((await buy([key])).id);
    expect([again.order_type_id, again.transaction_lines]).toEqual([1, []]);
    expect(again.id).not.toBe(first);
  });
  it('are stored with update_only if the contact exists, and rejected otherwise', async () => {
    const rules = [{ rule_name: 'update_only' }];
    const email = newEmail();
    const sent = { transaction_reference: newReference(), items: [ale] };
    const { status, body } = await write({ email, purchases: [sent], rules });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['email']]);
    const { id } = await written({ email });
    expect(await bought(id)).toEqual([]);
    await written({ email, purchases: [sent], rules });
    expect(lines(await only(id))).toEqual([asLine]);
  });
  it('of another account’s contact or an unknown contact are a 404', async () => {
    const there = await account('Not ours');
    const { id } = await buy([{ transaction_reference: newReference() }]);
    for (const [by, contact] of [
      [there.token, id],
      [token, 999_999],
    ]) {
      const { status, body } = await call('GET', `/v1/contact/${contact}/purchases`, { token: `${by}` });
      expect([status, body]).toEqual([404, { errors: [{ message: expect.any(String) }] }]);
    }
    const query = { account_id: String(there.id) };
    const { status, body } = await call('GET', `/v1/contact/${id}/purchases`, { token, query });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['account_id']]);
  });
});
