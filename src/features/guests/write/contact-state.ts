import { type Channel, flagOf } from '../../../shared/codes.ts';
import { type ProfileField, profileFields } from '../contacts/schema.ts';
import type { ContactRow } from '../contacts/store.ts';
import type { GroupRef, SourceRef } from './references.ts';

/** A contact in the course of a batch: as it was read, and as the commands so far have made it. */
export interface ContactState {
  /** A new one has the id 0 until all of the batch is decided. */
  row: ContactRow;
  isNew: boolean;
  changed: boolean;
  source: SourceRef | null;
  units: Map<number, string>;
  groups: Set<GroupRef>;
  udfs: Map<number, string>;
  /** Consents that this contact once gave and then took back. */
  withdrawn: Set<Channel>;
  /** Consents that a contact merged into this one took back. */
  inheritedWithdrawals: Set<Channel>;
  /** What is to be written besides the row. */
  newUnits: Set<number>;
  newGroups: Set<GroupRef>;
  newUdfs: Map<number, string>;
  detached: boolean;
}

/** A contact as it was after one command, for that command's answer. */
export interface Snapshot {
  person: ContactState;
  row: ContactRow;
  source: SourceRef | null;
  units: [number, string][];
  groups: GroupRef[];
  udfs: [number, string][];
}

export function contactStateOf(row: ContactRow, isNew = false): ContactState {
  return {
    row,
    isNew,
    changed: isNew,
    source: row.source_id === null ? null : { id: row.source_id, name: null },
    units: new Map(),
    groups: new Set(),
    udfs: new Map(),
    withdrawn: new Set(),
    inheritedWithdrawals: new Set(),
    newUnits: new Set(),
    newGroups: new Set(),
    newUdfs: new Map(),
    detached: false,
  };
}

const blankRow: ContactRow = {
  ...(Object.fromEntries(profileFields.map((field) => [field, null])) as Record<ProfileField, null>),
  id: 0,
  merged_into: null,
  email_status: null,
  source_id: null,
  allow_sms: false,
  allow_email: false,
  allow_call: false,
  allow_snail_mail: false,
};

export function newContactState(): ContactState {
  return contactStateOf({ ...blankRow }, true);
}

export function snapshotOf(person: ContactState): Snapshot {
  return {
    person,
    row: { ...person.row },
    source: person.source,
    units: [...person.units],
    groups: [...person.groups],
    udfs: [...person.udfs],
  };
}

export function set<F extends keyof ContactRow>(
  person: ContactState,
  field: F,
  value: ContactRow[F] | undefined,
): void {
  if (value === undefined || person.row[field] === value) return;
  person.row[field] = value;
  person.changed = true;
}

/** Whether that is news. */
export function storeTo(person: ContactState, unitId: number, name: string): boolean {
  if (person.units.has(unitId)) return false;
  person.units.set(unitId, name);
  person.newUnits.add(unitId);
  return true;
}

/** Whether that is news. */
export function attach(person: ContactState, group: GroupRef): boolean {
  if (person.groups.has(group)) return false;
  person.groups.add(group);
  person.newGroups.add(group);
  return true;
}

export function detach(person: ContactState): void {
  person.groups.clear();
  person.newGroups.clear();
  person.detached = true;
}

export function setUdf(person: ContactState, id: number, data: string): void {
  if (person.udfs.get(id) === data) return;
  person.udfs.set(id, data);
  person.newUdfs.set(id, data);
}

/** Whether the guest took this consent back and has not given it again since. */
export function hasWithdrawn({ row, withdrawn, inheritedWithdrawals }: ContactState, channel: Channel): boolean {
  return !row[flagOf[channel]] && (withdrawn.has(channel) || inheritedWithdrawals.has(channel));
}

/** On a merge. A withdrawal that the other contact inherited stays with it, also where it gave that consent itself since. */
export function inheritWithdrawal(into: ContactState, from: ContactState, channel: Channel): void {
  if (hasWithdrawn(from, channel) || from.inheritedWithdrawals.has(channel)) into.inheritedWithdrawals.add(channel);
}
