const dateOrTime = {
  read: readDateTime,
  mustBe: 'must be a date and time: yyyy-mm-dd hh:mm:ss, or ISO 8601 with an offset.',
};

/** The string formats of the shapes: a parser (undefined: invalid), and the end of the error message. */
export const formats: Record<string, { read: (text: string) => string | undefined; mustBe: string }> = {
  email: {
    read: (text) => {
      const lower = text.toLowerCase();
      return lower.length <= 254 && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(lower) ? lower : undefined;
    },
    mustBe: 'must be a valid email address.',
  },
  'time-zone': {
    read: (text) => (isTimeZone(text) ? text : undefined),
    mustBe: 'must be a time zone such as Europe/London or UTC.',
  },
  mobile: {
    read: readMobile,
    mustBe: 'must be a UK mobile number: 07… or +447….',
  },
  gender: {
    read: (text) => (/^[mf]?$/i.test(text) ? text.toUpperCase() : undefined),
    mustBe: 'must be M, F or blank.',
  },
  date: {
    read: readDate,
    mustBe: 'must be a date: yyyy-mm-dd.',
  },
  'birth-date': {
    read: (text) => {
      const date = readDate(text);
      // In some time zone it is already tomorrow.
      return date !== undefined && date <= (formatDateTime(new Date(Date.now() + 14 * 3_600_000)) ?? '')
        ? date
        : undefined;
    },
    mustBe: 'must be a date that is not in the future: yyyy-mm-dd.',
  },
  // Both are read alike. In a response, `date-time` is an instant and `wall-clock` a time in the account's time zone.
  'date-time': dateOrTime,
  'wall-clock': dateOrTime,
};

function isTimeZone(text: string): boolean {
  // A bare offset is rejected, because PostgreSQL reads "+01:00" with the opposite sign.
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

const longestOffset = 26 * 3_600_000;
const dateTime =
  /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})[ T](?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?<fraction>\.\d{1,9})?)?\s?(?<zone>Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * Returns a wall-clock time as `yyyy-mm-dd hh:mm:ss`, and a time with an offset as an instant in UTC that ends in `Z`.
 */
function readDateTime(text: string): string | undefined {
  const parts = dateTime.exec(text)?.groups;
  const wall = parts && toDate(parts);
  if (!wall) return undefined;
  if (!parts.zone) return formatDateTime(wall);
  const offset = offsetMinutes(parts.zone);
  const instant = wall.getTime() - (offset ?? Number.NaN) * 60_000;
  // The year is in range in every time zone.
  const reachable =
    formatDateTime(new Date(instant - longestOffset)) && formatDateTime(new Date(instant + longestOffset));
  return reachable && `${formatDateTime(new Date(instant))}Z`;
}

const date = /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})$/;

/** Returns a date, padded or not, as `yyyy-mm-dd`. */
export function readDate(text: string): string | undefined {
  const parts = date.exec(text)?.groups;
  const day = parts && toDate(parts);
  return day && formatDateTime(day)?.slice(0, 10);
}

/** Undefined: the date or time does not exist. A Date would turn 31 June into 1 July. */
function toDate(parts: Record<string, string | undefined>): Date | undefined {
  const at = (name: string) => Number(parts[name] ?? 0);
  const time = new Date(0);
  time.setUTCFullYear(at('year'), at('month') - 1, at('day'));
  time.setUTCHours(at('hour'), at('minute'), at('second'));
  const same =
    time.getUTCFullYear() === at('year') &&
    time.getUTCMonth() === at('month') - 1 &&
    time.getUTCDate() === at('day') &&
    time.getUTCHours() === at('hour') &&
    time.getUTCMinutes() === at('minute') &&
    time.getUTCSeconds() === at('second');
  return same ? time : undefined;
}

/** Reads `+44 (7700) 900-123`. Returns `44` and the number without its leading 0. */
function readMobile(text: string): string | undefined {
  const digits = text.replace(/[\p{Z}\p{Pd}\p{Cf}\s.()[\]{}]/gu, '').replace(/^(\+|00)/, '');
  if (!/^(44|0)7[1-9]\d*$/.test(digits) || digits.length < 7 || digits.length > 15) return undefined;
  return digits.replace(/^0/, '44');
}

/** The years that both PostgreSQL and JavaScript support in this format. */
function formatDateTime(time: Date): string | undefined {
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

/**
 * Normalises a text to Unicode NFC. Texts below U+0300 already are. Sorting combining characters takes quadratic time
 * in their number. No language has more than 30 in a row (UAX #15), so such a text is not changed.
 */
export function normalizeText(text: string): string {
  return /[\u0300-\uffff]/.test(text) && !/\p{M}{31}/u.test(text) ? text.normalize('NFC') : text;
}
