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
