import { beforeAll, describe, expect, it } from 'vitest';
import { assignToSegment } from '../../../../src/app/jobs/tasks.ts';
import { runAction } from '../../../../src/features/insight/segments/run-action.ts';
import { redeemCodes } from '../../../../src/features/vouchers/redeem.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { changed, readerOf, types } from '../../../support/events.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, refusal, type Shop, shop } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, call, database, db } = app;
const sql = await superuser(database);
let at = {} as Shop & { token: string };
let made = {} as ReturnType<typeof readerOf>['made'];
beforeAll(async () => {
  const home = await shop(app);
  const { token } = accepted(await admin('POST', `${home.base}/tokens`, { name: 'events' }), 201);
  at = { ...home, token };
  ({ made } = readerOf(app, at));
});

const assigned = (contact_id: number, group: number, unique_code: string) => ({
  ...{ type: 'voucher.assigned', contact_id, unique_code, unique_code_group_id: group },
});
const stocked = async (count: number) => {
  const [group, codes] = [await at.newGroup(), Array.from({ length: count }, () => fresh('CODE'))];
  await at.add(group, ...codes);
  return { group, codes };
};

describe('a redeemed code is an event', () => {
  it('with its contact or without one, and a rejected redemption is none', async () => {
    const contact = await at.newContact();
    for (const owner of [contact, undefined]) {
      const { group, unique_code } = await at.newCode(fresh('CODE'), owner);
      let code = { redeemed_at_datetime: '' };
      const redeem = async () => {
        code = await at.redeemed({ unique_code: unique_code.toLowerCase() });
      };
      const event = {
        ...{ type: 'voucher.redeemed', contact_id: owner ?? null, unique_code, unique_code_group_id: group },
        unit_id: at.unit,
      };
      expect(await made(redeem)).toEqual([{ ...event, redeemed_at: code.redeemed_at_datetime }]);
      expect(await made(() => at.redeem({ unique_code }).then(refusal))).toEqual([]);
    }
    expect(await made(() => at.redeem({ unique_code: fresh('NONE') }).then(refusal))).toEqual([]);
  });

  it('of the contact that stays after a merge', async () => {
    const [goes, stays] = [await at.newContact(), await at.newContact()];
    const { unique_code } = await at.newCode(fresh('CODE'), goes);
    await at.merge(goes, stays);
    expect(await made(() => at.redeemed({ unique_code }))).toMatchObject([{ contact_id: stays, unique_code }]);
  });

  it('also if the code is redeemed in several statements', async () => {
    const [goes, stays] = [await at.newContact(), await at.newContact()];
    const [first, second] = [await at.newCode(fresh('CODE'), goes), await at.newCode()];
    await at.merge(goes, stays);
    const inputs = [first, second, first].map(({ unique_code }) => ({ unique_code, unit_id: at.unit }));
    const redeem = () =>
      db.tenant(at.id, (tx) =>
        redeemCodes(
          ...[tx, at.id],
          inputs.map((input) => ({ input, errors: {}, receivedAt: '2026-03-01T12:30:00.123Z' })),
        ),
      );
    const event = { type: 'voucher.redeemed', unit_id: at.unit, redeemed_at: '2026-03-01T12:30:00.123000Z' };
    expect(await made(redeem)).toEqual([
      { ...event, contact_id: stays, unique_code: first.unique_code, unique_code_group_id: first.group },
      { ...event, contact_id: null, unique_code: second.unique_code, unique_code_group_id: second.group },
    ]);
    expect(await made(redeem)).toEqual([]);
  });

  it('before the event of a purchase that waited for it', async () => {
    const contact = await at.newContact();
    const { unique_code } = await at.newCode(fresh('CODE'), contact);
    const [bill] = [fresh('T')];
    const purchases = [{ transaction_reference: bill, unit_id: at.unit }];
    accepted(
      await call('POST', '/v1/purchases', { token: at.token, body: { account_id: at.id, unique_code, purchases } }),
    );
    // As a purchase that was stored while the code was assigned.
    await sql`
      update purchases set contact_id = null, matched_by = null, matched_value = null, matched_at = null
      where account_id = ${at.id} and transaction_reference = ${bill}`;
    expect(await made(() => at.redeemed({ unique_code }))).toMatchObject([
      { type: 'voucher.redeemed', contact_id: contact, unique_code },
      { type: 'purchase.matched', contact_id: contact, transaction_reference: bill, matched_by: 'unique_code' },
    ]);
  });

  it('once, although many redeem it at the same time or repeat the request', async () => {
    const { unique_code } = await at.newCode();
    const all = () => Promise.all(Array.from({ length: 8 }, () => at.redeem({ unique_code })));
    expect(types(await made(all))).toEqual(['voucher.redeemed']);
    const again = await at.newCode();
    const [body, headers] = [{ account_id: at.id, unit_id: at.unit }, { 'idempotency-key': fresh('key') }];
    const repeat = async () => {
      const sent = { ...body, unique_code: again.unique_code };
      for (const _ of [1, 2])
        accepted(await call('POST', '/v1/unique_code/redeem', { token: at.token, body: sent, headers }));
    };
    expect(types(await made(repeat))).toEqual(['voucher.redeemed']);
  });
});

