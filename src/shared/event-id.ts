/** An event of an account: the position of its row in the feed, and its place in the row. */
export interface EventPlace {
  position: number;
  place: number;
}

/** The most events of a row. */
export const mostPlaces = 500;

const [accountDigits, positionDigits, placeDigits] = [8, 12, 4];
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/** The ids of an account sort in the order of the feed. An id is unique in all accounts. */
export function eventId(accountId: number, { position, place }: EventPlace): string {
  // The start of the feed has the place -1, which is written as 0.
  return `evt_${hex(accountId, accountDigits)}${hex(position, positionDigits)}${hex(place + 1, placeDigits)}`;
}

const pattern = new RegExp(
  `^evt_([0-9a-f]{${accountDigits},14})([0-9a-f]{${positionDigits}})([0-9a-f]{${placeDigits}})$`,
);

/** Undefined: not the id of an event of this account. */
export function parseEventId(accountId: number, id: string): EventPlace | undefined {
  const [, account = '', position = '', place = ''] = pattern.exec(id) ?? [];
  if (Number.parseInt(account, 16) !== accountId) return undefined;
  return { position: Number.parseInt(position, 16), place: Number.parseInt(place, 16) - 1 };
}

/** Before all events. */
export const beginning: EventPlace = { position: 0, place: -1 };

export const isAfter = (one: EventPlace, other: EventPlace) =>
  one.position > other.position || (one.position === other.position && one.place > other.place);
