import type { Tx } from '../../../platform/db/database.ts';
import type { Asked } from '../../../platform/db/listing.ts';
import type { Paginate, Slice } from '../../../shared/fields.ts';
import { JsonText } from '../../../shared/json-text.ts';
import { type FieldErrors, Invalid } from '../../../shared/problem.ts';
import { addError } from '../../../shared/read.ts';
import { lineages } from '../../identity/identities/store.ts';
import { selectBookingPops } from '../bookings/store.ts';
import { selectPopPieces, selectPopsOf, selectPurchasePops } from '../purchases/presence-store.ts';
import { exceeds } from '../purchases/store.ts';
import { selectWifiPops } from '../wifi/store.ts';
import type { FindPops, Pops } from './schema.ts';

/** The interface gives purchases in one piece, so one search has bounds. */
const most = { purchases: 10_000, lines: 50_000, bytes: 8 * 1024 * 1024 };

/** What may be read for one of many searches at once. A search that finds more is read alone. */
const roomAmongMany = { purchases: 50, lines: 20, bytes: 2000 };

/** A long list is read and written in pieces of this size. Between them the process serves other requests. */
const piece = { purchases: 100, bytes: 128 * 1024 };

/** What is wrong with such a search, of what could be read. */
export async function wrongWithPops(tx: Tx, accountId: number, wanted: Partial<FindPops>): Promise<FieldErrors> {
  const { contact_id } = wanted;
  if (contact_id === undefined) return wrong(wanted, true);
  return wrong(wanted, (await lineages(tx, accountId, [contact_id])).has(contact_id));
}

function wrong({ start_date: start, end_date: end }: Partial<FindPops>, isContact: boolean): FieldErrors {
  const errors: FieldErrors = {};
  if (!isContact) addError(errors, 'contact_id', 'The contact id is not a contact of this account.');
  if (start !== undefined && end !== undefined && end < start) {
    addError(errors, 'end_date', 'The end date must not be before the start date.');
  }
  return errors;
}

export interface Search {
  input: FindPops;
  /** Which of the bookings and of the wifi interactions. */
  slice: Slice;
  paginate: Paginate;
}

/** What one contact did in a range of days: purchases, wifi interactions and bookings. */
export async function findPops(tx: Tx, accountId: number, search: Search): Promise<Pops | JsonText> {
  const { input, slice, paginate } = search;
  const { types } = input;
  const others = types.filter((type) => type !== 'purchases');
  const [found] = await findManyPops(tx, accountId, [{ input: { ...input, types: others }, slice, paginate }]);
  if (found instanceof Error) throw found;
  if (!types.includes('purchases')) return found as Pops;
  const asked = askedBy(search, (await lineages(tx, accountId, [input.contact_id])).get(input.contact_id));
  if (asked instanceof Invalid) throw asked;
  const pieces = await selectPopPieces(tx, accountId, asked, most.purchases + 1, piece);
  const count = pieces.reduce((sum, { purchases }) => sum + purchases, 0);
  if (count > most.purchases || exceeds(pieces, most)) throw tooMany();
  const purchases: string[] = [];
  for (const each of pieces) {
    const read = await selectPopsOf(tx, accountId, asked.contactId, each);
    // None are left of a piece that was deleted meanwhile.
    if (read.length > 0) purchases.push(JSON.stringify(read).slice(1, -1));
  }
  const rest = JSON.stringify(found).slice(1);
  return new JsonText(`{"purchases":[${purchases.join(',')}]${rest === '}' ? '' : ','}${rest}`);
}

/** The same for many at once, in as many statements as for one. Undefined: there is much of it, and it is to be read alone. */
export async function findManyPops(
  tx: Tx,
  accountId: number,
  searches: Search[],
): Promise<(Pops | Invalid | undefined)[]> {
  const contactIds = searches.map(({ input }) => input.contact_id);
  const families = await lineages(tx, accountId, contactIds);
  const asked = searches.map((search) => askedBy(search, families.get(search.input.contact_id)));
  /** By place, for those who asked for this type. */
  const ofType = async <T>(type: FindPops['types'][number], select: (all: Asked[]) => Promise<T[]>) => {
    const places = [...asked.keys()].filter(
      (place) => !(asked[place] instanceof Invalid) && searches[place]?.input.types.includes(type),
    );
    const found = await select(places.map((place) => asked[place] as Asked));
    return new Map(places.map((place, index) => [place, found[index] as T]));
  };
  const { purchases, booking, wifi } = await tx.inOrder({
    purchases: () => ofType('purchases', (all) => selectPurchasePops(tx, accountId, all, roomAmongMany)),
    booking: () => ofType('booking', (all) => selectBookingPops(tx, accountId, all)),
    wifi: () => ofType('wifi', (all) => selectWifiPops(tx, accountId, all)),
  });
  return searches.map(({ paginate }, place) => {
    const one = asked[place];
    if (one instanceof Invalid) return one;
    const pops: Pops = {};
    if (purchases.has(place)) {
      const bought = purchases.get(place);
      if (!bought) return undefined;
      pops.purchases = bought;
    }
    const [booked, seen] = [booking.get(place), wifi.get(place)];
    if (booked) pops.booking = paginate(booked);
    if (seen) pops.wifi = paginate(seen);
    return pops;
  });
}

function askedBy({ input, slice: { limit, offset } }: Search, contactIds: number[] | undefined): Asked | Invalid {
  const { start_date: start, end_date: end } = input;
  const [contactId] = contactIds ?? [];
  const errors = wrong(input, contactId !== undefined);
  if (!contactIds || contactId === undefined || Object.keys(errors).length > 0) return new Invalid(errors);
  return { contactId, contactIds, start, end, limit, offset };
}

function tooMany(): Invalid {
  const bounds = `${most.purchases} purchases, ${most.lines} lines or ${most.bytes / 2 ** 20} MiB`;
  return new Invalid({
    end_date: [`The end date is too far from the start date: there are more than ${bounds}. Ask for fewer days.`],
  });
}
