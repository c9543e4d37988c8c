import { createHash } from 'node:crypto';
import { Random } from '../../../src/shared/random.ts';

/** The stored form of an idempotency key. */
export const keyHash = (key: string) => createHash('sha256').update(key).digest('hex');

/** The account that the clients write to. */
export interface Place {
  account: number;
  token: string;
  units: number[];
  /** The group of the codes to redeem. */
  group: number;
}

/** A write: the request, the expected rows and the outcome. */
export interface Write {
  path: string;
  body: string;
  /** The idempotency key, if any. */
  key: string | undefined;
  /** Whether it can be sent again: it has an idempotency key, or its content identifies it. */
  mayRepeat: boolean;
  /** Whether another client can be first, so that it is rejected. */
  mayBeRefused: boolean;
  /** The parts that exist exactly once if the write was stored, and not at all otherwise. */
  parts: string[];
  /** The contact of all parts, if the response decides it. */
  isOfOneGuest: boolean;
  /** The e-mail of its contact, or the reference of its booking. */
  email?: string;
  booking?: string;
  asked: number;
  /** 200 or 422. Undefined: no response. */
  answer?: { status: number; body: string };
}

/** Contacts that all clients write to. */
const known = 40;
/** Codes of each client, and codes that all clients try to redeem. */
export const codes = { own: 500, raced: 500 };
/** Each redemption has a unique second, so that the stored time identifies the request. */
const firstSecond = Date.UTC(2026, 0, 1);

const kinds = [
  { name: 'guest', weight: 30 },
  { name: 'known guest', weight: 20 },
  { name: 'own guest', weight: 8 },
  { name: 'phone', weight: 5 },
  { name: 'joined phone', weight: 4 },
  { name: 'anonymous', weight: 14 },
  { name: 'own code', weight: 6 },
  { name: 'raced code', weight: 8 },
  { name: 'table', weight: 8 },
  { name: 'look', weight: 20 },
] as const;
export type Kind = (typeof kinds)[number]['name'];

/** The requests of one client. They depend on the seed, the client's number and earlier responses. */
export class Script {
  readonly #place: Place;
  readonly #seed: number;
  readonly #client: number;
  #step = 0;
  #codes = { own: 0, raced: 0 };

  constructor(place: Place, seed: number, client: number) {
    this.#place = place;
    this.#seed = seed;
    this.#client = client;
  }

  /** A separate random generator per step, so that a step does not depend on earlier outcomes. */
  next(): { kind: Kind; chance: Random; marker: string } {
    const step = this.#step++;
    const chance = new Random(this.#seed * 1_000_003 + this.#client * 100_003 + step);
    return { kind: chance.weighted(kinds, ({ weight }) => weight).name, chance, marker: `${this.#client}-${step}` };
  }

  /** A new contact with every kind of list. */
  guest(chance: Random, marker: string): Write {
    const isPlain = chance.once(6);
    const email = `guest.${marker}@gmail.com`;
    const [client = '', step = ''] = marker.split('-');
    const mobile = `77${client.padStart(2, '0')}${step.padStart(6, '0')}`;
    const unit = chance.pick(this.#place.units);
    const sms = chance.once(2);
    const body = {
      ...{ email, mobile_number: `0${mobile}`, first_name: 'Ana', membership_number: `M${marker}`, allow_email: true },
      ...{ allow_sms: sms, source_name: chance.pick(['Till', 'Guest wifi', 'Website']) },
      units: [{ id: unit, groups: [{ name: chance.pick(['News', 'VIP', 'Locals']) }] }],
      purchases: [purchase(marker, unit)],
      bookings: [{ booking_reference: marker, unit_id: unit, party_datetime: '2026-03-01 19:30:00', party_size: 4 }],
      ...(isPlain ? {} : extras(marker, unit)),
      full_contact_object: chance.once(4),
    };
    const write = this.#write(chance, '/v1/contact', body, [
      ...[`contact ${email}`, `identity email ${email}`, `identity mobile 44${mobile}`],
      ...[`identity membership M${marker}`, `consent email ${email}`, `purchase ${marker}`, `booking ${marker}`],
      ...(sms ? [`consent sms ${email}`] : []),
      ...(isPlain ? [] : partsOfExtras(marker)),
    ]);
    // Without an idempotency key, only identifiable parts can be sent again.
    return { ...write, mayRepeat: write.mayRepeat || isPlain, isOfOneGuest: true, email, booking: marker };
  }

  /** A write that can be retried. */
  probe(): Write {
    for (;;) {
      const { chance, marker } = this.next();
      const write = this.guest(chance, marker);
      if (write.key !== undefined) return write;
    }
  }

