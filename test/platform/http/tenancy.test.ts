import { describe, expect, it } from 'vitest';
import { routes } from '../../../src/app/http-app.ts';
import { raw } from '../../../src/platform/db/sql.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { type Answer, testApp } from '../../support/app.ts';
import { superuser } from '../../support/database.ts';
import { createFullAccount, type FullAccount, type Ids } from '../../support/full-account.ts';
import { signedIn } from '../../support/staff.ts';

const app = await testApp();
const { admin, call, database } = app;
const sql = await superuser(database);

const theirs = await createFullAccount(app, sql, 'Theirs');
const owner = await signedIn(app, 'owner');
const staff = await signedIn(app, 'staff', []);
const strangers = await signedIn(app, 'staff', [theirs.ids.account_id]);

let wrongTokens = 0;

/** There is nothing under it, anywhere. */
const unknownId = 999_999_999;

/** A definition with every kind of id. */
const segmentOf = (ids: Ids) => ({
  all: [
    { field: 'unit', op: 'in', value: [ids.unit_id] },
    { field: 'group', op: 'not_in', value: [ids.group_id] },
    { field: 'source', op: 'in', value: [ids.source_id] },
    { field: `udf:${ids.udf_id}`, op: 'known' },
    { field: 'visits', op: 'at_least', value: 1, unit_ids: [ids.unit_id] },
    { field: 'segment', op: 'in', value: [ids.segment_id] },
  ],
});

/** What an operation is sent, where that is more than its example with the account's own ids. */
const bodies: Record<string, (ids: Ids) => object> = {
  'POST /v1/contact': (ids) => ({
    ...{ account_id: ids.account_id, email: 'ana@gmail.com', source_id: ids.source_id },
    units: [{ id: ids.unit_id, groups: [{ id: ids.group_id }] }],
    udfs: [{ id: ids.udf_id, data: 'nuts' }],
    feedback: [{ unit_id: ids.unit_id, ratings: [{ category_id: ids.category_id, rating_text: '9' }] }],
    purchases: [{ transaction_reference: 'T-2', unit_id: ids.unit_id }],
    bookings: [{ booking_reference: 'B-1', unit_id: ids.unit_id }],
    wifi: [{ unit_id: ids.unit_id }],
    stays: [
      {
        ...{ booker: true, guest: true, unit_id: ids.unit_id, provider_id: 7, stay_reference: 'S-2', total_guests: 1 },
        ...{ room_type_id: 1, booking_enquiry_source_id: ids.booking_source_id, booking_status_id: 3 },
        ...{ enquiry_date: '2026-01-01 09:00:00' },
        ...{ checkin_date: '2026-03-01 15:00:00', checkout_date: '2026-03-03 11:00:00' },
      },
    ],
  }),
  'GET /v1/contacts': (ids) => ({ account_id: ids.account_id, email: 'ana@gmail.com' }),
  'POST /v1/purchases': (ids) => ({
    ...{ account_id: ids.account_id, unique_code: 'SUMMER-2', unique_code_group_id: ids.unique_code_group_id },
    purchases: [{ transaction_reference: 'T-3', unit_id: ids.unit_id }],
  }),
  'GET /v1/bookings': (ids) => ({ account_id: ids.account_id, booking_reference: 'B-1' }),
  'POST /v1/bookings': (ids) => ({
    ...{ account_id: ids.account_id, booking_reference: 'B-1', unit_id: ids.unit_id, table_numbers: ['12'] },
  }),
  'POST /v1/bookings/:booking_id': (ids) => ({
    ...{ account_id: ids.account_id, unit_id: ids.unit_id, table_numbers: ['12'] },
  }),
  'GET /v1/pop/by_date': (ids) => ({
    ...{ account_id: ids.account_id, contact_id: ids.contact_id, start_date: '2026-03-01', end_date: '2026-03-31' },
    types: ['purchases', 'booking'],
  }),
  'POST /v1/unique_code/redeem': (ids) => ({
    ...{ account_id: ids.account_id, unit_id: ids.unit_id, unique_code_group_id: ids.unique_code_group_id },
    unique_code: 'SUMMER-1',
  }),
  'GET /v1/unique_code': (ids) => ({
    ...{ account_id: ids.account_id, unique_code_group_id: ids.unique_code_group_id, unique_code: 'SUMMER-1' },
  }),
  'POST /admin/v1/accounts/:account_id/contacts/:contact_id/merge': (ids) => ({ contact_id: ids.other_contact_id }),
  'POST /admin/v1/accounts/:account_id/unique_code_groups/:unique_code_group_id/codes': () => ({ count: 2 }),
  'POST /admin/v1/accounts/:account_id/unique_code_groups/:unique_code_group_id/assign': (ids) => ({
    contact_ids: [ids.contact_id],
  }),
  'POST /admin/v1/accounts/:account_id/segments': (ids) => ({ name: 'Gold', definition: segmentOf(ids) }),
  'GET /admin/v1/accounts/:account_id/contacts/search': (ids) => ({ definition: JSON.stringify(segmentOf(ids)) }),
  'POST /admin/v1/accounts/:account_id/segments/preview': (ids) => ({ definition: segmentOf(ids) }),
  'GET /admin/v1/accounts/:account_id/unique_codes': () => ({ unique_code: 'SUMMER-1' }),
  'POST /admin/v1/accounts/:account_id/unique_codes/assign': (ids) => ({
    ...{ unique_code_group_id: ids.unique_code_group_id, unique_code: 'SUMMER-1', contact_id: ids.contact_id },
  }),
  'POST /admin/v1/accounts/:account_id/unique_codes/unassign': (ids) => ({
    ...{ unique_code_group_id: ids.unique_code_group_id, unique_code: 'SUMMER-2' },
  }),
};

