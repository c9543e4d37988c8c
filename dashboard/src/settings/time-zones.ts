/** What there is to choose from, by the names that people know: "America/New York". The account's own is always among them. */
export function timeZones(own: string): { value: string; label: string }[] {
  const names = new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')]);
  return [...names].sort().map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}

/** "Sun, 14:05": what the clocks there say now. */
export function clockIn(timeZone: string): string {
  return new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(new Date());
}
