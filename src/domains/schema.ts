import Type, { type Static } from 'typebox';
import { Instant } from '../shared/fields.ts';

/** Whether a domain takes mail: known to, known not to, or nobody could be asked. */
export type TakesMail = 'yes' | 'no' | 'unknown';

/** What may be done later about a domain that DNS did not answer for. */
export const lookAgainTask = 'look_again_at_email_domain';

export interface LookAgain {
  account_id: number;
  domain: string;
  /** Which look it is after the first, which was the guest's own. */
  attempt?: number;
}

export interface KnownDomain {
  domain: string;
  takes_mail: boolean;
  vouched_for: boolean;
  age_seconds: number;
}

const domain = Type.String({
  description: 'Also in letters of its own.',
  maxLength: 253,
  examples: ['harbour-group.co.uk'],
});

export const NewEmailDomain = Type.Object({
  domain,
  takes_mail: Type.Optional(
    Type.Boolean({ description: 'False: it is refused, whatever DNS says. True unless given.' }),
  ),
});

export const EmailDomain = Type.Object({
  domain,
  takes_mail: Type.Boolean(),
  vouched_for: Type.Boolean({ description: 'Staff said so: DNS is not asked.' }),
  checked_at: Instant('When it was last asked about, or vouched for.'),
});
export type EmailDomain = Static<typeof EmailDomain>;
