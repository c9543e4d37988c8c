import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { IdempotentRequest, ReplayableResponse, StoredResponse } from '../../shared/idempotent-request.ts';
import { Invalid } from '../../shared/problem.ts';
import type { Tx } from '../db/database.ts';
import type { Params } from './params.ts';

/** Runs `work` for the requests without an idempotency record, by their indexes. Returns one response per request. */
export type RunIdempotent = (
  tx: Tx,
  accountId: number,
  requests: IdempotentRequest[],
  work: (places: number[]) => Promise<(StoredResponse | Error)[]>,
) => Promise<(ReplayableResponse | Error)[]>;

/** The hashed key and the fingerprint of a request; undefined: it has no Idempotency-Key. */
export function idempotentRequestOf(request: FastifyRequest, params: Params): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Invalid({
      'Idempotency-Key': ['The Idempotency-Key must be 1 to 255 letters, digits or signs, without spaces.'],
    });
  const [path] = (request.raw.url ?? '').split('?');
  return {
    // Hashed, because a key can contain a guest's e-mail.
    key: sha256(key).toString('hex'),
    fingerprint: sha256(`${path}\n${JSON.stringify(params, inOrder)}`),
  };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** A client that builds the body again may send the fields in another order. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
