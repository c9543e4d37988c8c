import { type Channel, channels, flagOf, type MergeReason } from '../../../shared/codes.ts';
import type { NewEvent } from '../../../shared/event-kind.ts';
import type { Identity, Taken } from '../../identity/identities/schema.ts';
import { consentChanged, contactMerged } from '../contacts/event-schema.ts';
import { addressOf, profileFields } from '../contacts/schema.ts';
import type { ContactRow } from '../contacts/store.ts';
import { setUdf } from '../udfs/section.ts';
import { beforeOf, contactEvent } from './contact-events.ts';
import {
  attach,
  type ContactState,
  type GroupRef,
  hasWithdrawn,
  inheritWithdrawal,
  type SourceRef,
  set,
  storeTo,
} from './contact-state.ts';

export interface LedgerChange {
  contact: ContactState;
  channel: Channel;
  from: boolean;
  to: boolean;
  applied: boolean;
  rule: string | null;
  source: SourceRef | null;
  token_id: number | null;
  /** The user. Null: a partner's request. */
  actor: string | null;
}

export interface MergeChange {
  contact: ContactState;
  into: ContactState;
  actor: string;
  reason: MergeReason;
  taken: Omit<Taken, 'group_ids'>;
  /** The groups that the survivor gained. Some may not be created yet. */
  groups: GroupRef[];
  source: SourceRef | null;
}

export interface Membership {
  kind: 'membership' | 'card';
  value: string;
  contact: ContactState;
  place: number;
}

/** The changes of a batch besides those in `ContactState` and in the sections. */
export interface Changes {
  claims: Map<string, Identity & { contact: ContactState }>;
  /** Each membership and card that a command moved to a contact. A later command may move it again. */
  memberships: Membership[];
  releases: (Identity & { contact: ContactState })[];
  merges: MergeChange[];
  duplicates: { contact: ContactState; other: ContactState }[];
  ledger: LedgerChange[];
  /** What the commands changed, in their order. Each event is made when the ids of new contacts are known. */
  events: (() => NewEvent)[];
  /** Domains of e-mails that were accepted unchecked. A job checks them again. */
  unchecked: Set<string>;
  /** Domains that DNS has just confirmed. */
  learntDomains: Set<string>;
}

export interface MergeCause {
  reason: MergeReason;
  actor: string;
  /** Null: a user merges the contacts. */
  tokenId: number | null;
  /** The mobile number that the write which causes the merge stores on the survivor. */
  mobile?: string | undefined;
}

/** Adds an entry to the ledger, and an event if the consent changed. */
export function changeConsent(changes: Changes, entry: LedgerChange): void {
  changes.ledger.push(entry);
  if (!entry.applied) return;
  const { contact, channel, from, to, rule, source } = entry;
  changes.events.push(() =>
    consentChanged.of({ contact_id: contact.row.id, channel, from, to, rule, source_id: source?.id ?? null }),
  );
}

/** Merges a contact into the survivor, which takes over the data that it lacks. */
export function merge(
  changes: Changes,
  from: ContactState,
  into: ContactState,
  { reason, actor, tokenId, mobile }: MergeCause,
): void {
  const given: Channel[] = [];
  const change: MergeChange = {
    contact: from,
    into,
    actor,
    reason,
    taken: { fields: {}, unit_ids: [], udfs: [], channels: [], given },
    groups: [],
    source: into.source ? null : from.source,
  };
  const { taken } = change;
  changes.events.push(() =>
    contactMerged.of({ contact_id: into.row.id, merged_contact_id: from.row.id, reason }, [from.row.id]),
  );
  const survivorBefore = beforeOf(into);
  // Before the fields are copied: the channels for which the survivor gains an address.
  const replaced = mobile !== into.row.mobile_number && mobile === from.row.mobile_number;
  const before = replaced ? { ...into.row, mobile_number: null } : into.row;
  const gained = channels.filter((channel) => gainsAddress(channel, from.row, before));
  for (const field of profileFields) {
    const value = from.row[field];
    if (into.row[field] !== null || value === null) continue;
    taken.fields[field] = value;
    set(into, field, value);
  }
  if ('email' in taken.fields) set(into, 'email_status', from.row.email_status);
  if (change.source) {
    into.source = change.source;
    into.changed = true;
  }
  for (const [id, name] of from.units) if (storeTo(into, id, name)) taken.unit_ids.push(id);
  for (const group of from.groups) if (attach(into, group)) change.groups.push(group);
  for (const [id, data] of from.udfs) {
    if (into.udfs.has(id)) continue;
    setUdf(into, id, data);
    taken.udfs.push({ id, data });
  }
  for (const channel of channels) {
    const flag = flagOf[channel];
    const [other, own] = [from.row[flag], into.row[flag]];
    // A consent belongs to an address, so the survivor gets it only together with that address. A withdrawal counts on
    // either side. A consent that was never given is not a withdrawal.
    const applied = other ? gained.includes(channel) && !hasWithdrawn(into, channel) : hasWithdrawn(from, channel);
    inheritWithdrawal(into, from, channel);
    if (other === own || (!other && !applied)) continue;
    changeConsent(changes, {
      ...{ contact: into, channel, from: own, to: other, applied, rule: 'merge', source: null },
      ...{ token_id: tokenId, actor: tokenId === null ? actor : null },
    });
    if (!applied) continue;
    set(into, flag, other);
    (other ? given : taken.channels).push(channel);
  }
  changes.merges.push(change);
  const event = contactEvent(into, survivorBefore, { also: () => [from.row.id] });
  if (event) changes.events.push(event);
}

/** Whether a merge gives the survivor an address for this channel: it has none, and the other contact has one. */
function gainsAddress(channel: Channel, from: ContactRow, into: ContactRow): boolean {
  const fields = addressOf[channel];
  return fields.every((field) => into[field] === null) && fields.some((field) => from[field] !== null);
}
