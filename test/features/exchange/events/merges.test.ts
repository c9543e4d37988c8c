import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { changed, readerOf, set, type Told } from '../../../support/events.ts';
import { partner } from '../../../support/partner.ts';
import { accepted } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin } = app;
const own = await app.account();
const { made } = readerOf(app, own);
const { written, newEmail, next } = partner(app, own);
const base = `/accounts/${own.id}`;
const create = async (list: string, body: object): Promise<number> =>
  accepted(await admin('POST', `${base}/${list}`, body), 201).id;
let [unit, udf, source, group] = [0, 0, 0, 0];
beforeAll(async () => {
  unit = await create('units', { name: 'The Anchor' });
  udf = await create('udfs', { name: 'Allergies', type: 'text' });
  source = await create('sources', { name: 'Wifi' });
  group = await create('groups', { unit_id: unit, name: 'News', folder_name: 'Lists' });
});

const newMobile = () => `44770090${next('').padStart(4, '0')}`;
const merge = async (goes: number, stays: number): Promise<{ id: number }> =>
  accepted(await admin('POST', `${base}/contacts/${stays}/merge`, { contact_id: goes }));
const undo = async (id: number) => accepted(await admin('POST', `${base}/merges/${id}/undo`));
const merged = (stays: number, goes: number, reason: string) => ({
  ...{ type: 'contact.merged', contact_id: stays, merged_contact_id: goes, reason },
});
const consent = (contact_id: number, channel: string, to: boolean, rule: string | null) => ({
  ...{ type: 'consent.changed', contact_id, channel, from: !to, to, rule, source_id: null },
});

/** A contact with an e-mail, and a contact with a phone and much that the first one lacks. */
async function twoHalves() {
  const [email, mobile_number] = [newEmail(), newMobile()];
  const stays: number = (await written({ email, first_name: 'Ana', allow_email: true })).id;
  const rest = {
    ...{ first_name: 'Anna', last_name: 'Silva', allow_sms: true, source_id: source },
    units: [{ id: unit, groups: [{ id: group }] }],
    udfs: [{ id: udf, data: 'nuts' }],
  };
  const goes: number = (await written({ mobile_number, ...rest })).id;
  /** What the first one gains. */
  const gained = {
    changes: {
      ...{ last_name: set('Silva'), mobile_number: set(mobile_number) },
      ...{ source_id: set(`${source}`), [`udf:${udf}`]: set('nuts') },
    },
    ...{ added_unit_ids: [unit], added_group_ids: [group] },
  };
  return { email, mobile_number, stays, goes, gained };
}
type Halves = Awaited<ReturnType<typeof twoHalves>>;

const ways: [string, string, (halves: Halves) => Promise<unknown>][] = [
  ['a contact write', 'same_mobile', ({ email, mobile_number }) => written({ email, mobile_number })],
  [
    'a short contact write',
    'same_mobile',
    ({ email, mobile_number }) => written({ email, mobile_number, full_contact_object: false }),
  ],
  ['staff', 'staff', ({ stays, goes }) => merge(goes, stays)],
];

describe.each(ways)('a merge by %s', (_, reason, work) => {
  it('is an event, with events of what the contact gains', async () => {
    const halves = await twoHalves();
    const { stays, goes, gained } = halves;
    const events = await made(() => work(halves));
    expect(events[0]).toEqual(merged(stays, goes, reason));
    expect(events).toHaveLength(3);
    expect(events).toContainEqual({ type: 'contact.updated', ...changed(stays, gained) });
    expect(events).toContainEqual(consent(stays, 'sms', true, 'merge'));
    // Merged already.
    if (reason === 'same_mobile') expect(await made(() => work(halves))).toEqual([]);
  });

  it('of a contact that has nothing to give is one event', async () => {
    const [email, mobile_number] = [newEmail(), newMobile()];
    const { id: goes } = await written({ mobile_number });
    const { id: stays } = await written({ email, mobile_number: newMobile() });
    const events = await made(() => work({ email, mobile_number, stays, goes } as Halves));
    expect(events[0]).toEqual(merged(stays, goes, reason));
    const [, ...others] = events;
    // The write itself sends another number.
    expect(others.map((one) => Object.keys(one.changes as object))).toEqual(
      reason === 'staff' ? [] : [['mobile_number']],
    );
  });
});

