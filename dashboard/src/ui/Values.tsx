import { useAccount } from '../session/session.ts';
import {
  formatDay,
  formatInstant,
  formatInstantDay,
  formatMoney,
  formatNumber,
  formatRelative,
  formatSecond,
  formatWallClock,
} from './format.ts';

/** A dash for a missing value. Screen readers skip it. */
export function Missing() {
  return (
    <span aria-hidden style={{ color: 'var(--mantine-color-dimmed)' }}>
      –
    </span>
  );
}

type Maybe<T> = T | null | undefined;

export function Num({ value }: { value: Maybe<number> }) {
  return value === null || value === undefined ? <Missing /> : formatNumber(value);
}

export function Money({ value }: { value: Maybe<number | string> }) {
  return value === null || value === undefined || value === '' ? <Missing /> : formatMoney(value);
}

/** A wall-clock time or day of the account, without conversion. */
export function WallClock({ at, dayOnly = false }: { at: Maybe<string>; dayOnly?: boolean }) {
  if (!at) return <Missing />;
  return <time dateTime={at}>{dayOnly || at.length <= 10 ? formatDay(at) : formatWallClock(at)}</time>;
}

/** An instant in the account's time zone. */
export function DateTime({ at, dayOnly = false }: { at: Maybe<string>; dayOnly?: boolean }) {
  const { time_zone } = useAccount();
  if (!at) return <Missing />;
  return <time dateTime={at}>{dayOnly ? formatInstantDay(at, time_zone) : formatInstant(at, time_zone)}</time>;
}

/** An instant with seconds, for logs: several entries can have the same minute. */
export function ExactTime({ at }: { at: string }) {
  const { time_zone } = useAccount();
  return <time dateTime={at}>{formatSecond(at, time_zone)}</time>;
}

/** "5 minutes ago". The tooltip shows the exact time in the account's or the given time zone. */
export function RelativeTime({ at, timeZone }: { at: Maybe<string>; timeZone?: string }) {
  if (!at) return <Missing />;
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <time dateTime={at} title={formatInstant(at, zone)}>
      {formatRelative(at)}
    </time>
  );
}
