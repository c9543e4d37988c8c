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
  const wall = new Date(0);
  wall.setUTCFullYear(at('year'), at('month') - 1, at('day'));
  wall.setUTCHours(at('hour'), at('minute'), at('second'));
  // A Date rolls 31 June over to 1 July; an impossible date is an error instead.
  const asked = [at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second')];
  const got = [
    wall.getUTCFullYear(),
    wall.getUTCMonth(),
    wall.getUTCDate(),
    wall.getUTCHours(),
    wall.getUTCMinutes(),
    wall.getUTCSeconds(),
  ];
  if (asked.some((part, index) => part !== got[index])) return undefined;
  if (!parts.zone) return written(wall);
  const offset = offsetMinutes(parts.zone);
  const instant = written(new Date(wall.getTime() - (offset ?? Number.NaN) * 60_000));
  return instant === undefined ? undefined : `${instant}Z`;
}

/** PostgreSQL and we agree on the years 1 to 9999. */
function written(time: Date): string | undefined {
  const year = time.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return undefined;
  return time.toISOString().slice(0, 19).replace('T', ' ');
}

function offsetMinutes(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  if (minutes > 14 * 60 || Number(zone.slice(-2)) > 59) return undefined;
  return zone.startsWith('-') ? -minutes : minutes;
}
