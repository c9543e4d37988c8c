/** Formats in the browser's language. Wall-clock values are never converted. Instants use the account's time zone. */
const locale = undefined;

const formats = new Map<string, Intl.DateTimeFormat>();
function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, format);
  return format;
}

const whole = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const amount = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const signed = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero', maximumFractionDigits: 0 });
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

export const formatNumber = (value: number) => whole.format(value);
/** 12.3K: for axes and small tiles. */
export const formatCompact = (value: number) => compact.format(value);
/** Two decimal places. The API has no currencies. */
export const formatMoney = (value: number | string) => amount.format(Number(value));
/** With its sign: +12, −3. */
export const formatSigned = (value: number) => signed.format(value);
/** Formats a fraction: 0.123 is 12.3%. */
export const formatPercent = (fraction: number) => share.format(fraction);

const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const minute = { ...day, hour: 'numeric', minute: '2-digit' } as const;

/** Parses a wall-clock time ("2026-03-01 19:30:00") or day ("2026-03-01") as UTC. It is also formatted as UTC. */
function parseDay(text: string): Date {
  return new Date(`${text.slice(0, 10)}T${text.slice(11, 19) || '00:00:00'}Z`);
}

/** Formats "2026-03-01" or a wall-clock time as a day. */
export const formatDay = (text: string) => dateFormat({ ...day, timeZone: 'UTC' }).format(parseDay(text));
/** "1 Mar", if the year is clear from the context. */
export const formatDayOfYear = (text: string) =>
  dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' }).format(parseDay(text));
/** "Mar 2026", for any day in it. */
export const formatMonth = (text: string) =>
  dateFormat({ month: 'short', year: 'numeric', timeZone: 'UTC' }).format(parseDay(text));
/** "1 – 7 Mar 2026", both days included. */
export const formatDays = (from: string, to: string) =>
  dateFormat({ ...day, timeZone: 'UTC' }).formatRange(parseDay(from), parseDay(to));
/** Formats a wall-clock time: "2026-03-01 19:30:00". */
export const formatWallClock = (text: string) => dateFormat({ ...minute, timeZone: 'UTC' }).format(parseDay(text));
/** Formats an instant ("2026-03-01T19:30:00.000Z") in this time zone. */
export const formatInstant = (text: string, timeZone: string) =>
  dateFormat({ ...minute, timeZone }).format(new Date(text));
export const formatInstantDay = (text: string, timeZone: string) =>
  dateFormat({ ...day, timeZone }).format(new Date(text));
/** "1 Mar, 19:30:05": with seconds, for logs. */
export const formatSecond = (text: string, timeZone: string) =>
  dateFormat({
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
    timeZone,
  }).format(new Date(text));

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.35],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const;

/** Formats an instant as "5 minutes ago". */
export function formatRelative(text: string, now = Date.now()): string {
  let value = (new Date(text).getTime() - now) / 1000;
  for (const [unit, count] of steps) {
    if (Math.abs(value) < count) return unit === 'second' ? 'just now' : relative.format(Math.round(value), unit);
    value /= count;
  }
  return text;
}

/** "1 guest", "2 guests", with a formatted number. */
export function withCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Adds days. A negative number subtracts. */
export function daysLater(text: string, days: number): string {
  const date = parseDay(text);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** Today in this zone, as "2026-03-01". */
export const today = (timeZone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date());

/** "No show" for "no show". */
export const capitalise = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
