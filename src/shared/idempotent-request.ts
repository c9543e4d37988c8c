/** A request with an idempotency key. */
export interface IdempotentRequest {
  /** The SHA-256 of the key, in hexadecimal. */
  key: string;
  /** The SHA-256 of the route and the input. */
  fingerprint: Buffer;
}

/** The stored response. */
export interface StoredResponse {
  body: string;
  /** The discarded fields. */
  discarded: string[];
  /** The contacts in the response. */
  contactId: number | null;
  /** The outcomes, for the metrics. */
  outcomes: string[];
}

export interface ReplayableResponse extends StoredResponse {
  /** Whether this is the response of an earlier request. */
  isReplayed: boolean;
}
