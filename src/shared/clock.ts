const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(timeZone: string): Intl.DateTimeFormat {
  let known = formatters.get(timeZone);
  if (!known) {
    known = new Intl.DateTimeFormat('en', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formatters.set(timeZone, known);
  }
  return known;
}

/**
 * Converts a sent time to the account's time zone. A time that ends in Z is an instant; any other is already in that
 * time zone. The result is `yyyy-mm-dd hh:mm:ss`, which can be compared as text.
 */
export function toLocalTime(sent: string, timeZone: string): string {
  if (!sent.endsWith('Z')) return sent;
  if (timeZone === 'UTC') return sent.slice(0, -1);
  const parts: Record<string, string> = {};
  for (const { type, value } of formatter(timeZone).formatToParts(new Date(sent.replace(' ', 'T'))))
    parts[type] = value;
  const { year = '', month, day, hour, minute, second } = parts;
  return `${year.padStart(4, '0')}-${month}-${day} ${hour}:${minute}:${second}`;
}

let lastTime = Number.NaN;
let lastIso = '';

/**
 * Formats an instant as `2026-03-01T12:30:00.000Z`. The last result is cached, because bursts of requests share a
 * millisecond.
 */
export function iso(time: number): string {
  if (time !== lastTime) {
    lastIso = new Date(time).toISOString();
    lastTime = time;
  }
  return lastIso;
}

/** Formats an instant as a client sends it, without fractions. */
export function formatUtc(time: Date): string {
  return `${iso(time.getTime()).slice(0, 19).replace('T', ' ')}Z`;
}

export const dayMs = 86_400_000;

/** The number of a day, for arithmetic. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / dayMs;
}

/** The day with that number, limited to the years that can be written. */
export function dayOf(number: number): string {
  const nearest = Math.min(Math.max(number, dayNumber('0001-01-01')), dayNumber('9999-12-31'));
  return iso(nearest * dayMs).slice(0, 10);
}

/** The current day in a time zone. */
export function today(now: Date, timeZone: string): string {
  return toLocalTime(formatUtc(now), timeZone).slice(0, 10);
}
