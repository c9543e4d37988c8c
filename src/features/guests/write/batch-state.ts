import { type Channel, channels, feedbackTypes, flagOf, idOf, type MergeReason } from '../../../shared/codes.ts';
import { domainOf } from '../../../shared/domain-name.ts';
import { Invalid } from '../../../shared/problem.ts';
import { type Identity, identityKey, type Taken } from '../../identity/identities/schema.ts';
import type { Withdrawal } from '../consent/store.ts';
import { addressOf, profileFields } from '../contacts/schema.ts';
import type { ContactRow, Details } from '../contacts/store.ts';
import type { FeedbackRow } from '../feedback/store.ts';
import type { NoteRow } from '../notes/store.ts';
import { ActivityState } from './activity-state.ts';
import type { ContactCommand } from './command.ts';
import {
  attach,
  type ContactState,
  contactStateOf,
  detach,
  hasWithdrawn,
  inheritWithdrawal,
  newContactState,
  set,
  setUdf,
  storeTo,
} from './contact-state.ts';
import type { GroupRef, References, SourceRef } from './references.ts';

/** Rows to append; whose they are is known by person, as a new one has no id yet. */
type Of<T> = Omit<T, 'contact_id'> & { person: ContactState };

export interface LedgerChange {
  person: ContactState;
  channel: Channel;
  from: boolean;
  to: boolean;
  applied: boolean;
  rule: string | null;
  source: SourceRef | null;
  token_id: number | null;
  /** Who of the staff; null: a partner's request. */
  actor: string | null;
}

export interface MergeChange {
  person: ContactState;
  into: ContactState;
  actor: string;
  reason: MergeReason;
  taken: Omit<Taken, 'group_ids'>;
  /** Also taken over; some of them may still be to be made. */
  groups: GroupRef[];
  source: SourceRef | null;
}

export interface Membership {
  kind: 'membership' | 'card';
  value: string;
  person: ContactState;
  place: number;
}

/** Everything that a batch comes to, beyond the people themselves. */
export interface Changes {
  claims: Map<string, Identity & { person: ContactState }>;
  /** Every membership and card that somebody came to be known by, with the command's place: some may be another's by the end. */
  memberships: Membership[];
  releases: (Identity & { person: ContactState })[];
  merges: MergeChange[];
  duplicates: { person: ContactState; other: ContactState }[];
  ledger: LedgerChange[];
  notes: Of<NoteRow>[];
  feedback: Omit<Of<FeedbackRow>, 'id'>[];
  /** Domains to look up again, of e-mails that were taken in unchecked. */
  unchecked: Set<string>;
  /** Domains of e-mails that DNS was asked about just now, and that take mail. */
  learntDomains: Set<string>;
}

export interface Loaded {
  people: ContactRow[];
  /** The contact that each identity stands on. */
  standing: Map<string, number>;
  /** The contact that each of those is today. */
  survivors: Map<number, number>;
  details: Details[];
  withdrawals: Withdrawal[];
  keptApart: { contact_id: number; other_contact_id: number }[];
}

/** Who is who in a batch, and what becomes of them: the commands are applied one after the other, without a word to the database. */
export class BatchState {
  readonly changes: Changes = {
    claims: new Map(),
    memberships: [],
    releases: [],
    merges: [],
    duplicates: [],
    ledger: [],
    notes: [],
    feedback: [],
    unchecked: new Set(),
    learntDomains: new Set(),
  };
  readonly all: ContactState[] = [];
  readonly deeds: ActivityState;
  readonly #byId = new Map<number, ContactState>();
  readonly #standing: Map<string, number | ContactState>;
  readonly #survivors: Map<number, number>;
  readonly #keptApart: Set<string>;
  readonly #references: References;
  /** How many commands were applied before. */
  #place = 0;

  constructor(loaded: Loaded, references: References, deeds = new ActivityState()) {
    this.deeds = deeds;
    this.#references = references;
    this.#standing = new Map(loaded.standing);
    this.#survivors = loaded.survivors;
    this.#keptApart = new Set(loaded.keptApart.map((pair) => `${pair.contact_id} ${pair.other_contact_id}`));
    for (const row of loaded.people) this.#byId.set(row.id, this.#add(contactStateOf(row)));
    for (const { id, units, groups, udfs } of loaded.details) {
      const person = this.#byId.get(id);
      for (const unit of units) person?.units.set(unit.id, unit.name);
      for (const group of groups) person?.groups.add(references.group(group));
      for (const udf of udfs) person?.udfs.set(udf.id, udf.data);
    }
    for (const { contact_id, channel, inherited } of loaded.withdrawals) {
      this.#byId.get(contact_id)?.[inherited ? 'inheritedWithdrawals' : 'withdrawn'].add(channel);
    }
  }

