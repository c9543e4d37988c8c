import type { Static, TObject } from 'typebox';

/** An event that a writer appends to the outbox in its own transaction. */
export interface NewEvent {
  type: string;
  /** The contacts that the event is about. Their events are delivered in order, and an erasure removes the data. */
  contactIds: readonly number[];
  data: object;
}

/** A type of event. Its feature defines it in an `event-schema.ts`, and the catalogue of the feed lists all of them. */
export interface EventKind<S extends TObject> {
  type: string;
  description: string;
  data: S;
  example: Static<S>;
  /** Makes an event. `also`: further contacts whose data it has. The contact in `contact_id` is always one of them. */
  of(data: Static<S>, also?: readonly number[]): NewEvent;
}

export function eventKind<S extends TObject>(
  type: string,
  description: string,
  data: S,
  example: Static<S>,
): EventKind<S> {
  return {
    type,
    description,
    data,
    example,
    of: (sent, also = []) => {
      const { contact_id } = sent as { contact_id?: number | null };
      return { type, data: sent, contactIds: contact_id == null ? also : [contact_id, ...also] };
    },
  };
}
