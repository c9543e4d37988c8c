import type { Tx } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/listing.ts';
import type { Paginate, Slice } from '../../../shared/fields.ts';
import { JsonText } from '../../../shared/json-text.ts';
import { present } from '../../../shared/present.ts';
import { addError, type FieldErrors, Invalid } from '../../../shared/problem.ts';
import type { PartialInput } from '../../../shared/read.ts';
import { lineages } from '../../identity/identities/store.ts';
import { selectBookingPops } from '../bookings/store.ts';
import { selectPopPieces, selectPopsOf, selectPurchasePops } from '../purchases/presence-store.ts';
import { exceeds } from '../purchases/store.ts';
import { selectWifiPops } from '../wifi/store.ts';
import type { FindPops, Pops } from './schema.ts';

/** The limits of one search, because the API returns its purchases without pages. */
const limits = { purchases: 10_000, lines: 50_000, bytes: 8 * 1024 * 1024 };

/** The limits of one search in a batch. A search that finds more runs alone. */
const batchLimits = { purchases: 50, lines: 20, bytes: 2000 };

/** A long list is read and serialized in pieces of this size, so that the process serves other requests between them. */
const piece = { purchases: 100, bytes: 128 * 1024 };

/** The errors that need the database, for a request with other invalid fields. */
export async function popErrors(tx: Tx, accountId: number, wanted: PartialInput<FindPops>): Promise<FieldErrors> {
  const { contact_id } = wanted;
  if (contact_id === undefined) return inputErrors(wanted, true);
  return inputErrors(wanted, (await lineages(tx, accountId, [contact_id])).has(contact_id));
}

function inputErrors({ start_date: start, end_date: end }: PartialInput<FindPops>, isContact: boolean): FieldErrors {
  const errors: FieldErrors = {};
  if (!isContact) addError(errors, 'contact_id', 'The contact id is not a contact of this account.');
  if (start !== undefined && end !== undefined && end < start) {
    addError(errors, 'end_date', 'The end date must not be before the start date.');
  }
  return errors;
}

export interface Search {
  input: FindPops;
  /** The page of the bookings and of the wifi interactions. */
  slice: Slice;
  paginate: Paginate;
}

/** The purchases, wifi interactions and bookings of a contact in a range of days. */
export async function findPops(tx: Tx, accountId: number, search: Search): Promise<Pops | JsonText> {
  const { input, slice, paginate } = search;
  const { types } = input;
  const others = types.filter((type) => type !== 'purchases');
  const [found] = await findManyPops(tx, accountId, [{ input: { ...input, types: others }, slice, paginate }]);
  if (found instanceof Error) throw found;
  if (!types.includes('purchases')) return present(found, 'response');
  const request = pageRequestOf(search, (await lineages(tx, accountId, [input.contact_id])).get(input.contact_id));
  if (request instanceof Invalid) throw request;
  const pieces = await selectPopPieces(tx, accountId, request, limits.purchases + 1, piece);
  const count = pieces.reduce((sum, { purchases }) => sum + purchases, 0);
  if (count > limits.purchases || exceeds(pieces, limits)) throw tooMany();
  const purchases: string[] = [];
  for (const each of pieces) {
    const read = await selectPopsOf(tx, accountId, request.contactId, each);
    // The purchases of a piece may have been deleted meanwhile.
    if (read.length > 0) purchases.push(JSON.stringify(read).slice(1, -1));
  }
  const rest = JSON.stringify(found).slice(1);
  return new JsonText(`{"purchases":[${purchases.join(',')}]${rest === '}' ? '' : ','}${rest}`);
}

/** The same for many searches, in as many statements as for one. Undefined: the result is large, so the search runs alone. */
export async function findManyPops(
  tx: Tx,
  accountId: number,
  searches: Search[],
): Promise<(Pops | Invalid | undefined)[]> {
  const contactIds = searches.map(({ input }) => input.contact_id);
  const families = await lineages(tx, accountId, contactIds);
  const requests = searches.map((search) => pageRequestOf(search, families.get(search.input.contact_id)));
  /** The results by position, for the searches that include this type. */
  const ofType = async <T>(type: FindPops['types'][number], select: (all: PageRequest[]) => Promise<T[]>) => {
    const wanted = requests.flatMap((one, place) =>
      one instanceof Invalid || !searches[place]?.input.types.includes(type) ? [] : [{ place, one }],
    );
    const found = await select(wanted.map(({ one }) => one));
    return new Map(wanted.map(({ place }, index) => [place, found[index]]));
  };
  const { purchases, booking, wifi } = await tx.inOrder({
    purchases: () => ofType('purchases', (all) => selectPurchasePops(tx, accountId, all, batchLimits)),
    booking: () => ofType('booking', (all) => selectBookingPops(tx, accountId, all)),
    wifi: () => ofType('wifi', (all) => selectWifiPops(tx, accountId, all)),
  });
  return searches.map(({ paginate }, place) => {
    const one = requests[place];
    if (one instanceof Invalid) return one;
    const pops: Pops = {};
    if (purchases.has(place)) {
      const paid = purchases.get(place);
      if (!paid) return undefined;
      pops.purchases = paid;
    }
    const [booked, seen] = [booking.get(place), wifi.get(place)];
    if (booked) pops.booking = paginate(booked);
    if (seen) pops.wifi = paginate(seen);
    return pops;
  });
}

function pageRequestOf(
  { input, slice: { limit, offset } }: Search,
  contactIds: number[] | undefined,
): PageRequest | Invalid {
  const { start_date: start, end_date: end } = input;
  const [contactId] = contactIds ?? [];
  const errors = inputErrors(input, contactId !== undefined);
  if (!contactIds || contactId === undefined || Object.keys(errors).length > 0) return new Invalid(errors);
  return { contactId, contactIds, start, end, limit, offset };
}

function tooMany(): Invalid {
  const bounds = `${limits.purchases} purchases, ${limits.lines} lines or ${limits.bytes / 2 ** 20} MiB`;
  return new Invalid({
    end_date: [`The end date is too far from the start date: there are more than ${bounds}. Ask for fewer days.`],
  });
}
