import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { changed, readerOf, set, types } from '../../../support/events.ts';
import { partner } from '../../../support/partner.ts';
import { accepted } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, call } = app;
const own = await app.account();
const root = own.root_unit_id;
const { made } = readerOf(app, own);
const { written, write, newEmail } = partner(app, own);
const base = `/accounts/${own.id}`;
const create = async (list: string, body: object): Promise<number> =>
  accepted(await admin('POST', `${base}/${list}`, body), 201).id;
const unit = await create('units', { name: 'The Anchor' });
const udf = await create('udfs', { name: 'Allergies', type: 'text' });
const day = await create('udfs', { name: 'Anniversary', type: 'date' });
const wifi = await create('sources', { name: 'Wifi' });
const till = await create('sources', { name: 'Till' });
const group = (name: string) => create('groups', { unit_id: unit, name, folder_name: 'Lists' });
const [news, vip] = [await group('News'), await group('VIP')];
const rule = (rule_name: string) => ({ rules: [{ rule_name }] });
/** Only staff see the card reference. */
const hidden = { from: null, to: null };
/** The full response loads more of the contact than the short one. */
const responses = [true, false].map((full_contact_object) => ({ full_contact_object }));

describe.each(responses)('a contact write with %o makes an event', (shape) => {
  const send = (body: object): Promise<{ id: number }> => written({ ...shape, ...body });

  it('of a new contact, before the events of its data', async () => {
    const email = newEmail();
    let id = 0;
    const events = await made(async () => {
      ({ id } = await send({
        ...{ email, first_name: 'Ana', card_reference: email, source_id: wifi, allow_email: true },
        units: [{ id: unit, groups: [{ id: news }] }],
        udfs: [{ id: udf, data: 'nuts' }],
        notes: [{ text: 'Regular.', created_at: '2026-03-01 12:30:00' }],
      }));
    });
    const changes = {
      ...{ email: set(email), first_name: set('Ana'), card_reference: hidden },
      ...{ source_id: set(`${wifi}`), [`udf:${udf}`]: set('nuts') },
    };
    expect(events).toEqual([
      { type: 'contact.created', ...changed(id, { changes, added_unit_ids: [unit], added_group_ids: [news] }) },
      {
        ...{ type: 'consent.changed', contact_id: id, channel: 'email' },
        ...{ from: false, to: true, rule: null, source_id: wifi },
      },
      { type: 'note.added', contact_id: id, text: 'Regular.', created_at: '2026-03-01 12:30:00' },
    ]);
  });

  it('of a new contact without a unit, which gets the root unit', async () => {
    const email = newEmail();
    const events = await made(() => send({ email }));
    expect(events).toEqual([
      {
        ...{ type: 'contact.created' },
        ...changed(expect.any(Number) as never, { changes: { email: set(email) }, added_unit_ids: [root] }),
      },
    ]);
  });

  it('of each change, with the values before and after', async () => {
    const email = newEmail();
    const { id } = await send({
      ...{ email, city: 'Bath', source_id: wifi, udfs: [{ id: udf, data: 'nuts' }] },
      units: [{ id: unit, groups: [{ id: news }] }],
    });
    const updated = (more: object) => [{ type: 'contact.updated', ...changed(id, more) }];
    expect(await made(() => send({ email, city: 'Bristol', mobile_number: '' }))).toEqual(
      updated({ changes: { city: { from: 'Bath', to: 'Bristol' } } }),
    );
    expect(await made(() => send({ email, card_reference: email }))).toEqual(
      updated({ changes: { card_reference: hidden } }),
    );
    expect(await made(() => send({ email, source_id: till }))).toEqual(
      updated({ changes: { source_id: { from: `${wifi}`, to: `${till}` } } }),
    );
    const udfs = [
      { id: udf, data: 'none' },
      { id: day, data: '2026-05-01' },
    ];
    expect(await made(() => send({ email, udfs }))).toEqual(
      updated({ changes: { [`udf:${udf}`]: { from: 'nuts', to: 'none' }, [`udf:${day}`]: set('2026-05-01') } }),
    );
    expect(await made(() => send({ email, units: [{ id: root }, { id: unit, groups: [{ id: vip }] }] }))).toEqual(
      updated({ added_unit_ids: [root], added_group_ids: [vip] }),
    );
  });

  it('with the ids of a source and a group that the write creates', async () => {
    const [email, source_name, name] = [newEmail(), randomUUID(), randomUUID()];
    const { id } = await send({ email });
    const events = await made(() => send({ email, source_name, units: [{ id: unit, groups: [{ name }] }] }));
    const { data: sources } = accepted(await admin('GET', `${base}/sources?limit=100`));
    const { data: groups } = accepted(await admin('GET', `${base}/groups?limit=100`));
    const idOf = (list: { id: number; name: string }[], wanted: string) => list.find((one) => one.name === wanted)?.id;
    expect(events).toEqual([
      {
        type: 'contact.updated',
        ...changed(id, {
          changes: { source_id: set(`${idOf(sources, source_name)}`) },
          ...{ added_unit_ids: [unit], added_group_ids: [idOf(groups, name) as number] },
        }),
      },
    ]);
  });

  it('of the groups that detach_existing_groups removes, and of no others', async () => {
    const email = newEmail();
    const { id } = await send({ email, units: [{ id: unit, groups: [{ id: news }] }] });
    const detaching = (id: number) => ({
      ...{ email, units: [{ id: unit, groups: [{ id }] }] },
      ...rule('detach_existing_groups'),
    });
    expect(await made(() => send(detaching(vip)))).toEqual([
      { type: 'contact.updated', ...changed(id, { added_group_ids: [vip], removed_group_ids: [news] }) },
    ]);
    expect(await made(() => send(detaching(vip)))).toEqual([]);
    expect(await made(() => send({ email, ...rule('detach_existing_groups') }))).toEqual([
      { type: 'contact.updated', ...changed(id, { removed_group_ids: [vip] }) },
    ]);
    expect(await made(() => send({ email, ...rule('detach_existing_groups') }))).toEqual([]);
  });

  it('of a consent that changes, and none of one that a rule holds back', async () => {
    const email = newEmail();
    const { id } = await send({ email, allow_email: true });
    const consent = { type: 'consent.changed', contact_id: id, rule: null, source_id: null };
    expect(await made(() => send({ email, allow_email: false, ...rule('preserve_consent') }))).toEqual([]);
    expect(await made(() => send({ email, allow_sms: true, ...rule('historic_data') }))).toEqual([]);
    const events = await made(() => send({ email, allow_email: false, allow_call: true }));
    expect(events).toHaveLength(2);
    expect(events).toContainEqual({ ...consent, channel: 'call', from: false, to: true });
    expect(events).toContainEqual({ ...consent, channel: 'email', from: true, to: false });
  });

  it('of feedback, with what was stored', async () => {
    const email = newEmail();
    const { id } = await send({ email });
    const sent = {
      ...{ type_id: 1, source_id: 3, unit_id: unit, created_at: '2026-03-01 12:30:00' },
      comments: [{ type: 'fire', note: 'Lovely.' }, { note: 'Warm.' }],
      ratings: [{ category_id: 4, rating_text: '9' }],
    };
    const events = await made(() => send({ email, feedback: [sent] }));
    const { data } = accepted(await call('GET', `/v1/contact/${id}/feedback`, { token: own.token }));
    expect(events).toEqual([
      {
        ...{ type: 'feedback.received', contact_id: id, feedback_id: data[0].id, ...sent },
        comments: [sent.comments[0], { type: null, note: 'Warm.' }],
        ratings: [{ ...sent.ratings[0], contact_note: null }],
      },
    ]);
  });

  it('only if it changes something', async () => {
    const body = {
      ...{ email: newEmail(), mobile_number: `0770090${shape.full_contact_object ? '0001' : '0002'}` },
      ...{ first_name: 'Ana', dob: '1990-04-30', membership_number: randomUUID(), card_reference: randomUUID() },
      ...{ source_name: 'wifi', allow_email: true, allow_sms: false },
      units: [{ id: unit, groups: [{ name: 'news', folder_name: 'lists' }, { id: vip }] }],
      udfs: [{ id: udf, data: 'nuts' }],
    };
    expect(types(await made(() => send(body)))).toEqual(['contact.created', 'consent.changed']);
    expect(await made(() => send(body))).toEqual([]);
    expect(await made(() => send({ email: body.email }))).toEqual([]);
    expect(await made(() => send({ ...body, source_name: 'WIFI', email: body.email.toUpperCase() }))).toEqual([]);
  });
});

