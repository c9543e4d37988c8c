import { Random } from '../../src/shared/random.ts';
import type { Api } from './api.ts';
import type { Schedule } from './schedule.ts';

const unknownId = 99_999_999;

/** Typical errors of partners. They appear in the request log. */
const failures: ((api: Api, number: number) => Promise<void>)[] = [
  (api) => api.refused('POST', '/v1/contact', 'wifi', { email: 'dave at home', first_name: 'Dave' }),
  (api) =>
    api.refused('POST', '/v1/contact', 'wifi', {
      first_name: 'No',
      last_name: 'Address',
      mobile_number: '0117 496 0000',
    }),
  (api, number) =>
    api.refused('POST', '/v1/contact', 'bookings', {
      email: `late.guest${number}@example.com`,
      bookings: [{ unit_id: unknownId, party_datetime: '2025-02-30 19:30:00', party_size: 'four' }],
    }),
  (api, number) =>
    api.refused('POST', '/v1/contact', 'mail', {
      email: `nobody${number}@example.net`,
      allow_email: false,
      rules: [{ rule_name: 'update_only' }],
    }),
  (api) =>
    api.refused('POST', '/v1/purchases', 'tills', {
      account_id: api.accountId,
      purchases: [{ transaction_reference: 'T-0', items: [{ description: 'Open item', quantity: 'two', value: 9 }] }],
    }),
  (api, number) =>
    api.refused('POST', '/v1/unique_code/redeem', 'tills', {
      account_id: api.accountId,
      unit_id: number % 2 ? unknownId : undefined,
      unique_code: 'SUMMER-OLD',
    }),
  (api, number) =>
    api.refused('GET', `/v1/bookings?account_id=${api.accountId}&booking_reference=GONE-${number}`, 'app'),
  (api) => api.refused('GET', `/v1/account/units?account_id=${unknownId}`, 'hotel'),
];

/** The request log covers a week, so only that week has errors. */
export function addFailedRequests(schedule: Schedule): void {
  const chance = new Random(40_009);
  const { last } = schedule.calendar;
  const recent = schedule.guests.filter(({ email, visits }) => email && (visits[0] as number) < last - 10);
  for (let number = 0; number < 48; number++) {
    const failure = chance.pick(failures);
    schedule.add(last - chance.below(6), 'anybody', (api) => failure(api, number));
  }
  // A request with discard_invalid_data.
  for (let number = 0; number < Math.min(12, recent.length); number++) {
    const guest = chance.pick(recent);
    const sent = { home_number: '0117 496 0123', dob: '31/02/1980', mobile_number: 'none' };
    schedule.add(last - chance.below(6), 'anybody', (api) =>
      api.contact('wifi', guest, { ...sent, rules: [{ rule_name: 'discard_invalid_data' }] }),
    );
  }
}