  /** A contact that other clients write to at the same time. */
  knownGuest(chance: Random, marker: string): Write {
    const unit = chance.pick(this.#place.units);
    const flags = chance.pick([
      { allow_email: true },
      { allow_email: false },
      { allow_sms: true },
      { allow_sms: false },
    ]);
    const body = {
      ...{ email: `known.${chance.below(known)}@gmail.com`, ...flags, full_contact_object: chance.once(4) },
      purchases: [purchase(marker, unit)],
      ...extras(marker, unit),
    };
    const write = this.#write(chance, '/v1/contact', body, [`purchase ${marker}`, ...partsOfExtras(marker)]);
    return { ...write, isOfOneGuest: true };
  }

  /** A contact of this client, again. */
  ownGuest(chance: Random, marker: string, email: string): Write {
    const body = { email, ...extras(marker, chance.pick(this.#place.units)), full_contact_object: false };
    return { ...this.#write(chance, '/v1/contact', body, partsOfExtras(marker)), isOfOneGuest: true };
  }

  /** A contact with only a mobile number. With `joins`, the number is merged into an existing contact. */
  phone(chance: Random, marker: string, joins?: string): Write {
    const [client = '', step = ''] = marker.split('-');
    const mobile_number = joins ?? `078${client.padStart(2, '0')}${step.padStart(6, '0')}`;
    const email = joins === undefined ? {} : { email: `known.${chance.below(known)}@gmail.com` };
    const consent = { allow_email: chance.once(2), allow_sms: chance.once(2) };
    const body = { ...email, mobile_number, ...consent, notes: [{ text: marker }], full_contact_object: false };
    return { ...this.#write(chance, '/v1/contact', body, [`note ${marker}`]), isOfOneGuest: true };
  }

  /** Two anonymous purchases with a booking or membership that exists or will exist. */
  anonymous(chance: Random, marker: string): Write {
    const of = `${this.#client}-${chance.below(this.#step + 20)}`;
    const unit = chance.pick(this.#place.units);
    const body = {
      account_id: this.#place.account,
      ...(chance.once(2) ? { membership_number: `M${of}` } : { booking_reference: of }),
      purchases: [purchase(marker, unit), purchase(`${marker} again`, unit)],
    };
    const write = this.#write(chance, '/v1/purchases', body, [`purchase ${marker}`, `purchase ${marker} again`]);
    return { ...write, mayRepeat: true };
  }

  redemption(chance: Random, which: 'own' | 'raced'): Write | undefined {
    const number = this.#codes[which]++;
    if (number >= codes[which]) return undefined;
    const code = which === 'own' ? `O${this.#client}-${number}` : `R${number}`;
    const at = new Date(firstSecond + (this.#client * 100_000 + this.#step) * 1000).toISOString();
    const { account, group, units } = this.#place;
    const body = {
      ...{ account_id: account, unit_id: chance.pick(units), unique_code_group_id: group },
      ...{ unique_code: code, redemption_date: at },
    };
    const write = this.#write(chance, '/v1/unique_code/redeem', body, [`redeemed ${code} ${at}`]);
    return { ...write, mayBeRefused: which === 'raced' };
  }

  /** A booking platform reports the seated table. */
  table(chance: Random, marker: string, bookingId: number): Write {
    const body = { account_id: this.#place.account, table_numbers: [`T${marker}`] };
    const write = this.#write(chance, `/v1/bookings/${bookingId}`, body, [`table T${marker}`]);
    return { ...write, mayRepeat: true };
  }

  #write(chance: Random, path: string, body: object, parts: string[]): Write {
    const key = chance.once(5) ? undefined : `key ${path} ${parts[0]}`.replaceAll(' ', '_');
    return {
      ...{ path, body: JSON.stringify(body), key, mayRepeat: key !== undefined, mayBeRefused: false },
      ...{ parts: key === undefined ? parts : [...parts, `kept ${keyHash(key)}`], isOfOneGuest: false, asked: 0 },
    };
  }
}

function purchase(transaction_reference: string, unit_id: number) {
  const items = [{ description: 'Ale', quantity: 2, value: 11.5 }];
  return { transaction_reference, unit_id, created_at: '2026-03-01 20:05:00', items };
}

/** Lists without an identifier. They are stored twice if they are sent twice. */
function extras(marker: string, unit_id: number) {
  return {
    notes: [{ text: marker }],
    wifi: [{ unit_id, hotspot_name: marker, created_at: '2026-03-01 19:35:00' }],
    feedback: [{ comments: [{ type: 'atmosphere', note: marker }], ratings: [{ category_id: 4, rating_text: '9' }] }],
  };
}

function partsOfExtras(marker: string): string[] {
  return [`note ${marker}`, `wifi ${marker}`, `feedback ${marker}`];
}
