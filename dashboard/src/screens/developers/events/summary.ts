import { toWords } from '#service/shared/phrases.ts';

/** The fields that name what an event is about. */
const naming = ['segment_name', 'unique_code', 'transaction_reference', 'booking_reference', 'stay_reference'];

/** "city, postcode", "SUMMER-7KQ": the changed fields, or the name of what the event is about. */
export function summaryOf(data: Record<string, unknown>): string {
  const name = naming.map((field) => data[field]).find((value) => typeof value === 'string');
  if (typeof name === 'string') return name;
  const { changes, channel, to } = data;
  if (typeof changes === 'object' && changes !== null) return Object.keys(changes).map(toWords).join(', ');
  if (typeof channel === 'string') return `${toWords(channel)}: ${to === true ? 'yes' : 'no'}`;
  return '';
}