  /** Applies one command that was found good. Throws, with nothing changed, where it may only update and finds nobody. */
  apply(command: ContactCommand): ContactState {
    const { input, rules } = command;
    const { person, isNew } = this.#whoIsIt(command);
    this.#identify(person, input);
    for (const field of profileFields) if (field !== 'email') set(person, field, input[field]);
    this.#setEmail(person, command);
    const source = this.#references.sourceOf(input) ?? null;
    if (source && (source.id === null || source.id !== person.source?.id)) {
      person.source = source;
      person.changed = true;
    }
    this.#consent(person, isNew, command, source);
    if (rules.has('detach_existing_groups')) detach(person);
    for (const unit of input.units ?? []) {
      storeTo(person, unit.id, this.#references.unit(unit.id).name);
      for (const group of this.#references.groupsOf(unit)) attach(person, group);
    }
    const { root } = this.#references;
    if (isNew && person.units.size === 0) storeTo(person, root.id, root.name);
    for (const { id, data } of input.udfs ?? []) if (data !== undefined) setUdf(person, id, data);
    for (const { text, created_at = command.receivedAt } of input.notes ?? []) {
      this.changes.notes.push({ person, text, created_at });
    }
    for (const feedback of input.feedback ?? []) {
      this.changes.feedback.push({
        person,
        type_id: feedback.type_id ?? idOf(feedbackTypes, 'unknown'),
        source_id: feedback.source_id ?? null,
        unit_id: feedback.unit_id ?? root.id,
        comments: (feedback.comments ?? []).map(({ type = null, note }) => ({ type, note })),
        ratings: (feedback.ratings ?? []).map(({ contact_note = null, ...rating }) => ({ ...rating, contact_note })),
        created_at: feedback.created_at ?? command.receivedAt,
      });
    }
    this.deeds.record(person, command, this.#place);
    this.#place++;
    return person;
  }

  person(id: number): ContactState {
    return this.#byId.get(id) as ContactState;
  }

  /** Another e-mail that leads here is that of a contact merged into this one: it keeps leading here, and its own stays. */
  #setEmail(person: ContactState, { input: { email }, emailUnchecked, domainLearnt }: ContactCommand): void {
    if (email === undefined || (person.row.email !== null && person.row.email !== email)) return;
    set(person, 'email', email);
    set(person, 'email_status', emailUnchecked ? 'unchecked' : null);
    if (emailUnchecked) this.changes.unchecked.add(domainOf(email));
    if (domainLearnt) this.changes.learntDomains.add(domainOf(email));
  }

  /** The owner of the e-mail; failing that, of the mobile; failing that, somebody new. */
  #whoIsIt({ input: { email, mobile_number: mobile }, rules, tokenId }: ContactCommand) {
    const byEmail = email === undefined ? undefined : this.#owner({ kind: 'email', value: email });
    const byMobile = mobile === undefined ? undefined : this.#owner({ kind: 'mobile', value: mobile });
    if (byEmail) {
      if (byMobile && byMobile !== byEmail) {
        const samePerson = byMobile.row.email === null && !this.#areKeptApart(byMobile, byEmail);
        if (samePerson) this.merge(byMobile, byEmail, 'same_mobile', `token ${tokenId}`, tokenId, mobile);
        else this.changes.duplicates.push({ person: byEmail, other: byMobile });
      }
      return { person: byEmail, isNew: false };
    }
    const phoneIsShared = email !== undefined && byMobile !== undefined && byMobile.row.email !== null;
    if (byMobile && !phoneIsShared) return { person: byMobile, isNew: false };
    if (rules.has('update_only')) throw nobodyToUpdate(email, mobile, phoneIsShared);
    const person = this.#add(newContactState());
    if (byMobile) this.changes.duplicates.push({ person, other: byMobile });
    return { person, isNew: true };
  }

  /**
   * One contact turns out to be another, which takes over what it lacks itself. A write that causes the merge passes the
   * mobile that it is about to store on the surviving contact.
   */
  merge(
    from: ContactState,
    into: ContactState,
    reason: MergeReason,
    actor: string,
    tokenId: number | null,
    mobile?: string,
  ): void {
    const given: Channel[] = [];
    const change: MergeChange = {
      person: from,
      into,
      actor,
      reason,
      taken: { fields: {}, unit_ids: [], udfs: [], channels: [], given },
      groups: [],
      source: into.source ? null : from.source,
    };
    const { taken } = change;
    // Before the fields are copied: which of the other's addresses are new to the surviving contact.
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
      const [theirs, own] = [from.row[flag], into.row[flag]];
      // Consent is given for an address, so it comes along with that address only. A withdrawal is the guest's own word
      // and stands on either side; a consent that was never given is no withdrawal.
      const applied = theirs ? gained.includes(channel) && !hasWithdrawn(into, channel) : hasWithdrawn(from, channel);
      inheritWithdrawal(into, from, channel);
      if (theirs === own || (!theirs && !applied)) continue;
      this.changes.ledger.push({
        ...{ person: into, channel, from: own, to: theirs, applied, rule: 'merge', source: null },
        ...{ token_id: tokenId, actor: tokenId === null ? actor : null },
      });
      if (!applied) continue;
      set(into, flag, theirs);
      (theirs ? given : taken.channels).push(channel);
    }
    this.changes.merges.push(change);
  }

