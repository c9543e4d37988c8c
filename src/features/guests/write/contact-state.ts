import { type Channel, flagOf } from '../../../shared/codes.ts';
import { recordOf } from '../../../shared/record.ts';
import type { GroupName } from '../../venues/groups/store.ts';
import { profileFields } from '../contacts/schema.ts';
import type { ContactRow } from '../contacts/store.ts';

/** A group of a contact. It has no id until it is created. There is one object per group. */
export interface GroupRef extends GroupName {
  id: number | null;
}

/** A source of a contact. It has no id until it is created. */
export interface SourceRef {
  id: number | null;
  name: string | null;
}

/** A contact in a batch: the stored contact with the changes of the commands so far. */
export interface ContactState {
  /** The id of a new contact is 0 until the whole batch is decided. */
  row: ContactRow;
  isNew: boolean;
  changed: boolean;
  source: SourceRef | null;
  units: Map<number, string>;
  groups: Set<GroupRef>;
  udfs: Map<number, string>;
  /** Channels whose consent this contact withdrew. */
  withdrawn: Set<Channel>;
  /** Channels whose consent a contact merged into this one withdrew. */
  inheritedWithdrawals: Set<Channel>;
  /** What to store besides the row. */
  newUnits: Set<number>;
  newGroups: Set<GroupRef>;
  newUdfs: Map<number, string>;
  detached: boolean;
}

/** A contact after one command, for the response to that command. */
export interface Snapshot {
  contact: ContactState;
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
  ...recordOf(profileFields, () => null),
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

export function snapshotOf(contact: ContactState): Snapshot {
  return {
    contact,
    row: { ...contact.row },
    source: contact.source,
    units: [...contact.units],
    groups: [...contact.groups],
    udfs: [...contact.udfs],
  };
}

export function set<F extends keyof ContactRow>(
  contact: ContactState,
  field: F,
  value: ContactRow[F] | undefined,
): void {
  if (value === undefined || contact.row[field] === value) return;
  contact.row[field] = value;
  contact.changed = true;
}

/** Returns whether it changed the contact. */
export function storeTo(contact: ContactState, unitId: number, name: string): boolean {
  if (contact.units.has(unitId)) return false;
  contact.units.set(unitId, name);
  contact.newUnits.add(unitId);
  return true;
}

/** Returns whether it changed the contact. */
export function attach(contact: ContactState, group: GroupRef): boolean {
  if (contact.groups.has(group)) return false;
  contact.groups.add(group);
  contact.newGroups.add(group);
  return true;
}

export function detach(contact: ContactState): void {
  contact.groups.clear();
  contact.newGroups.clear();
  contact.detached = true;
}

/** Whether the guest withdrew this consent and has not given it again. */
export function hasWithdrawn({ row, withdrawn, inheritedWithdrawals }: ContactState, channel: Channel): boolean {
  return !row[flagOf[channel]] && (withdrawn.has(channel) || inheritedWithdrawals.has(channel));
}

/** On a merge. Also passes on the withdrawals that the other contact inherited, even if it has given that consent since. */
export function inheritWithdrawal(into: ContactState, from: ContactState, channel: Channel): void {
  if (hasWithdrawn(from, channel) || from.inheritedWithdrawals.has(channel)) into.inheritedWithdrawals.add(channel);
}
