import type { Paginate, Slice } from '../../shared/fields.ts';
import type { MaybePromise } from '../../shared/maybe-promise.ts';
import type { Post } from '../outgoing/post.ts';

/** The checked request that a handler receives. */
export interface Call<Input = unknown, Ids extends string = never> {
  input: Input;
  ids: Record<Ids, number>;
  /** The account of the request. */
  accountId: number;
  receivedAt: Date;
  /** The caller in words, for records such as the creator of a token. */
  actor: string;
  /** The token of the request; null: an administrator. */
  tokenId: number | null;
  /** The accounts that the administrator may read; null: all. */
  accountIds: number[] | null;
  /** The requested rows of a list. */
  slice: Slice;
  /** Makes the page object of a list. For responses that contain several lists. */
  paginate: Paginate;
  /** The start of each URL in a response. */
  baseUrl: string;
  services: Services;
  /** Sets the name of the changed object, for the audit event. */
  setSubject(name: string): void;
  /** Counts an outcome in /metrics after the commit. */
  count(outcome: string): void;
  /** Reports the progress of a long request to a client that asked for it. */
  progress(done: number, of: number): void;
  /** Whether the client has disconnected, or the service is shutting down. A long request can stop then. */
  isGone(): boolean;
}

/** What handlers use in addition to the database. */
export interface Services {
  /** Whether an e-mail's domain accepts mail. `learnt`: yes, and the write that stores the e-mail stores that too. */
  takesMail(email: string): MaybePromise<'yes' | 'learnt' | 'no' | 'unknown'>;
  /** Sends to addresses that customers choose. */
  post: Post;
  /** Whether these may be in a private network. */
  allowPrivate: boolean;
}
