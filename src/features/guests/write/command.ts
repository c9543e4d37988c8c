import Type from 'typebox';
import { formatUtc } from '../../../shared/clock.ts';
import { chain, type MaybePromise } from '../../../shared/maybe-promise.ts';
import { type ErrorCollector, Invalid, invalidFields } from '../../../shared/problem.ts';
import { completeItems, type PartialInput, type ReadResult, reader } from '../../../shared/read.ts';
import type { TakesMail } from '../domains/schema.ts';
import { weighLists } from './batch-sections.ts';
import { ContactWrite, type Rule } from './schema.ts';

/** One contact write: the fields that could be read, and the errors of the others. */
export interface ContactCommand extends CommandContext {
  input: PartialInput<ContactWrite>;
}

/** A command whose invalid fields were dropped. */
export interface CheckedCommand extends CommandContext {
  /** The rules are in `rules`. */
  input: Omit<ContactWrite, 'rules'>;
}

interface CommandContext {
  errors: ErrorCollector;
  rules: ReadonlySet<Rule>;
  /** DNS did not respond for the domain of the e-mail. It is accepted, and a job checks the domain again. */
  emailUnchecked: boolean;
  /** DNS confirmed the domain of the e-mail, and the table of domains does not have it yet. */
  domainLearnt: boolean;
  tokenId: number | null;
  /** When the request arrived: `yyyy-mm-dd hh:mm:ssZ`. */
  receivedAt: string;
}

const readRules = reader(Type.Pick(ContactWrite, ['rules']));

/** Whether invalid data is dropped: the request has the rule, and its rules are valid. */
export function dropsInvalid(sent: unknown): boolean {
  const { valid } = readRules(sent);
  return valid !== undefined && rulesIn(valid).has('discard_invalid_data');
}

export function prepareContact(
  read: ReadResult<ContactWrite>,
  sender: Sender,
  takesMail: (email: string) => MaybePromise<TakesMail>,
): MaybePromise<ContactCommand> {
  const { email } = read.partial;
  return chain(email === undefined ? 'yes' : takesMail(email), (verdict) => commandOf(read, sender, verdict));
}

interface Sender {
  tokenId: number | null;
  receivedAt: Date;
}

function commandOf(
  { partial: input, errors }: ReadResult<ContactWrite>,
  sender: Sender,
  verdict: TakesMail,
): ContactCommand {
  if (verdict === 'no') {
    errors.add('email', 'The email must be at a domain that takes mail.');
    delete input.email;
  }
  if (lacksIdentity(input) && !errors.fields.email && !errors.fields.mobile_number) {
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
    receivedAt: formatUtc(sender.receivedAt),
  };
}

function rulesIn({ rules }: Pick<PartialInput<ContactWrite>, 'rules'>): Set<Rule> {
  return new Set(completeItems(rules).map(({ rule_name }) => rule_name));
}

function lacksIdentity({ email, mobile_number }: PartialInput<ContactWrite>): boolean {
  return email === undefined && mobile_number === undefined;
}

/** An estimate of the rows that the command is stored as. */
export function weighContact({ input }: ContactCommand): number {
  return 1 + (input.units?.length ?? 0) + groupsIn(input) + weighLists(input);
}

/** The limit of a list, for the groups of all units together. */
const mostGroups = 1000;

function groupsIn({ units = [] }: PartialInput<ContactWrite>): number {
  return units.reduce((count, unit) => count + (unit?.groups?.length ?? 0), 0);
}

/**
 * The rules that apply once invalid data is dropped. If all units or groups of the request were invalid, the sender did
 * not ask for an empty list: the contact keeps its groups.
 */
export function rulesFor(
  { input: sent, rules }: ContactCommand,
  left: CheckedCommand['input'],
  errors: ErrorCollector,
) {
  if (!rules.has('detach_existing_groups')) return rules;
  const { fields, hasMore } = errors;
  const unitsLost = fields.units !== undefined || (sent.units?.length ?? 0) > 0;
  const groupsLost = hasMore || groupsIn(sent) > 0 || sent.units?.some((_, index) => fields[`units.${index}.groups`]);
  const keep = (unitsLost && !left.units?.length) || (groupsLost && groupsIn(left) === 0);
  return keep ? new Set([...rules].filter((rule) => rule !== 'detach_existing_groups')) : rules;
}

/** The names of the fields that `discard_invalid_data` drops. Without that rule, or without an identity, throws a 422. */
export function settleErrors({ input, errors, rules }: CheckedCommand): string[] {
  const unidentified = lacksIdentity(input);
  const fields = Object.keys(errors.fields);
  if (fields.length === 0) return fields;
  if (!rules.has('discard_invalid_data')) throw new Invalid(errors.fields);
  // An unknown rule is not dropped: the sender expects it to have an effect.
  const fatal = fields.filter(
    (field) => /^rules(\.|$)/.test(field) || (unidentified && (field === 'email' || field === 'mobile_number')),
  );
  if (fatal.length > 0)
    throw new Invalid(Object.fromEntries(fatal.map((field) => [field, errors.fields[field] ?? []])));
  return invalidFields(errors.fields, errors.hasMore);
}
