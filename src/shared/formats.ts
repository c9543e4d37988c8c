/** The string formats our shapes name: how each is read (undefined: not valid), and how the sentence about it ends. */
export const formats: Record<string, { read: (text: string) => string | undefined; mustBe: string }> = {
  email: {
    read: (text) => (/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text) ? text.toLowerCase() : undefined),
    mustBe: 'must be a valid email address.',
  },
  'time-zone': {
    read: (text) => (isTimeZone(text) ? text : undefined),
    mustBe: 'must be a time zone such as Europe/London or UTC.',
  },
  'date-time': {
    read: readDateTime,
    mustBe: 'must be a date and time: yyyy-mm-dd hh:mm:ss, or ISO 8601 with an offset.',
  },
};

function isTimeZone(text: string): boolean {
  // A bare offset is refused: PostgreSQL reads "+01:00" with the sign turned round.
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

const dateTime =
  /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})[ T](?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?<fraction>\.\d{1,9})?)?\s?(?<zone>Z|[+-]\d{2}:?\d{2})?$/i;

/** A wall-clock time comes back as `yyyy-mm-dd hh:mm:ss`, one with an offset as the same instant in UTC, ending in `Z`. */
function readDateTime(text: string): string | undefined {
  const parts = dateTime.exec(text)?.groups;
  if (!parts) return undefined;
  const at = (name: string) => Number(parts[name] ?? 0);
  const clock = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'));
  const wall = new Date(clock);
  // Date.UTC rolls 31 June over to 1 July; an impossible date is an error instead.
  const possible =
    at('year') > 0 &&
    wall.getUTCMonth() === at('month') - 1 &&
    wall.getUTCDate() === at('day') &&
    at('hour') < 24 &&
    at('minute') < 60 &&
    at('second') < 60;
  if (!possible) return undefined;
  if (!parts.zone) return wall.toISOString().slice(0, 19).replace('T', ' ');
  const instant = new Date(clock - offsetMinutes(parts.zone) * 60_000);
  return `${instant.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

function offsetMinutes(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)));
}
