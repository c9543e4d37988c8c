import { describe, expect, it } from 'vitest';
import { finishDeletion } from '../../../../src/features/access/accounts/delete.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { broken } from '../../../support/invariants.ts';

const { account, admin, call, database, db } = await testApp();
const behind = await superuser(database);

async function group() {
  const { id, token, root_unit_id } = await account();
  const at = `/accounts/${id}`;
  const { body: unit } = await admin('POST', `${at}/units`, { name: 'The Anchor' });
  const { body: udf } = await admin('POST', `${at}/udfs`, { name: 'Allergies', type: 'text' });
  const write = async (body: object) => (await call('POST', '/v1/contact', { token, body })).body;
  const read = async (contactId: number, path = '') =>
    (await call('GET', `/v1/contact/${contactId}${path}`, { token })).body;
  const undo = (mergeId: number) => admin('POST', `${at}/merges/${mergeId}/undo`);
  const merges = async () => (await admin('GET', `${at}/merges`)).body.data;
  const duplicates = async () => (await admin('GET', `${at}/possible_duplicates`)).body.data;
  const mergeInto = (into: number, contact_id: number) => admin('POST', `${at}/contacts/${into}/merge`, { contact_id });
  return {
    id,
    at,
    token,
    root: root_unit_id,
    unit: unit.id,
    udf: udf.id,
    write,
    read,
    undo,
    merges,
    duplicates,
    mergeInto,
  };
}

/** Somebody known by e-mail, and somebody known by phone who did a great deal. */
async function twoHalves() {
  const there = await group();
  const byEmail = await there.write({ email: 'ana@gmail.com', first_name: 'Ana', allow_email: true });
  const byPhone = await there.write({
    mobile_number: '07700900001',
    first_name: 'Anna',
    last_name: 'Silva',
    gender: '',
    allow_sms: true,
    source_name: 'Wifi',
    units: [{ id: there.unit, groups: [{ name: 'News' }] }],
    udfs: [{ id: there.udf, data: 'nuts' }],
    notes: [{ text: 'by phone' }],
    feedback: [{ comments: [{ note: 'fine' }] }],
  });
  const before = { byEmail: await there.read(byEmail.id), byPhone: await there.read(byPhone.id) };
  return { ...there, email: byEmail.id as number, phone: byPhone.id as number, before };
}

const joining = { email: 'ana@gmail.com', mobile_number: '07700900001', notes: [{ text: 'joined' }] };

describe('an e-mail of one contact with the mobile of another that has no e-mail', () => {
  it('makes one contact of the two, which keeps its own and takes over what it lacks', async () => {
    const { write, read, email, phone, root, unit, udf } = await twoHalves();
    const joined = await write(joining);
    expect(joined).toMatchObject({
      id: email,
      first_name: 'Ana',
      last_name: 'Silva',
      mobile_number: '447700900001',
      udfs: [{ id: udf, data: 'nuts' }],
      units: [
        { id: root, groups: [] },
        { id: unit, groups: [{ name: 'News' }] },
      ],
    });
    expect(await read(email)).toEqual(joined);
    expect(await read(phone)).toEqual(joined);
  });
  it('moves everything the guest did, under either id', async () => {
    const { write, read, email, phone } = await twoHalves();
    await write(joining);
    for (const id of [email, phone]) {
      expect((await read(id, '/notes')).data.map((note: { text: string }) => note.text)).toEqual([
        'joined',
        'by phone',
      ]);
      expect((await read(id, '/feedback')).total).toBe(1);
      expect((await read(id, '/consent')).data.map((entry: { contact_id: number }) => entry.contact_id)).toEqual([
        email,
        phone,
        email,
      ]);
    }
    expect(await broken(behind)).toEqual({});
  });
  it('ends a consent that the other half had taken back', async () => {
    const { write, read } = await group();
    await write({ mobile_number: '07700900001', allow_email: true });
    await write({ mobile_number: '07700900001', allow_email: false });
    const { id } = await write({ email: 'ana@gmail.com', allow_email: true, allow_sms: true });
    expect(await write(joining)).toMatchObject({ allow_email: '', allow_sms: '1' });
    expect((await read(id, '/consent')).data[0]).toMatchObject({ to: false, applied: true, rule: 'merge' });
  });
  it('still applies the rules and values of the write that brought it about', async () => {
    const { write } = await twoHalves();
    const rules = [{ rule_name: 'detach_existing_groups' }];
    const joined = await write({ ...joining, first_name: 'Anabel', allow_sms: true, rules });
    expect(joined).toMatchObject({ first_name: 'Anabel', allow_sms: '1' });
    expect(joined.units.flatMap((unit: { groups: object[] }) => unit.groups)).toEqual([]);
  });
  it('is journalled with who and why', async () => {
    const { write, merges, email, phone } = await twoHalves();
    await write(joining);
    expect(await merges()).toEqual([
      {
        id: expect.any(Number),
        contact_id: phone,
        into_contact_id: email,
        reason: 'same_mobile',
        actor: expect.stringMatching(/^token \d+$/),
        at: expect.any(String),
        undone_at: null,
        undone_by: null,
        contact: expect.objectContaining({ email: '', mobile_number: expect.stringMatching(/^447/) }),
      },
    ]);
  });
});