describe('a contact write that merges', () => {
  it('tells what the merge gave before what the request changes', async () => {
    const { email, mobile_number, stays, goes, gained } = await twoHalves();
    const body = { email, mobile_number, last_name: 'Santos', allow_sms: false, notes: [{ text: 'Joined.' }] };
    const events = await made(() => written(body));
    const at = (event: object) =>
      events.findIndex((one) => JSON.stringify(one) === JSON.stringify({ ...one, ...event }));
    expect(events).toHaveLength(6);
    expect(events[0]).toEqual(merged(stays, goes, 'same_mobile'));
    const given = events.findIndex((one) => one.type === 'contact.updated');
    expect(events[given]).toEqual({ type: 'contact.updated', ...changed(stays, gained) });
    const own = {
      type: 'contact.updated',
      ...changed(stays, { changes: { last_name: { from: 'Silva', to: 'Santos' } } }),
    };
    expect(events.slice(given + 1)).toContainEqual(own);
    expect(at(consent(stays, 'sms', true, 'merge'))).toBeLessThan(at(consent(stays, 'sms', false, null)));
    expect(events.at(-1)).toMatchObject({ type: 'note.added', contact_id: stays, text: 'Joined.' });
  });

  it('makes no event if it is rejected', async () => {
    const { stays, goes, email } = await twoHalves();
    const rejected = async () => {
      expect((await admin('POST', `${base}/contacts/${stays}/merge`, { contact_id: stays })).status).toBe(422);
      expect((await admin('POST', `${base}/contacts/${stays}/merge`, { contact_id: 999_999_999 })).status).toBe(422);
      expect((await admin('POST', `${base}/contacts/999999999/merge`, { contact_id: goes })).status).toBe(404);
    };
    expect(await made(rejected)).toEqual([]);
    expect(await made(() => written({ email }))).toEqual([]);
  });
});

describe('an undone merge', () => {
  const lost = ({ changes, added_unit_ids, added_group_ids }: Halves['gained']) => ({
    changes: Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, { from: to, to: null }])),
    ...{ removed_unit_ids: added_unit_ids, removed_group_ids: added_group_ids },
  });

  it('is an event, with events of what the contact loses', async () => {
    const { stays, goes, gained } = await twoHalves();
    const { id } = await merge(goes, stays);
    const events = await made(() => undo(id));
    expect(events).toEqual([
      { type: 'contact.unmerged', contact_id: stays, unmerged_contact_id: goes },
      { type: 'contact.updated', ...changed(stays, lost(gained)) },
      consent(stays, 'sms', false, 'undo'),
    ]);
    const rejected = async () => expect((await admin('POST', `${base}/merges/${id}/undo`)).status).toBe(422);
    expect(await made(rejected)).toEqual([]);
  });

  it('tells nothing of values that were changed since', async () => {
    const { email, stays, goes, gained } = await twoHalves();
    const { id } = await merge(goes, stays);
    await written({
      ...{ email, last_name: 'Santos', udfs: [{ id: udf, data: 'none' }] },
      rules: [{ rule_name: 'detach_existing_groups' }],
    });
    const [, update] = (await made(() => undo(id))) as [Told, Told];
    const { mobile_number, source_id } = lost(gained).changes;
    expect(update).toEqual({
      type: 'contact.updated',
      ...changed(stays, { changes: { mobile_number, source_id } as never, removed_unit_ids: [unit] }),
    });
  });

  it('of a contact that had nothing to give is one event', async () => {
    const [{ id: goes }, { id: stays }] = [await written({ email: newEmail() }), await written({ email: newEmail() })];
    const { id } = await merge(goes, stays);
    expect(await made(() => undo(id))).toEqual([
      { type: 'contact.unmerged', contact_id: stays, unmerged_contact_id: goes },
    ]);
  });
});
