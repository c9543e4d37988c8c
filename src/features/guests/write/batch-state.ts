import { channels, flagOf } from '../../../shared/codes.ts';
import { domainOf } from '../../../shared/domain-name.ts';
import { present } from '../../../shared/present.ts';
import { Invalid } from '../../../shared/problem.ts';
import type { Account } from '../../access/accounts/schema.ts';
import { type Identity, identityKey } from '../../identity/identities/schema.ts';
import type { Withdrawal } from '../consent/store.ts';
import { profileFields } from '../contacts/schema.ts';
import type { ContactRow, Details } from '../contacts/store.ts';
import type { BatchSections } from './batch-sections.ts';
import { type Changes, changeConsent, type Membership, type MergeCause, merge } from './changes.ts';
import type { CheckedCommand } from './command.ts';
import { beforeOf, contactEvent } from './contact-events.ts';
import {
  attach,
  type ContactState,
  contactStateOf,
  detach,
  newContactState,
  type SourceRef,
  set,
  storeTo,
} from './contact-state.ts';
import type { References } from './references.ts';

export interface Loaded {
  contacts: ContactRow[];
  /** The contact that each identity belongs to, before merges. */
  contactByIdentity: Map<string, number>;
  /** The survivor of each of those contacts. */
  survivors: Map<number, number>;
  details: Details[];
  withdrawals: Withdrawal[];
  /** Pairs that staff marked as different people. */
  differentPeople: { contact_id: number; other_contact_id: number }[];
}

/** The contacts of a batch. The commands are applied one after the other, in memory. */
export class BatchState {
  readonly changes: Changes = {
    claims: new Map(),
    memberships: [],
    releases: [],
    merges: [],
    duplicates: [],
    ledger: [],
    events: [],
    unchecked: new Set(),
    learntDomains: new Set(),
  };
  readonly all: ContactState[] = [];
  readonly sections: BatchSections;
  readonly #byId = new Map<number, ContactState>();
  readonly #byIdentity: Map<string, number | ContactState>;
  readonly #survivors: Map<number, number>;
  readonly #differentPeople: Set<string>;
  readonly #references: References;
  /** The number of commands applied so far. */
  #place = 0;

