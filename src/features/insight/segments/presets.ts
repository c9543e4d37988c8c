import type { Tx } from '../../../platform/db/database.ts';
import { selectUnits } from '../../venues/units/store.ts';
import type { Definition } from './definition-schema.ts';
import { evaluationLimitMs, isTimeout } from './evaluate.ts';
import { inSavepoint, prepareEvaluation, selectTopSpend } from './members-store.ts';
import type { ForPresets, Preset, PresetList } from './schema.ts';

type Setting = Preset['settings'][number];

const days = (label: string, value: number, ...paths: string[]): Setting => ({
  ...{ name: 'days', label, type: 'integer', default: value, min: 1, max: 3650 },
  paths,
});

/** The days in which visits count for the tiers. */
const tierDays = 60;

function tier(key: string, name: string, visits: number, isHighest = false): Preset {
  const times = visits === 1 ? '1 visit' : `${visits} visits`;
  return {
    key,
    name,
    description: `${times}${isHighest ? ' or more' : ''} in the last ${tierDays} days.`,
    settings: [days('Days in which visits count', tierDays, '/in_last_days')],
    definition: isHighest
      ? { field: 'visits', op: 'at_least', value: visits, in_last_days: tierDays }
      : { field: 'visits', op: 'between', value: [visits, visits], in_last_days: tierDays },
  };
}

/** The share of guests that are top spenders, unless another is asked for. */
const usualShare = 10;
/** In pounds, until guests have bought something. */
const usualTopSpend = 500;

/** The ready-made definitions. Those that need a unit or an amount have one of the account. */
export async function listPresets(tx: Tx, accountId: number, { top_percent }: ForPresets): Promise<PresetList> {
  const { rows: units } = await selectUnits(tx, accountId, { limit: 2, offset: 0 });
  const unitId = units.at(-1)?.id ?? 0;
  const share = top_percent ?? usualShare;
  const findTopSpend = async () => {
    await prepareEvaluation(tx, evaluationLimitMs);
    return selectTopSpend(tx, accountId, share);
  };
  const pence = await inSavepoint(tx, findTopSpend, isTimeout);
  return { data: [...fixedPresets, venueRegulars(unitId), topSpenders(share, (pence ?? usualTopSpend * 100) / 100)] };
}

function venueRegulars(unitId: number): Preset {
  return {
    key: 'venue_regulars',
    name: 'Regulars of a venue',
    description: 'At least 3 visits to one venue in the last 60 days.',
    settings: [
      { name: 'unit', label: 'Venue', type: 'unit', default: unitId, min: null, max: null, paths: ['/unit_ids/0'] },
      { name: 'visits', label: 'Visits', type: 'integer', default: 3, min: 1, max: 1000, paths: ['/value'] },
      days('Days in which visits count', tierDays, '/in_last_days'),
    ],
    definition: { field: 'visits', op: 'at_least', value: 3, in_last_days: tierDays, unit_ids: [unitId] },
  };
}

function topSpenders(share: number, spend: number): Preset {
  return {
    key: 'top_spenders',
    name: `Top ${share}% by spend`,
    description: `The ${share}% of guests with purchases who spent most so far. The amount is that of today.`,
    settings: [
      { name: 'spend', label: 'Spend', type: 'number', default: spend, min: 0, max: 99_999_999_999, paths: ['/value'] },
    ],
    definition: { field: 'spend', op: 'at_least', value: spend },
  };
}

const isTrue = (field: string): Definition => ({ field, op: 'is', value: true });
const isKnown = (field: string): Definition => ({ field, op: 'known' });

const fixedPresets: Preset[] = [
  tier('prospect', 'Prospects', 0),
  tier('bronze', 'Bronze regulars', 1),
  tier('silver', 'Silver regulars', 2),
  tier('gold', 'Gold regulars', 3),
  tier('platinum', 'Platinum regulars', 4, true),
  {
    key: 'lapsed',
    name: 'Lapsed guests',
    description: 'Visited before, but not in the last 90 days.',
    settings: [days('Days without a visit', 90, '/value')],
    definition: { field: 'last_visit', op: 'not_in_last_days', value: 90 },
  },
  {
    key: 'first_timers',
    name: 'First-timers',
    description: 'Exactly one visit, in the last 30 days.',
    settings: [days('Days since the visit', 30, '/all/1/value')],
    definition: {
      all: [
        { field: 'visits', op: 'between', value: [1, 1] },
        { field: 'last_visit', op: 'in_last_days', value: 30 },
      ],
    },
  },
  {
    key: 'big_spenders',
    name: 'Big spenders',
    description: 'Spend at least 50 per visit with a purchase, on average.',
    settings: [
      { name: 'spend', label: 'Average spend', type: 'number', default: 50, min: 0, max: 100_000, paths: ['/value'] },
    ],
    definition: { field: 'average_spend', op: 'at_least', value: 50 },
  },
  {
    key: 'birthday',
    name: 'Birthday soon',
    description: 'Birthday in the next 14 days.',
    settings: [
      {
        ...{ name: 'days', label: 'Days until the birthday', type: 'integer' },
        default: 14,
        min: 0,
        max: 366,
        paths: ['/value'],
      },
    ],
    definition: { field: 'birthday', op: 'in_next_days', value: 14 },
  },
  {
    key: 'booked_and_cancelled',
    name: 'Booked but cancelled',
    description: 'Cancelled a booking of the last 90 days, and did not visit in that time.',
    settings: [days('Days', 90, '/all/0/in_last_days', '/all/1/in_last_days')],
    definition: {
      all: [
        { field: 'cancelled_bookings', op: 'at_least', value: 1, in_last_days: 90 },
        { field: 'visits', op: 'at_most', value: 0, in_last_days: 90 },
      ],
    },
  },
  {
    key: 'unhappy',
    name: 'Unhappy guests',
    description: 'The latest NPS rating is 0 to 6, and was given in the last 90 days.',
    settings: [days('Days since the rating', 90, '/in_last_days')],
    definition: { field: 'nps', op: 'between', value: [0, 6], in_last_days: 90 },
  },
  {
    key: 'new_without_visit',
    name: 'New and not yet visited',
    description: 'Known for at most 30 days, without a visit.',
    settings: [days('Days since the first contact', 30, '/all/0/value')],
    definition: {
      all: [
        { field: 'created_at', op: 'in_last_days', value: 30 },
        { field: 'visits', op: 'at_most', value: 0 },
      ],
    },
  },
  {
    key: 'reachable',
    name: 'Reachable by e-mail and text',
    description: 'Has an e-mail and a mobile number, and consented to both.',
    settings: [],
    definition: { all: [isTrue('allow_email'), isTrue('allow_sms'), isKnown('email'), isKnown('mobile_number')] },
  },
];
