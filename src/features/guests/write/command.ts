import Type from 'typebox';
import { asSent } from '../../../shared/clock.ts';
import { chain, type MaybePromise } from '../../../shared/maybe-promise.ts';
import { type ErrorCollector, Invalid, named } from '../../../shared/problem.ts';
import { pick, reader, type Sparse } from '../../../shared/read.ts';
import type { NewPurchase } from '../../activity/purchases/schema.ts';
import type { TakesMail } from '../domains/schema.ts';
import type { NewFeedback } from '../feedback/schema.ts';
import { ContactWrite, type Rule } from './schema.ts';

/** One write about one guest: what was sent, as far as it could be read, and what is wrong with the rest. */
export interface ContactCommand {
  input: ContactWrite;
  errors: ErrorCollector;
  rules: ReadonlySet<Rule>;
  /** DNS gave no answer about the e-mail's domain: taken in, to be looked up again. */
  emailUnchecked: boolean;
  /** DNS said that the e-mail's domain takes mail, and the table does not know yet. */
  domainLearnt: boolean;
  tokenId: number | null;
  /** When it arrived: `yyyy-mm-dd hh:mm:ssZ`. */
  receivedAt: string;
}

const readRules = reader(Type.Pick(ContactWrite, ['rules']));

/** Whether what is invalid is dropped: the rule is there, and nothing is wrong with the rules themselves. */
export function dropsInvalid(sent: unknown): boolean {
  const { value, errors } = readRules(sent);
  return Object.keys(errors.fields).length === 0 && rulesIn(value).has('discard_invalid_data');
}

export function prepareContact(
  input: ContactWrite,
  errors: ErrorCollector,
  sender: Sender,
  takesMail: (email: string) => MaybePromise<TakesMail>,
): MaybePromise<ContactCommand> {
  const { email } = input;
  return chain(email === undefined ? 'yes' : takesMail(email), (verdict) => commandOf(input, errors, sender, verdict));
}

interface Sender {
  tokenId: number | null;
  receivedAt: Date;
}

function commandOf(input: ContactWrite, errors: ErrorCollector, sender: Sender, verdict: TakesMail): ContactCommand {
  if (verdict === 'no') {
    errors.add('email', 'The email must be at a domain that takes mail.');
    delete input.email;
  }
  if (isNobody(input) && !errors.fields.email && !errors.fields.mobile_number) {
    errors.add('email', 'The email field is required when there is no mobile number.');
    errors.add('mobile_number', 'The mobile number field is required when there is no email.');
  }
  if (groupsIn(input) > mostGroups) {
    errors.add('units', `The units may not name more than ${mostGroups} groups.`);
    delete input.units;
  }
  return {
    input,
    errors,
    rules: rulesIn(input),
    emailUnchecked: verdict === 'unknown',
    domainLearnt: verdict === 'learnt',
    tokenId: sender.tokenId,
    receivedAt: asSent(sender.receivedAt),
  };
}

function rulesIn({ rules }: Pick<ContactWrite, 'rules'>): Set<Rule> {
  return new Set(pick(rules).map(({ rule_name }) => rule_name));
}

function isNobody({ email, mobile_number }: ContactWrite): boolean {
  return email === undefined && mobile_number === undefined;
}

/** In rows or so. */
export function weighContact({ input }: ContactCommand): number {
  let weight = 1 + groupsIn(input);
  const { units, notes, udfs, feedback, purchases, stays, bookings, wifi } = input;
  for (const list of [units, notes, udfs, feedback, purchases, stays, bookings, wifi]) weight += list?.length ?? 0;
  for (const one of (feedback ?? []) as Sparse<NewFeedback>) {
    weight += (one?.comments?.length ?? 0) + (one?.ratings?.length ?? 0);
  }
  // A purchase's lines are one value, but not a small one.
  for (const one of (purchases ?? []) as Sparse<NewPurchase>) weight += Math.ceil((one?.items?.length ?? 0) / 10);
  return weight;
}

/** As many as a list takes, in all of its units together. */
const mostGroups = 1000;

function groupsIn({ units }: ContactWrite): number {
  return (
    (units as Sparse<NonNullable<ContactWrite['units']>[number]> | undefined)?.reduce(
      (count, unit) => count + (unit?.groups?.length ?? 0),
      0,
    ) ?? 0
  );
}

/**
 * The rules that apply once invalid data is dropped. A sender who named units or groups, all of them invalid, did not
 * ask for none: the contact keeps the groups it has.
 */
export function rulesFor({ input: sent, rules }: ContactCommand, left: ContactWrite, errors: ErrorCollector) {
  if (!rules.has('detach_existing_groups')) return rules;
  const { fields, hasMore } = errors;
  const unitsLost = fields.units !== undefined || (sent.units?.length ?? 0) > 0;
  const groupsLost = hasMore || groupsIn(sent) > 0 || sent.units?.some((_, index) => fields[`units.${index}.groups`]);
  const keep = (unitsLost && !left.units?.length) || (groupsLost && groupsIn(left) === 0);
  return keep ? new Set([...rules].filter((rule) => rule !== 'detach_existing_groups')) : rules;
}

/** What was wrong and is dropped, where the rule says so. Otherwise, or without anybody to store it to, it is a 422. */
export function settleErrors({ input, errors, rules }: ContactCommand): string[] {
  const nobody = isNobody(input);
  const fields = Object.keys(errors.fields);
  if (fields.length === 0) return fields;
  if (!rules.has('discard_invalid_data')) throw new Invalid(errors.fields);
  // A rule that we don't know is no data to drop: whoever sent it meant something by it.
  const fatal = fields.filter(
    (field) => /^rules(\.|$)/.test(field) || (nobody && (field === 'email' || field === 'mobile_number')),
  );
  if (fatal.length > 0)
    throw new Invalid(Object.fromEntries(fatal.map((field) => [field, errors.fields[field] ?? []])));
  return named(errors.fields, errors.hasMore);
}