/** Names that mean something else than what they say, in some addresses. */
const byList: Record<string, keyof Ids> = {
  udfs: 'udf_id',
  sources: 'source_id',
  providers: 'provider_id',
  feedback_categories: 'category_id',
  booking_sources: 'booking_source_id',
};

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** The whole of a request, by an account's own ids: what differs between two accounts' are the ids that it names. */
function requestOf(operation: Route, ids: Ids): { path: string[]; sent: unknown } {
  const path = operation.path
    .split('/')
    .map((part, index, parts) =>
      part === ':id'
        ? String(ids[byList[parts[index - 1] as string] as keyof Ids])
        : part.startsWith(':')
          ? String(ids[part.slice(1) as keyof Ids])
          : part,
    );
  const own = bodies[nameOf(operation)];
  if (own) return { path, sent: own(ids) };
  const sent: Record<string, unknown> = { ...(operation.example?.input as object) };
  for (const name of Object.keys(operation.input.properties)) if (name in ids) sent[name] = ids[name as keyof Ids];
  return { path, sent };
}

type Request = ReturnType<typeof requestOf>;

/** Every way to exchange one of the ids in the first for its like in the second, with the name of it. */
function* exchanges(ours: unknown, others: unknown, at: string[] = []): Generator<{ name: string; with: unknown }> {
  if (typeof ours === 'object' && ours !== null) {
    for (const key of Object.keys(ours)) {
      const [mine, its] = [ours, others].map((node) => (node as Record<string, unknown>)[key]);
      for (const { name, with: changed } of exchanges(mine, its, [...at, key])) {
        const copy = Array.isArray(ours) ? [...ours] : { ...ours };
        (copy as Record<string, unknown>)[key] = changed;
        yield { name, with: copy };
      }
    }
  } else if (ours !== others) yield { name: at.join('.'), with: others };
}

const mapIds = (ids: Ids, to: number): Ids => Object.fromEntries(Object.keys(ids).map((name) => [name, to])) as Ids;

async function send(operation: Route, { path, sent }: Request, by: FullAccount | typeof staff): Promise<Answer> {
  const { method, access } = operation;
  const address = path.join('/');
  if (access === 'partner') {
    const { token } = by as FullAccount;
    return method === 'GET'
      ? call(method, address, { token, query: query(sent) })
      : call(method, address, { token, body: sent });
  }
  const { call: as } = by as typeof staff;
  const within = address.replace('/admin/v1', '');
  return method === 'GET'
    ? as(method, within, undefined, { query: query(sent) })
    : as(method, within, method === 'DELETE' ? undefined : sent);
}

function query(sent: unknown): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(sent as object))
    for (const one of [value].flat()) search.append(Array.isArray(value) ? `${name}[]` : name, String(one));
  return search.toString();
}

/** All that a client sees of a response, except for its own input and values that differ by request. */
function seen({ status, body, headers }: Answer, ids: number[]) {
  const { date, 'x-request-id': _, 'content-length': __, ...rest } = headers;
  const otherHeaders = Object.entries(rest).filter(([name]) => !name.startsWith('ratelimit-'));
  const hide = (text: string) => ids.reduce((left, id) => left.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '#'), text);
  return { status, body: hide(JSON.stringify(body)), headers: otherHeaders };
}

const tables = await sql<{ name: string }>`
  select relname as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'request_log' order by 1`;

