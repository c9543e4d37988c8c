import { expect } from 'vitest';
import { type Answer, adminToken, type TestApp } from './app.ts';
import { fresh } from './till.ts';

type Caller = Pick<TestApp, 'admin' | 'call'>;
export type Shop = Awaited<ReturnType<typeof shop>>;

/** The fields that a refusal names. */
export const refusal = ({ status, body }: Answer): string[] => {
  expect(status, JSON.stringify(body)).toBe(422);
  return Object.keys(body.errors).sort();
};

/** The body of a successful response. */
export const accepted = ({ status, body }: Answer, expected = 200) => {
  expect(status, JSON.stringify(body)).toBe(expected);
  return body;
};

/** An account with the requests that the tests of vouchers send. */
export async function shop(through: Caller, time_zone = 'UTC') {
  const { admin, call } = through;
  const account = accepted(await admin('POST', '/accounts', { name: fresh('account'), time_zone }), 201);
  const id = account.id as number;
  const base = `/accounts/${id}`;
  const { token } = (await admin('POST', `${base}/tokens`, { name: 'test' })).body as { token: string };

  const newUnit = async (name: string): Promise<number> =>
    accepted(await admin('POST', `${base}/units`, { name }), 201).id;
  const removeUnit = async (unit: number) => {
    accepted(await admin('DELETE', `${base}/units/${unit}`), 204);
    return unit;
  };
  const unit = await newUnit('The Anchor');

  const createGroup = (body: object, by = token) => call('POST', '/v1/unique_code/group', { token: by, body });
  const newGroup = async (name = fresh('group'), unit_id: number = account.root_unit_id): Promise<number> =>
    accepted(await createGroup({ account_id: id, unit_id, name })).id;
  const groups = async (): Promise<{ id: number; unit_id: number; name: string }[]> =>
    accepted(await admin('GET', `${base}/unique_code_groups`)).data;

  const make = (group: number | string, body: object) =>
    admin('POST', `${base}/unique_code_groups/${group}/codes`, body);
  const add = async (group: number, ...codes: unknown[]): Promise<number> =>
    accepted(await make(group, { codes }), 201).created;
  /** A code in a group of its own. */
  const newCode = async (unique_code = fresh('CODE'), contact_id?: number) => {
    const group = await newGroup();
    await add(group, unique_code);
    if (contact_id !== undefined) await assigned(group, unique_code, contact_id);
    return { group, unique_code };
  };
  const list = (group: number | string, query = '') =>
    admin('GET', `${base}/unique_code_groups/${group}/codes${query}`);
  const total = async (group: number): Promise<number> => accepted(await list(group)).total;

  const newContact = async (body: object = {}): Promise<number> => {
    const who = { account_id: id, email: `${fresh('guest')}@gmail.com`, full_contact_object: false };
    return accepted(await call('POST', '/v1/contact', { token, body: { ...who, ...body } })).id;
  };
  const newContacts = async (count: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, () => newContact()));
  /** Merges the first contact into the second. */
  const merge = async (goes: number, stays: number) =>
    accepted(await admin('POST', `${base}/contacts/${stays}/merge`, { contact_id: goes }));
  const assign = (unique_code_group_id: unknown, unique_code: unknown, contact_id: unknown) =>
    admin('POST', `${base}/unique_codes/assign`, { unique_code_group_id, unique_code, contact_id });
  const assigned = async (group: number, unique_code: string, contact_id: number) =>
    accepted(await assign(group, unique_code, contact_id));
  const unassign = (unique_code_group_id: number, unique_code: string) =>
    admin('POST', `${base}/unique_codes/unassign`, { unique_code_group_id, unique_code });
  const give = (group: number | string, contact_ids: unknown) =>
    admin('POST', `${base}/unique_code_groups/${group}/assign`, { contact_ids });

  const send = (body: object, by = through) => by.call('POST', '/v1/unique_code/redeem', { token, body });
  /** Defaults: the unit, and the current time. */
  const redeem = (body: object, by = through) => send({ account_id: id, unit_id: unit, ...body }, by);
  const redeemed = async (body: object) => accepted(await redeem(body));
  const check = (body: object) => call('GET', '/v1/unique_code', { token, body: { account_id: id, ...body } });
  const checked = async (body: object) => accepted(await check(body));
  /** `Active` or `Redeemed`. */
  const statusOf = async (body: object): Promise<string> => (await checked(body)).unique_code_status;
  const codesOf = async (contact: number, query: Record<string, string> = {}) =>
    accepted(await call('GET', `/v1/contact/${contact}/unique_codes`, { token, query }));

  return {
    ...{ id, token, base, root: account.root_unit_id as number, unit, newUnit, removeUnit },
    ...{ createGroup, newGroup, groups, make, add, newCode, list, total, assign, assigned, unassign, give },
    ...{ newContact, newContacts, merge, send, redeem, redeemed, check, checked, statusOf, codesOf },
  };
}

/** A call of staff whose answer is not one JSON object. */
export async function raw(app: TestApp['app'], method: 'GET' | 'POST', path: string, accept: string, body?: object) {
  const headers = { authorization: `Bearer ${adminToken}`, accept };
  const sent = body === undefined ? {} : { payload: body };
  return app.inject({ method, url: `/admin/v1${path}`, headers, ...sent });
}

/** The rows of a file by RFC 4180, the first with the columns' names. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (quoted === undefined && plain === '' && end === '' && row.length === 0) break;
    row.push(quoted === undefined ? (plain as string) : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
