/**
 * The kinds of identities. E-mail and mobile identify the contact of a write. The others only help to match purchases.
 */
export type IdentityKind = 'email' | 'mobile' | 'membership' | 'card';

export interface Identity {
  kind: IdentityKind;
  value: string;
}

export interface Claim extends Identity {
  contact_id: number;
}

/** What the surviving contact took over in a merge, so that an undo can give it back. */
export interface Taken {
  /** Fields that were empty, with their new values. */
  fields: Record<string, string | number>;
  unit_ids: number[];
  group_ids: number[];
  udfs: { id: number; data: string }[];
  /** Consents that the merge ended, because the other contact had withdrawn them. */
  channels: string[];
  /** Consents that moved with the address they were given for. Absent in older journal entries. */
  given?: string[];
}

/** The key for locks and maps. */
export const identityKey = ({ kind, value }: Identity) => `${kind}:${value}`;

export const nothingTaken: Taken = { fields: {}, unit_ids: [], group_ids: [], udfs: [], channels: [] };
