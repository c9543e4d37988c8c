import type { IdempotentRequest, ReplayableResponse, StoredResponse } from '../../shared/idempotent-request.ts';
import { present } from '../../shared/present.ts';
import { Invalid, Unavailable } from '../../shared/problem.ts';
import type { Tx } from '../db/database.ts';
import { lockKeys } from '../db/locks.ts';
import { type IdempotencyRecord, insertRecords, selectRecords } from './store.ts';

/**
 * Runs the requests without an idempotency record, and stores their responses in the same transaction. A repeated or
 * concurrent request gets the response of the first one. The response of an invalid request is not stored, so the client
 * can correct the request and send it with the same key.
 */
export async function runIdempotent(
  tx: Tx,
  accountId: number,
  requests: IdempotentRequest[],
  work: (places: number[]) => Promise<(StoredResponse | Error)[]>,
): Promise<(ReplayableResponse | Error)[]> {
  const keys = [...new Set(requests.map(({ key }) => key))];
  // Before all locks of the work. A request with the same key waits here until the end of this transaction.
  await lockKeys(
    tx,
    accountId,
    keys.map((key) => `Idempotency-Key ${key}`),
    'every Idempotency-Key',
  );
  const responses = new Map<string, { fingerprint: Buffer; response: StoredResponse | Error }>();
  for (const { key, fingerprint, body, discarded_fields, contact_id } of await selectRecords(tx, accountId, keys))
    responses.set(key, {
      fingerprint,
      response:
        body === null ? new Erased() : { body, discarded: discarded_fields, contactId: contact_id, outcomes: [] },
    });

  const first = new Map<string, number>();
  for (const [place, { key }] of requests.entries()) if (!responses.has(key) && !first.has(key)) first.set(key, place);
  if (first.size > 0) {
    const outcomes = await work([...first.values()]);
    const records: IdempotencyRecord[] = [];
    for (const [index, [key, place]] of [...first].entries()) {
      const { fingerprint } = present(requests[place], 'request');
      const response = present(outcomes[index], 'outcome');
      responses.set(key, { fingerprint, response });
      if (!(response instanceof Error))
        records.push({
          key,
          fingerprint,
          body: response.body,
          discarded_fields: response.discarded,
          contact_id: response.contactId,
        });
    }
    if (records.length > 0) await insertRecords(tx, accountId, records);
  }

  return requests.map(({ key, fingerprint }, place) => {
    const known = responses.get(key);
    if (known?.response instanceof Erased) return known.response;
    if (known?.fingerprint.equals(fingerprint) && known.response instanceof Error) return known.response;
    // An invalid request with the same key ran at the same time. It did not use the key, so this one can be retried.
    if (known?.response instanceof Error && first.has(key))
      return new Unavailable('A concurrent request with the same Idempotency-Key was invalid.');
    if (!known?.fingerprint.equals(fingerprint) || known.response instanceof Error) return keyReused();
    const isReplayed = first.get(key) !== place;
    return { ...known.response, outcomes: isReplayed ? [] : known.response.outcomes, isReplayed };
  });
}

/** The response to every further request with the key: the fingerprint of the first one is deleted. */
class Erased extends Invalid {
  constructor() {
    super({
      'Idempotency-Key': ['The request was done, and the guest it was about was erased since. It is not done again.'],
    });
  }
}

const keyReused = () =>
  new Invalid({
    'Idempotency-Key': ['The Idempotency-Key was used for another request in the last 24 hours. Make up a new one.'],
  });
