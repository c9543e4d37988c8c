import type { Service } from './service.ts';

/** Contacts per unit and bookings per day and unit. They do not depend on the size of the group. */
const [contactsPerUnit, bookingsPerDay] = [5000, 25];
/** Coprime to all sizes, so that steps of it reach every contact. */
const stride = 7919;
const firstDay = Date.UTC(2023, 0, 1);

/** The size of an account. */
export interface Size {
  contacts: number;
  /** Numbers per contact. */
  bookingsEach: number;
  purchasesEach: number;
  /** Waiting purchases. */
  waiting: number;
  /** Unassigned codes. */
  codes: number;
}

export interface Visit {
  contactId: number;
  unitId: number;
  /** The start of the booking. */
  start: string;
  table: string;
  reference: string;
  /** The first purchase of the booking. */
  purchase: string;
}

interface Made {
  accountId: number;
  token: string;
  tokenId: number;
  units: number[];
  sourceId: number;
  /** The id of the first unit. */
  newsletterId: number;
  codeGroupId: number;
  /** The id before the first contact. All accounts share one sequence. */
  firstContact: number;
}

/**
 * An account with generated contacts. Their activity follows from their number, so the expected responses are known.
 */
export class Group {
  readonly made: Made;
  readonly size: Size;

  constructor(made: Made, size: Size) {
    this.made = made;
    this.size = size;
  }

  get bookings(): number {
    return this.size.contacts * this.size.bookingsEach;
  }
  get purchases(): number {
    return this.size.contacts * this.size.purchasesEach;
  }
  get firstUnit(): number {
    return this.made.units[0] as number;
  }

  contactId(nth: number): number {
    return this.made.firstContact + 1 + nth;
  }
  email(nth: number): string {
    return `guest${String(nth).padStart(8, '0')}@gmail.com`;
  }
  mobile(nth: number): string {
    return `4477${String(nth).padStart(8, '0')}`;
  }
  /** Unique names of the same length, so that no name is a prefix of another. */
  lastName(nth: number): string {
    let [name, rest] = ['', nth];
    for (let letter = 0; letter < 5; letter++) {
      name += String.fromCharCode(97 + (rest % 26));
      rest = Math.floor(rest / 26);
    }
    return `Silva${name}`;
  }

  /** The nth booking. Each day of a unit is filled before the next. */
  visit(nth: number): Visit {
    const { units } = this.made;
    const unit = nth % units.length;
    const ofUnit = Math.floor(nth / units.length);
    const [day, seat] = [Math.floor(ofUnit / bookingsPerDay), ofUnit % bookingsPerDay];
    const minutes = 12 * 60 + seat * 24;
    return {
      contactId: this.contactId((nth * stride) % this.size.contacts),
      unitId: units[unit] as number,
      start: wallClock(day, minutes),
      table: String(seat + 1),
      reference: `B${nth}`,
      purchase: `P${Math.ceil((nth * this.size.purchasesEach) / this.size.bookingsEach)}`,
    };
  }

  /** The booking reference of the nth waiting purchase. */
  waitsFor(nth: number): string {
    return `W${nth}`;
  }
}

function wallClock(day: number, minutes: number): string {
  return new Date(firstDay + (day * 1440 + minutes) * 60_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Creates accounts with units and without contacts, several at a time. */
export async function newGroups(service: Service, sizes: Size[]): Promise<Group[]> {
  let free = 0;
  const firstContacts = sizes.map(({ contacts }) => {
    free += contacts;
    return free - contacts;
  });
  const groups: Group[] = [];
  const left = sizes.entries();
  const worker = async () => {
    for (const [place, size] of left) groups[place] = await newGroup(service, size, firstContacts[place] ?? 0);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return groups;
}

async function newGroup(service: Service, size: Size, firstContact: number): Promise<Group> {
  const { id: accountId } = await service.admin('POST', '/accounts', { name: `${size.contacts} guests` });
  const make = (what: string, of: object) => service.admin('POST', `/accounts/${accountId}/${what}`, of);
  const token = await make('tokens', { name: 'bench' });
  const units: number[] = [];
  for (let n = 0; n < Math.ceil(size.contacts / contactsPerUnit); n++) {
    units.push((await make('units', { name: `Venue ${n}` })).id);
  }
  const ofFirst = { unit_id: units[0] as number };
  return new Group(
    {
      ...{ accountId, token: token.token, tokenId: token.id, units, firstContact },
      sourceId: (await make('sources', { name: 'Wifi' })).id,
      newsletterId: (await make('groups', { ...ofFirst, name: 'Newsletter' })).id,
      codeGroupId: (await make('unique_code_groups', { ...ofFirst, name: 'Summer' })).id,
    },
    size,
  );
}
