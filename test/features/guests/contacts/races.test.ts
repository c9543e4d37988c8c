import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eraseContact } from '../../../../src/features/guests/erasure/erase.ts';
import { prepareContact } from '../../../../src/features/guests/write/command.ts';
import { mergeContacts, undoMerge } from '../../../../src/features/guests/write/merge.ts';
import { ContactWrite } from '../../../../src/features/guests/write/schema.ts';
import { writeContacts } from '../../../../src/features/guests/write/write.ts';
import type { Tx } from '../../../../src/platform/db/database.ts';
import { reader } from '../../../../src/shared/read.ts';
import { testApp } from '../../../support/app.ts';
import { countLockWaits, everyNode, superuser } from '../../../support/database.ts';
import { latch } from '../../../support/latch.ts';

const { account, admin, call, database, db } = await testApp();
const sql = await superuser(database);
const nodes = await everyNode(database);

/** Waits until a session waits for a lock, or until a timeout. */
async function waitForBlockedSession() {
  for (let tries = 0; tries < 100; tries++) {
    if ((await countLockWaits(nodes)) > 0) return;
    await pause(10);
  }
}

/** Deletes something in a transaction that stays open until the write has run into it. */
async function writeDuringDeletion(table: string, id: number, write: () => ReturnType<typeof call>) {
  const statement = (text: string) => sql([text] as unknown as TemplateStringsArray);
  await statement('begin');
  await statement(`delete from ${table} where id = ${id}`);
  const writing = write();
  await waitForBlockedSession();
  await statement('commit');
  return writing;
}

describe('a write whose reference is deleted concurrently', async () => {
  const { id, token, root_unit_id } = await account();
  const at = `/accounts/${id}`;
  const made = async (path: string, body: object) => (await admin('POST', `${at}/${path}`, body)).body.id as number;
  const write = (body: object) => call('POST', '/v1/contact', { token, body });

  it('is rejected with 422: a source', async () => {
    const source_id = await made('sources', { name: 'Wifi' });
    const { body } = await writeDuringDeletion('sources', source_id, () =>
      write({ email: 'ana@gmail.com', source_id }),
    );
    expect(body.errors).toEqual({ source_id: [expect.any(String)] });
  });
  it('is rejected with 422: a user-defined field', async () => {
    const udf = await made('udfs', { name: 'Allergies', type: 'text' });
    const udfs = [{ id: udf, data: 'nuts' }];
    const { body } = await writeDuringDeletion('udfs', udf, () => write({ email: 'ana@gmail.com', udfs }));
    expect(body.errors).toEqual({ 'udfs.0.id': [expect.any(String)] });
  });
  it('is rejected with 422: a group by its id', async () => {
    const group = await made('groups', { name: 'News', unit_id: root_unit_id });
    const units = [{ id: root_unit_id, groups: [{ id: group }] }];
    const { body } = await writeDuringDeletion('groups', group, () => write({ email: 'ana@gmail.com', units }));
    expect(body.errors).toEqual({ 'units.0.groups.0.id': [expect.any(String)] });
  });
  it('creates it again: a group by its name', async () => {
    const group = await made('groups', { name: 'News', unit_id: root_unit_id });
    const units = [{ id: root_unit_id, groups: [{ name: 'News' }] }];
    const { status, body } = await writeDuringDeletion('groups', group, () => write({ email: 'rui@gmail.com', units }));
    expect(status).toBe(200);
    expect(body.units[0].groups).toEqual([{ id: expect.any(Number), name: 'News' }]);
    expect(body.units[0].groups[0].id).not.toBe(group);
  });
  it('is rejected with 422: the account', async () => {
    const other = await account('Going');
    const { body } = await writeDuringDeletion('accounts', other.id, () =>
      call('POST', '/v1/contact', { token: other.token, body: { email: 'ana@gmail.com' } }),
    );
    expect(body.errors).toEqual({ account_id: [expect.any(String)] });
  });
});