  constructor(loaded: Loaded, references: References, sections: BatchSections) {
    this.sections = sections;
    this.#references = references;
    this.#byIdentity = new Map(loaded.contactByIdentity);
    this.#survivors = loaded.survivors;
    this.#differentPeople = new Set(
      loaded.differentPeople.map((pair) => `${pair.contact_id} ${pair.other_contact_id}`),
    );
    for (const row of loaded.contacts) this.#byId.set(row.id, this.#add(contactStateOf(row)));
    for (const { id, units, groups, udfs } of loaded.details) {
      const contact = this.#byId.get(id);
      for (const unit of units) contact?.units.set(unit.id, unit.name);
      for (const group of groups) contact?.groups.add(references.group(group));
      for (const udf of udfs) contact?.udfs.set(udf.id, udf.data);
    }
    for (const { contact_id, channel, inherited } of loaded.withdrawals) {
      this.#byId.get(contact_id)?.[inherited ? 'inheritedWithdrawals' : 'withdrawn'].add(channel);
    }
  }

  /** Applies one valid command. Throws, without any change, if it may only update and no contact matches. */
  apply(command: CheckedCommand, account: Account): ContactState {
    const { input, rules } = command;
    const { contact, isNew } = this.#contactOf(command);
    const { events } = this.changes;
    const [before, eventsBefore] = [beforeOf(contact), events.length];
    this.#identify(contact, input);
    for (const field of profileFields) if (field !== 'email') set(contact, field, input[field]);
    this.#setEmail(contact, command);
    const source = this.#references.sourceOf(input) ?? null;
    if (source && (source.id === null || source.id !== contact.source?.id)) {
      contact.source = source;
      contact.changed = true;
    }
    this.#consent(contact, isNew, command, source);
    if (rules.has('detach_existing_groups')) detach(contact);
    for (const unit of input.units ?? []) {
      storeTo(contact, unit.id, this.#references.unit(unit.id).name);
      for (const group of this.#references.groupsOf(unit)) attach(contact, group);
    }
    const { root } = this.#references;
    if (isNew && contact.units.size === 0) storeTo(contact, root.id, root.name);
    this.sections.apply(contact, input, {
      ...{ account, receivedAt: command.receivedAt, place: this.#place },
      record: (event) => events.push(event),
    });
    const event = contactEvent(contact, before, { isNew });
    // A contact exists before anything else happens to it.
    if (event) events.splice(eventsBefore, 0, event);
    this.#place++;
    return contact;
  }

  contact(id: number): ContactState {
    return present(this.#byId.get(id), 'contact');
  }

  merge(from: ContactState, into: ContactState, cause: MergeCause): void {
    merge(this.changes, from, into, cause);
  }

  /** An e-mail of a contact merged into this one also leads here. Then this contact keeps its own e-mail. */
  #setEmail(contact: ContactState, { input: { email }, emailUnchecked, domainLearnt }: CheckedCommand): void {
    if (email === undefined || (contact.row.email !== null && contact.row.email !== email)) return;
    set(contact, 'email', email);
    set(contact, 'email_status', emailUnchecked ? 'unchecked' : null);
    if (emailUnchecked) this.changes.unchecked.add(domainOf(email));
    if (domainLearnt) this.changes.learntDomains.add(domainOf(email));
  }

  /** The contact with the e-mail, else the contact with the mobile, else a new contact. */
  #contactOf({ input: { email, mobile_number: mobile }, rules, tokenId }: CheckedCommand) {
    const byEmail = email === undefined ? undefined : this.#owner({ kind: 'email', value: email });
    const byMobile = mobile === undefined ? undefined : this.#owner({ kind: 'mobile', value: mobile });
    if (byEmail) {
      if (byMobile && byMobile !== byEmail) {
        const isSame = byMobile.row.email === null && !this.#areDifferentPeople(byMobile, byEmail);
        if (isSame)
          this.merge(byMobile, byEmail, { reason: 'same_mobile', actor: `token ${tokenId}`, tokenId, mobile });
        else this.changes.duplicates.push({ contact: byEmail, other: byMobile });
      }
      return { contact: byEmail, isNew: false };
    }
    const phoneIsShared = email !== undefined && byMobile !== undefined && byMobile.row.email !== null;
    if (byMobile && !phoneIsShared) return { contact: byMobile, isNew: false };
    if (rules.has('update_only')) throw noContactToUpdate(email, mobile, phoneIsShared);
    const contact = this.#add(newContactState());
    if (byMobile) this.changes.duplicates.push({ contact, other: byMobile });
    return { contact, isNew: true };
  }

  /** Adds the identities of the command. An e-mail or mobile that belongs to another contact stays with it. */
  #identify(contact: ContactState, input: CheckedCommand['input']): void {
    const { email, mobile_number: mobile, membership_number, card_reference } = input;
    if (email !== undefined) this.#claim(contact, { kind: 'email', value: email });
    if (mobile !== undefined) {
      const before = contact.row.mobile_number;
      // The phone company may give the old number to another customer, so it no longer leads here. But without an e-mail,
      // the new number belongs to a merged contact, and an undo must leave this contact an identity.
      if (before !== null && before !== mobile && contact.row.email !== null) {
        this.#release(contact, { kind: 'mobile', value: before });
      }
      this.#claim(contact, { kind: 'mobile', value: mobile });
    }
    if (membership_number !== undefined) this.#take(contact, { kind: 'membership', value: membership_number });
    if (card_reference !== undefined) this.#take(contact, { kind: 'card', value: card_reference });
  }

  #claim(contact: ContactState, identity: Identity): void {
    if (!this.#owner(identity)) this.#assign(contact, identity);
  }

  /** The last contact that sends a membership or card owns it. One that a merged contact owns stays there, for an undo. */
  #take(contact: ContactState, identity: Identity & { kind: Membership['kind'] }): void {
    if (this.#owner(identity) === contact) return;
    this.#assign(contact, identity);
    this.changes.memberships.push({ ...identity, contact, place: this.#place });
  }

  #assign(contact: ContactState, identity: Identity): void {
    this.#byIdentity.set(identityKey(identity), contact);
    this.changes.claims.set(identityKey(identity), { ...identity, contact });
  }

  #release(contact: ContactState, identity: Identity): void {
    const key = identityKey(identity);
    const owner = this.#byIdentity.get(key);
    if (owner !== undefined && owner !== contact && owner !== contact.row.id) return;
    this.#byIdentity.delete(key);
    // The owner may not be loaded. Then the statement releases the identity only if this contact owns it.
    if (!this.changes.claims.delete(key)) this.changes.releases.push({ ...identity, contact });
  }

  #consent(
    contact: ContactState,
    isNew: boolean,
    { input, rules, tokenId }: CheckedCommand,
    source: SourceRef | null,
  ): void {
    for (const channel of channels) {
      const flag = flagOf[channel];
      const [from, to] = [contact.row[flag], input[flag]];
      if (to === undefined || to === from) continue;
      const rule = isNew ? null : heldBackBy(rules, to);
      const change = {
        contact,
        channel,
        from,
        to,
        applied: rule === null,
        rule,
        source,
        token_id: tokenId,
        actor: null,
      };
      changeConsent(this.changes, change);
      if (rule !== null) continue;
      contact.row[flag] = to;
      contact.changed = true;
      if (!to) contact.withdrawn.add(channel);
    }
  }

  #owner(identity: Identity): ContactState | undefined {
    const owner = this.#byIdentity.get(identityKey(identity));
    if (owner === undefined) return undefined;
    let contact = typeof owner === 'number' ? this.#byId.get(this.#survivors.get(owner) ?? owner) : owner;
    for (let merge = this.#mergeOf(contact); merge; merge = this.#mergeOf(contact)) contact = merge.into;
    return contact;
  }

  /** Few batches have merges, so a linear search is fast enough. */
  #mergeOf(contact: ContactState | undefined) {
    return this.changes.merges.find((merge) => merge.contact === contact);
  }

  #areDifferentPeople({ row: a }: ContactState, { row: b }: ContactState): boolean {
    return this.#differentPeople.has(`${Math.min(a.id, b.id)} ${Math.max(a.id, b.id)}`);
  }

  #add(contact: ContactState): ContactState {
    this.all.push(contact);
    return contact;
  }
}

/** The rule that keeps a consent as it is. */
function heldBackBy(rules: CheckedCommand['rules'], to: boolean): string | null {
  if (rules.has('historic_data')) return 'historic_data';
  return !to && rules.has('preserve_consent') ? 'preserve_consent' : null;
}

function noContactToUpdate(email: string | undefined, mobile: string | undefined, phoneIsShared: boolean): Invalid {
  const end = 'and update_only never creates one.';
  const sharing = `The mobile number belongs to a contact with another email: this would be a new contact, ${end}`;
  const unknown = (name: string) => `The ${name} does not belong to a contact, ${end}`;
  return new Invalid({
    ...(email === undefined ? {} : { email: [unknown('email')] }),
    ...(mobile === undefined ? {} : { mobile_number: [phoneIsShared ? sharing : unknown('mobile number')] }),
  });
}
