import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { raw } from '../../../../src/platform/db/sql.ts';
import { replaceStatistics } from '../../../../src/platform/db/statistics.ts';
import { everyNode } from '../../../support/database.ts';
import { domainService } from '../../../support/domains.ts';

const { accountId, sql, db, dns, service, token } = await domainService();
const nodes = await everyNode(service.database);
const at = `/accounts/${accountId}`;
const { call, admin } = service;
const ids = { unit: 0, udf: 0, category: 0, enquiry: 0 };

beforeAll(async () => {
  ids.unit = (await admin('POST', `${at}/units`, { name: 'The Anchor' })).body.id;
  ids.udf = (await admin('POST', `${at}/udfs`, { name: 'Allergies', type: 'text' })).body.id;
  ids.category = (await admin('POST', `${at}/feedback_categories`, { name: 'Wine list' })).body.id;
  ids.enquiry = (await admin('POST', `${at}/booking_sources`, { name: 'Own web form' })).body.id;
});

/** All that a guest may have, every value made of the guest's own word or digits. */
function guest(word: string, digits: string) {
  const own = (what: string) => `${word}-${what}`;
  return {
    email: `${word}.mail@${word}-family.example`,
    mobile_number: `447700${digits}`,
    home_number: `0117${digits}`,
    work_number: `0118${digits}`,
    title: own('title').slice(0, 20),
    first_name: `${word}first`,
    last_name: `${word}last`,
    building_name: own('building'),
    building_num_street: own('street'),
    locality: own('locality'),
    postcode: own('p').slice(0, 8),
    city: own('city'),
    county: own('county'),
    country: own('country'),
    membership_number: own('member'),
    membership_type: own('kind'),
    card_reference: own('card'),
    source_name: `Friends of ${word}first ${word}last`,
    allow_email: true,
    units: [
      {
        id: ids.unit,
        groups: [
          { name: `Party of ${word}first ${word}last` },
          { name: `List ${word}.mail@${word}-family.example`, folder_name: `Numbers 0${`7700${digits}`}` },
        ],
      },
    ],
    udfs: [{ id: ids.udf, data: own('allergy') }],
    notes: [{ text: own('note') }],
    feedback: [
      {
        unit_id: ids.unit,
        comments: [{ type: 'food', note: own('comment') }],
        ratings: [{ category_id: ids.category, rating_text: own('rating'), contact_note: own('remark') }],
      },
    ],
    bookings: [{ booking_reference: own('booking'), unit_id: ids.unit, party_datetime: '2026-03-01 19:30:00' }],
    purchases: [
      {
        transaction_reference: own('transaction'),
        unit_id: ids.unit,
        created_at: '2026-03-01 20:00:00',
        items: [{ description: own('meal'), sku: own('sku'), quantity: 1, value: 10, tags: [own('tag')] }],
      },
    ],
    stays: [
      {
        stay_reference: own('stay'),
        provider_id: 7,
        unit_id: ids.unit,
        enquiry_date: '2026-02-01 10:00:00',
        checkin_date: '2026-03-01 15:00:00',
        checkout_date: '2026-03-02 11:00:00',
        room_type_id: 1,
        total_guests: 1,
        booking_enquiry_source_id: ids.enquiry,
        booking_status_id: 3,
        booker: true,
        guest: true,
        room_rate_code: own('rate'),
        stay_travel_agent: own('agent'),
      },
    ],
    wifi: [
      {
        unit_id: ids.unit,
        hotspot_name: own('hotspot'),
        mac_address: '00:11:22:33:44:55',
        device_type: own('phone'),
        interaction_type: 'connected',
      },
    ],
  };
}

