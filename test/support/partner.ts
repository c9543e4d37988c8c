import { expect } from 'vitest';
import type { TestApp } from './app.ts';

const discard = { rules: [{ rule_name: 'discard_invalid_data' }] };

/** Requests as a partner of one account. */
export function partner({ call }: Pick<TestApp, 'call'>, { id: accountId, token }: { id: number; token: string }) {
  let numbers = 0;
  const next = (prefix: string) => `${prefix}${++numbers}`;
  const newEmail = () => `${next('guest')}@gmail.com`;
  const write = (body: object, by = token) => call('POST', '/v1/contact', { token: by, body });
  const written = async (body: object, by = token) => {
    const answer = await write(body, by);
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body;
  };
  /** Expects a 422 for these elements and that nothing is stored. Returns the named fields. */
  const refused = async (list: string, ...sent: unknown[]) => {
    const email = newEmail();
    const { status, body, headers } = await write({ email, [list]: sent });
    expect([status, headers['discarded-fields']], JSON.stringify(body)).toEqual([422, undefined]);
    const query = { account_id: `${accountId}`, email };
    expect((await call('GET', '/v1/contacts', { token, query })).status).toBe(404);
    return Object.keys(body.errors).sort();
  };
  const discarding = async (sent: object) => {
    const { status, body, headers } = await write({ email: newEmail(), ...sent, ...discard });
    expect(status).toBe(200);
    const dropped = String(headers['discarded-fields'] ?? '').split(', ');
    return { id: body.id as number, dropped: dropped.filter((field) => field !== '').sort() };
  };
  const pops = async (
    contact_id: number,
    type: string,
    start_date: string,
    end_date = start_date,
    by = { accountId, token },
  ) => {
    const asked = { account_id: by.accountId, contact_id, start_date, end_date, types: [type] };
    const { status, body } = await call('GET', '/v1/pop/by_date', { token: by.token, body: asked });
    expect([status, Object.keys(body)]).toEqual([200, [type]]);
    return body[type].data;
  };
  return { next, newEmail, discard, write, written, refused, discarding, pops };
}

/** An account in another time zone. */
export async function accountIn({ admin }: Pick<TestApp, 'admin'>, time_zone: string) {
  const { body } = await admin('POST', '/accounts', { name: time_zone, time_zone });
  const { body: made } = await admin('POST', `/accounts/${body.id}/tokens`, { name: 'test' });
  return { accountId: body.id as number, token: made.token as string };
}
