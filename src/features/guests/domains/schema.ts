import Type, { type Static } from 'typebox';
import { Instant } from '../../../shared/fields.ts';

/** The DNS result: the domain receives mail, receives none, or DNS did not answer. */
export type DnsAnswer = 'yes' | 'no' | 'unknown';
/**
 * Whether a domain receives mail. `learnt`: DNS says yes, and the write that stores the e-mail also stores the domain.
 */
export type TakesMail = DnsAnswer | 'learnt';

/** The table stores at most this many domains from DNS. Further ones are checked each time. */
export const mostLearnt = 50_000;
/** Days after the last check when a learnt domain is deleted. A domain in use is checked again before that. */
export const learntDays = 90;

/**
 * The job that checks a domain again if DNS did not answer. The name is stored with each queued job, so it must stay the
 * same: processes of an earlier or a later version run these jobs too.
 */
export const recheckDomainTask = 'look_again_at_email_domain';

export const RecheckDomain = Type.Object({
  account_id: Type.Integer(),
  domain: Type.String(),
  /** The number of the attempt after the first check, which the write did. */
  attempt: Type.Optional(Type.Integer()),
});
export type RecheckDomain = Static<typeof RecheckDomain>;

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
