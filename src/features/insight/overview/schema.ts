import Type, { type Static } from 'typebox';
import { Day, Id, Nullable } from '../../../shared/fields.ts';

export const defaultDays = 30;
export const maxYears = 5;
/** At most this many units are listed one by one. */
export const maxUnits = 50;

export const ForOverview = Type.Object({
  from: Type.Optional(Day(`The first day. By default the range has ${defaultDays} days.`)),
  to: Type.Optional(Day('The last day, included. The default is today.')),
  unit_id: Type.Optional(Id('Only activity at this unit, and contacts of this unit.')),
});
export type ForOverview = Static<typeof ForOverview>;

const amount = (description: string, example = 12) => Type.Integer({ description, minimum: 0, examples: [example] });
const at = Day('The first day of the bucket.');

const Counted = Type.Object(
  {
    total: amount('The number in the range.'),
    before: amount('The number in the same number of days before the range.'),
    series: Type.Array(Type.Object({ at, count: amount('The number in the bucket.') }, { title: 'CountBucket' }), {
      description: 'The number in each bucket.',
    }),
  },
  { title: 'CountOverTime' },
);

const visits = {
  purchases: amount('The purchases, with and without a contact.'),
  bookings: amount('The bookings that took place: the start has passed, and they are not cancelled.'),
  stays: amount('The stays that began: the check-in has passed, and they are confirmed, checked in or checked out.'),
  spend: Type.Number({ description: 'The sum of all purchase lines.', examples: [1840.5] }),
};
export type Visits = Static<ReturnType<typeof Type.Object<typeof visits>>>;

const consent = {
  guests: amount('The number of contacts.', 5000),
  allow_email: amount('Contacts with consent to e-mail.', 3100),
  allow_sms: amount('Contacts with consent to text messages.', 1900),
  allow_call: amount('Contacts with consent to calls.', 400),
  allow_snail_mail: amount('Contacts with consent to letters.', 950),
};

const nps = {
  score: Nullable(
    Type.Integer({
      description: 'The percentage of promoters minus the percentage of detractors. Null without ratings.',
      minimum: -100,
      maximum: 100,
      examples: [42],
    }),
  ),
  answers: amount('The number of ratings.'),
  promoters: amount('Ratings of 9 or 10.'),
  passives: amount('Ratings of 7 or 8.'),
  detractors: amount('Ratings below 7.'),
};
export type Nps = Static<ReturnType<typeof Type.Object<typeof nps>>>;

export const Overview = Type.Object(
  {
    from: Day('The first day.'),
    to: Day('The last day.'),
    bucket: Type.Enum(['day', 'week', 'month'], {
      description:
        'The bucket of every series. Weeks begin on Monday. The first and the last bucket may be incomplete. No bucket is left out.',
    }),
    guests: amount('The current number of contacts.', 5000),
    new_guests: Counted,
    visits: Type.Object(
      {
        ...visits,
        before: Type.Object(visits, {
          title: 'VisitCounts',
          description: 'The figures of the same number of days before the range.',
        }),
        series: Type.Array(Type.Object({ at, ...visits }, { title: 'VisitBucket' }), {
          description: 'The figures of each bucket.',
        }),
        by_unit: Type.Array(
          Type.Object(
            {
              unit_id: Id('The id of the unit.'),
              name: Type.String({ description: 'The name of the unit.', examples: ['The Anchor'] }),
              ...visits,
            },
            { title: 'UnitVisits' },
          ),
          {
            description: `The units with activity, highest spend first, at most ${maxUnits}. Deleted units are included.`,
          },
        ),
        other_units: Nullable(
          Type.Object(
            { units: amount('The number of these units.', 3), ...visits },
            { title: 'OtherUnitVisits', description: 'The sum of all further units. Null if there are none.' },
          ),
        ),
      },
      { title: 'OverviewVisits' },
    ),
    consent: Type.Object(consent, { title: 'ConsentCounts', description: 'The current consents.' }),
    nps: Type.Object(
      {
        ...nps,
        before: Type.Object(nps, { title: 'Nps', description: 'The NPS of the same number of days before the range.' }),
        series: Type.Array(Type.Object({ at, ...nps }, { title: 'NpsBucket' }), {
          description: 'The NPS of each bucket.',
        }),
      },
      { title: 'OverviewNps' },
    ),
    unique_codes: Counted,
    purchases_waiting: amount('The current number of waiting purchases.', 3),
  },
  { title: 'Overview' },
);
export type Overview = Static<typeof Overview>;
