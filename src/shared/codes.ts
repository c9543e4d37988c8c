/** The ways to contact a guest. Consent is given for each of them. */
export const channels = ['sms', 'email', 'call', 'snail_mail'] as const;
export type Channel = (typeof channels)[number];

/** The consent flag of each channel on the contact. */
export const flagOf = {
  sms: 'allow_sms',
  email: 'allow_email',
  call: 'allow_call',
  snail_mail: 'allow_snail_mail',
} as const satisfies Record<Channel, string>;

/** The stage of a new booking, unless one is sent. */
export const newStage = 1;
export const cancelledStage = 550;
