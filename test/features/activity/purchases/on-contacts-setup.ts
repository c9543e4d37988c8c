import { expect } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { partner } from '../../../support/partner.ts';

/** The lines of a purchase without their ids. */
export const lines = ({ transaction_lines }: { transaction_lines: { id: number }[] }) =>
  transaction_lines.map(({ id, ...line }) => line);
export const ale = { description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5, tags: ['drinks', 'draught'] };
/** The line of `ale` in a response. */
export const asLine = {
  description: 'Pale ale',
  sku: 'ALE-1',
  quantity: '2',
  value: '11.50',
  tags: ['drinks', 'draught'],
};

/**
 * An account with two units, and the requests and values that the tests of purchases on contacts use.
 * Test files share the module (`isolate: false`), so each file calls this for an account of its own.
 */
export async function purchaseSetup() {
  const { account, admin, call } = await testApp();
  const { id: accountId, token, root_unit_id: root } = await account();
  const newUnit = async (name: string) => (await admin('POST', `/accounts/${accountId}/units`, { name })).body.id;
  const [anchor, bell] = [await newUnit('The Anchor'), await newUnit('The Bell')];

  const { next, newEmail, discard, write, written } = partner({ call }, { id: accountId, token });
  const newReference = () => next('T-');
  const buy = (purchases: unknown, email = newEmail()) => written({ email, purchases });
  const refused = async (purchases: unknown, besides: object = {}) => {
    const email = newEmail();
    const { status, body, headers } = await write({ email, purchases, ...besides });
    expect([status, headers['discarded-fields']]).toEqual([422, undefined]);
    expect((await call('GET', '/v1/contacts', { token, query: { account_id: `${accountId}`, email } })).status).toBe(
      404,
    );
    return Object.keys(body.errors).sort();
  };
  const page = async (id: number, query = '', by = token) =>
    (await call('GET', `/v1/contact/${id}/purchases${query}`, { token: by })).body;
  const bought = async (id: number, by = token) => (await page(id, '', by)).data;
  const only = async (id: number, by = token) => {
    const list = await bought(id, by);
    expect(list).toHaveLength(1);
    return list[0];
  };
  const references = async (id: number) =>
    (await bought(id)).map((one: { transaction_reference: string }) => one.transaction_reference);

  return {
    account,
    admin,
    call,
    accountId,
    token,
    root,
    newUnit,
    anchor,
    bell,
    newEmail,
    discard,
    write,
    written,
    newReference,
    buy,
    refused,
    page,
    bought,
    only,
    references,
  };
}
