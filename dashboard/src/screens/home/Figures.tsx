import type { ReactNode } from 'react';
import { formatMoney, formatNumber, formatSigned, withCount } from '../../ui/format.ts';
import { Stat, Stats } from '../../ui/Stat.tsx';
import { Missing } from '../../ui/Values.tsx';
import { Change } from './Change.tsx';
import { ActivityLink, GuestsNumber, NewGuestsNumber, WaitingNumber } from './NumberLinks.tsx';
import type { Overview } from './overview.ts';
import type { HomeSearch, Range } from './range.ts';

interface FiguresProps {
  overview: Overview | undefined;
  search: HomeSearch;
  range: Range;
  /** The number of days of the range. Undefined if there is no earlier range to compare with. */
  days: number | undefined;
}

/** The main figures of the account. Each number opens the rows behind it. */
export function Figures({ overview, search, range, days }: FiguresProps) {
  const loading = overview === undefined;
  const change = (now: number, before: number): ReactNode => days && <Change now={now} before={before} days={days} />;
  const figure = (label: string, of: (overview: Overview) => { value: ReactNode; note: ReactNode }) => {
    const { value, note } = overview ? of(overview) : { value: '', note: '' };
    return <Stat label={label} value={value} note={note || '\u00a0'} loading={loading} />;
  };
  const counted = (kind: 'purchases' | 'bookings' | 'stays', one: string) =>
    figure(`${one}s`, ({ visits: { [kind]: now, before } }) => ({
      value: (
        <ActivityLink search={{ ...search, kind }} name={`${withCount(now, one.toLowerCase())}, show them`}>
          {formatNumber(now)}
        </ActivityLink>
      ),
      note: change(now, before[kind]),
    }));
  const hasStays = overview && overview.visits.stays + overview.visits.before.stays > 0;
  return (
    // Rows of the same length: nine figures or eight.
    <Stats most={hasStays ? 3 : 4}>
      {figure('Guests', ({ guests }) => ({
        value: <GuestsNumber count={guests} unitId={search.unit_id} />,
        note: 'now',
      }))}
      {figure('New guests', ({ new_guests: { total, before } }) => ({
        value: <NewGuestsNumber count={total} range={range} unitId={search.unit_id} />,
        note: change(total, before),
      }))}
      {counted('bookings', 'Booking')}
      {hasStays && counted('stays', 'Stay')}
      {counted('purchases', 'Purchase')}
      {figure('Spend', ({ visits: { spend, before } }) => ({
        value: (
          <ActivityLink
            search={{ ...search, kind: 'purchases' }}
            name={`${formatMoney(spend)} spent, show the purchases`}
          >
            {formatMoney(spend)}
          </ActivityLink>
        ),
        note: change(spend, before.spend),
      }))}
      {figure('NPS', ({ nps: { score, answers } }) => ({
        value:
          score === null ? (
            <Missing />
          ) : (
            <ActivityLink
              search={{ ...search, kind: 'ratings' }}
              name={`${formatSigned(score)}, show ${answers === 1 ? 'the answer' : `the ${formatNumber(answers)} answers`}`}
            >
              {formatSigned(score)}
            </ActivityLink>
          ),
        note: withCount(answers, 'answer'),
      }))}
      {figure('Vouchers redeemed', ({ unique_codes: { total, before } }) => ({
        value: (
          <ActivityLink
            search={{ ...search, kind: 'redemptions' }}
            name={`${withCount(total, 'voucher')} redeemed, show the groups`}
          >
            {formatNumber(total)}
          </ActivityLink>
        ),
        note: change(total, before),
      }))}
      {figure('Waiting purchases', ({ purchases_waiting }) => ({
        value: <WaitingNumber count={purchases_waiting} unitId={search.unit_id} />,
        note: purchases_waiting === 0 ? 'every purchase has a guest' : 'without a guest yet',
      }))}
    </Stats>
  );
}