/** All rows except those that every request writes, such as the request log. */
async function everything(): Promise<Record<string, string>> {
  const prints = await Promise.all(
    tables.map(async ({ name }) => {
      // A session that is used five minutes later lasts longer.
      const moving = ['last_used_at', 'seen_at', ...(name === 'sessions' ? ['last_seen_at', 'expires_at'] : [])];
      const [row] = await sql<{ print: string }>`
        select count(*) || ' ' || coalesce(sum(hashtextextended((to_jsonb(r) - ${moving}::text[])::text, 0)::numeric), 0) as print
        from ${raw(name)} as r`;
      return [name, row?.print ?? ''] as const;
    }),
  );
  return Object.fromEntries(prints);
}

async function theirRows(): Promise<unknown> {
  const rows = await Promise.all(
    tables.map(async ({ name }) => [
      name,
      await sql`select to_jsonb(r) - 'last_used_at' as row from ${raw(name)} as r
        where to_jsonb(r) ->> 'account_id' = ${String(theirs.ids.account_id)} order by r::text`,
    ]),
  );
  return Object.fromEntries(rows);
}

const before = await theirRows();
const within = routes.filter(({ account }) => account !== 'none');

describe.each(within.map((operation) => ({ operation, name: nameOf(operation) })))('$name', async ({ operation }) => {
  it('finds and changes nothing of another account; its ids are treated as unknown', async () => {
    const ours = await createFullAccount(app, sql, 'Ours');
    await admin('PATCH', `/users/${staff.id}`, { account_ids: [ours.ids.account_id] });
    const us = operation.access === 'partner' ? ours : operation.role === 'owner' ? owner : staff;
    const [own, their, none] = [ours.ids, theirs.ids, mapIds(ours.ids, unknownId)].map((ids) =>
      requestOf(operation, ids),
    ) as [Request, Request, Request];
    const stand = await everything();
    const known = Object.values(theirs.ids).concat(unknownId);
    const compare = async (attack: Request, control: Request, by: FullAccount | typeof staff, what: string) => {
      const [answer, expected] = [await send(operation, attack, by), await send(operation, control, by)];
      expect(seen(answer, known), what).toEqual(seen(expected, known));
      expect(JSON.stringify(answer.body), what).not.toContain('Theirs');
      return answer.status;
    };

    // Each id of the other account in a request of this account.
    const [attacks, controls] = [[...exchanges(own, their)], [...exchanges(own, none)]];
    expect(attacks.map(({ name }) => name)).toEqual(controls.map(({ name }) => name));
    for (const [index, { name, with: attack }] of attacks.entries()) {
      // An owner's reach is every account.
      if (us === owner && /^path\.4$/.test(name)) continue;
      const status = await compare(attack as Request, controls[index]?.with as Request, us, name);
      if (operation.method !== 'GET') expect([404, 422], name).toContain(status);
    }
    // A complete request of the other account, sent by this one, and the reverse.
    if (us !== owner) {
      expect([404, 422]).toContain(await compare(their, none, us, 'their request'));
      const them = operation.access === 'partner' ? theirs : strangers;
      const answer = await send(operation, own, them);
      expect([404, 422]).toContain(answer.status);
      expect(JSON.stringify(answer.body)).not.toContain('Ours');
    }
    // Each kind of credential is invalid in the other API.
    const wrong = await call(operation.method, own.path.join('/'), {
      // Wrong tokens are counted by address.
      remoteAddress: `10.9.${Math.floor(++wrongTokens / 50)}.1`,
      ...(operation.access === 'partner' ? { headers: { cookie: staff.cookie } } : { token: ours.token }),
      ...(operation.method === 'GET' ? {} : { body: own.sent }),
    });
    expect(wrong.status).toBe(401);
    expect(await everything()).toEqual(stand);

    // All of this was refused for the ids alone. What is in use is there, though it can't be deleted.
    const fine = await send(operation, own, us);
    const found = operation.method === 'DELETE' ? [204, 422] : [operation.status];
    expect(found, JSON.stringify(fine.body)).toContain(fine.status);
    expect(JSON.stringify(fine.body)).not.toContain('Theirs');
  });
});

describe('routes outside of accounts', () => {
  it.each(
    routes.filter(({ account, role }) => account === 'none' && role === 'owner').map((o) => [nameOf(o), o] as const),
  )('%s returns data to owners only', async (_, operation) => {
    const ask = (id: number) =>
      strangers.call(
        operation.method,
        operation.path.replace('/admin/v1', '').replace(':user_id', String(id)),
        operation.method === 'GET' || operation.method === 'DELETE' ? undefined : operation.example?.input,
      );
    const [there, absent] = [await ask(staff.id), await ask(unknownId)];
    expect(there.status).toBe(403);
    expect(seen(absent, [])).toEqual(seen(there, []));
  });
});

it('leaves all data of the other account unchanged', async () => {
  expect(await theirRows()).toEqual(before);
});
