import type { Tx } from '../../../platform/db/database.ts';
import type { NewEvent } from '../../../shared/event-kind.ts';
import type { CompleteItem, ReadItem } from '../../../shared/read.ts';
import type { Account } from '../../access/accounts/schema.ts';
import type { FigureChanges } from '../../figures/schema.ts';
import type { NewMatchKeys } from '../matching/store.ts';

/**
 * A section is a list on the contact write, such as `notes` or `stays`. Its feature folder implements it, and
 * `guests/write/sections.ts` registers it. The interface is here because activity is below guests.
 */
export interface Section<Item, Contact extends SectionContact = SectionContact> {
  /** The rows of an item, beyond one. */
  weigh?(item: AnyItem<Item>): number;
  /** `load` needs the account. It is then read first, which costs the batch a round trip. */
  readonly loadsByAccount?: true;
  /** The state of the section in one batch. Created for every batch, so it must be cheap. */
  begin(): SectionBatch<Item, Contact>;
}

/**
 * The methods are called in this order. `references`, `check` and `apply` are called for each command that has the list,
 * and must not query. The others are called once per batch. They send their statements before they await anything, and
 * at most one for each kind of row.
 */
export interface SectionBatch<Item, Contact extends SectionContact = SectionContact> {
  /** Collects the ids that an item names: units here, other ids in the section. */
  references?(item: AnyItem<Item>, units: Set<number>): void;
  /** Looks up the collected ids. */
  lookUp?(tx: Tx, accountId: number): Promise<void> | undefined;
  /** The keys to lock before rows are read. */
  lockKeys?(items: CompleteItem<Item>[]): string[];
  /** Reads what `apply` needs, under the locks. It is called only if the batch has items. */
  load?(tx: Tx, accountId: number, items: CompleteItem<Item>[], account: Account | undefined): Promise<void>;
  /** The valid items. Adds an error for each of the others. */
  check(items: ReadItem<Item>[], checks: Checks): Item[];
  /** Decides in memory what the valid items of one command change. */
  apply(contact: Contact, items: Item[], command: AppliedCommand): void;
  /** Sends the statements that store the changes. It is called for every batch, and sends none if nothing changed. */
  store(tx: Tx, account: StoreAccount, stored: Stored<Contact>): Promise<unknown>[];
}

/** An item before it is checked: complete or incomplete. */
export type AnyItem<Item> = Partial<CompleteItem<Item>>;

/** A contact in the batch. The id of a new contact is set before `store`. */
export interface SectionContact {
  readonly row: { readonly id: number };
}

export interface Checks {
  /** Adds an error, unless the field already has one. */
  refuse(path: string, message: string): undefined;
  /** Whether the account has this unit. Adds an error if not. */
  unitExists(id: number, path: string): boolean;
  timeZone: string;
}

export interface AppliedCommand {
  account: Account;
  /** When the request arrived: `yyyy-mm-dd hh:mm:ssZ`. */
  receivedAt: string;
  /** The number of commands of the batch that were applied before. */
  place: number;
  /** Adds an event. It is made when the ids of new contacts are known. */
  record(event: () => NewEvent): void;
}

export type StoreAccount = Pick<Account, 'id' | 'time_zone'>;

export interface Stored<Contact> {
  /** All contacts of the batch. */
  contacts: Contact[];
  /** The data that waiting purchases are matched by. Sections add to it before purchases are stored. */
  newMatchKeys: NewMatchKeys;
  /** What the figures have to count. Each section adds its rows. */
  figures: FigureChanges;
  /** What is known only when the statements of the section have run. */
  lateFigures: Promise<Partial<FigureChanges>>[];
  /** Events of what the statements of the section change. */
  lateEvents: Promise<NewEvent[]>[];
  /** Counts an outcome in the metrics. */
  count(outcome: string): void;
}

export function addId(ids: Set<number>, id: number | undefined): void {
  if (id !== undefined) ids.add(id);
}

/** Whether an item names no unit, or an existing one. Adds an error if not. */
export function unitIsValid({ unit_id }: { unit_id?: number }, path: string, { unitExists }: Checks): boolean {
  return unit_id === undefined || unitExists(unit_id, `${path}.unit_id`);
}

/** The rows with the ids of their contacts. Rows without a contact were only read. */
export function withContact<Row>(
  entries: Iterable<{ row: Row; contact?: SectionContact }>,
): (Row & { contact_id: number })[] {
  const rows: (Row & { contact_id: number })[] = [];
  for (const { row, contact } of entries) if (contact) rows.push({ ...row, contact_id: contact.row.id });
  return rows;
}
