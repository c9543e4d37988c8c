import { fill, type Group, newGroup } from './guests.ts';
import { type Load, load } from './load.ts';
import type { Service } from './service.ts';

const days = { start_date: '2023-01-01', end_date: '2030-12-31' };

/** A way to ask, of a group: the requests of a turn, each with the answer that must come. */
interface Row {
  name: string;
  requests: number;
  ask(group: Group, turn: number): Pick<Load, 'method' | 'path' | 'body' | 'check'>;
}

/** The same sequence for every group and run. */
const some = (n: number, turn: number, of: number) => (n * 104_729 + turn * 15_485_863) % of;

function expected(found: boolean, status: number, body: string): void {
  if (status !== 200 || !found) throw new Error(`The answer was ${status}: ${body.slice(0, 500)}`);
}

const rows: Row[] = [
  {
    name: 'booking search',
    requests: 2000,
    ask: (group, turn) => ({
      method: 'GET',
      path: (n) => `/v1/bookings?account_id=${group.accountId}&booking_reference=B${some(n, turn, group.bookings)}`,
      check: (n, status, body) => {
        const { contactId } = group.visit(some(n, turn, group.bookings));
        expected(body.includes(`"contact_id":"${contactId}"`), status, body);
      },
    }),
  },
  {
    name: 'PoP search',
    requests: 1500,
    ask: (group, turn) => ({
      method: 'GET',
      path: '/v1/pop/by_date',
      body: (n) =>
        JSON.stringify({
          account_id: group.accountId,
          contact_id: group.firstContact + 1 + some(n, turn, group.contacts),
          ...days,
          types: ['purchases', 'booking', 'wifi'],
        }),
      check: (_, status, body) => {
        const { purchases, booking } = JSON.parse(body);
        // Some of each contact's purchases wait for something.
        expected(purchases.length >= 5 && purchases.length <= 10 && booking.total >= 5, status, body);
      },
    }),
  },
  {
    name: 'table matching',
    requests: 1500,
    ask: (group, turn) => ({
      path: '/v1/purchases',
      body: (n) => {
        const { unitId, start, table } = group.visit(some(n, turn, group.bookings));
        const purchase = { transaction_reference: `T${turn}-${n}`, unit_id: unitId, created_at: start };
        const items = [{ description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5 }];
        return JSON.stringify({
          ...{ account_id: group.accountId, provider_id: 9, table_number: table },
          purchases: [{ ...purchase, items }],
        });
      },
      check: (n, status, body) => {
        const { contactId } = group.visit(some(n, turn, group.bookings));
        expected(body.includes(`"contact_id":${contactId},"matched_by":"table_number"`), status, body);
      },
    }),
  },
  {
    name: 'late matching',
    requests: 300,
    ask: (group, turn) => ({
      path: '/v1/contact',
      body: (n) => {
        const { unitId, start, table } = group.visit(some(n, turn, group.bookings));
        const reference = group.waitsFor(turn * 300 + n);
        const booking = { booking_reference: reference, provider_id: 7, unit_id: unitId, party_datetime: start };
        return JSON.stringify({
          email: group.email(some(n, turn, group.contacts)),
          full_contact_object: false,
          bookings: [{ ...booking, table_numbers: [`late ${table}`] }],
        });
      },
      check: (_, status, body) => expected(body.startsWith('{"id":'), status, body),
    }),
  },
];

export interface SizeResult {
  name: string;
  /** Answers a second, turn by turn. */
  small: number[];
  large: number[];
}

/** The same requests to a small group and to a large one in the same database, turn by turn: how much slower is the large one? */
export async function benchSize(
  service: Service,
  {
    sizes,
    turns,
    connections,
    say,
  }: { sizes: [number, number]; turns: number; connections: number; say(text: string): void },
): Promise<SizeResult[]> {
  const small = await newGroup(service, sizes[0], 0);
  const large = await newGroup(service, sizes[1], sizes[0]);
  say(
    `Making ${large.contacts.toLocaleString('en')} contacts, ${large.purchases.toLocaleString('en')} purchases and ${large.bookings.toLocaleString('en')} bookings in one account, and a ${Math.round(large.contacts / small.contacts)}th of each in another.`,
  );
  await fill(service, [small, large], say);
  const results: SizeResult[] = [];
  for (const { name, requests, ask } of rows) {
    const result: SizeResult = { name, small: [], large: [] };
    // The first turn only warms up.
    for (let turn = 0; turn <= turns; turn++) {
      const order = turn % 2 ? [small, large] : [large, small];
      for (const group of order) {
        const before = await waiting(service, group);
        const { perSecond } = await load({
          url: service.url,
          token: group.token,
          connections,
          requests,
          ...ask(group, turn),
        });
        const matched = before - (await waiting(service, group));
        const brought = name === 'late matching' ? requests : 0;
        if (matched !== brought) throw new Error(`${name}: ${matched} purchases no longer wait, and not ${brought}.`);
        if (turn > 0) (group === small ? result.small : result.large).push(perSecond);
      }
    }
    results.push(result);
    say(`  ${name} is done.`);
  }
  return results;
}

async function waiting(service: Service, { accountId }: Group): Promise<number> {
  return (await service.admin('GET', `/accounts/${accountId}/purchases/waiting/counts`)).waiting;
}
