import type { IdempotentRequest, ReplayableResponse, StoredResponse } from '../../shared/idempotent-request.ts';
import { Invalid, Unavailable } from '../../shared/problem.ts';
import type { Tx } from '../db/database.ts';
import { lockKeys } from '../db/locks.ts';
import { type IdempotencyRecord, insertRecords, selectRecords } from './store.ts';

/**
 * Does what was not done before, and keeps its answers in the same transaction; whoever comes again, or at the same
 * time, gets the first one's. What is refused has changed nothing and is not kept: mended, it may come with its key again.
 */
export async function runIdempotent(
  tx: Tx,
  accountId: number,
  attempts: IdempotentRequest[],
  work: (places: number[]) => Promise<(StoredResponse | Error)[]>,
): Promise<(ReplayableResponse | Error)[]> {
  const keys = [...new Set(attempts.map(({ key }) => key))];
  // Before whatever the work locks. Whoever has the same key waits here until this transaction has ended.
  await lockKeys(
    tx,
    accountId,
    keys.map((key) => `Idempotency-Key ${key}`),
    'every Idempotency-Key',
  );
  const answers = new Map<string, { fingerprint: Buffer; answer: StoredResponse | Error }>();
  for (const { key, fingerprint, body, discarded_fields, contact_id } of await selectRecords(tx, accountId, keys))
    answers.set(key, {
      fingerprint,
      answer: body === null ? new Erased() : { body, discarded: discarded_fields, contactId: contact_id, outcomes: [] },
    });

  const first = new Map<string, number>();
  for (const [place, { key }] of attempts.entries()) if (!answers.has(key) && !first.has(key)) first.set(key, place);
  if (first.size > 0) {
    const outcomes = await work([...first.values()]);
    const kept: IdempotencyRecord[] = [];
    for (const [index, [key, place]] of [...first].entries()) {
      const { fingerprint } = attempts[place] as IdempotentRequest;
      const answer = outcomes[index] as StoredResponse | Error;
      answers.set(key, { fingerprint, answer });
      if (!(answer instanceof Error))
        kept.push({
          key,
          fingerprint,
          body: answer.body,
          discarded_fields: answer.discarded,
          contact_id: answer.contactId,
        });
    }
    if (kept.length > 0) await insertRecords(tx, accountId, kept);
  }

  return attempts.map(({ key, fingerprint }, place) => {
    const known = answers.get(key);
    if (known?.answer instanceof Erased) return known.answer;
    if (known?.fingerprint.equals(fingerprint) && known.answer instanceof Error) return known.answer;
    // It came beside one that was refused, and has used nothing up.
    if (known?.answer instanceof Error && first.has(key)) return new Unavailable('It came too soon behind another.');
    if (!known?.fingerprint.equals(fingerprint) || known.answer instanceof Error) return usedOtherwise();
    const isReplayed = first.get(key) !== place;
    return { ...known.answer, outcomes: isReplayed ? [] : known.answer.outcomes, isReplayed };
  });
}

/** Whatever comes with the key now: what was sent with it is not known any more. */
class Erased extends Invalid {
  constructor() {
    super({
      'Idempotency-Key': ['The request was done, and the guest it was about was erased since. It is not done again.'],
    });
  }
}

const usedOtherwise = () =>
  new Invalid({
    'Idempotency-Key': ['The Idempotency-Key was used for another request in the last 24 hours. Make up a new one.'],
  });