  /** Whoever writes brings what they are known by. A number that is somebody else's stays that one's identity. */
  #identify(person: ContactState, input: ContactCommand['input']): void {
    const { email, mobile_number: mobile, membership_number, card_reference } = input;
    if (email !== undefined) this.#claim(person, { kind: 'email', value: email });
    if (mobile !== undefined) {
      const before = person.row.mobile_number;
      // A number that was changed for another may be a stranger's soon: it no longer leads here. But without an e-mail,
      // the other is that of somebody merged into this one, and an undo must leave this one something to be known by.
      if (before !== null && before !== mobile && person.row.email !== null) {
        this.#release(person, { kind: 'mobile', value: before });
      }
      this.#claim(person, { kind: 'mobile', value: mobile });
    }
    if (membership_number !== undefined) this.#take(person, { kind: 'membership', value: membership_number });
    if (card_reference !== undefined) this.#take(person, { kind: 'card', value: card_reference });
  }

  #claim(person: ContactState, identity: Identity): void {
    if (!this.#owner(identity)) this.#assign(person, identity);
  }

  /** It goes to whoever brought it last. What is theirs already, by somebody merged into them, stays there for an undo. */
  #take(person: ContactState, identity: Identity & { kind: Membership['kind'] }): void {
    if (this.#owner(identity) === person) return;
    this.#assign(person, identity);
    this.changes.memberships.push({ ...identity, person, place: this.#place });
  }

  #assign(person: ContactState, identity: Identity): void {
    this.#standing.set(identityKey(identity), person);
    this.changes.claims.set(identityKey(identity), { ...identity, person });
  }

  #release(person: ContactState, identity: Identity): void {
    const key = identityKey(identity);
    const stands = this.#standing.get(key);
    if (stands !== undefined && stands !== person && stands !== person.row.id) return;
    this.#standing.delete(key);
    // Each who lets go of it: where it is not known whose it is, only the database can tell which of them had it.
    if (!this.changes.claims.delete(key)) this.changes.releases.push({ ...identity, person });
  }

  #consent(
    person: ContactState,
    isNew: boolean,
    { input, rules, tokenId }: ContactCommand,
    source: SourceRef | null,
  ): void {
    for (const channel of channels) {
      const flag = flagOf[channel];
      const [from, to] = [person.row[flag], input[flag]];
      if (to === undefined || to === from) continue;
      const rule = isNew ? null : heldBackBy(rules, to);
      const change = {
        person,
        channel,
        from,
        to,
        applied: rule === null,
        rule,
        source,
        token_id: tokenId,
        actor: null,
      };
      this.changes.ledger.push(change);
      if (rule !== null) continue;
      person.row[flag] = to;
      person.changed = true;
      if (!to) person.withdrawn.add(channel);
    }
  }

  #owner(identity: Identity): ContactState | undefined {
    const stands = this.#standing.get(identityKey(identity));
    if (stands === undefined) return undefined;
    let person = typeof stands === 'number' ? this.#byId.get(this.#survivors.get(stands) ?? stands) : stands;
    for (let merge = this.#mergeOf(person); merge; merge = this.#mergeOf(person)) person = merge.into;
    return person;
  }

  /** Few batches merge anybody, so a search will do. */
  #mergeOf(person: ContactState | undefined) {
    return this.changes.merges.find((merge) => merge.person === person);
  }

  #areKeptApart({ row: a }: ContactState, { row: b }: ContactState): boolean {
    return this.#keptApart.has(`${Math.min(a.id, b.id)} ${Math.max(a.id, b.id)}`);
  }

  #add(person: ContactState): ContactState {
    this.all.push(person);
    return person;
  }
}

/** Whether a merge gives the surviving contact an address for this channel: it had none of its own, and the other has one. */
function gainsAddress(channel: Channel, from: ContactRow, into: ContactRow): boolean {
  const fields = addressOf[channel];
  return fields.every((field) => into[field] === null) && fields.some((field) => from[field] !== null);
}

/** Which rule keeps a consent as it is; none for a contact that is only being made. */
function heldBackBy(rules: ContactCommand['rules'], to: boolean): string | null {
  if (rules.has('historic_data')) return 'historic_data';
  return !to && rules.has('preserve_consent') ? 'preserve_consent' : null;
}

function nobodyToUpdate(email: string | undefined, mobile: string | undefined, phoneIsShared: boolean): Invalid {
  const end = 'and update_only never creates one.';
  const sharing = `The mobile number belongs to a contact with another email: this would be a new contact, ${end}`;
  const unknown = (name: string) => `The ${name} does not belong to a contact, ${end}`;
  return new Invalid({
    ...(email === undefined ? {} : { email: [unknown('email')] }),
    ...(mobile === undefined ? {} : { mobile_number: [phoneIsShared ? sharing : unknown('mobile number')] }),
  });
}