/** Does the first in a transaction that stays open until the second has run into it. */
async function runDuring<T>(
  accountId: number,
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const [begun, finished] = [latch(), latch()];
  const open = db.tenant(accountId, async (tx) => {
    await first(tx);
    begun.open();
    await finished.opened;
  });
  await begun.opened;
  const running = second();
  await waitForBlockedSession();
  finished.open();
  await open;
  return running;
}

describe('a contact that is erased concurrently', () => {
  const stay = {
    ...{ provider_id: 1, stay_reference: 'S1', booker: true, guest: true, enquiry_date: '2026-01-01 09:00:00' },
    ...{ checkin_date: '2026-03-01 15:00:00', checkout_date: '2026-03-02 11:00:00', room_type_id: 2, total_guests: 2 },
    ...{ booking_enquiry_source_id: 1, booking_status_id: 3 },
  };
  const place = async () => {
    const { id, token, root_unit_id: unit_id } = await account();
    const write = async (email: string, more: object = {}): Promise<number> =>
      (await call('POST', '/v1/contact', { token, body: { email, ...more } })).body.id;
    const command = (email: string, input: object) =>
      prepareContact(reader(ContactWrite)({ email, ...input }), { tokenId: null, receivedAt: new Date() }, () => 'yes');
    const erase = (contact: number) => admin('DELETE', `/accounts/${id}/contacts/${contact}`);
    return { id, token, unit_id, stays: [{ ...stay, unit_id }], write, command, erase };
  };

  it('leaves a stay to the other contact that is added to it', async () => {
    const { id, token, stays, write, command, erase } = await place();
    const [ana, rui] = [await write('ana@gmail.com', { stays }), await write('rui@gmail.com')];
    const commands = [await command('rui@gmail.com', { stays })];
    const storing = async (tx: Tx) => {
      const last: Promise<unknown>[] = [];
      await writeContacts(tx, id, commands, (statement) => last.push(statement));
      await Promise.all(last);
    };
    expect((await runDuring(id, storing, () => erase(ana))).status).toBe(204);
    expect((await call('GET', `/v1/contact/${rui}/stays`, { token })).body.total).toBe(1);
  });
  it('leaves no stay if the other contact of it is erased too', async () => {
    const { id, stays, write, erase } = await place();
    const [ana, rui] = [await write('ana@gmail.com', { stays }), await write('rui@gmail.com', { stays })];
    expect(
      (
        await runDuring(
          id,
          (tx) => eraseContact(tx, id, ana),
          () => erase(rui),
        )
      ).status,
    ).toBe(204);
    expect(await sql`select from stays where account_id = ${id}`).toHaveLength(0);
  });
  it('has no booking that can be changed', async () => {
    const { id, token, write } = await place();
    const ana = await write('ana@gmail.com', { bookings: [{ booking_reference: 'B1' }] });
    const [booking] = await sql<{ id: number }>`select id from bookings where account_id = ${id}`;
    const change = () => call('POST', `/v1/bookings/${booking?.id}`, { token, body: { table_numbers: ['6'] } });
    expect((await runDuring(id, (tx) => eraseContact(tx, id, ana), change)).status).toBe(404);
  });
  it('cannot be assigned a code', async () => {
    const { id, token, unit_id, write } = await place();
    const ana = await write('ana@gmail.com');
    const body = { account_id: id, unit_id, name: 'Summer' };
    const { body: group } = await call('POST', '/v1/unique_code/group', { token, body });
    await admin('POST', `/accounts/${id}/unique_code_groups/${group.id}/codes`, { codes: ['X'] });
    const code = { unique_code_group_id: group.id, unique_code: 'X', contact_id: ana };
    const assign = () => admin('POST', `/accounts/${id}/unique_codes/assign`, code);
    const { status, body: refusal } = await runDuring(id, (tx) => eraseContact(tx, id, ana), assign);
    expect([status, Object.keys(refusal.errors)]).toEqual([422, ['contact_id']]);
  });
});

