import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';

const { admin, account } = await testApp();

describe('folders and groups', () => {
  it('are created on a unit, with the folder if it is missing', async () => {
    const { id, root_unit_id } = await account();
    const group = await admin('POST', `/accounts/${id}/groups`, { unit_id: root_unit_id, name: 'Newsletter' });
    expect(group.status).toBe(201);
    expect(group.body).toEqual({
      id: expect.any(Number),
      name: 'Newsletter',
      unit_id: root_unit_id,
      folder_id: expect.any(Number),
    });
    const folder = await admin('GET', `/accounts/${id}/folders/${group.body.folder_id}`);
    expect(folder.body).toEqual({ id: group.body.folder_id, name: 'default', unit_id: root_unit_id });
    const second = await admin('POST', `/accounts/${id}/groups`, {
      unit_id: root_unit_id,
      name: 'VIP',
      folder_name: 'Default',
    });
    expect(second.body.folder_id).toBe(group.body.folder_id);
  });

  it('are listed by unit and folder, renamed and deleted', async () => {
    const { id, root_unit_id } = await account();
    const { body: unit } = await admin('POST', `/accounts/${id}/units`, { name: 'The Anchor' });
    const { body: here } = await admin('POST', `/accounts/${id}/groups`, { unit_id: unit.id, name: 'Here' });
    const { body: there } = await admin('POST', `/accounts/${id}/groups`, { unit_id: root_unit_id, name: 'There' });
    const names = async (query: string) =>
      (await admin('GET', `/accounts/${id}/groups${query}`)).body.data.map((group: { name: string }) => group.name);
    expect(await names('')).toEqual(['Here', 'There']);
    expect(await names(`?unit_id=${unit.id}`)).toEqual(['Here']);
    expect(await names(`?folder_id=${there.folder_id}`)).toEqual(['There']);
    expect((await admin('GET', `/accounts/${id}/folders?unit_id=${unit.id}`)).body.total).toBe(1);
    expect((await admin('PATCH', `/accounts/${id}/groups/${here.id}`, { name: 'Elsewhere' })).body.name).toBe(
      'Elsewhere',
    );
    expect((await admin('PATCH', `/accounts/${id}/folders/${here.folder_id}`, { name: 'Renamed' })).body.name).toBe(
      'Renamed',
    );

    const full = await admin('DELETE', `/accounts/${id}/folders/${here.folder_id}`);
    expect([full.status, Object.keys(full.body.errors)]).toEqual([422, ['folder_id']]);
    expect((await admin('DELETE', `/accounts/${id}/groups/${here.id}`)).status).toBe(204);
    expect((await admin('DELETE', `/accounts/${id}/folders/${here.folder_id}`)).status).toBe(204);
    for (const path of [`groups/${here.id}`, `folders/${here.folder_id}`]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const answer = await admin(method, `/accounts/${id}/${path}`, method === 'PATCH' ? { name: 'x' } : undefined);
        expect(answer.status, `${method} ${path}`).toBe(404);
      }
    }
  });

  it('have unique names regardless of case, also if several are created concurrently', async () => {
    const { id, root_unit_id } = await account();
    const make = (name: string) => admin('POST', `/accounts/${id}/groups`, { unit_id: root_unit_id, name });
    const answers = await Promise.all(['VIP', 'vip', 'Vip', 'VIP'].map(make));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 422, 422, 422]);
    const { body: other } = await make('Other');
    const taken = await admin('PATCH', `/accounts/${id}/groups/${other.id}`, { name: 'viP' });
    expect([taken.status, Object.keys(taken.body.errors)]).toEqual([422, ['name']]);
    const folders = (await admin('GET', `/accounts/${id}/folders`)).body;
    expect(folders.total).toBe(1);
    expect((await admin('POST', `/accounts/${id}/folders`, { unit_id: root_unit_id, name: 'DEFAULT' })).status).toBe(
      422,
    );
  });

  it('are not created on a unit that is unknown, deleted or another account’s', async () => {
    const [ours, theirs] = [await account(), await account()];
    const { body: closed } = await admin('POST', `/accounts/${ours.id}/units`, { name: 'Closed' });
    await admin('DELETE', `/accounts/${ours.id}/units/${closed.id}`);
    for (const unit_id of [999_999, closed.id, theirs.root_unit_id]) {
      for (const kind of ['groups', 'folders']) {
        const { status, body } = await admin('POST', `/accounts/${ours.id}/${kind}`, { unit_id, name: 'x' });
        expect([status, Object.keys(body.errors)]).toEqual([422, ['unit_id']]);
      }
    }
  });
});