const ok = async (answer: Promise<{ status: number; body: { id: number } }>) => {
  const { status, body } = await answer;
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const write = (body: object, headers: Record<string, string> = {}) =>
  ok(call('POST', '/v1/contact', { token, body, headers }));
const erase = async (id: number) => expect((await admin('DELETE', `${at}/contacts/${id}`)).status).toBe(204);

/** Where any of these words is found: in a row of any table, or in the statistics of any column. */
async function findTexts(words: string[]): Promise<string[]> {
  const tables = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'graphile_worker') and c.relkind = 'r' order by 1`;
  const found: string[] = [];
  const pattern = words.map((word) => `%${word}%`);
  for (const { name } of tables) {
    const rows = await sql<{ row: string }>`
      select row.row from (select to_jsonb(t)::text as row from ${raw(name)} as t) as row where lower(row.row) like any (${pattern}::text[])`;
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  const statistics = nodes.map(
    (node) => node<{ name: string; row: string }>`
      select name, row from (
        select s.starelid::regclass || '.' || a.attname as name,
          concat_ws(' ', stavalues1::text, stavalues2::text, stavalues3::text, stavalues4::text, stavalues5::text) as row
        from pg_statistic s join pg_attribute a on a.attrelid = s.starelid and a.attnum = s.staattnum) as one
      where lower(row) like any (${pattern}::text[])`,
  );
  return [...found, ...(await Promise.all(statistics)).flat().map(({ name, row }) => `statistics of ${name}: ${row}`)];
}

describe('erasing a contact', () => {
  it('removes its values from every table and all statistics, and keeps those of other contacts', async () => {
    dns.says(['quillon-family.example', 'branwen-family.example'], 'mx');
    const [theirs, others] = [guest('quillon', '900987'), guest('branwen', '900654')];
    const ownIds = { 'idempotency-key': `write-${theirs.email}`, 'x-request-id': 'till-quillon-member-17' };
    const { id } = await write(theirs, ownIds);
    const { id: other } = await write(others, {
      'idempotency-key': randomUUID(),
      'x-request-id': 'till-branwen-member-17',
    });
    // The same guest with a phone alone, merged; and again, with the merge undone.
    const halves = await Promise.all(['447700911987', '447700912987'].map((mobile_number) => write({ mobile_number })));
    for (const half of halves) {
      const merged = await admin('POST', `${at}/contacts/${id}/merge`, { contact_id: half.id });
      expect(merged.status).toBe(200);
      if (half === halves[1]) expect((await admin('POST', `${at}/merges/${merged.body.id}/undo`)).status).toBe(200);
    }
    // Sales of the other guest that were paid with this guest's card; and one that waits.
    const sale = (transaction_reference: string, keys: object, as: object = {}) =>
      ok(
        call('POST', '/v1/purchases', {
          token,
          headers: { 'idempotency-key': randomUUID() },
          body: {
            account_id: accountId,
            ...keys,
            purchases: [
              { transaction_reference, unit_id: ids.unit, created_at: '2026-03-01 21:00:00', items: [], ...as },
            ],
          },
        }),
      );
    const { membership_number, card_reference } = theirs;
    await sale('lent', { booking_reference: 'branwen-booking', membership_number, card_reference });
    await sale('mine', { membership_number });
    await sale('branwen-own', { membership_number: 'branwen-member' });
    // A card that led to the other guest then, and is this guest's now.
    await write({ email: others.email, card_reference: 'quillon-second-card' });
    await sale('moved', { card_reference: 'quillon-second-card' });
    await write({ email: others.email, card_reference: others.card_reference });
    await write({ email: theirs.email, card_reference: 'quillon-second-card' });
    await sql`insert into purchases (account_id, unit_id, transaction_reference, order_type_id, created_at, lines, card_reference)
      values (${accountId}, ${ids.unit}, 'waiting', 1, now(), '[]', ${card_reference})`;
    await expect
      .poll(() => sql`select from request_log where request_id like 'till-%-17'`, { timeout: 5000 })
      .toHaveLength(2);
    await sql`analyze`;

    const words = ['quillon', '900987', '911987'];
    const before = await findTexts(words);
    for (const expected of [
      /^contacts:/,
      /^idempotency_records:/,
      /^request_log:/,
      /^email_domains:/,
      /^groups:/,
      /^folders:/,
      /^sources:/,
    ])
      expect(
        before.some((trace) => expected.test(trace)),
        String(expected),
      ).toBe(true);
    for (const name of ['"lent"', '"moved"', '"waiting"'])
      expect(
        before.some((trace) => trace.startsWith('purchases:') && trace.includes(name)),
        name,
      ).toBe(true);
    expect(before.filter((trace) => trace.startsWith('statistics')).length).toBeGreaterThan(20);
    const kept = (await findTexts(['branwen'])).filter((trace) => !trace.startsWith('statistics'));

    await erase(id);
    expect((await findTexts(words)).filter((trace) => !trace.startsWith('statistics'))).toEqual([]);
    const [job] = await sql<{ delay: number }>`
      select extract(epoch from run_at - now())::float8 as delay from graphile_worker.jobs where task_identifier = 'replace_statistics'`;
    expect(job?.delay).toBeLessThanOrEqual(60);
    await replaceStatistics(db);
    expect(await findTexts(words)).toEqual([]);

    const left = (await findTexts(['branwen'])).filter((trace) => !trace.startsWith('statistics'));
    const withoutTheirs = (trace: string) => trace.replaceAll(/"quillon-(second-)?(member|card)"/g, 'null');
    expect(left.sort()).toEqual(kept.map(withoutTheirs).sort());
    const sales = await sql`
      select transaction_reference as reference, contact_id::int, membership_number, card_reference, matched_by, matched_value
      from purchases where transaction_reference in ('lent', 'moved', 'mine', 'waiting', 'branwen-own') order by 1`;
    expect([...sales]).toEqual([
      {
        ...{ reference: 'branwen-own', contact_id: other, membership_number: 'branwen-member', card_reference: null },
        ...{ matched_by: 'membership_number', matched_value: 'branwen-member' },
      },
      {
        ...{ reference: 'lent', contact_id: other, membership_number: null, card_reference: null },
        ...{ matched_by: 'booking_reference', matched_value: 'branwen-booking' },
      },
      {
        ...{ reference: 'moved', contact_id: other, membership_number: null, card_reference: null },
        ...{ matched_by: 'card_reference', matched_value: null },
      },
      {
        ...{ reference: 'waiting', contact_id: null, membership_number: null, card_reference: null },
        ...{ matched_by: null, matched_value: null },
      },
    ]);
  });

  it('keeps a number that moved to another contact before', async () => {
    const first = await write({ email: 'before@gmail.com', membership_number: 'PASSED-ON' });
    const second = await write({ email: 'after@gmail.com', membership_number: 'PASSED-ON' });
    await ok(
      call('POST', '/v1/purchases', {
        token,
        body: {
          account_id: accountId,
          membership_number: 'PASSED-ON',
          purchases: [{ transaction_reference: 'passed-on', unit_id: ids.unit, created_at: '2026-03-01 21:00:00' }],
        },
      }),
    );
    await erase(first.id);
    const [sale] = await sql`
      select contact_id::int, membership_number, matched_value from purchases where transaction_reference = 'passed-on'`;
    expect(sale).toEqual({ contact_id: second.id, membership_number: 'PASSED-ON', matched_value: 'PASSED-ON' });
  });

  it('keeps the names of groups and sources that other contacts use or that only resemble its values', async () => {
    const named = { first_name: 'Percival', last_name: 'Underhill' };
    const units = [{ id: ids.unit, groups: [{ name: 'Percival Underhill fans' }, { name: 'Percivals' }] }];
    const source_name = 'Percival Underhill Events';
    const { id } = await write({ email: 'percival@gmail.com', ...named, units, source_name });
    await write({ email: 'fan@gmail.com', units, source_name });
    await erase(id);
    const names = await sql<{ name: string }>`
      select name from groups where name like 'Percival%' union all select name from sources where name like 'Percival%' order by 1`;
    expect(names.map(({ name }) => name)).toEqual([
      'Percival Underhill Events',
      'Percival Underhill fans',
      'Percivals',
    ]);
  });

  it('clears the statistics of a table that is empty afterwards, if PostgreSQL can', async () => {
    const [{ version } = { version: 0 }] = await sql<{ version: number }>`
      select current_setting('server_version_num')::int as version`;
    if (version < 180_000) return;
    await sql`delete from wifi_interactions`;
    dns.says('thistle-family.example', 'mx');
    const { id } = await write(guest('thistle', '900321'));
    await write({ ...guest('thistle', '900321'), wifi: guest('thistle', '900321').wifi });
    await sql`analyze`;
    expect((await findTexts(['thistle-hotspot'])).some((trace) => trace.startsWith('statistics'))).toBe(true);
    await erase(id);
    await replaceStatistics(db);
    expect(await sql`select from wifi_interactions`).toHaveLength(0);
    expect(await findTexts(['thistle'])).toEqual([]);
  });
});
