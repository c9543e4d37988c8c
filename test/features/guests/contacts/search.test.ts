import { describe, expect, it } from 'vitest';
import { searchContacts } from '../../../../src/features/guests/contacts/search.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { accountIn, partner } from '../../../support/partner.ts';

const app = await testApp();
const { account, admin, db, database } = app;
const sql = await superuser(database);

interface Found {
  id: number;
  first_name: string;
  last_name: string;
}

async function group() {
  const made = await account();
  const { written, next } = partner(app, made);
  const search = async (query: Record<string, string | number> = {}) => {
    const words = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
    );
    const { status, body } = await admin('GET', `/accounts/${made.id}/contacts/search?${words}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body as { data: Found[]; page: number; more: boolean };
  };
  return {
    ...made,
    written,
    guest: async (body: object) => (await written({ email: `${next('g')}@gmail.com`, ...body })).id as number,
    search,
    found: async (query: string, filter: Record<string, string | number> = {}) =>
      (await search({ search: query, ...filter })).data.map(({ id }) => id),
  };
}

describe('a search for contacts', () => {
  it('finds by the start of a first name, last name, e-mail, membership or card, in any case', async () => {
    const { guest, found } = await group();
    const ana = await guest({ first_name: 'Ana', last_name: 'Silva', email: 'holiday@gmail.com' });
    const card = await guest({ membership_number: 'M-1029', card_reference: 'Xy77' });
    for (const typed of ['a', 'AN', 'ana', 'sil', 'Silva', 'HOLI', 'holiday@gmail.com']) {
      expect(await found(typed), typed).toEqual([ana]);
    }
    for (const typed of ['M-10', 'm-1029', 'Xy7']) expect(await found(typed), typed).toEqual([card]);
    for (const typed of ['na', 'ilva', 'anab', 'gmail', '1029', '%', '-', '\u{10FFFF}']) {
      expect(await found(typed), typed).toEqual([]);
    }
  });

  it('finds a mobile in any notation, also a partial one', async () => {
    const { guest, found } = await group();
    const one = await guest({ mobile_number: '07700900123' });
    const typed = ['07700', '0', '07700 900 123', '+44 7700', '+44 (0)7700', '0044 7700', '447700900123', '44', '7700'];
    for (const text of typed) expect(await found(text), text).toEqual([one]);
    for (const text of ['077009001234', '07701', '+45', '900123']) expect(await found(text), text).toEqual([]);
  });

  it('finds all contacts with a number, not only the one it identifies', async () => {
    const { guest, found } = await group();
    const owner = await guest({ mobile_number: '07700900123' });
    const sharer = await guest({ mobile_number: '07700900123' });
    await guest({ mobile_number: '07700900999' });
    expect(await found('07700 900123')).toEqual([owner, sharer]);
  });

  it('with two words finds first and last name in either order, one of them partial', async () => {
    const { guest, found } = await group();
    const jane = await guest({ first_name: 'Jane', last_name: 'Smith' });
    await guest({ first_name: 'Jane', last_name: 'Jones' });
    await guest({ first_name: 'Karl', last_name: 'Smith' });
    for (const typed of ['jane sm', 'smith ja', 'Jane Smith', 'j smith', 'sm jane', ' jane   smith ', 'smith, jane']) {
      expect(await found(typed), typed).toEqual([jane]);
    }
    for (const typed of ['jane x', 'smith jo', 'jan smi']) expect(await found(typed), typed).toEqual([]);
  });

  it('finds names with several words, accents, hyphens and apostrophes, typed with or without them', async () => {
    const { guest, found } = await group();
    const ana = await guest({ first_name: 'Ana María', last_name: 'van der Berg' });
    const zoe = await guest({ first_name: 'Zoë', last_name: 'O’Brien-Şahin' });
    for (const typed of [
      'van d',
      'van der berg',
      'vander',
      'ana maria van der b',
      'ana maria',
      'anam',
      'van der berg ana',
    ]) {
      expect(await found(typed), typed).toEqual([ana]);
    }
    for (const typed of ['zoe', 'ZOË', 'zoe\u0308', "o'br", 'obrien sahin', "zoe o'brien-s", "O'BRIEN-ŞAHIN zoë"]) {
      expect(await found(typed), typed).toEqual([zoe]);
    }
  });

  it('finds names in scripts without keys, and with stacked accents', async () => {
    const { guest, found } = await group();
    const linh = await guest({ first_name: 'Linh', last_name: 'Nguyễn' });
    const jurgen = await guest({ first_name: 'Jürgen', last_name: 'Groß' });
    const aesa = await guest({ first_name: 'Æsa', last_name: 'Þórsdóttir' });
    const lukasz = await guest({ first_name: 'Łukasz', last_name: 'Østergård' });
    for (const [typed, who] of [
      ['nguyen', linh],
      ['linh nguyễn'.normalize('NFD'), linh],
      ['gross', jurgen],
      ['jurgen groß', jurgen],
      ['thors', aesa],
      ['aesa', aesa],
      ['lukasz oster', lukasz],
    ] as const)
      expect(await found(typed), typed).toEqual([who]);
  });

  it('lists matches of last names first, then first names, then others; each contact once', async () => {
    const { guest, found } = await group();
    const email = await guest({ email: 'alex@gmail.com' });
    const first = await guest({ first_name: 'Alex', last_name: 'Young', email: 'alexy@gmail.com' });
    const both = await guest({ first_name: 'Alexa', last_name: 'Alexander' });
    const last = await guest({ first_name: 'Bob', last_name: 'Alexander' });
    expect(await found('alex')).toEqual([both, last, first, email]);
  });

  it('shows the survivor for the values of a merged contact, once', async () => {
    const { id, guest, found, search } = await group();
    const old = await guest({
      first_name: 'Robert',
      last_name: 'Quill',
      email: 'rob@gmail.com',
      mobile_number: '07700900001',
    });
    const now = await guest({ first_name: 'Bob', last_name: 'Quill', email: 'robert@gmail.com' });
    await admin('POST', `/accounts/${id}/contacts/${now}/merge`, { contact_id: old });
    for (const typed of ['rob@', 'rob', '07700900001', 'bob', 'quill'])
      expect(await found(typed), typed).toEqual([now]);
    expect((await search()).data.map((one) => one.id)).toEqual([now]);
    expect(await found('robert quill')).toEqual([]);
  });

  it('finds no contact of another account', async () => {
    const [mine, theirs] = [await group(), await group()];
    const one = await theirs.guest({ first_name: 'Ana', units: [{ id: theirs.root_unit_id }] });
    expect(await theirs.found('ana')).toEqual([one]);
    expect(await mine.found('ana')).toEqual([]);
    expect(await mine.found('ana', { unit_id: theirs.root_unit_id })).toEqual([]);
    expect((await mine.search({ unit_id: theirs.root_unit_id })).data).toEqual([]);
    expect((await admin('GET', '/accounts/999999/contacts/search')).status).toBe(404);
  });

  it('names invalid parameters', async () => {
    const { id } = await group();
    const asked = 'consent=fax&page=0&unit_id=x&group_id=y';
    const { status, body } = await admin('GET', `/accounts/${id}/contacts/search?${asked}`);
    expect([status, Object.keys(body.errors).sort()]).toEqual([422, ['consent', 'group_id', 'page', 'unit_id']]);
  });
});

describe('a list of contacts', () => {
  it('without a search has the newest first, with their fields', async () => {
    const { guest, search } = await group();
    const older = await guest({});
    const newer = await guest({
      ...{ first_name: 'Ana', last_name: 'Silva', email: 'a@gmail.com', mobile_number: '07700900123' },
      ...{ membership_number: 'M1', allow_sms: true },
    });
    const { data, page, more } = await search();
    expect([data.map((one) => one.id), page, more]).toEqual([[newer, older], 1, false]);
    expect(data[0]).toEqual({
      ...{ id: newer, first_name: 'Ana', last_name: 'Silva', email: 'a@gmail.com', mobile_number: '447700900123' },
      ...{ membership_number: 'M1', allow_email: false, allow_sms: true, allow_call: false, allow_snail_mail: false },
      ...{ created_at: expect.any(String), last_visit_at: null },
    });
  });

  it('can be filtered by unit, group and consent, combined with each other and with a search', async () => {
    const { id, guest, search, found } = await group();
    const { body: unit } = await admin('POST', `/accounts/${id}/units`, { name: 'The Anchor' });
    const { body: club } = await admin('POST', `/accounts/${id}/groups`, { unit_id: unit.id, name: 'Club' });
    const at = { units: [{ id: unit.id, groups: [{ id: club.id }] }] };
    const all = await guest({ first_name: 'Ana', ...at, allow_email: true });
    const noConsent = await guest({ first_name: 'Ana', ...at });
    const noGroup = await guest({ first_name: 'Anton', units: [{ id: unit.id }], allow_email: true });
    const elsewhere = await guest({ first_name: 'Ana', allow_email: true });
    await guest({ first_name: 'Zed' });
    const list = async (filter: Record<string, string | number>) => (await search(filter)).data.map((one) => one.id);
    const [unit_id, group_id, consent] = [unit.id, club.id, 'email'];
    expect(await list({ unit_id })).toEqual([noGroup, noConsent, all]);
    expect(await list({ group_id })).toEqual([noConsent, all]);
    expect(await list({ consent })).toEqual([elsewhere, noGroup, all]);
    expect(await list({ consent: 'call' })).toEqual([]);
    expect(await list({ unit_id, consent })).toEqual([noGroup, all]);
    expect(await list({ unit_id, group_id, consent })).toEqual([all]);
    expect(await found('an', { unit_id })).toEqual([all, noConsent, noGroup]);
    expect(await found('ana', { unit_id, consent })).toEqual([all]);
    expect(await found('zed', { unit_id })).toEqual([]);
    expect(await found('an', { unit_id: 999_999 })).toEqual([]);
  });

  it('with a filter still finds the values of a merged contact, and a number that identifies another', async () => {
    const { id, root_unit_id: unit_id, guest, found } = await group();
    const old = await guest({ email: 'rob@gmail.com', mobile_number: '07700900001' });
    const now = await guest({ email: 'bob@gmail.com' });
    await admin('POST', `/accounts/${id}/contacts/${now}/merge`, { contact_id: old });
    const sharer = await guest({ mobile_number: '07700900001' });
    expect(await found('rob@', { unit_id })).toEqual([now]);
    expect(await found('07700900001', { unit_id })).toEqual([now, sharer]);
  });

  it('has pages of 50, and states whether there are more', async () => {
    const { id, search } = await group();
    await sql`insert into contacts (account_id, first_name, last_name) select ${id}, 'Ana', 'N' || n from generate_series(100, 219) n`;
    for (const query of [{}, { search: 'ana' }, { search: 'n' }, { search: 'ana n' }]) {
      const pages = [await search(query), await search({ ...query, page: 2 }), await search({ ...query, page: 3 })];
      expect(pages.map(({ data, page, more }) => [data.length, page, more])).toEqual([
        [50, 1, true],
        [50, 2, true],
        [20, 3, false],
      ]);
      expect(new Set(pages.flatMap(({ data }) => data.map((one) => one.id))).size).toBe(120);
      expect(await search({ ...query, page: 4 })).toEqual({ data: [], page: 4, more: false, count: null });
      expect(await search({ ...query, page: 201 })).toEqual({ data: [], page: 201, more: false, count: null });
    }
  });
});

describe('the last visit of a contact', () => {
  const stay = {
    ...{ booker: true, guest: true, provider_id: 1, enquiry_date: '2020-01-01 09:00:00', room_type_id: 2 },
    ...{ total_guests: 2, booking_enquiry_source_id: 1, booking_status_id: 7 },
  };

  it('is the latest purchase, booking, stay or wifi, including those of merged contacts', async () => {
    const { id, root_unit_id: unit_id, guest, search, written } = await group();
    const { body: provider } = await admin('POST', `/accounts/${id}/providers`, { name: 'Rooms' });
    const email = 'ana@gmail.com';
    const one = await guest({ email });
    const seen = async () =>
      ((await search()).data.find((found) => found.id === one) as unknown as { last_visit_at: string }).last_visit_at;
    expect(await seen()).toBeNull();
    await written({ email, purchases: [{ transaction_reference: 'T1', created_at: '2021-01-01 10:00:00' }] });
    expect(await seen()).toBe('2021-01-01 10:00:00');
    await written({ email, bookings: [{ booking_reference: 'B1', party_datetime: '2021-02-01 19:00:00' }] });
    expect(await seen()).toBe('2021-02-01 19:00:00');
    const times = { checkin_date: '2021-03-01 15:00:00', checkout_date: '2021-03-03 11:00:00' };
    await written({ email, stays: [{ ...stay, ...times, unit_id, provider_id: provider.id, stay_reference: 'S1' }] });
    expect(await seen()).toBe('2021-03-01 15:00:00');
    await written({ email, wifi: [{ created_at: '2021-04-01 10:00:00' }] });
    expect(await seen()).toBe('2021-04-01 10:00:00');
    const other = await guest({ wifi: [{ created_at: '2021-05-01 10:00:00' }] });
    await admin('POST', `/accounts/${id}/contacts/${one}/merge`, { contact_id: other });
    expect(await seen()).toBe('2021-05-01 10:00:00');
  });

  it('ignores cancelled activity, future activity in the account’s time zone, and stays booked for another contact', async () => {
    const { id, root_unit_id: unit_id, guest, search } = await group();
    const { body: provider } = await admin('POST', `/accounts/${id}/providers`, { name: 'Rooms' });
    const on = (stay_reference: string, more: object) => ({
      ...{ ...stay, unit_id, provider_id: provider.id, stay_reference },
      ...{ checkin_date: '2021-03-01 15:00:00', checkout_date: '2021-03-03 11:00:00', ...more },
    });
    await guest({
      bookings: [
        { booking_reference: 'B1', party_datetime: '2021-02-01 19:00:00', stage_value: 550 },
        { booking_reference: 'B2', party_datetime: '2121-02-01 19:00:00' },
        { booking_reference: 'B3' },
      ],
      stays: [on('S1', { booking_status_id: 5 }), on('S2', { booking_status_id: 6 }), on('S3', { guest: false })],
      purchases: [{ transaction_reference: 'T1', created_at: '2121-01-01 10:00:00' }],
    });
    expect((await search()).data[0]).toMatchObject({ last_visit_at: null });

    const east = await accountIn(app, 'Pacific/Kiritimati');
    const { written } = partner(app, { id: east.accountId, token: east.token });
    // What is now there is still to come here.
    const now = new Date(Date.now() + 13 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    await written({ email: 'kiri@gmail.com', wifi: [{ created_at: now }] });
    const { body } = await admin('GET', `/accounts/${east.accountId}/contacts/search`);
    expect(body.data[0].last_visit_at).toBe(now);
  });
});

describe('the number of rows read, for any number of contacts', async () => {
  const { id: accountId, root_unit_id: unit } = await account('Many');
  const many = 20_000;
  await sql`
    insert into contacts (account_id, first_name, last_name, email, mobile_number, membership_number, allow_email, allow_sms)
    select ${accountId}, 'Ana' || n % 50, 'Silva' || n % 997, 'ana' || n || '@gmail.com', '447' || 100000000 + n, 'M' || n, true, n % 4000 = 0
    from generate_series(1, ${many}::bigint) n`;
  await sql`
    insert into identities select account_id, 'email', email, id from contacts where account_id = ${accountId}
    union all select account_id, 'mobile', mobile_number, id from contacts where account_id = ${accountId}
    union all select account_id, 'membership', membership_number, id from contacts where account_id = ${accountId}`;
  await sql`insert into contact_units select account_id, id, ${unit} from contacts where account_id = ${accountId}`;
  await sql`analyze`;

  /** The number of rows and index entries that a search reads, in all tables. */
  async function touched(input: Parameters<typeof searchContacts>[2]): Promise<{ found: number; touched: number }> {
    return db.tenant(accountId, async (tx) => {
      const rowsRead = async () => {
        const [sum] = await tx<{ touched: string }>`
          select sum(pg_stat_get_xact_tuples_returned(c.oid)) as touched
          from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind in ('r', 'i')`;
        return Number(sum?.touched);
      };
      const before = await rowsRead();
      const { data } = await searchContacts(tx, accountId, input);
      return { found: data.length, touched: (await rowsRead()) - before };
    });
  }

  it.each([
    ['one letter', { search: 'a' }],
    ['a name', { search: 'silva1' }],
    ['an e-mail', { search: 'ana123' }],
    ['a number', { search: '07100' }],
    ['a membership', { search: 'M1' }],
    ['two names', { search: 'ana1 silva' }],
    ['the newest', {}],
    ['a unit that all are in', { unit_id: unit }],
    ['a consent that all gave', { consent: 'email' as const }],
  ])('%s reads only a few rows', async (_, input) => {
    const { found, touched: rows } = await touched(input);
    expect(found).toBe(50);
    expect(rows).toBeLessThan(many / 10);
  });

  it('one letter in a unit of all contacts stops reading once there are many', async () => {
    const { found, touched: rows } = await touched({ search: 'a', unit_id: unit });
    expect(found).toBe(50);
    expect(rows).toBeLessThan(7000);
  });

  it('a search starts from a selective filter', async () => {
    const { found, touched: rows } = await touched({ search: 'a', consent: 'sms' });
    expect(found).toBe(many / 4000);
    expect(rows).toBeLessThan(many / 20);
    // How many are in the unit is counted, up to a bound, and they are not looked at.
    expect((await touched({ search: 'ana', unit_id: unit, consent: 'sms' })).touched).toBeLessThan(many * 1.05);
    expect((await touched({ consent: 'sms' })).touched).toBeLessThan(many / 20);
  });
});
