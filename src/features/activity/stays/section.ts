import type { Tx } from '../../../platform/db/database.ts';
import { toLocalTime } from '../../../shared/clock.ts';
import { type CompleteItem, checkItems, isComplete, type ReadItem, unlessAllDropped } from '../../../shared/read.ts';
import { addChanges } from '../../figures/schema.ts';
import {
  type AnyItem,
  type AppliedCommand,
  addId,
  type Checks,
  type Section,
  type SectionBatch,
  type SectionContact,
  type StoreAccount,
  type Stored,
} from '../../identity/sections/section.ts';
import { lookupKinds } from '../../venues/lookups/schema.ts';
import { existing } from '../../venues/lookups/store.ts';
import { stayRecorded } from './event-schema.ts';
import type { NewStay } from './schema.ts';
import {
  addedStays,
  findStays,
  isSameStay,
  putStays,
  type StayContact,
  type StayKey,
  type StayRow,
  selectStayContacts,
  stayDays,
  stayFields,
  stayKey,
  stayLock,
  stayRow,
} from './store.ts';

class StaysBatch implements SectionBatch<NewStay> {
  readonly #sourceIds = new Set<number>();
  #knownSources = new Set<number>();
  readonly #stays = new Map<string, { row: StayRow; changed: boolean }>();
  readonly #before: StayRow[] = [];
  /** The contacts that a stay had, and whether each is its booker and its guest. */
  readonly #links = new Set<string>();
  readonly #contacts = new Map<string, Map<SectionContact, Omit<StayContact, 'contact_id'>>>();

  references({ unit_id, booking_enquiry_source_id }: AnyItem<NewStay>, units: Set<number>): void {
    addId(units, unit_id);
    addId(this.#sourceIds, booking_enquiry_source_id);
  }

  async lookUp(tx: Tx, accountId: number): Promise<void> {
    if (this.#sourceIds.size === 0) return;
    this.#knownSources = new Set(await existing(tx, lookupKinds.bookingSources, accountId, [...this.#sourceIds]));
  }

  lockKeys(stays: CompleteItem<NewStay>[]): string[] {
    return stays.map(stayLock);
  }

  async load(tx: Tx, accountId: number, stays: CompleteItem<NewStay>[]): Promise<void> {
    const { rows, links } = await tx.inOrder({
      rows: () => findStays(tx, accountId, stays),
      links: () => selectStayContacts(tx, accountId, stays),
    });
    for (const row of rows) {
      this.#stays.set(stayKey(row), { row, changed: false });
      this.#before.push(row);
    }
    for (const link of links) this.#links.add(linkOf(link));
  }

  check(stays: ReadItem<NewStay>[], checks: Checks): NewStay[] {
    return checkItems(stays, (stay, index) => this.#checkStay(stay, `stays.${index}`, checks));
  }

  #checkStay(
    stay: NonNullable<ReadItem<NewStay>>,
    path: string,
    { unitExists, timeZone, refuse }: Checks,
  ): NewStay | undefined {
    const at = (time: string | undefined) => time && toLocalTime(time, timeZone);
    const [checkin, checkout] = [at(stay.checkin_date), at(stay.checkout_date)];
    const unit = stay.unit_id !== undefined && unitExists(stay.unit_id, `${path}.unit_id`);
    const { booking_enquiry_source_id: sourceId } = stay;
    const source = sourceId !== undefined && this.#knownSources.has(sourceId);
    if (!source) {
      const message = 'The booking enquiry source id is not a booking source of this account.';
      refuse(`${path}.booking_enquiry_source_id`, message);
    }
    const backwards = checkin !== undefined && checkout !== undefined && checkout < checkin;
    if (backwards) {
      const name = stay.checkout_date === stay.check_out_date ? 'check_out_date' : 'checkout_date';
      refuse(`${path}.${name}`, `The ${name.replaceAll('_', ' ')} must not be before the check-in.`);
    }
    const { total_children: children, total_guests: guests } = stay;
    const tooMany = children !== undefined && guests !== undefined && children > guests;
    if (tooMany) refuse(`${path}.total_children`, 'The total children may not be more than the total guests.');
    const validExtras = checkItems(stay.extras, (extra, place) => {
      const [start, end] = [at(extra.start_date) ?? checkin, at(extra.end_date) ?? checkout];
      if (start !== undefined && end !== undefined && end < start) {
        return refuse(`${path}.extras.${place}.end_date`, 'The end date must not be before the start date.');
      }
      return isComplete(extra) ? extra : undefined;
    });
    if (!unit || !source || backwards || !isComplete(stay)) return undefined;
    const { extras: sent, total_children, ...rest } = stay;
    const extras = unlessAllDropped(sent, validExtras);
    return {
      ...rest,
      ...(total_children !== undefined && !tooMany && { total_children }),
      ...(extras && { extras }),
    };
  }

  apply(contact: SectionContact, stays: NewStay[], { account, record }: AppliedCommand): void {
    for (const stay of stays) {
      const key = stayKey(stay);
      const before = this.#stays.get(key)?.row;
      const row = stayRow(before, stay, account.time_zone);
      this.#stays.set(key, { row, changed: true });
      const contacts = this.#contacts.get(key) ?? new Map<SectionContact, Omit<StayContact, 'contact_id'>>();
      const { provider_id, stay_reference, booker, guest } = stay;
      const link = { provider_id, stay_reference, booker, guest };
      const known = contacts.get(contact);
      const isLinked = known
        ? known.booker === booker && known.guest === guest
        : this.#links.has(linkOf({ ...link, contact_id: contact.row.id }));
      this.#contacts.set(key, contacts.set(contact, link));
      if (!before || !isLinked || !isSameStay(before, row))
        record(() => stayRecorded.of({ ...stayFields(row), booker, guest, contact_id: contact.row.id }));
    }
  }

  store(tx: Tx, { id: accountId }: StoreAccount, { figures, lateFigures }: Stored<SectionContact>): Promise<unknown>[] {
    const rows = [...this.#stays.values()].flatMap(({ row, changed }) => (changed ? [row] : []));
    if (rows.length === 0) return [];
    const contacts = [...this.#contacts.values()].flatMap((ofStay) =>
      [...ofStay].map(([contact, entry]) => ({ ...entry, contact_id: contact.row.id })),
    );
    const existing = new Set(this.#before.map(stayKey));
    const isNew = (key: StayKey) => !existing.has(stayKey(key));
    addChanges(figures, { added: addedStays(rows.filter(isNew), contacts) });
    const stored = putStays(tx, accountId, rows, contacts);
    // The write can change a stay that other contacts have too.
    const others = this.#before.length > 0 ? selectStayContacts(tx, accountId, this.#before) : undefined;
    if (others) lateFigures.push(others.then((all) => ({ changed: stayDays([...this.#before, ...rows], all) })));
    return others ? [stored, others] : [stored];
  }
}

const linkOf = ({ contact_id, booker, guest, ...key }: StayContact) =>
  `${stayKey(key)} ${contact_id} ${booker} ${guest}`;

export const staysSection: Section<NewStay> = { begin: () => new StaysBatch() };
