import { jsonRoute } from '../../../platform/http/route.ts';
import { overviewErrors, showOverview } from './read.ts';
import { ForOverview, Overview } from './schema.ts';

const exampleCount = (count: number) => ({ total: count, before: 0, series: [{ at: '2026-03-01', count }] });
const visits = { purchases: 61, bookings: 18, stays: 2, spend: 1840.5 };
const none = { purchases: 0, bookings: 0, stays: 0, spend: 0 };
const nps = { score: 50, answers: 4, promoters: 3, passives: 0, detractors: 1 };
const noAnswers = { score: null, answers: 0, promoters: 0, passives: 0, detractors: 0 };

export const overviewRoutes = [
  jsonRoute(
    {
      method: 'GET',
      path: '/admin/v1/accounts/:account_id/overview',
      access: 'admin',
      tag: 'Overview',
      operationId: 'adminGetOverview',
      mayBeStale: true,
      summary: 'Show the figures of an account',
      description:
        'Returns contacts, visits, consent, NPS and redeemed unique codes over a range of days in the account’s time zone, at most five years. ' +
        'Figures of the range come with those of the same number of days before. ' +
        'Purchases, bookings and stays are counted separately, so one visit can count in several. Merged contacts are not counted.',
      input: ForOverview,
      alsoCheck: (tx, { accountId, input }) => overviewErrors(tx, accountId, input),
      response: Overview,
      example: {
        response: {
          from: '2026-03-01',
          to: '2026-03-01',
          bucket: 'day',
          guests: 5000,
          new_guests: exampleCount(12),
          visits: {
            ...visits,
            before: none,
            series: [{ at: '2026-03-01', ...visits }],
            by_unit: [{ unit_id: 1, name: 'The Anchor', ...visits }],
            other_units: null,
          },
          consent: { guests: 5000, allow_email: 3100, allow_sms: 1900, allow_call: 400, allow_snail_mail: 950 },
          nps: { ...nps, before: noAnswers, series: [{ at: '2026-03-01', ...nps }] },
          unique_codes: exampleCount(7),
          purchases_waiting: 3,
        },
      },
    },
    (tx, { accountId, input, receivedAt }) => showOverview(tx, accountId, input, receivedAt),
  ),
];
