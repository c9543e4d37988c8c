import type { ReactNode } from 'react';
import { useAccount } from '../../session/session.ts';
import { formatMoney, formatNumber, formatSigned, withCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Stat, Stats } from '../../ui/Stat.tsx';
import { Missing } from '../../ui/Values.tsx';
import { Change } from './Change.tsx';
import type { Overview } from './overview.ts';

interface FiguresProps {
  overview: Overview | undefined;
  /** The number of days of the range. Undefined if there is no earlier range to compare with. */
  days: number | undefined;
}

/** The main figures of the account. */
export function Figures({ overview, days }: FiguresProps) {
  const { id } = useAccount();
  const loading = overview === undefined;
  const change = (now: number, before: number): ReactNode => days && <Change now={now} before={before} days={days} />;
  const figure = (label: string, of: (overview: Overview) => { value: ReactNode; note: ReactNode }) => {
    const { value, note } = overview ? of(overview) : { value: '', note: '' };
    return <Stat label={label} value={value} note={note || '\u00a0'} loading={loading} />;
  };
  const stays = overview && overview.visits.stays + overview.visits.before.stays > 0;
  return (
    <Stats most={4}>
      {figure('Guests', ({ guests }) => ({ value: formatNumber(guests), note: 'now' }))}
      {figure('New guests', ({ new_guests: { total, before } }) => ({
        value: formatNumber(total),
        note: change(total, before),
      }))}
      {figure(stays ? 'Bookings and stays' : 'Bookings', ({ visits: { bookings, stays, before } }) => ({
        value: formatNumber(bookings + stays),
        note: change(bookings + stays, before.bookings + before.stays),
      }))}
      {figure('Purchases', ({ visits: { purchases, before } }) => ({
        value: formatNumber(purchases),
        note: change(purchases, before.purchases),
      }))}
      {figure('Spend', ({ visits: { spend, before } }) => ({
        value: formatMoney(spend),
        note: change(spend, before.spend),
      }))}
      {figure('NPS', ({ nps: { score, answers } }) => ({
        value: score === null ? <Missing /> : formatSigned(score),
        note: withCount(answers, 'answer'),
      }))}
      {figure('Vouchers redeemed', ({ unique_codes: { total, before } }) => ({
        value: formatNumber(total),
        note: change(total, before),
      }))}
      {figure('Waiting purchases', ({ purchases_waiting }) => ({
        value: formatNumber(purchases_waiting),
        note:
          purchases_waiting === 0 ? (
            'every purchase has a guest'
          ) : (
            <TextLink to="/accounts/$accountId/settings/waiting-purchases" params={{ accountId: id }} inherit>
              Show waiting purchases
            </TextLink>
          ),
      }))}
    </Stats>
  );
}
