/**
 * The time zones to choose from, with readable names: "America/New York". The account's own zone is always included.
 */
export function timeZones(own: string): { value: string; label: string }[] {
  const names = new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')]);
  return [...names].sort().map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}

/** The current time in a time zone: "Sun, 14:05". */
export function currentTime(timeZone: string): string {
  return new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(new Date());
}
