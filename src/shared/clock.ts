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
 * A time as it was sent, on the account's clock: one that ends in Z is an instant, any other is that clock's already.
 * Both as `yyyy-mm-dd hh:mm:ss`, so that they compare as text.
 */
export function onClock(sent: string, timeZone: string): string {
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

/** `2026-03-01T12:30:00.000Z`. Of several in one millisecond only the first is written out: requests come in bursts. */
export function iso(time: number): string {
  if (time !== lastTime) {
    lastIso = new Date(time).toISOString();
    lastTime = time;
  }
  return lastIso;
}

/** An instant as a client would send it, to the second. */
export function asSent(time: Date): string {
  return `${iso(time.getTime()).slice(0, 19).replace('T', ' ')}Z`;
}

export const dayMs = 86_400_000;

/** A day by its number, so that days can be counted. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / dayMs;
}

/** The day of that number; the first or the last that can be written, where it is beyond them. */
export function dayOf(number: number): string {
  const nearest = Math.min(Math.max(number, dayNumber('0001-01-01')), dayNumber('9999-12-31'));
  return iso(nearest * dayMs).slice(0, 10);
}

/** Which day it is on a clock. */
export function today(now: Date, timeZone: string): string {
  return onClock(asSent(now), timeZone).slice(0, 10);
}
