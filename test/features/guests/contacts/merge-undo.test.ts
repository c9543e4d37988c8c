import { describe, expect, it } from 'vitest';
import { violations } from '../../../support/invariants.ts';
import { mergeSetup } from './merge-setup.ts';

const { admin, sql, group, twoHalves, joining } = await mergeSetup();

describe('undoing a merge', () => {
  it('leaves each contact its own number, even if a write used the other’s number', async () => {
    const { write, undo, mergeInto } = await group();
    const [ana, bo] = [await write({ mobile_number: '07700900001' }), await write({ mobile_number: '07700900002' })];
    const { body: merge } = await mergeInto(ana.id, bo.id);
    expect((await write({ mobile_number: '07700900002' })).id).toBe(ana.id);
    await undo(merge.id);
    expect((await write({ mobile_number: '07700900001' })).id).toBe(ana.id);
    expect((await write({ mobile_number: '07700900002' })).id).toBe(bo.id);
    expect(await violations(sql)).toEqual({});
  });
  it('restores both contacts and their activity; later activity stays with the contact it was sent for', async () => {
    const { write, read, merges, undo, email, phone, before } = await twoHalves();
    await write(joining);
    const [merge] = await merges();
    const undone = await undo(merge.id);
    expect(undone).toMatchObject({ status: 200, body: { id: merge.id, undone_by: 'admin token' } });
    expect(await read(phone)).toEqual(before.byPhone);
    expect(await read(email)).toEqual(before.byEmail);
    expect((await read(phone, '/notes')).data.map((note: { text: string }) => note.text)).toEqual(['by phone']);
    expect((await read(email, '/notes')).data.map((note: { text: string }) => note.text)).toEqual(['joined']);
    expect((await read(email, '/feedback')).total).toBe(0);
    expect(await violations(sql)).toEqual({});
  });
  it('keeps values that were written since', async () => {
    const { write, read, merges, undo, email, udf } = await twoHalves();
    await write({ ...joining, last_name: 'Souza', udfs: [{ id: udf, data: 'none' }] });
    await undo((await merges())[0].id);
    expect(await read(email)).toMatchObject({ last_name: 'Souza', udfs: [{ id: udf, data: 'none' }] });
  });
  it('is permanent: the same phone does not merge them again', async () => {
    const { write, merges, undo, read, email, phone } = await twoHalves();
    await write(joining);
    await undo((await merges())[0].id);
    expect(await write(joining)).toMatchObject({ id: email, mobile_number: '447700900001' });
    expect((await read(phone)).id).toBe(phone);
    expect(await write({ mobile_number: '07700900001' })).toMatchObject({ id: phone });
    expect(await merges()).toHaveLength(1);
  });
  it('does not restore a consent that the merge ended', async () => {
    const { write, merges, undo, read } = await group();
    await write({ mobile_number: '07700900001', allow_email: true });
    await write({ mobile_number: '07700900001', allow_email: false });
    const { id } = await write({ email: 'ana@gmail.com', allow_email: true });
    await write(joining);
    await undo((await merges())[0].id);
    expect(await read(id)).toMatchObject({ allow_email: '' });
    expect((await read(id, '/consent')).data[0]).toMatchObject({ to: true, rule: 'undo', applied: false });
    expect(await violations(sql)).toEqual({});
  });
  it('is possible once per merge, from the latest merge backwards', async () => {
    const { write, merges, undo, mergeInto, email, at } = await twoHalves();
    await write(joining);
    const other = await write({ email: 'eve@gmail.com' });
    const later = await mergeInto(other.id, email);
    const [, first] = await merges();
    expect((await undo(first.id)).body.errors).toEqual({
      merge_id: [expect.stringContaining('Undo that merge first')],
    });
    expect((await undo(later.body.id)).status).toBe(200);
    expect((await undo(later.body.id)).body.errors).toEqual({ merge_id: ['The merge has been undone already.'] });
    expect((await undo(first.id)).status).toBe(200);
    expect((await admin('POST', `${at}/merges/999999/undo`)).status).toBe(404);
  });
  it('of a chain separates the contacts that were merged earlier', async () => {
    const { write, read, mergeInto, undo, email, phone } = await twoHalves();
    await write(joining);
    const other = await write({ email: 'eve@gmail.com' });
    const { body: merge } = await mergeInto(other.id, email);
    for (const id of [email, phone]) expect((await read(id)).id).toBe(other.id);
    await undo(merge.id);
    for (const id of [email, phone]) expect((await read(id)).id).toBe(email);
    expect((await read(other.id)).id).toBe(other.id);
    expect(await violations(sql)).toEqual({});
  });
  it('happens once for concurrent requests', async () => {
    const { write, merges, undo } = await twoHalves();
    await write(joining);
    const [merge] = await merges();
    const answers = await Promise.all([undo(merge.id), undo(merge.id), undo(merge.id)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422, 422]);
  });
});

describe('a membership that both contacts sent', () => {
  it('returns to the contact it came with when the merge is undone', async () => {
    const { write, merges, undo, id } = await group();
    await write({ email: 'ana@gmail.com' });
    const half = await write({ mobile_number: '07700900001', membership_number: 'M1' });
    await write({ ...joining, membership_number: 'M1' });
    const owner = async () =>
      (await sql`select contact_id from identities where account_id = ${id} and kind = 'membership'`)[0]?.contact_id;
    await undo((await merges())[0].id);
    expect(await owner()).toBe(half.id);
    // Otherwise it moves to the contact that was last sent with it.
    const other = await write({ email: 'rui@gmail.com', membership_number: 'M1' });
    expect(await owner()).toBe(other.id);
  });
});