describe('a contact that is merged, or whose merge is undone, while a write waits for it', () => {
  const rules = [{ rule_name: 'update_only' }];
  const two = async () => {
    const { id, token } = await account();
    const write = async (body: object) => (await call('POST', '/v1/contact', { token, body })).body;
    const [ana, eve] = [await write({ email: 'ana@gmail.com' }), await write({ email: 'eve@gmail.com' })];
    return { id, write, ana: ana.id as number, eve: eve.id as number };
  };
  it('is written as the survivor', async () => {
    const { id, write, ana, eve } = await two();
    const written = await runDuring(
      id,
      (tx) => mergeContacts(tx, id, eve, ana, 'test'),
      () => write({ email: 'ana@gmail.com', first_name: 'Ana', rules }),
    );
    expect(written).toMatchObject({ id: eve, email: 'eve@gmail.com', first_name: 'Ana' });
  });
  it('is written as itself after the undo', async () => {
    const { id, write, ana, eve } = await two();
    const { body: merge } = await admin('POST', `/accounts/${id}/contacts/${eve}/merge`, { contact_id: ana });
    const written = await runDuring(
      id,
      (tx) => undoMerge(tx, id, merge.id, 'test'),
      () => write({ email: 'ana@gmail.com', first_name: 'Ana', rules }),
    );
    expect(written).toMatchObject({ id: ana, email: 'ana@gmail.com', first_name: 'Ana' });
  });
});

describe('a deadlock caused by another session', () => {
  it('is retried', async () => {
    const { id, token } = await account();
    const purchases = [{ transaction_reference: 'P1' }, { transaction_reference: 'P2' }];
    const body = { account_id: id, membership_number: 'M1', purchases };
    const buy = () => call('POST', '/v1/purchases', { token, body });
    const [first, second] = (await buy()).body.purchases;
    const hold = (purchase: { id: number }) =>
      sql`select from purchases where account_id = ${id} and id = ${purchase.id} for update`;
    await sql`begin`;
    // Of the two, the other is the one whom PostgreSQL stops.
    await sql`set local deadlock_timeout = '1min'`;
    await hold(second);
    const buying = buy();
    await pause(300);
    await hold(first);
    await sql`rollback`;
    expect((await buying).status).toBe(200);
  });
});

describe('more groups than a request may name', () => {
  it('are rejected at once, in any distribution over units', async () => {
    const { token, root_unit_id } = await account();
    const groups = Array.from({ length: 501 }, (_, n) => ({ name: `group ${n}` }));
    const units = [
      { id: root_unit_id, groups },
      { id: root_unit_id, groups },
    ];
    const { body } = await call('POST', '/v1/contact', { token, body: { email: 'ana@gmail.com', units } });
    expect(body.errors).toEqual({ units: ['The units may not name more than 1000 groups.'] });
  });
});

describe('merging, undoing and erasing the same contacts concurrently', () => {
  it('succeeds or is rejected with a reason, without a server error', async () => {
    const { id, token } = await account();
    const write = async (body: object) => (await call('POST', '/v1/contact', { token, body })).body;
    for (let turn = 0; turn < 8; turn++) {
      const [a, b, c] = [
        await write({ email: `a${turn}@gmail.com` }),
        await write({ email: `b${turn}@gmail.com` }),
        await write({ email: `c${turn}@gmail.com` }),
      ];
      const merge = (into: number, contact_id: number) =>
        admin('POST', `/accounts/${id}/contacts/${into}/merge`, { contact_id });
      const { body: first } = await merge(b.id, a.id);
      const answers = await Promise.all([
        merge(c.id, b.id),
        admin('POST', `/accounts/${id}/merges/${first.id}/undo`),
        merge(b.id, c.id),
        admin('DELETE', `/accounts/${id}/contacts/${a.id}`),
        write({ email: `a${turn}@gmail.com`, notes: [{ text: 'still here' }] }).then(() => ({ status: 200 })),
      ]);
      for (const { status } of answers) expect([200, 204, 404, 422]).toContain(status);
    }
    const loose = await sql`
      select c.id from contacts c join contacts m on m.account_id = c.account_id and m.id = c.merged_into where m.merged_into is not null`;
    expect(loose).toHaveLength(0);
  });
});
