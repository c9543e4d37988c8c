import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';

const { call, admin, account } = await testApp({ PUBLIC_URL: 'https://guests.example.com/' });

describe('GET /v1/account/units', () => {
  it('lists the root unit first, then the others by id, and no deleted ones', async () => {
    const group = await account('Harbour');
    const anchor = (await admin('POST', `/accounts/${group.id}/units`, { name: 'The Anchor' })).body;
    const closed = (await admin('POST', `/accounts/${group.id}/units`, { name: 'Closed' })).body;
    const crown = (await admin('POST', `/accounts/${group.id}/units`, { name: 'The Crown' })).body;
    await admin('DELETE', `/accounts/${group.id}/units/${closed.id}`);

    const { status, body } = await call('GET', '/v1/account/units', { token: group.token });
    expect(status).toBe(200);
    expect(body).toEqual({
      current_page: 1,
      data: [
        { id: group.root_unit_id, name: 'Harbour', is_root: true },
        { id: anchor.id, name: 'The Anchor', is_root: false },
        { id: crown.id, name: 'The Crown', is_root: false },
      ],
      first_page_url: 'https://guests.example.com/v1/account/units?page=1',
      from: 1,
      last_page: 1,
      last_page_url: 'https://guests.example.com/v1/account/units?page=1',
      next_page_url: null,
      path: 'https://guests.example.com/v1/account/units',
      per_page: 100,
      prev_page_url: null,
      to: 3,
      total: 3,
    });
  });

  it('adds deleted units, and folders with their groups, with groups=true', async () => {
    const group = await account();
    const { body: unit } = await admin('POST', `/accounts/${group.id}/units`, { name: 'The Anchor' });
    const { body: news } = await admin('POST', `/accounts/${group.id}/groups`, {
      unit_id: unit.id,
      name: 'Newsletter',
    });
    const { body: vip } = await admin('POST', `/accounts/${group.id}/groups`, {
      unit_id: unit.id,
      name: 'VIP',
      folder_name: 'Loyalty',
    });
    const { body: gold } = await admin('POST', `/accounts/${group.id}/groups`, {
      unit_id: unit.id,
      name: 'Gold',
      folder_name: 'loyalty',
    });
    const { body: empty } = await admin('POST', `/accounts/${group.id}/folders`, { unit_id: unit.id, name: 'Empty' });

    for (const groups of ['true', '1']) {
      const { body } = await call('GET', '/v1/account/units', { token: group.token, query: { groups } });
      expect(body.data).toEqual([
        { id: group.root_unit_id, name: 'The Harbour Group', is_root: true, deleted: 'N', folders: [] },
        {
          id: unit.id,
          name: 'The Anchor',
          is_root: false,
          deleted: 'N',
          folders: [
            { id: news.folder_id, name: 'default', groups: [{ id: news.id, name: 'Newsletter' }] },
            {
              id: vip.folder_id,
              name: 'Loyalty',
              groups: [
                { id: vip.id, name: 'VIP' },
                { id: gold.id, name: 'Gold' },
              ],
            },
            { id: empty.id, name: 'Empty', groups: [] },
          ],
        },
      ]);
    }
    const plain = await call('GET', '/v1/account/units', { token: group.token, query: { groups: 'false' } });
    expect(plain.body.data[0]).toEqual({ id: group.root_unit_id, name: 'The Harbour Group', is_root: true });
  });

  it('has pages of 100, and keeps the other query parameters in the page URLs', async () => {
    const group = await account();
    for (let n = 1; n <= 150; n++) await admin('POST', `/accounts/${group.id}/units`, { name: `Venue ${n}` });
    const address = 'https://guests.example.com/v1/account/units?groups=true&page=';

    const first = (await call('GET', '/v1/account/units', { token: group.token, query: { groups: 'true' } })).body;
    expect(first).toMatchObject({
      current_page: 1,
      from: 1,
      to: 100,
      total: 151,
      last_page: 2,
      prev_page_url: null,
      next_page_url: `${address}2`,
    });
    expect(first.data).toHaveLength(100);

    const second = (
      await call('GET', '/v1/account/units', { token: group.token, query: { groups: 'true', page: '2' } })
    ).body;
    expect(second).toMatchObject({
      current_page: 2,
      from: 101,
      to: 151,
      next_page_url: null,
      prev_page_url: `${address}1`,
      last_page_url: `${address}2`,
    });
    expect(second.data.map((unit: { name: string }) => unit.name)).toEqual(
      Array.from({ length: 51 }, (_, n) => `Venue ${100 + n}`),
    );

    const beyond = (await call('GET', '/v1/account/units', { token: group.token, query: { page: '3' } })).body;
    expect(beyond).toMatchObject({ current_page: 3, data: [], from: null, to: null, total: 151, next_page_url: null });
    const far = (await call('GET', '/v1/account/units', { token: group.token, query: { page: '9'.repeat(40) } })).body;
    expect(far).toMatchObject({ data: [], from: null, to: null });
  });

  it('keeps a question mark inside a parameter', async () => {
    const group = await account();
    const { body } = await call('GET', '/v1/account/units?x=a?b&groups=true', { token: group.token });
    expect(body.first_page_url).toBe('https://guests.example.com/v1/account/units?x=a%3Fb&groups=true&page=1');
    expect(body.data[0]).toHaveProperty('folders');
  });

  it.each(['0', '-1', 'two', '1.5', ''])('treats page=%s as the first page', async (page) => {
    const group = await account();
    const { body } = await call('GET', '/v1/account/units', { token: group.token, query: { page } });
    expect(body).toMatchObject({ current_page: 1, total: 1 });
  });

  it('rejects a groups value that is neither true nor false', async () => {
    const group = await account();
    const { status, body } = await call('GET', '/v1/account/units', {
      token: group.token,
      query: { groups: 'banana' },
    });
    expect(status).toBe(422);
    expect(body.errors).toEqual({ groups: ['The groups field must be true or false.'] });
  });
});