describe('consent on a merge', () => {
  const [ana, rui] = [{ email: 'ana@gmail.com' }, { email: 'rui@gmail.com' }];
  const [one, two] = [{ mobile_number: '07700900001' }, { mobile_number: '07700900002' }];
  const all = { allow_sms: true, allow_email: true, allow_call: true, allow_snail_mail: true };
  const flags = ({ allow_sms, allow_email, allow_call, allow_snail_mail }: Record<string, string>) =>
    Object.entries({ sms: allow_sms, email: allow_email, call: allow_call, snail_mail: allow_snail_mail })
      .filter(([, given]) => given === '1')
      .map(([channel]) => channel);
  async function flagsOf({ read }: Awaited<ReturnType<typeof group>>, id: number) {
    expect(await broken(behind)).toEqual({});
    return flags(await read(id));
  }
  const latest = async ({ read }: Awaited<ReturnType<typeof group>>, id: number) =>
    (await read(id, '/consent')).data.filter((entry: { rule: string | null }) => entry.rule !== null);

  it('moves with the mobile in a merge by staff or by a write, and the ledger records it', async () => {
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
  it('comes along with the e-mail', async () => {
    const there = await group();
    const [into, from] = [await there.write(one), await there.write({ ...ana, ...all })];
    await there.mergeInto(into.id, from.id);
    expect(await flagsOf(there, into.id)).toEqual(['email']);
  });
  it('comes along with the postal address, if the surviving contact has none of its fields', async () => {
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
  it('stays behind where the surviving contact keeps an address of its own, the same one included', async () => {
    for (const mobile of [one, two]) {
      const there = await group();
      const [into, from] = [await there.write({ ...ana, ...one }), await there.write({ ...rui, ...mobile, ...all })];
      await there.mergeInto(into.id, from.id);
      expect(await flagsOf(there, into.id)).toEqual([]);
      expect(await latest(there, into.id)).toHaveLength(4);
    }
  });
  it('comes along with the other’s mobile where the write that merges puts it in place of the survivor’s own', async () => {
    const there = await group();
    const { id } = await there.write({ ...ana, ...two, allow_call: true });
    await there.write({ ...one, allow_sms: true });
    expect(flags(await there.write({ ...ana, ...one }))).toEqual(['sms', 'call']);
    expect(await flagsOf(there, id)).toEqual(['sms', 'call']);
    await there.undo((await there.merges())[0].id);
    expect(await flagsOf(there, id)).toEqual(['call']);
  });
  it('stays behind where the number that led to the other contact is not the one its consent is for', async () => {
    const there = await group();
    const [other, earlier] = [await there.write(one), await there.write(two)];
    await there.mergeInto(other.id, earlier.id);
    await there.write({ ...one, allow_sms: true });
    const { id } = await there.write({ ...ana, mobile_number: '07700900003' });
    expect(flags(await there.write({ ...ana, ...two }))).toEqual([]);
    expect(await flagsOf(there, id)).toEqual([]);
  });
  it('gives way to what the write that merges says itself', async () => {
    const there = await group();
    await there.write({ ...one, allow_sms: true });
    const { id } = await there.write(ana);
    expect(flags(await there.write({ ...ana, ...one, allow_sms: false }))).toEqual([]);
    expect(await flagsOf(there, id)).toEqual([]);
  });
  it('does not come along over the surviving contact’s own withdrawal', async () => {
    const there = await group();
    const { id } = await there.write({ ...ana, allow_sms: true });
    await there.write({ ...ana, allow_sms: false });
    await there.write({ ...one, allow_sms: true, allow_call: true });
    expect(flags(await there.write({ ...ana, ...one }))).toEqual(['call']);
    expect((await latest(there, id)).at(-1)).toMatchObject({ channel: 'sms', to: true, applied: false, rule: 'merge' });
  });
  it('comes along if the other contact gave it again after a withdrawal', async () => {
    const there = await group();
    for (const allow_sms of [true, false, true]) await there.write({ ...one, allow_sms });
    const { id } = await there.write(ana);
    await there.write({ ...ana, ...one });
    expect(await flagsOf(there, id)).toEqual(['sms']);
  });
  it('ends, or does not come along, by the withdrawal of a contact that was merged before', async () => {
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
  it('is taken back when the merge is undone, which is no withdrawal', async () => {
    const there = await group();
    const into = await there.write(ana);
    const from = await there.write({ ...one, ...all, city: 'Bristol' });
    const before = [await there.read(into.id), await there.read(from.id)];
    const { body: merge } = await there.mergeInto(into.id, from.id);
    expect(await flagsOf(there, into.id)).toEqual(['sms', 'call', 'snail_mail']);
    await there.undo(merge.id);
    expect([await there.read(into.id), await there.read(from.id)]).toEqual(before);
    expect((await latest(there, into.id))[0]).toMatchObject({ from: true, to: false, applied: true, rule: 'undo' });
    expect(await broken(behind)).toEqual({});
    await there.mergeInto(into.id, from.id);
    expect(await flagsOf(there, into.id)).toEqual(['sms', 'call', 'snail_mail']);
  });
  it('stays after an undo where the guest has given it since', async () => {
    const there = await group();
    const [into, from] = [await there.write(ana), await there.write({ ...one, allow_sms: true, allow_call: true })];
    const { body: merge } = await there.mergeInto(into.id, from.id);
    await there.write({ ...ana, allow_sms: false });
    await there.write({ ...ana, allow_sms: true });
    await there.undo(merge.id);
    expect(await flagsOf(there, into.id)).toEqual(['sms']);
  });
});

describe('undoing a merge', () => {
  it('leaves each the number they were known by, also where a write came by the other’s', async () => {
    const { write, undo, mergeInto } = await group();
    const [ana, bo] = [await write({ mobile_number: '07700900001' }), await write({ mobile_number: '07700900002' })];
    const { body: merge } = await mergeInto(ana.id, bo.id);
    expect((await write({ mobile_number: '07700900002' })).id).toBe(ana.id);
    await undo(merge.id);
    expect((await write({ mobile_number: '07700900001' })).id).toBe(ana.id);
    expect((await write({ mobile_number: '07700900002' })).id).toBe(bo.id);
    expect(await broken(behind)).toEqual({});
  });
  it('gives back what each was and did, and what was done since stays with the one it was done by', async () => {
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
    expect(await broken(behind)).toEqual({});
  });
  it('leaves what was written since as it is', async () => {
    const { write, read, merges, undo, email, udf } = await twoHalves();
    await write({ ...joining, last_name: 'Souza', udfs: [{ id: udf, data: 'none' }] });
    await undo((await merges())[0].id);
    expect(await read(email)).toMatchObject({ last_name: 'Souza', udfs: [{ id: udf, data: 'none' }] });
  });
  it('is remembered: the same phone does not join them again', async () => {
    const { write, merges, undo, read, email, phone } = await twoHalves();
    await write(joining);
    await undo((await merges())[0].id);
    expect(await write(joining)).toMatchObject({ id: email, mobile_number: '447700900001' });
    expect((await read(phone)).id).toBe(phone);
    expect(await write({ mobile_number: '07700900001' })).toMatchObject({ id: phone });
    expect(await merges()).toHaveLength(1);
  });
  it('does not give consent either: what the merge ended is the guest’s to give again', async () => {
    const { write, merges, undo, read } = await group();
    await write({ mobile_number: '07700900001', allow_email: true });
    await write({ mobile_number: '07700900001', allow_email: false });
    const { id } = await write({ email: 'ana@gmail.com', allow_email: true });
    await write(joining);
    await undo((await merges())[0].id);
    expect(await read(id)).toMatchObject({ allow_email: '' });
    expect((await read(id, '/consent')).data[0]).toMatchObject({ to: true, rule: 'undo', applied: false });
    expect(await broken(behind)).toEqual({});
  });
  it('happens once, and from the latest on', async () => {
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
  it('of a chain gives back those who had come along', async () => {
    const { write, read, mergeInto, undo, email, phone } = await twoHalves();
    await write(joining);
    const other = await write({ email: 'eve@gmail.com' });
    const { body: merge } = await mergeInto(other.id, email);
    for (const id of [email, phone]) expect((await read(id)).id).toBe(other.id);
    await undo(merge.id);
    for (const id of [email, phone]) expect((await read(id)).id).toBe(email);
    expect((await read(other.id)).id).toBe(other.id);
    expect(await broken(behind)).toEqual({});
  });
  it('two at once: one does it', async () => {
    const { write, merges, undo } = await twoHalves();
    await write(joining);
    const [merge] = await merges();
    const answers = await Promise.all([undo(merge.id), undo(merge.id), undo(merge.id)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422, 422]);
  });
});

describe('a phone that two people with e-mails of their own share', () => {
  it('stays the first one’s identity, is stored on both, and the pair is listed for staff', async () => {
    const { write, read, duplicates, token } = await group();
    const ana = await write({ email: 'ana@gmail.com', mobile_number: '07700900001', first_name: 'Ana' });
    const rui = await write({ email: 'rui@gmail.com', mobile_number: '07700900001', first_name: 'Rui' });
    expect(rui.id).not.toBe(ana.id);
    expect(rui.mobile_number).toBe('447700900001');
    expect((await call('GET', '/v1/contacts', { token, query: { mobile_number: '07700900001' } })).body.id).toBe(
      ana.id,
    );
    await write({ email: 'rui@gmail.com', mobile_number: '07700900001' });
    expect(await duplicates()).toMatchObject([
      {
        reason: 'same_mobile',
        contacts: [
          { id: ana.id, first_name: 'Ana' },
          { id: rui.id, first_name: 'Rui' },
        ],
      },
    ]);
    expect((await read(rui.id)).id).toBe(rui.id);
  });
  it('can be said to be two people’s, or merged by hand', async () => {
    const { write, duplicates, mergeInto, read, merges, undo, at } = await group();
    const ana = await write({ email: 'ana@gmail.com', mobile_number: '07700900001' });
    const rui = await write({ email: 'rui@gmail.com', mobile_number: '07700900001' });
    const eve = await write({ email: 'eve@gmail.com', mobile_number: '07700900001' });
    expect(await duplicates()).toHaveLength(2);
    // Each side is what a search tells of it.
    const { body: found } = await admin('GET', `${at}/contacts/search`);
    const known = (id: number) => found.data.find((one: { id: number }) => one.id === id);
    expect((await duplicates())[0].contacts).toEqual([known(ana.id), known(eve.id)]);
    const pair = (await duplicates()).find((one: { contacts: { id: number }[] }) => one.contacts[1]?.id === rui.id);
    expect((await admin('POST', `${at}/possible_duplicates/${pair.id}/keep_apart`)).status).toBe(204);
    expect(await duplicates()).toHaveLength(1);

    const merged = await mergeInto(ana.id, eve.id);
    expect(merged).toMatchObject({
      status: 200,
      body: { contact_id: eve.id, into_contact_id: ana.id, reason: 'staff', actor: 'admin token' },
    });
    expect(await duplicates()).toHaveLength(0);
    // Either e-mail leads to the one contact from now on.
    expect(await write({ email: 'eve@gmail.com', notes: [{ text: 'as Eve' }] })).toMatchObject({ id: ana.id });
    expect(await read(eve.id)).toMatchObject({ id: ana.id });
    await undo((await merges())[0].id);
    expect(await write({ email: 'eve@gmail.com' })).toMatchObject({ id: eve.id, email: 'eve@gmail.com' });
    expect(await broken(behind)).toEqual({});
  });
  it('stays listed for the one that a side of the pair became', async () => {
    const { write, duplicates, mergeInto, at } = await group();
    const [ana, rui, eve] = [
      await write({ email: 'ana@gmail.com', mobile_number: '07700900001' }),
      await write({ email: 'rui@gmail.com', mobile_number: '07700900001' }),
      await write({ email: 'eve@gmail.com', mobile_number: '07700900001' }),
    ];
    const both = await duplicates();
    await mergeInto(rui.id, ana.id);
    expect(await duplicates()).toMatchObject([{ contacts: [{ id: rui.id }, { id: eve.id }] }]);
    const gone = both.find((pair: { contacts: { id: number }[] }) => pair.contacts[1]?.id === rui.id);
    const answer = await admin('POST', `${at}/possible_duplicates/${gone.id}/keep_apart`);
    expect(answer.body.errors).toEqual({ pair_id: [expect.stringContaining('have been merged')] });
    const [left] = await duplicates();
    expect((await admin('POST', `${at}/possible_duplicates/${left.id}/keep_apart`)).status).toBe(204);
    expect(await duplicates()).toEqual([]);
    await write({ email: 'eve@gmail.com', mobile_number: '07700900001' });
    expect(await duplicates()).toEqual([]);
  });
  it('refuses to merge a contact with itself, with nobody, or across accounts', async () => {
    const { write, mergeInto } = await group();
    const { id } = await write({ email: 'ana@gmail.com' });
    const elsewhere = await (await group()).write({ email: 'ana@gmail.com' });
    for (const other of [id, elsewhere.id, 999_999]) {
      expect((await mergeInto(id, other)).body.errors).toEqual({ contact_id: [expect.any(String)] });
    }
    expect((await mergeInto(elsewhere.id, id)).status).toBe(404);
  });
});

describe('a membership that both halves have', () => {
  it('goes back with the one that it came with', async () => {
    const { write, merges, undo, id } = await group();
    await write({ email: 'ana@gmail.com' });
    const half = await write({ mobile_number: '07700900001', membership_number: 'M1' });
    await write({ ...joining, membership_number: 'M1' });
    const owner = async () =>
      (await behind`select contact_id from identities where account_id = ${id} and kind = 'membership'`)[0]?.contact_id;
    await undo((await merges())[0].id);
    expect(await owner()).toBe(half.id);
    // Otherwise it goes to whoever brought it last.
    const other = await write({ email: 'rui@gmail.com', membership_number: 'M1' });
    expect(await owner()).toBe(other.id);
  });
});

describe('a number that was changed for another', () => {
  it('no longer leads to the contact, also where the new one came with a merge', async () => {
    const { write } = await group();
    const ana = await write({ email: 'ana@gmail.com', mobile_number: '07700900002' });
    await write({ mobile_number: '07700900001' });
    expect(await write(joining)).toMatchObject({ id: ana.id, mobile_number: '447700900001' });
    expect((await write({ mobile_number: '07700900002' })).id).not.toBe(ana.id);
  });

  it('no longer leads to the contact that had it', async () => {
    const { write } = await group();
    const ana = await write({ email: 'ana@gmail.com', mobile_number: '07700900001' });
    await write({ email: 'ana@gmail.com', mobile_number: '07700900002' });
    expect((await write({ mobile_number: '07700900001' })).id).not.toBe(ana.id);
    expect((await write({ mobile_number: '07700900002' })).id).toBe(ana.id);
  });
});

describe('erasing a contact', () => {
  it('leaves nothing of it, of those merged into it, or of its ledger', async () => {
    const { write, at, id, email, phone, token } = await twoHalves();
    await write(joining);
    expect((await admin('DELETE', `${at}/contacts/${phone}`)).status).toBe(204);
    for (const one of [email, phone]) expect((await call('GET', `/v1/contact/${one}`, { token })).status).toBe(404);
    const [left] = await behind`
      select (select count(*) from contacts where account_id = ${id}) + (select count(*) from identities where account_id = ${id})
        + (select count(*) from consent_ledger where account_id = ${id}) + (select count(*) from merges where account_id = ${id})
        + (select count(*) from notes where account_id = ${id}) + (select count(*) from feedback_ratings where account_id = ${id}) as rows`;
    expect(left?.rows).toBe(0);
    expect((await write({ email: 'ana@gmail.com' })).id).not.toBe(email);
    expect((await admin('DELETE', `${at}/contacts/${phone}`)).status).toBe(404);
  });
  it('goes with the account that is deleted', async () => {
    const { write, id, at } = await twoHalves();
    await write(joining);
    expect((await admin('DELETE', at)).status).toBe(204);
    await finishDeletion(db, id);
    expect(await behind`select from consent_ledger where account_id = ${id}`).toHaveLength(0);
  });
});

describe('the merges of one guest', () => {
  it('are those that any of its ids had a part in, undone ones too, and no others', async () => {
    const { at, write, mergeInto, undo, merges } = await group();
    const [a, b, c, d, e] = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map(async (name) => (await write({ email: `${name}@gmail.com` })).id as number),
    );
    const merged = async (into?: number, from?: number) => (await mergeInto(into as number, from as number)).body.id;
    const [first, second] = [await merged(b, a), await merged(c, b)];
    const third = await merged(e, d);
    const of = async (id?: number) =>
      (await admin('GET', `${at}/merges?contact_id=${id}`)).body.data.map((merge: { id: number }) => merge.id);
    for (const id of [a, b, c]) expect(await of(id)).toEqual([second, first]);
    expect(await of(d)).toEqual([third]);
    expect((await undo(second)).status).toBe(200);
    expect(await of(c)).toEqual([second]);
    expect(await of(a)).toEqual([second, first]);
    expect(await merges()).toHaveLength(3);
  });

  it('are not to be had of a contact that there is not, or that is another account’s', async () => {
    const [mine, theirs] = [await group(), await group()];
    const { id } = await theirs.write({ email: 'a@gmail.com' });
    for (const contact of [id, 999_999_999]) {
      expect((await admin('GET', `${mine.at}/merges?contact_id=${contact}`)).status).toBe(404);
    }
    expect((await admin('GET', `${mine.at}/merges?contact_id=x`)).status).toBe(422);
  });
});