describe('an assigned code is an event', () => {
  it('once, with the spelling of the code and the contact that stays', async () => {
    const [goes, stays] = [await at.newContact(), await at.newContact()];
    await at.merge(goes, stays);
    const { group, unique_code } = await at.newCode();
    const assign = () => at.assigned(group, unique_code.toLowerCase(), goes);
    expect(await made(assign)).toEqual([assigned(stays, group, unique_code)]);
    expect(await made(assign)).toEqual([]);
    const other = await at.newContact();
    expect(await made(() => at.assign(group, unique_code, other).then(refusal))).toEqual([]);
  });

  it('for each contact that gets a free code', async () => {
    const [{ group, codes }, contacts] = [await stocked(3), await at.newContacts(3)];
    const events = await made(async () => accepted(await at.give(group, contacts)));
    expect(types(events)).toEqual(codes.map(() => 'voucher.assigned'));
    expect(events.map((one) => one.unique_code).sort()).toEqual([...codes].sort());
    expect(events.map((one) => one.contact_id).sort()).toEqual([...contacts].sort());
    expect(await made(() => at.give(group, contacts))).toEqual([]);
  });
});

describe('an action on a segment', () => {
  const scene = async (count: number) => {
    const city = fresh('City');
    const ids: number[] = [];
    for (let n = 0; n < count; n++) ids.push(await at.newContact({ city }));
    const definition = { field: 'city', op: 'is', value: city };
    const body = { name: fresh('Segment'), definition };
    return { ids, segment: accepted(await admin('POST', `${at.base}/segments`, body), 201).id as number };
  };
  const run = (action_id: number) =>
    runAction(
      db,
      { account_id: at.id, action_id },
      { assignCodes: assignToSegment, batch: 2, gently: false, signal: new AbortController().signal },
    );
  const act = async (segment: number, name: string, body: object) => {
    const { id } = accepted(await admin('POST', `${at.base}/segments/${segment}/${name}`, body), 202);
    return () => run(id);
  };

  it('that assigns codes makes an event for each, and none when it runs again', async () => {
    const [{ ids, segment }, { group, codes }] = [await scene(5), await stocked(6)];
    const start = () => act(segment, 'assign_codes', { unique_code_group_id: group });
    const events = await made(await start());
    expect(events.map((one) => one.contact_id)).toEqual(ids);
    for (const one of events) {
      expect(one).toEqual(assigned(one.contact_id as number, group, one.unique_code as string));
      expect(codes).toContain(one.unique_code);
    }
    expect(await made(await start())).toEqual([]);
  });

  it('that adds to a group makes an event for each contact that is not in it', async () => {
    const { ids, segment } = await scene(3);
    const [first, second, third] = ids as [number, number, number];
    const body = { unit_id: at.unit, name: fresh('Group'), folder_name: 'Lists' };
    const group: number = accepted(await admin('POST', `${at.base}/groups`, body), 201).id;
    const emailOf = async (id: number) => accepted(await admin('GET', `${at.base}/contacts/${id}`)).email;
    await at.newContact({ email: await emailOf(first), units: [{ id: at.unit, groups: [{ id: group }] }] });
    await at.newContact({ email: await emailOf(second), units: [{ id: at.unit }] });
    const start = () => act(segment, 'add_to_group', { group_id: group });
    expect(await made(await start())).toEqual([
      { type: 'contact.updated', ...changed(second, { added_group_ids: [group] }) },
      { type: 'contact.updated', ...changed(third, { added_unit_ids: [at.unit], added_group_ids: [group] }) },
    ]);
    expect(await made(await start())).toEqual([]);
  });
});
