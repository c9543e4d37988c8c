import type { NewEvent } from '../../../shared/event-kind.ts';
import { type ContactChanges, contactCreated, contactUpdated, noContactChanges } from '../contacts/event-schema.ts';
import { type ProfileField, profileFields } from '../contacts/schema.ts';
import type { ContactRow } from '../contacts/store.ts';
import type { ContactState, GroupRef, SourceRef } from './contact-state.ts';

/** A contact before a command, to find what the command changes. */
export interface ContactBefore {
  row: ContactRow;
  source: SourceRef | null;
  /** Units are only added. */
  unitCount: number;
  groups: ReadonlySet<GroupRef>;
  udfs: ReadonlyMap<number, string>;
}

const [noGroups, noUdfs]: [ReadonlySet<GroupRef>, ReadonlyMap<number, string>] = [new Set(), new Map()];

export function beforeOf({ row, source, units, groups, udfs }: ContactState): ContactBefore {
  return {
    row: { ...row },
    source,
    unitCount: units.size,
    groups: groups.size > 0 ? new Set(groups) : noGroups,
    udfs: udfs.size > 0 ? new Map(udfs) : noUdfs,
  };
}

type FieldChanges = ContactChanges['changes'];

/** The fields of the profile that differ. Partners do not see the card reference, so it has no values. */
export function changedFields(
  before: Partial<Record<ProfileField, string | null>>,
  after: Partial<Record<ProfileField, string | null>>,
): FieldChanges {
  const changes: FieldChanges = {};
  for (const field of profileFields) {
    const [from = null, to = null] = [before[field], after[field]];
    if (from !== to) changes[field] = field === 'card_reference' ? { from: null, to: null } : { from, to };
  }
  return changes;
}

/**
 * The event of what a command changed in a contact. It is made later, when sources and groups have their ids. Undefined:
 * nothing but consents changed. `also`: a contact whose data it has, because of a merge.
 */
export function contactEvent(
  contact: ContactState,
  before: ContactBefore,
  { isNew = false, also = () => [] }: { isNew?: boolean; also?: () => number[] } = {},
): (() => NewEvent) | undefined {
  const changes = changedFields(before.row, contact.row);
  for (const [id, to] of contact.udfs) {
    const from = before.udfs.get(id) ?? null;
    if (from !== to) changes[`udf:${id}`] = { from, to };
  }
  const { source } = contact;
  const hasNewSource = source !== before.source && (source?.id ?? null) !== (before.source?.id ?? undefined);
  const unitIds = [...contact.units.keys()].slice(before.unitCount);
  const added = [...contact.groups].filter((group) => !before.groups.has(group));
  const removed = [...before.groups].filter((group) => !contact.groups.has(group));
  const hasChanged =
    hasNewSource || unitIds.length + added.length + removed.length > 0 || Object.keys(changes).length > 0;
  if (!isNew && !hasChanged) return undefined;
  const idsOf = (groups: GroupRef[]) => [...new Set(groups.flatMap(({ id }) => id ?? []))];
  return () => {
    if (hasNewSource) changes.source_id = { from: textOf(before.source), to: textOf(source) };
    const kind = isNew ? contactCreated : contactUpdated;
    const lists = { added_unit_ids: unitIds, added_group_ids: idsOf(added), removed_group_ids: idsOf(removed) };
    return kind.of({ contact_id: contact.row.id, ...noContactChanges(), changes, ...lists }, also());
  };
}

const textOf = (source: SourceRef | null) => (source?.id == null ? null : String(source.id));