describe('units in the admin API', () => {
  it('can be created, read, listed, renamed and deleted', async () => {
    const { id } = await account();
    const created = await admin('POST', `/accounts/${id}/units`, { name: '  The Anchor ' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ id: expect.any(Number), name: 'The Anchor', is_root: false });
    const path = `/accounts/${id}/units/${created.body.id}`;
    expect((await admin('PATCH', path, { name: 'The New Anchor' })).body.name).toBe('The New Anchor');
    expect((await admin('GET', path)).body.name).toBe('The New Anchor');
    expect((await admin('GET', `/accounts/${id}/units`)).body.total).toBe(2);
    expect((await admin('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect((await admin(method, path, method === 'PATCH' ? { name: 'x' } : undefined)).status, method).toBe(404);
    }
    expect((await admin('GET', `/accounts/${id}/units`)).body.total).toBe(1);
  });

  it('cannot be deleted if they are the root unit', async () => {
    const { id, root_unit_id } = await account();
    const { status, body } = await admin('DELETE', `/accounts/${id}/units/${root_unit_id}`);
    expect(status).toBe(422);
    expect(body.errors.unit_id).toHaveLength(1);
    expect((await admin('GET', `/accounts/${id}/units/${root_unit_id}`)).body.is_root).toBe(true);
  });

  it('require a name', async () => {
    const { id } = await account();
    for (const body of [{}, { name: '' }, { name: '   ' }, { name: null }]) {
      const answer = await admin('POST', `/accounts/${id}/units`, body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toEqual({ name: ['The name field is required.'] });
    }
    expect((await admin('POST', `/accounts/${id}/units`, { name: 'x'.repeat(256) })).status).toBe(422);
    expect((await admin('POST', `/accounts/${id}/units`, { name: '🍺'.repeat(255) })).status).toBe(201);
  });

  it('of another account are a 404', async () => {
    const [ours, theirs] = [await account(), await account()];
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const path = `/accounts/${ours.id}/units/${theirs.root_unit_id}`;
      expect((await admin(method, path, method === 'PATCH' ? { name: 'x' } : undefined)).status, method).toBe(404);
    }
    expect((await admin('GET', `/accounts/${theirs.id}/units/${theirs.root_unit_id}`)).body.name).toBe(
      'The Harbour Group',
    );
  });
});
