import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { accountIn, partner } from '../../../support/partner.ts';

const { account, admin, call } = await testApp();
const { id: accountId, token, root_unit_id: root } = await account();
const anchor = (await admin('POST', `/accounts/${accountId}/units`, { name: 'The Anchor' })).body.id;
const there = await account('Next door');
const { newEmail, write, written, refused, discarding, pops } = partner({ call }, { id: accountId, token });
const near = (time: string) => Math.abs(Date.parse(`${time}Z`) - Date.now()) < 60_000;

describe('a wifi interaction', () => {
  const connected = {
    unit_id: anchor,
    hotspot_name: 'Anchor guest wifi',
    mac_address: '9c:4e:36:aa:01:02',
    device_type: 'phone',
    interaction_type: 'connected',
    created_at: '2026-03-01 12:30:00',
  };
  const seen = async (wifi: unknown[], day = '2026-03-01') => {
    const { id } = await written({ email: newEmail(), wifi });
    return { id, list: await pops(id, 'wifi', day) };
  };
  it('is returned with every field', async () => {
    const { id, list } = await seen([connected]);
    expect(list).toEqual([{ ...connected, id: expect.any(Number), contact_id: id, unit_name: 'The Anchor' }]);
  });
  it.each(['detected', 'connected', 'authenticated'])('can be of the type %s', async (interaction_type) => {
    expect((await seen([{ ...connected, interaction_type }])).list).toMatchObject([{ interaction_type }]);
  });
  it('requires no field; defaults are the root unit and the current time', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { id } = await written({ email: newEmail(), wifi: [{}] });
    const [one, ...more] = await pops(id, 'wifi', '2026-01-01', '2999-12-31');
    expect(more).toEqual([]);
    expect(one).toMatchObject({ unit_id: root, hotspot_name: '', mac_address: '', device_type: '', contact_id: id });
    expect([near(one.created_at), one.created_at >= today]).toEqual([true, true]);
  });
  it('is a new one every time it is sent', async () => {
    const email = newEmail();
    await written({ email, wifi: [connected, connected] });
    const { id } = await written({ email, wifi: [connected] });
    const list = await pops(id, 'wifi', '2026-03-01');
    expect(new Set(list.map((one: { id: number }) => one.id)).size).toBe(3);
  });
  it('is found on both days of the range and not outside it', async () => {
    const times = ['2026-02-28 23:59:59', '2026-03-01 00:00:00', '2026-03-02 23:59:59', '2026-03-03 00:00:00'];
    const { id } = await written({
      email: newEmail(),
      wifi: times.map((created_at) => ({ ...connected, created_at })),
    });
    const list = await pops(id, 'wifi', '2026-03-01', '2026-03-02');
    expect(list.map((one: { created_at: string }) => one.created_at).sort()).toEqual(times.slice(1, 3));
  });
  it('has its time in the account’s time zone', async () => {
    const newYork = await accountIn({ admin }, 'America/New_York');
    const wifi = [{ created_at: '2026-03-02T04:59:59Z' }];
    const { id } = await written({ email: newEmail(), wifi }, newYork.token);
    const asked = ['wifi', '2026-03-01', '2026-03-01', newYork] as const;
    expect(await pops(id, ...asked)).toMatchObject([{ created_at: '2026-03-01 23:59:59' }]);
  });
  it.each<[string, unknown]>([
    ['unit_id', 999_999],
    ['unit_id', there.root_unit_id],
    ['unit_id', 'x'],
    ['interaction_type', 'left'],
    ['created_at', '2026-02-29 12:00:00'],
    ['hotspot_name', {}],
    ['mac_address', []],
    ['device_type', true],
  ])('rejects %s %j', async (field, value) => {
    expect(await refused('wifi', connected, { ...connected, [field]: value })).toEqual([`wifi.1.${field}`]);
  });
  it('is not stored if another one is rejected', async () => {
    const email = newEmail();
    const { id } = await written({ email });
    expect((await write({ email, wifi: [connected, { ...connected, interaction_type: 'left' }] })).status).toBe(422);
    expect(await pops(id, 'wifi', '2026-03-01')).toEqual([]);
  });
  it('is found under either id after a merge', async () => {
    const email = newEmail();
    const { id } = await written({ email, wifi: [connected] });
    const phone = { mobile_number: '07700900301' };
    const merged = await written({ ...phone, wifi: [connected] });
    await written({ email, ...phone });
    for (const either of [id, merged.id]) {
      expect(await pops(either, 'wifi', '2026-03-01')).toMatchObject([{ contact_id: id }, { contact_id: id }]);
    }
  });
  it.each<[string, unknown]>([
    ['unit_id', 999_999],
    ['interaction_type', 'left'],
    ['created_at', 'x'],
  ])('with an invalid %s is skipped under discard_invalid_data; the others are stored', async (field, value) => {
    const { id, dropped } = await discarding({ wifi: [connected, { ...connected, [field]: value }, connected] });
    expect(dropped).toEqual([`wifi.1.${field}`]);
    expect(await pops(id, 'wifi', '2026-01-01', '2999-12-31')).toHaveLength(2);
  });
  it('loses only an invalid text under discard_invalid_data', async () => {
    const { id, dropped } = await discarding({ wifi: [{ ...connected, device_type: {} }] });
    expect(dropped).toEqual(['wifi.0.device_type']);
    expect(await pops(id, 'wifi', '2026-03-01')).toMatchObject([{ ...connected, device_type: '' }]);
  });
});
