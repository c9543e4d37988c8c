import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/platform/http/params.ts';
import { adminToken, testApp } from '../../support/app.ts';

const { call, admin, account, app } = await testApp();
const units = '/v1/account/units';
const ours = await account('Ours');
const theirs = await account('Theirs');
const { token } = ours;
const unauthorized = { errors: [{ message: 'Unauthorized' }] };

describe('authentication', () => {
  it('accepts the token as Authorization: Bearer, in any case, or as Authentication', async () => {
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { authorization: `bearer ${token}` },
      { authentication: `Bearer ${token}` },
    ]) {
      expect((await call('GET', units, { headers })).status).toBe(200);
    }
  });

  it.each([
    ['no token', {}],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Token ${token}` }],
    ['one without its scheme', { authorization: token }],
    ['a well-formed token that does not exist', { authorization: `Bearer ${token.slice(0, -4)}AAAA` }],
    ['one with another account’s number', { authorization: `Bearer ${token.replace(/pat_\d+/, `pat_${theirs.id}`)}` }],
    [
      'one with a number that no account has',
      { authorization: `Bearer ${token.replace(/pat_\d+/, 'pat_999999999999999')}` },
    ],
    ['one in the query only', {}],
  ])('rejects %s', async (_, headers) => {
    const { status, body } = await call('GET', units, { headers, query: { token } });
    expect(status).toBe(401);
    expect(body).toEqual(unauthorized);
  });

  it('is checked before everything else', async () => {
    const { status, body } = await call('GET', units, { body: 'not json' });
    expect([status, body]).toEqual([401, unauthorized]);
  });

  it('separates tokens: a partner token fails in the admin API, and the admin token here', async () => {
    expect((await call('GET', '/admin/v1/accounts', { token })).status).toBe(401);
    expect((await call('GET', units, { token: adminToken })).status).toBe(401);
    expect((await call('GET', '/admin/v1/accounts')).body).toEqual(unauthorized);
  });
});

describe('the account of a request', () => {
  it('defaults to that of the token, and can be named in the query or the body', async () => {
    for (const options of [
      {},
      { query: { account_id: String(ours.id) } },
      { body: { account_id: ours.id } },
      { body: { account_id: `${ours.id}` } },
    ]) {
      expect((await call('GET', units, { token, ...options })).body.data[0].id).toBe(ours.root_unit_id);
    }
  });

  it('gets the same error if it is inaccessible as if it does not exist', async () => {
    const answers = [];
    for (const account_id of [theirs.id, 999_999_999, 0, -1]) {
      const { status, body, headers } = await call('GET', units, { token, body: { account_id } });
      const { 'x-request-id': _id, date: _date, ...rest } = headers;
      answers.push(JSON.stringify([status, body, rest]));
    }
    expect(new Set(answers).size).toBe(1);
    expect(JSON.parse(answers[0] as string)[1]).toEqual({
      message: 'The given data was invalid.',
      errors: { account_id: ['The account id is not one that you can access.'] },
    });
  });

  it('is reported together with all other errors', async () => {
    const { body } = await call('GET', units, { token, body: { account_id: theirs.id, groups: 'x' } });
    expect(Object.keys(body.errors).sort()).toEqual(['account_id', 'groups']);
    const malformed = await call('GET', units, { token, body: { account_id: 'x' } });
    expect(malformed.body.errors).toEqual({ account_id: ['The account id must be an integer.'] });
  });
});

describe('parameters', () => {
  it('are read from the query or a JSON body on GET; the query takes precedence', async () => {
    const folders = (answer: { body: { data: object[] } }) => 'folders' in (answer.body.data[0] as object);
    expect(folders(await call('GET', units, { token, query: { groups: 'true' } }))).toBe(true);
    expect(folders(await call('GET', units, { token, body: { groups: true } }))).toBe(true);
    expect(folders(await call('GET', units, { token, body: { groups: true }, query: { groups: 'false' } }))).toBe(
      false,
    );
    expect(
      folders(await call('GET', units, { token, body: '', headers: { 'content-type': 'application/json' } })),
    ).toBe(false);
  });

  it('can be lists in three notations in a query', () => {
    for (const query of ['types[]=a&types[]=b', 'types=a&types=b', 'types[0]=a&types[1]=b']) {
      expect({ ...parseQuery(query) }).toEqual({ types: ['a', 'b'] });
    }
    expect({ ...parseQuery('types=a,b&groups=true&x=%E0%A4%A') }).toEqual({
      types: 'a,b',
      groups: 'true',
      x: expect.any(String),
    });
  });

  it('can be sent with other JSON content types, and with a byte-order mark', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/vnd.till+json', 'text/json']) {
      const answer = await call('GET', units, {
        token,
        body: '\uFEFF{"groups":true}',
        headers: { 'content-type': type },
      });
      expect(answer.body.data[0]).toHaveProperty('folders');
    }
  });

  it('must be valid UTF-8: text that would be stored altered is rejected', async () => {
    const latin1 = Buffer.from('{"name":"café"}', 'latin1');
    const send = (headers: Record<string, string>, payload = latin1) =>
      app.inject({
        method: 'POST',
        url: `/admin/v1/accounts/${ours.id}/sources`,
        headers: { authorization: `Bearer ${adminToken}`, ...headers },
        payload,
      });
    const before = (await admin('GET', `/accounts/${ours.id}/sources`)).body.total;
    for (const [headers, status, message] of [
      [{ 'content-type': 'application/json' }, 400, 'The body is not valid UTF-8.'],
      [{ 'content-type': 'application/json; charset=latin1' }, 415, 'The body must be in UTF-8, not in latin1.'],
      [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 415, 'The body must not be compressed.'],
    ] as const) {
      const answer = await send(headers);
      expect([answer.statusCode, answer.json()]).toEqual([status, { errors: [{ message }] }]);
    }
    expect((await admin('GET', `/accounts/${ours.id}/sources`)).body.total).toBe(before);
    const good = await send({ 'content-type': 'application/json; charset="UTF-8"' }, Buffer.from('{"name":"café"}'));
    expect(good.json()).toMatchObject({ name: 'café' });
  });

  it('can be sent without a content type', async () => {
    const response = await app.inject({
      method: 'GET',
      url: units,
      headers: { authorization: `Bearer ${token}` },
      payload: '{"groups":true}',
    });
    expect(response.json().data[0]).toHaveProperty('folders');
  });
});
