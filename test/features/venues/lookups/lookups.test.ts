import { describe, expect, it } from 'vitest';
import { lookupKinds } from '../../../../src/features/venues/lookups/schema.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';

const { admin, call, account, database } = await testApp();

describe('the look-ups for partners', () => {
  it('return the ids of the interface, and those that staff added', async () => {
    const { id, token } = await account();
    const data = async (path: string) => (await call('GET', path, { token })).body.data;
    expect(await data('/v1/feedback/types')).toEqual([
      { id: 1, name: 'positive' },
      { id: 2, name: 'negative' },
      { id: 3, name: 'neutral' },
      { id: 4, name: 'unknown' },
    ]);
    const { body: category } = await admin('POST', `/accounts/${id}/feedback_categories`, { name: 'Atmosphere' });
    expect(category.id).toBeGreaterThanOrEqual(1000);
    expect(await data('/v1/feedback/categories')).toEqual([
      ...lookupKinds.feedbackCategories.builtIn,
      { id: category.id, name: 'Atmosphere' },
    ]);
    const { body: source } = await admin('POST', `/accounts/${id}/booking_sources`, { name: 'Concierge' });
    expect(await data('/v1/booking/sources')).toEqual([
      { id: 1, name: 'website' },
      { id: 9, name: 'in house' },
      { id: 10, name: 'third party' },
      { id: source.id, name: 'Concierge' },
    ]);
  });

  it('require a token, and are separate per account', async () => {
    const [ours, theirs] = [await account(), await account()];
    await admin('POST', `/accounts/${theirs.id}/feedback_categories`, { name: 'Theirs' });
    expect((await call('GET', '/v1/feedback/categories')).status).toBe(401);
    expect((await call('GET', '/v1/feedback/categories', { token: ours.token })).body.data).toHaveLength(4);
    expect(
      (await call('GET', '/v1/feedback/types', { token: ours.token, query: { account_id: String(theirs.id) } })).status,
    ).toBe(422);
  });
});

describe.each(Object.values(lookupKinds))('$plural', (kind) => {
  const collection = (id: number) => `/accounts/${id}/${kind.table}`;

  it('can be created, read, listed, renamed and deleted', async () => {
    const { id } = await account();
    const created = await admin('POST', collection(id), kind.example);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ id: expect.any(Number), ...kind.example });
    const path = `${collection(id)}/${created.body.id}`;
    expect((await admin('PATCH', path, { name: 'Renamed' })).body).toEqual({ ...created.body, name: 'Renamed' });
    expect((await admin('GET', path)).body.name).toBe('Renamed');
    expect((await admin('GET', collection(id))).body.data).toEqual([
      ...kind.builtIn,
      { ...created.body, name: 'Renamed' },
    ]);
    expect((await admin('DELETE', path)).status).toBe(204);
    expect((await admin('GET', path)).status).toBe(404);
    expect((await admin('DELETE', path)).status).toBe(404);
  });

  it('have unique names, regardless of case', async () => {
    const [ours, theirs] = [await account(), await account()];
    const { body: first } = await admin('POST', collection(ours.id), { ...kind.example, name: 'One' });
    const again = await admin('POST', collection(ours.id), { ...kind.example, name: 'ONE' });
    expect([again.status, Object.keys(again.body.errors)]).toEqual([422, ['name']]);
    const { body: second } = await admin('POST', collection(ours.id), { ...kind.example, name: 'Two' });
    expect((await admin('PATCH', `${collection(ours.id)}/${second.id}`, { name: 'one' })).status).toBe(422);
    expect((await admin('PATCH', `${collection(ours.id)}/${first.id}`, { name: 'one' })).status).toBe(200);
    expect((await admin('POST', collection(theirs.id), { ...kind.example, name: 'One' })).status).toBe(201);
  });

  it('are separate per account', async () => {
    const [ours, theirs] = [await account(), await account()];
    const { body } = await admin('POST', collection(theirs.id), kind.example);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const path = `${collection(ours.id)}/${body.id}`;
      expect((await admin(method, path, method === 'PATCH' ? { name: 'x' } : undefined)).status).toBe(404);
    }
  });
});

describe('built-in entries', () => {
  it.each(['feedback_categories/4', 'booking_sources/9'])('cannot be changed by staff: %s', async (path) => {
    const { id } = await account();
    expect((await admin('PATCH', `/accounts/${id}/${path}`, { name: 'x' })).status).toBe(422);
    expect((await admin('DELETE', `/accounts/${id}/${path}`)).status).toBe(422);
    expect((await admin('GET', `/accounts/${id}/${path}`)).status).toBe(200);
  });
});

describe('limits', () => {
  it('bound a list that is returned as a whole', async () => {
    const { id } = await account();
    const sql = await superuser(database);
    await sql`insert into feedback_categories (account_id, name) select ${id}, 'c' || n from generate_series(5, 1000) n`;
    const { status, body } = await admin('POST', `/accounts/${id}/feedback_categories`, { name: 'one too many' });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['name']]);
  });
  it('allow user-defined fields of type text or date', async () => {
    const { id } = await account();
    const { body } = await admin('POST', `/accounts/${id}/udfs`, { name: 'x', type: 'number' });
    expect(body.errors).toEqual({ type: ['The type must be text or date.'] });
    expect((await admin('POST', `/accounts/${id}/udfs`, { name: 'x' })).body.errors).toEqual({
      type: ['The type field is required.'],
    });
    expect((await admin('POST', `/accounts/${id}/udfs`, { name: 'Anniversary', type: 'date' })).body.type).toBe('date');
  });
});
