/** What a guest is known by. E-mail and mobile decide who a write is about; the others only lead to a contact. */
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
  /** Fields that were empty, and what they were filled with. */
  fields: Record<string, string | number>;
  unit_ids: number[];
  group_ids: number[];
  udfs: { id: number; data: string }[];
  /** Consents that ended, because the other contact had withdrawn them. */
  channels: string[];
  /** Consents that came along with the address they were given for. Absent in journals older than this rule. */
  given?: string[];
}

/** What stands for it among locks and in maps. */
export const identityKey = ({ kind, value }: Identity) => `${kind}:${value}`;

export const nothingTaken: Taken = { fields: {}, unit_ids: [], group_ids: [], udfs: [], channels: [] };
