import Type, { type Static } from 'typebox';
import { Day, Id, Nullable } from '../../../shared/fields.ts';

export const defaultDays = 30;
export const maxYears = 5;
/** The most venues in the response. */
export const maxUnits = 50;

export const ForOverview = Type.Object({
  from: Type.Optional(Day(`The first day; unless given, so that it is ${defaultDays} days.`)),
  to: Type.Optional(Day('The last day; today, unless given.')),
  unit_id: Type.Optional(Id('Only what was there, and the guests who belong there.')),
});
export type ForOverview = Static<typeof ForOverview>;

const amount = (description: string, example = 12) => Type.Integer({ description, minimum: 0, examples: [example] });
const at = Day('The first day of the bucket.');

const Counted = (what: string) =>
  Type.Object({
    total: amount(`${what} in the range.`),
    before: amount('How many in as many days before it.'),
    series: Type.Array(Type.Object({ at, count: amount('How many.') })),
  });

const visits = {
  purchases: amount('Purchases, whoever made them.'),
  bookings: amount('Bookings that took place: their start has passed, and they are not cancelled.'),
  stays: amount('Stays that began: the check-in has passed, and they are confirmed, checked in or checked out.'),
  spend: Type.Number({ description: 'What the lines of the purchases come to.', examples: [1840.5] }),
};
export type Visits = Static<ReturnType<typeof Type.Object<typeof visits>>>;

const consent = {
  guests: amount('How many guests there are.', 5000),
  allow_email: amount('How many of them may be sent e-mail.', 3100),
  allow_sms: amount('How many may be sent texts.', 1900),
  allow_call: amount('How many may be called.', 400),
  allow_snail_mail: amount('How many may be sent letters.', 950),
};

const nps = {
  score: Nullable(
    Type.Integer({
      description: 'Promoters less detractors, in percent of the answers; null: there were none.',
      minimum: -100,
      maximum: 100,
      examples: [42],
    }),
  ),
  answers: amount('How many answered.'),
  promoters: amount('Who gave 9 or 10.'),
  passives: amount('Who gave 7 or 8.'),
  detractors: amount('Who gave less than 7.'),
};
export type Nps = Static<ReturnType<typeof Type.Object<typeof nps>>>;

export const Overview = Type.Object({
  from: Day('The first day.'),
  to: Day('The last day.'),
  bucket: Type.Enum(['day', 'week', 'month'], {
    description:
      'What every series goes by: calendar weeks begin on Monday, and the range may cut the first and the last short. None is left out.',
  }),
  guests: amount('How many guests there are now.', 5000),
  new_guests: Counted('Guests who became known'),
  visits: Type.Object({
    ...visits,
    before: Type.Object(visits, { description: 'In as many days before the range.' }),
    series: Type.Array(Type.Object({ at, ...visits })),
    by_unit: Type.Array(
      Type.Object({ unit_id: Id('Unit id'), name: Type.String({ examples: ['The Anchor'] }), ...visits }),
      {
        description: `Where, as far as there was anything; the one with the most spend first, ${maxUnits} at most. Also units that were deleted since.`,
      },
    ),
    other_units: Nullable(
      Type.Object(
        { units: amount('How many units these are.', 3), ...visits },
        { description: 'What was at further units, taken together; null: there are none.' },
      ),
    ),
  }),
  consent: Type.Object(consent, { description: 'Now.' }),
  nps: Type.Object({
    ...nps,
    before: Type.Object(nps, { description: 'In as many days before the range.' }),
    series: Type.Array(Type.Object({ at, ...nps })),
  }),
  unique_codes: Counted('Voucher codes redeemed'),
  purchases_waiting: amount('Purchases of which nobody knows yet whose they are, now.', 3),
});
export type Overview = Static<typeof Overview>;