describe('no event is made by', () => {
  it('a rejected contact write', async () => {
    const email = newEmail();
    await written({ email });
    const rejected = [
      { email, city: 'Bath', dob: 'never' },
      { email, city: 'Bath', source_id: 999_999_999 },
      { email, city: 'Bath', bookings: [{}], notes: [{ text: 'Regular.' }] },
      { email: newEmail(), city: 'Bath', ...rule('update_only') },
    ];
    const events = await made(async () => {
      for (const body of rejected) expect((await write(body)).status).toBe(422);
    });
    expect(events).toEqual([]);
  });

  it('a replayed contact write', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { email: newEmail(), notes: [{ text: 'Regular.' }], allow_email: true };
    const send = () => call('POST', '/v1/contact', { token: own.token, body, headers });
    const first = await made(async () => accepted(await send()));
    expect(types(first)).toEqual(['contact.created', 'consent.changed', 'note.added']);
    const replayed = await made(async () => {
      expect((await send()).headers).toHaveProperty('idempotent-replayed');
    });
    expect(replayed).toEqual([]);
  });

  it('the values that discard_invalid_data drops', async () => {
    const email = newEmail();
    const sent = { email, city: 'Bath', dob: 'never', notes: [{ text: '' }] };
    const events = await made(() => written({ ...sent, ...rule('discard_invalid_data') }));
    expect(events).toMatchObject([{ type: 'contact.created', changes: { email: set(email), city: set('Bath') } }]);
    expect(Object.keys(events[0]?.changes as object).sort()).toEqual(['city', 'email']);
  });
});

describe('staff make an event', () => {
  it('with a consent that they record, and none if it was given already', async () => {
    const { id } = await written({ email: newEmail(), allow_sms: true });
    const record = async () => {
      const body = { allow_sms: true, allow_email: true, reason: 'Told us.' };
      accepted(await admin('POST', `${base}/contacts/${id}/consent`, body));
    };
    expect(await made(record)).toEqual([
      {
        ...{ type: 'consent.changed', contact_id: id, channel: 'email' },
        ...{ from: false, to: true, rule: null, source_id: null },
      },
    ]);
    expect(await made(record)).toEqual([]);
  });

  it('with a note', async () => {
    const { id } = await written({ email: newEmail() });
    let note = { created_at: '' };
    const events = await made(async () => {
      note = accepted(await admin('POST', `${base}/contacts/${id}/notes`, { text: ' Window. ' }), 201);
      expect((await admin('POST', `${base}/contacts/${id}/notes`, { text: '' })).status).toBe(422);
    });
    expect(events).toEqual([{ type: 'note.added', contact_id: id, text: 'Window.', created_at: note.created_at }]);
  });
});
