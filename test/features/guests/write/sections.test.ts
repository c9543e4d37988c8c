import { Sql } from 'sql-template-tag';
import { describe, expect, it } from 'vitest';
import { prepareContact } from '../../../../src/features/guests/write/command.ts';
import { ContactWrite } from '../../../../src/features/guests/write/schema.ts';
import { checkOrder, sections, storeOrder } from '../../../../src/features/guests/write/sections.ts';
import { writeContacts } from '../../../../src/features/guests/write/write.ts';
import { type Tx, transactionOver } from '../../../../src/platform/db/database.ts';
import type { Run } from '../../../../src/platform/db/sql.ts';
import { reader } from '../../../../src/shared/read.ts';
import { testApp } from '../../../support/app.ts';
import { isDistributed } from '../../../support/database.ts';

const { db, account, admin } = await testApp();
const read = reader(ContactWrite);
const { id, root_unit_id } = await account();
const { body: udf } = await admin('POST', `/accounts/${id}/udfs`, { name: 'Allergies', type: 'text' });

/** The transaction, with a list of the tables and locks of its statements. */
function recorded(tx: Tx, statements: string[]): Tx {
  const run: Run = (strings, ...values) => {
    const { text } = new Sql(strings, values as never[]);
    const insert = /insert into (\w+)/.exec(text)?.[1];
    const lock = /pg_advisory_xact_lock(_shared)?/.exec(text)?.[0];
    const sequence = /nextval\('(\w+)'/.exec(text)?.[1];
    const table = /\b(?:update|from) (?!unnest|jsonb|rows|generate|\()(\w+)/.exec(text)?.[1];
    statements.push(insert ? `insert ${insert}` : (lock ?? sequence ?? `${table}${/ for /.test(text) ? ' lock' : ''}`));
    return tx(strings, ...values);
  };
  return transactionOver(run, tx);
}

const stay = {
  provider_id: 1,
  stay_reference: 'S-1',
  unit_id: root_unit_id,
  enquiry_date: '2026-01-01 10:00:00',
  checkin_date: '2026-03-01 15:00:00',
  checkout_date: '2026-03-02 10:00:00',
  room_type_id: 1,
  total_guests: 2,
  booking_enquiry_source_id: 9,
  booking_status_id: 1,
  booker: true,
  guest: true,
};
const everyList = {
  email: 'ana.silva@gmail.com',
  membership_number: 'M-1',
  allow_email: true,
  source_name: 'Guest wifi',
  units: [{ id: root_unit_id, groups: [{ name: 'Newsletter' }] }],
  wifi: [{ unit_id: root_unit_id }],
  bookings: [{ booking_reference: 'B-1', unit_id: root_unit_id, table_numbers: ['12'] }],
  stays: [stay],
  purchases: [{ transaction_reference: 'T-1', items: [{ quantity: 1, value: 3 }] }],
  feedback: [{ ratings: [{ category_id: 1, rating_text: 'good' }] }],
  udfs: [{ id: udf.id, data: 'nuts' }],
  notes: [{ text: 'Prefers the window table.' }],
};

async function write(bodies: object[]) {
  const commands = await Promise.all(
    bodies.map((body) => prepareContact(read(body), { tokenId: 1, receivedAt: new Date(0) }, () => 'yes')),
  );
  const statements: string[] = [];
  const written = await db.tenant(id, (tx, last) => writeContacts(recorded(tx, statements), id, commands, last));
  return { statements, written };
}

describe('the sections of the contact write', () => {
  it('each have a place in the order of the checks and in the order of the statements', () => {
    const names = Object.keys(sections).sort();
    expect([...checkOrder].sort()).toEqual(names);
    expect(Object.values(storeOrder).flat().sort()).toEqual(names);
  });

  it('send their statements in one order: look-ups, locks, reads, and rows', async () => {
    const { statements, written } = await write([everyList]);
    expect(written).toMatchObject([{ discarded: [] }]);
    expect(statements).toEqual([
      'units lock',
      'units',
      'folders',
      'sources',
      'udfs',
      'feedback_categories',
      'booking_sources',
      'pg_advisory_xact_lock_shared',
      'identities lock',
      // A single server takes the ids of new contacts here, without a round trip of their own.
      isDistributed() ? 'identities' : 'contacts_id_seq',
      'feedback_id_seq',
      'bookings',
      'stays',
      // Their contacts.
      'stays',
      'purchases',
      ...(isDistributed() ? ['contacts_id_seq'] : []),
      'insert sources',
      'sources',
      'insert folders',
      'insert groups',
      'folders',
      'insert contacts',
      'insert identities',
      'insert contact_units',
      'insert contact_groups',
      'insert contact_udfs',
      'insert consent_ledger',
      'insert feedback',
      'insert feedback_ratings',
      'insert bookings',
      'insert stays',
      'insert stay_contacts',
      'insert wifi_interactions',
      'purchases lock',
      'insert purchases',
      'purchases',
      'insert changes',
      // Elsewhere it is part of the statement before.
      ...(isDistributed() ? ['insert changed_unit_days'] : []),
      // The figures: bookings, stays and purchases. The wifi interaction is not a visit.
      'pg_advisory_xact_lock_shared',
      ...['contact_days', 'contact_days', 'contact_days', 'contact_figures'].flatMap((table) => [
        // A distributed server reads the rows before it inserts them.
        ...(isDistributed() ? ['contacts'] : []),
        `insert ${table}`,
      ]),
      'insert notes',
      'insert events',
    ]);
  });

  it('send as many statements for many commands as for one', async () => {
    const bodies = [1, 2, 3].map((n) => ({ ...everyList, email: `guest${n}@gmail.com`, source_name: `Source ${n}` }));
    const one = await write(bodies.slice(0, 1));
    expect((await write(bodies.slice(1))).statements).toEqual(one.statements);
  });

  it('list the errors of their checks in the order of the registry', async () => {
    const unknown = { unit_id: 999_999_999 };
    const { written } = await write([
      {
        email: 'ana.silva@gmail.com',
        stays: [{ ...stay, ...unknown }],
        wifi: [unknown],
        bookings: [{ booking_reference: 'B-1', ...unknown }],
        purchases: [{ transaction_reference: 'T-1', ...unknown }],
        feedback: [unknown],
        udfs: [{ id: 999_999_999, data: 'nuts' }],
      },
    ]);
    expect(Object.keys((written[0] as unknown as { errors: object }).errors)).toEqual([
      'udfs.0.id',
      'feedback.0.unit_id',
      'purchases.0.unit_id',
      'bookings.0.unit_id',
      'wifi.0.unit_id',
      'stays.0.unit_id',
    ]);
  });
});
