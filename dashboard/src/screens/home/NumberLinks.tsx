import type { ReactNode } from 'react';
import type { Definition } from '#service/shared/segment-fields.ts';
import { useAccount } from '../../session/session.ts';
import { daysLater, formatNumber, withCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/Page.tsx';
import type { ActivitySearch } from './activity/activity.ts';
import classes from './Home.module.css';
import type { Range } from './range.ts';

/*
 * Links from the numbers of Home to the rows behind them. They look like the number itself until they are pointed at. The
 * accessible name contains the number, and says what the link opens.
 */
const calm = { c: 'inherit', inherit: true, className: classes.number } as const;

interface ActivityLinkProps {
  search: ActivitySearch;
  name: string;
  children: ReactNode;
}

export function ActivityLink({ search, name, children }: ActivityLinkProps) {
  const { id } = useAccount();
  return (
    <TextLink to="/accounts/$accountId/activity" params={{ accountId: id }} search={search} aria-label={name} {...calm}>
      {children}
    </TextLink>
  );
}

interface CountProps {
  count: number;
  unitId: number | undefined;
}

export function GuestsNumber({ count, unitId }: CountProps) {
  return (
    <GuestsLink name={`${withCount(count, 'guest')}, show them`} search={{ unit_id: unitId }}>
      {formatNumber(count)}
    </GuestsLink>
  );
}

export function NewGuestsNumber({ count, range, unitId }: CountProps & { range: Range }) {
  return (
    <GuestsLink
      name={`${withCount(count, 'new guest')}, show them`}
      search={{ unit_id: unitId, definition: JSON.stringify(createdIn(range)) }}
    >
      {formatNumber(count)}
    </GuestsLink>
  );
}

interface GuestsLinkProps {
  name: string;
  search: { unit_id: number | undefined; definition?: string };
  children: ReactNode;
}

function GuestsLink({ name, search, children }: GuestsLinkProps) {
  const { id } = useAccount();
  return (
    <TextLink to="/accounts/$accountId/guests" params={{ accountId: id }} search={search} aria-label={name} {...calm}>
      {children}
    </TextLink>
  );
}

/** The guests who were created on these days, both included. */
const createdIn = ({ from, to }: Range): Definition => ({
  all: [
    { field: 'created_at', op: 'after', value: daysLater(from, -1) },
    { field: 'created_at', op: 'before', value: daysLater(to, 1) },
  ],
});

export function WaitingNumber({ count, unitId }: CountProps) {
  const { id } = useAccount();
  return (
    <TextLink
      to="/accounts/$accountId/settings/waiting-purchases"
      params={{ accountId: id }}
      search={{ unit_id: unitId }}
      aria-label={`${withCount(count, 'waiting purchase')}, show them`}
      {...calm}
    >
      {formatNumber(count)}
    </TextLink>
  );
}
