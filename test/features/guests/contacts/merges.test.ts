import { describe, expect, it } from 'vitest';
import { finishDeletion } from '../../../../src/features/access/accounts/delete.ts';
import { violations } from '../../../support/invariants.ts';
import { mergeSetup } from './merge-setup.ts';

const { admin, call, db, sql, group, twoHalves, joining } = await mergeSetup();

describe('a write with the e-mail of one contact and the mobile of another that has no e-mail', () => {
  it('merges the two; the survivor keeps its values and takes over missing ones', async () => {
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
  it('moves all activity of the guest, under either id', async () => {
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
    expect(await violations(sql)).toEqual({});
  });
  it('ends a consent that the merged contact had withdrawn', async () => {
    const { write, read } = await group();
    await write({ mobile_number: '07700900001', allow_email: true });
    await write({ mobile_number: '07700900001', allow_email: false });
    const { id } = await write({ email: 'ana@gmail.com', allow_email: true, allow_sms: true });
    expect(await write(joining)).toMatchObject({ allow_email: '', allow_sms: '1' });
    expect((await read(id, '/consent')).data[0]).toMatchObject({ to: false, applied: true, rule: 'merge' });
  });
  it('applies the rules and values of the write in addition to the merge', async () => {
    const { write } = await twoHalves();
    const rules = [{ rule_name: 'detach_existing_groups' }];
    const joined = await write({ ...joining, first_name: 'Anabel', allow_sms: true, rules });
    expect(joined).toMatchObject({ first_name: 'Anabel', allow_sms: '1' });
    expect(joined.units.flatMap((unit: { groups: object[] }) => unit.groups)).toEqual([]);
  });
  it('is recorded in the merge journal with actor and reason', async () => {
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

describe('a phone that two contacts with different e-mails share', () => {
  it('remains the identity of the first, is stored on both, and the pair is listed as possible duplicates', async () => {
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
  it('can be marked as shared by different people, or the contacts merged by hand', async () => {
    const { write, duplicates, mergeInto, read, merges, undo, at } = await group();
    const ana = await write({ email: 'ana@gmail.com', mobile_number: '07700900001' });
    const rui = await write({ email: 'rui@gmail.com', mobile_number: '07700900001' });
    const eve = await write({ email: 'eve@gmail.com', mobile_number: '07700900001' });
    expect(await duplicates()).toHaveLength(2);
    // Each contact has the fields of a search result.
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
    // Both e-mails now identify the survivor.
    expect(await write({ email: 'eve@gmail.com', notes: [{ text: 'as Eve' }] })).toMatchObject({ id: ana.id });
    expect(await read(eve.id)).toMatchObject({ id: ana.id });
    await undo((await merges())[0].id);
    expect(await write({ email: 'eve@gmail.com' })).toMatchObject({ id: eve.id, email: 'eve@gmail.com' });
    expect(await violations(sql)).toEqual({});
  });
  it('stays listed for the survivor if one of the pair is merged', async () => {
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
  it('does not merge a contact with itself, an unknown contact, or one of another account', async () => {
    const { write, mergeInto } = await group();
    const { id } = await write({ email: 'ana@gmail.com' });
    const elsewhere = await (await group()).write({ email: 'ana@gmail.com' });
    for (const other of [id, elsewhere.id, 999_999]) {
      expect((await mergeInto(id, other)).body.errors).toEqual({ contact_id: [expect.any(String)] });
    }
    expect((await mergeInto(elsewhere.id, id)).status).toBe(404);
  });
});

describe('a number that was replaced', () => {
  it('no longer identifies the contact, even if the new number came with a merge', async () => {
    const { write } = await group();
    const ana = await write({ email: 'ana@gmail.com', mobile_number: '07700900002' });
    await write({ mobile_number: '07700900001' });
    expect(await write(joining)).toMatchObject({ id: ana.id, mobile_number: '447700900001' });
    expect((await write({ mobile_number: '07700900002' })).id).not.toBe(ana.id);
  });

  it('no longer identifies the contact that had it', async () => {
    const { write } = await group();
    const ana = await write({ email: 'ana@gmail.com', mobile_number: '07700900001' });
    await write({ email: 'ana@gmail.com', mobile_number: '07700900002' });
    expect((await write({ mobile_number: '07700900001' })).id).not.toBe(ana.id);
    expect((await write({ mobile_number: '07700900002' })).id).toBe(ana.id);
  });
});

describe('erasure of a merged contact', () => {
  it('deletes the contact, the contacts merged into it, and their ledger', async () => {
    const { write, at, id, email, phone, token } = await twoHalves();
    await write(joining);
    expect((await admin('DELETE', `${at}/contacts/${phone}`)).status).toBe(204);
    for (const one of [email, phone]) expect((await call('GET', `/v1/contact/${one}`, { token })).status).toBe(404);
    const [left] = await sql`
      select (select count(*) from contacts where account_id = ${id}) + (select count(*) from identities where account_id = ${id})
        + (select count(*) from consent_ledger where account_id = ${id}) + (select count(*) from merges where account_id = ${id})
        + (select count(*) from notes where account_id = ${id}) + (select count(*) from feedback_ratings where account_id = ${id}) as rows`;
    expect(left?.rows).toBe(0);
    expect((await write({ email: 'ana@gmail.com' })).id).not.toBe(email);
    expect((await admin('DELETE', `${at}/contacts/${phone}`)).status).toBe(404);
  });
  it('happens when the account is deleted', async () => {
    const { write, id, at } = await twoHalves();
    await write(joining);
    expect((await admin('DELETE', at)).status).toBe(204);
    await finishDeletion(db, id);
    expect(await sql`select from consent_ledger where account_id = ${id}`).toHaveLength(0);
  });
});

describe('the merges of a contact', () => {
  it('are those that any of its ids is part of, including undone ones', async () => {
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

  it('are a 404 for an unknown contact and for another account’s contact', async () => {
    const [mine, theirs] = [await group(), await group()];
    const { id } = await theirs.write({ email: 'a@gmail.com' });
    for (const contact of [id, 999_999_999]) {
      expect((await admin('GET', `${mine.at}/merges?contact_id=${contact}`)).status).toBe(404);
    }
    expect((await admin('GET', `${mine.at}/merges?contact_id=x`)).status).toBe(422);
  });
});
