/** A request that may come again, by the key that its sender gave it. */
export interface IdempotentRequest {
  /** The SHA-256 of it, in hexadecimal digits. */
  key: string;
  /** Of the route and what was sent. */
  fingerprint: Buffer;
}

/** How it was answered. */
export interface StoredResponse {
  body: string;
  /** The fields that were dropped. */
  discarded: string[];
  /** Whom the answer tells of. */
  contactId: number | null;
  /** What is to be counted. */
  outcomes: string[];
}

export interface ReplayableResponse extends StoredResponse {
  /** It is the answer to an earlier request. */
  isReplayed: boolean;
}
