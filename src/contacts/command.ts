import type { TakesMail } from '../domains/schema.ts';
import type { NewFeedback } from '../feedback/schema.ts';
import type { NewPurchase } from '../purchases/schema.ts';
import { asSent } from '../shared/clock.ts';
import { type FieldErrors, Invalid } from '../shared/problem.ts';
import { addError, pick, type Sparse } from '../shared/read.ts';
import { type Soon, whenKnown } from '../shared/soon.ts';
import type { ContactWrite, Rule } from './schema.ts';

/** One write about one guest: what was sent, as far as it could be read, and what is wrong with the rest. */
export interface ContactCommand {
  input: ContactWrite;
  errors: FieldErrors;
  rules: ReadonlySet<Rule>;
  /** DNS gave no answer about the e-mail's domain: taken in, to be looked up again. */
  emailUnchecked: boolean;
  tokenId: number | null;
  /** When it arrived: `yyyy-mm-dd hh:mm:ssZ`. */
  receivedAt: string;
}

export function prepareContact(
  input: ContactWrite,
  errors: FieldErrors,
  sender: Sender,
  takesMail: (email: string) => Soon<TakesMail>,
): Soon<ContactCommand> {
  const { email } = input;
  return whenKnown(email === undefined ? 'yes' : takesMail(email), (verdict) =>
    commandOf(input, errors, sender, verdict),
  );
}

interface Sender {
  tokenId: number | null;
  receivedAt: Date;
}

function commandOf(input: ContactWrite, errors: FieldErrors, sender: Sender, verdict: TakesMail): ContactCommand {
  if (verdict === 'no') {
    addError(errors, 'email', 'The email must be at a domain that takes mail.');
    delete input.email;
  }
  if (isNobody(input) && !errors.email && !errors.mobile_number) {
    addError(errors, 'email', 'The email field is required when there is no mobile number.');
    addError(errors, 'mobile_number', 'The mobile number field is required when there is no email.');
  }
  if (groupsIn(input) > mostGroups) {
    addError(errors, 'units', `The units may not name more than ${mostGroups} groups.`);
    delete input.units;
  }
  return {
    input,
    errors,
    rules: new Set(pick(input.rules).map(({ rule_name }) => rule_name)),
    emailUnchecked: verdict === 'unknown',
    tokenId: sender.tokenId,
    receivedAt: asSent(sender.receivedAt),
  };
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

/** What was wrong and is dropped, where the rule says so. Otherwise, or without anybody to store it to, it is a 422. */
export function settleErrors({ input, errors, rules }: ContactCommand): string[] {
  const nobody = isNobody(input);
  const fields = Object.keys(errors);
  if (fields.length === 0) return fields;
  if (!rules.has('discard_invalid_data')) throw new Invalid({ ...errors });
  // A rule that we don't know is no data to drop: whoever sent it meant something by it.
  const fatal = fields.filter(
    (field) => /^rules(\.|$)/.test(field) || (nobody && (field === 'email' || field === 'mobile_number')),
  );
  if (fatal.length > 0) throw new Invalid(Object.fromEntries(fatal.map((field) => [field, errors[field] ?? []])));
  return fields;
}
