import { describe, expect, it } from 'vitest';
import { violations } from '../../../support/invariants.ts';
import { mergeSetup } from './merge-setup.ts';

const { sql, group } = await mergeSetup();

describe('consent on a merge', () => {
  const [ana, rui] = [{ email: 'ana@gmail.com' }, { email: 'rui@gmail.com' }];
  const [one, two] = [{ mobile_number: '07700900001' }, { mobile_number: '07700900002' }];
  const all = { allow_sms: true, allow_email: true, allow_call: true, allow_snail_mail: true };
  const flags = ({ allow_sms, allow_email, allow_call, allow_snail_mail }: Record<string, string>) =>
    Object.entries({ sms: allow_sms, email: allow_email, call: allow_call, snail_mail: allow_snail_mail })
      .filter(([, given]) => given === '1')
      .map(([channel]) => channel);
  async function flagsOf({ read }: Awaited<ReturnType<typeof group>>, id: number) {
    expect(await violations(sql)).toEqual({});
    return flags(await read(id));
  }
  const latest = async ({ read }: Awaited<ReturnType<typeof group>>, id: number) =>
    (await read(id, '/consent')).data.filter((entry: { rule: string | null }) => entry.rule !== null);

  it('is transferred with the mobile in a merge by staff or by a write, and recorded in the ledger', async () => {
    const byWrite = await group();
    await byWrite.write({ ...one, ...all });
    const { id } = await byWrite.write(ana);
    expect(flags(await byWrite.write({ ...ana, ...one }))).toEqual(['sms', 'call']);
    expect(await flagsOf(byWrite, id)).toEqual(['sms', 'call']);
    const entry = {
      contact_id: id,
      from: false,
      to: true,
      rule: 'merge',
      source_id: null,
      token_id: expect.any(Number),
    };
    expect((await latest(byWrite, id)).reverse()).toMatchObject([
      { ...entry, channel: 'sms', applied: true },
      { ...entry, channel: 'email', applied: false },
      { ...entry, channel: 'call', applied: true },
      { ...entry, channel: 'snail_mail', applied: false },
    ]);

    const byStaff = await group();
    const [into, from] = [await byStaff.write(ana), await byStaff.write({ ...one, ...all })];
    await byStaff.mergeInto(into.id, from.id);
    expect(await flagsOf(byStaff, into.id)).toEqual(['sms', 'call']);
    expect((await latest(byStaff, into.id))[0]).toMatchObject({ token_id: null });
  });
  it('is transferred with the e-mail', async () => {
    const there = await group();
    const [into, from] = [await there.write(one), await there.write({ ...ana, ...all })];
    await there.mergeInto(into.id, from.id);
    expect(await flagsOf(there, into.id)).toEqual(['email']);
  });
  it('is transferred with the postal address if the survivor has none of its fields', async () => {
    for (const [own, expected] of [
      [{}, ['snail_mail']],
      [{ country: 'United Kingdom' }, []],
    ] as const) {
      const there = await group();
      const into = await there.write({ ...ana, ...one, ...own });
      const from = await there.write({
        ...rui,
        ...two,
        ...all,
        building_num_street: '12 Quay Street',
        city: 'Bristol',
      });
      await there.mergeInto(into.id, from.id);
      expect(await there.read(into.id)).toMatchObject({ building_num_street: '12 Quay Street', city: 'Bristol' });
      expect(await flagsOf(there, into.id)).toEqual(expected);
    }
  });
  it('is not transferred if the survivor keeps its own address, even an equal one', async () => {
    for (const mobile of [one, two]) {
      const there = await group();
      const [into, from] = [await there.write({ ...ana, ...one }), await there.write({ ...rui, ...mobile, ...all })];
      await there.mergeInto(into.id, from.id);
      expect(await flagsOf(there, into.id)).toEqual([]);
      expect(await latest(there, into.id)).toHaveLength(4);
    }
  });
  it('is transferred with the mobile if the merging write replaces the survivor’s mobile by it', async () => {
    const there = await group();
    const { id } = await there.write({ ...ana, ...two, allow_call: true });
    await there.write({ ...one, allow_sms: true });
    expect(flags(await there.write({ ...ana, ...one }))).toEqual(['sms', 'call']);
    expect(await flagsOf(there, id)).toEqual(['sms', 'call']);
    await there.undo((await there.merges())[0].id);
    expect(await flagsOf(there, id)).toEqual(['call']);
  });
  it('is not transferred if the matching number is not the one the consent was given for', async () => {
    const there = await group();
    const [other, earlier] = [await there.write(one), await there.write(two)];
    await there.mergeInto(other.id, earlier.id);
    await there.write({ ...one, allow_sms: true });
    const { id } = await there.write({ ...ana, mobile_number: '07700900003' });
    expect(flags(await there.write({ ...ana, ...two }))).toEqual([]);
    expect(await flagsOf(there, id)).toEqual([]);
  });
  it('is overridden by the consent in the merging write', async () => {
    const there = await group();
    await there.write({ ...one, allow_sms: true });
    const { id } = await there.write(ana);
    expect(flags(await there.write({ ...ana, ...one, allow_sms: false }))).toEqual([]);
    expect(await flagsOf(there, id)).toEqual([]);
  });
  it('is not transferred over a withdrawal by the survivor', async () => {
    const there = await group();
    const { id } = await there.write({ ...ana, allow_sms: true });
    await there.write({ ...ana, allow_sms: false });
    await there.write({ ...one, allow_sms: true, allow_call: true });
    expect(flags(await there.write({ ...ana, ...one }))).toEqual(['call']);
    expect((await latest(there, id)).at(-1)).toMatchObject({ channel: 'sms', to: true, applied: false, rule: 'merge' });
  });
  it('is transferred if the merged contact gave it again after a withdrawal', async () => {
    const there = await group();
    for (const allow_sms of [true, false, true]) await there.write({ ...one, allow_sms });
    const { id } = await there.write(ana);
    await there.write({ ...ana, ...one });
    expect(await flagsOf(there, id)).toEqual(['sms']);
  });
  it('ends, or is not transferred, by the withdrawal of a contact that was merged before', async () => {
    const there = await group();
    const { id: first } = await there.write({ ...one, allow_sms: true, allow_email: true });
    await there.write({ ...one, allow_sms: false, allow_email: false });
    const { id: second } = await there.write(ana);
    await there.mergeInto(second, first);
    const { id: third } = await there.write({ ...rui, ...two, allow_email: true });
    await there.mergeInto(third, second);
    expect(await flagsOf(there, third)).toEqual([]);

    const { id: fourth } = await there.write({ email: 'eve@gmail.com' });
    await there.mergeInto(fourth, third);
    const { id: fifth } = await there.write({ mobile_number: '07700900005', allow_sms: true });
    await there.mergeInto(fourth, fifth);
    expect(await flagsOf(there, fourth)).toEqual([]);
  });
  it('is removed when the merge is undone, which does not count as a withdrawal', async () => {
    const there = await group();
    const into = await there.write(ana);
    const from = await there.write({ ...one, ...all, city: 'Bristol' });
    const before = [await there.read(into.id), await there.read(from.id)];
    const { body: merge } = await there.mergeInto(into.id, from.id);
    expect(await flagsOf(there, into.id)).toEqual(['sms', 'call', 'snail_mail']);
    await there.undo(merge.id);
    expect([await there.read(into.id), await there.read(from.id)]).toEqual(before);
    expect((await latest(there, into.id))[0]).toMatchObject({ from: true, to: false, applied: true, rule: 'undo' });
    expect(await violations(sql)).toEqual({});
    await there.mergeInto(into.id, from.id);
    expect(await flagsOf(there, into.id)).toEqual(['sms', 'call', 'snail_mail']);
  });
  it('is kept after an undo if the guest has given it since', async () => {
    const there = await group();
    const [into, from] = [await there.write(ana), await there.write({ ...one, allow_sms: true, allow_call: true })];
    const { body: merge } = await there.mergeInto(into.id, from.id);
    await there.write({ ...ana, allow_sms: false });
    await there.write({ ...ana, allow_sms: true });
    await there.undo(merge.id);
    expect(await flagsOf(there, into.id)).toEqual(['sms']);
  });
});
