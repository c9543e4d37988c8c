import Type, { type Static } from 'typebox';
import { Instant } from '../../../shared/fields.ts';

/** What DNS says: the domain takes mail, takes none, or there was no answer. */
export type DnsAnswer = 'yes' | 'no' | 'unknown';
/** Whether a domain takes mail. `learnt`: DNS says yes, and the table is to be told by the write that stores the e-mail. */
export type TakesMail = DnsAnswer | 'learnt';

/** The table keeps at most this many domains that were learnt from DNS. The next are asked about again. */
export const mostLearnt = 50_000;
/** Days after the last check at which a learnt domain is deleted. One that is still used is checked again before that. */
export const learntDays = 90;

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
  description: 'The domain. Letters beyond ASCII are accepted.',
  maxLength: 253,
  examples: ['harbour-group.co.uk'],
});

export const NewEmailDomain = Type.Object(
  {
    domain,
    takes_mail: Type.Optional(
      Type.Boolean({ description: 'True accepts addresses of the domain, false rejects them. The default is true.' }),
    ),
  },
  { title: 'EmailDomainWrite' },
);

export const EmailDomain = Type.Object(
  {
    domain,
    takes_mail: Type.Boolean({ description: 'Whether addresses of the domain are accepted.' }),
    vouched_for: Type.Boolean({ description: 'True if an owner decided it. DNS is then not queried.' }),
    checked_at: Instant('The time of the last DNS query, or of the decision.'),
  },
  { title: 'EmailDomain' },
);
export type EmailDomain = Static<typeof EmailDomain>;
