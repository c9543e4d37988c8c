import type { EventPlace } from '../../../../shared/event-id.ts';
import { type Attempt, type DeliveryState, mostAttempts } from '../schema.ts';
import type { PendingRow, StoredDelivery } from '../sender-store.ts';
import type { ReadyEvent } from './feed-buffer.ts';

/** One event on its way to one webhook. */
export interface Job extends EventPlace {
  type: string;
  contactIds: readonly number[];
  /** Null: it has no row yet. */
  deliveryId: number | null;
  state: DeliveryState;
  /** Those that are not stored yet. */
  attempts: Attempt[];
  tries: number;
  /** The number in the row. A lower one in the database means that staff have asked for a new attempt. */
  storedTries: number;
  /** Staff have asked for a new attempt while one was in flight. */
  isResent: boolean;
  /** When the next attempt is due. */
  dueAt: number;
  createdAt: Date;
  isInFlight: boolean;
  /** Undefined: it must be read again. */
  event: ReadyEvent | undefined;
}

export const keyOf = ({ position, place }: EventPlace) => `${position} ${place}`;

export function jobOfEvent(event: ReadyEvent): Job {
  const { position, place, type, contactIds } = event;
  return {
    ...{ position, place, type, contactIds, event, deliveryId: null, state: 'pending', attempts: [], tries: 0 },
    ...{ storedTries: 0, isResent: false, dueAt: 0, createdAt: new Date(), isInFlight: false },
  };
}

export function jobOfRow(row: PendingRow): Job {
  const { position, place, type, tries } = row;
  return {
    ...{ position, place, type, contactIds: row.contact_ids, event: undefined, deliveryId: row.id, state: 'pending' },
    ...{ attempts: [], tries, storedTries: tries, isResent: false, createdAt: row.created_at, isInFlight: false },
    dueAt: row.next_attempt_at?.getTime() ?? 0,
  };
}

/** The row of a job. `isNext`: no earlier delivery of the same contact waits. */
export function rowOf(webhookId: number, job: Job, isNext: boolean): StoredDelivery {
  const isTimed = job.state === 'pending' && !job.isInFlight && isNext;
  return {
    ...{ id: job.deliveryId, webhook_id: webhookId, position: job.position, place: job.place, type: job.type },
    ...{ contact_ids: [...job.contactIds], state: job.state, attempts: job.attempts.slice(-mostAttempts) },
    ...{ tries: job.tries, stored_tries: job.storedTries },
    next_attempt_at: isTimed ? new Date(job.dueAt).toISOString() : null,
    created_at: job.createdAt.toISOString(),
  };
}
