import type { FastifyReply } from 'fastify';
import type { IdempotentRequest, ReplayableResponse, StoredResponse } from '../../../shared/idempotent-request.ts';
import { chain } from '../../../shared/maybe-promise.ts';
import { present } from '../../../shared/present.ts';
import { Invalid } from '../../../shared/problem.ts';
import { Batcher } from '../../batching/batcher.ts';
import type { Tx } from '../../db/database.ts';
import { settled } from '../../db/ordered.ts';
import type { RequestCall } from '../request-call.ts';
import type { BatchedWrite, Route } from '../route.ts';
import { type ServeContext, traced } from './context.ts';
import { reportDiscarded, sendStored } from './send.ts';

/** Writes concurrent requests in one transaction. Requests with an idempotency key form their own batches. */
export function batchedWriter(route: Route, batchedWrite: BatchedWrite, context: ServeContext) {
  const { path, status } = route;
  const { services, onOutcome, batchTrace } = context;
  const batcher = plainBatcher(route, batchedWrite, context);
  const idempotentBatcher = createIdempotentBatcher(route, batchedWrite, context);
  return (call: RequestCall, reply: FastifyReply, idempotentRequest: IdempotentRequest | undefined) =>
    chain(batchedWrite.prepare(call.read, call, services), (command) => {
      // Without a valid account there is nothing to look up or to drop, so the known errors are complete.
      const { errors } = call.read;
      const { account_id } = errors.fields;
      if (account_id) throw new Invalid({ account_id, ...errors.fields }, errors.hasMore);
      if (idempotentRequest) {
        const keyed = { command, call, idempotentRequest };
        batchTrace?.enqueue(keyed, call.request.span);
        return idempotentBatcher.submit(call.accountId, keyed).then((response) => {
          for (const outcome of response.outcomes) onOutcome(path, outcome);
          return sendStored(reply, call, response, status);
        });
      }
      batchTrace?.enqueue(command, call.request.span);
      return batcher.submit(call.accountId, command).then((done) => {
        for (const outcome of batchedWrite.outcomes?.(done) ?? []) onOutcome(path, outcome);
        reportDiscarded(reply, call, batchedWrite.discarded?.(done) ?? []);
        return batchedWrite.response(done, call);
      });
    });
}

function plainBatcher({ path }: Route, batchedWrite: BatchedWrite, context: ServeContext) {
  const { db, batching, activeAccounts, onBatch } = context;
  const { quick } = batchedWrite;
  return new Batcher<unknown, unknown>({
    write: traced(context, (accountId, commands) =>
      db.tenant(accountId, (tx, last) => batchedWrite.write(tx, accountId, commands, last)),
    ),
    quick:
      quick &&
      traced(context, async (accountId, commands) =>
        (await db.tenant(accountId, (tx, last) => quick(tx, accountId, commands, last)))(),
      ),
    weigh: batchedWrite.weigh,
    onBatch: (size) => onBatch(path, size),
    batching,
    accounts: activeAccounts,
  });
}

/** A command of a request with an idempotency key. */
interface IdempotentCommand {
  command: unknown;
  call: RequestCall;
  idempotentRequest: IdempotentRequest;
}

function createIdempotentBatcher({ path }: Route, batchedWrite: BatchedWrite, context: ServeContext) {
  const { db, runIdempotent, batching, activeAccounts, onBatch } = context;
  return new Batcher<IdempotentCommand, ReplayableResponse>({
    write: traced(context, (accountId, members) =>
      db.tenant(accountId, (tx) => {
        const requests = members.map(({ idempotentRequest }) => idempotentRequest);
        return runIdempotent(tx, accountId, requests, (places) => {
          const isNew = places.map((place) => present(members[place], 'command'));
          return writeAndRespond(tx, accountId, batchedWrite, isNew);
        });
      }),
    ),
    weigh: ({ command }) => batchedWrite.weigh(command),
    onBatch: (size) => onBatch(path, size),
    batching,
    accounts: activeAccounts,
  });
}

/** Makes the responses before the commit, so that they are stored in the transaction of the writes. */
async function writeAndRespond(
  tx: Tx,
  accountId: number,
  batchedWrite: BatchedWrite,
  members: IdempotentCommand[],
): Promise<(StoredResponse | Error)[]> {
  const statements: Promise<unknown>[] = [];
  const commands = members.map(({ command }) => command);
  const outcomes = await batchedWrite.write(tx, accountId, commands, (statement) => {
    // If the write fails, nothing waits for this statement, and its rejection would be unhandled.
    statement.catch(() => {});
    statements.push(statement);
  });
  await settled(statements);
  return outcomes.map((done, index) => {
    if (done instanceof Error) return done;
    return {
      body: JSON.stringify(batchedWrite.response(done, present(members[index], 'command').call)),
      discarded: batchedWrite.discarded?.(done) ?? [],
      contactId: batchedWrite.contactOf?.(done) ?? null,
      outcomes: batchedWrite.outcomes?.(done) ?? [],
    };
  });
}
