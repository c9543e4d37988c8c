/** What a guest is known by. E-mail and mobile decide who a write is about; the others only lead to a contact. */
export type IdentityKind = 'email' | 'mobile' | 'membership' | 'card';

export interface Identity {
  kind: IdentityKind;
  value: string;
}

export interface Claim extends Identity {
  contact_id: number;
}
