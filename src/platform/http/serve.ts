import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditEvent } from '../../shared/audit-event.ts';
import { FairQueue } from '../../shared/fair-queue.ts';
import type { Rows } from '../../shared/fields.ts';
import type { IdempotentRequest, ReplayableResponse, StoredResponse } from '../../shared/idempotent-request.ts';
import { JsonText } from '../../shared/json-text.ts';
import { chain, type MaybePromise } from '../../shared/maybe-promise.ts';
import {
  type ErrorCollector,
  Forbidden,
  Invalid,
  NotFound,
  outOfReach,
  TooMany,
  Unavailable,
} from '../../shared/problem.ts';
import { reader } from '../../shared/read.ts';
import type { ActiveAccounts } from '../batching/active-accounts.ts';
import { Batcher } from '../batching/batcher.ts';
import { type Database, isConflict, type Tx } from '../db/database.ts';
import { settled } from '../db/ordered.ts';
import { sessionCookie } from './cookie.ts';
import { idempotentRequestOf, type RunIdempotent } from './idempotency-key.ts';
import { mergeParams, parseBody } from './params.ts';
import { rateHeaders } from './rate-limit.ts';
import type { AuthBackend, Partner, RequestAuth } from './request-auth.ts';
import { pathIds, RequestCall } from './request-call.ts';
import {
  type BatchedRead,
  type BatchedWrite,
  type Call,
  mayHaveIdempotencyKey,
  type Route,
  type World,
} from './route.ts';
import { accepts, ndjson, sendCsv, sendProgress } from './streams.ts';

export interface Serving {
  db: Database;
  gate: RequestAuth;
  keeper: AuthBackend;
  once: RunIdempotent;
  publicUrl: string | undefined;
  batching: 'on' | 'off';
  now(): Date;
  world: World;
  onBatch(name: string, size: number): void;
  onOutcome(route: string, outcome: string): void;
  /** An error that comes when the answer has begun. */
  onLate(error: unknown, requestId: string): void;
  /** For calls that take long and keep a connection to the database all the while. */
  long: FairQueue<number>;
  /** For large requests and answers: each keeps the process busy for a while. */
  heavy: FairQueue<number>;
  accounts: ActiveAccounts;
}

/** An account has one of these at a time, so that another's does not have to wait for all of them. */
export const longCalls = () =>
  new FairQueue<number>({
    ...{ atOnce: 2, perKey: () => 1, mostWaiting: 40, mostWaitingPerKey: 20 },
    full: 'Too many long calls are waiting already.',
  });
export const heavyCalls = () =>
  new FairQueue<number>({
    ...{ atOnce: 2, perKey: () => 1, mostWaiting: 1000, mostWaitingPerKey: 100 },
    full: 'Too many large requests are waiting already.',
  });

/** A body of more bytes is a heavy call. */
const largeBody = 64 * 1024;

/** Puts one operation on the HTTP app: who calls, what was sent, one transaction, the answer. */
export function serve(app: FastifyInstance, operation: Route, serving: Serving): void {
  const read = reader(operation.input);
  const isRetryable = mayHaveIdempotencyKey(operation);
  const secrets = Object.keys(operation.input.properties).filter((name) => isSecret(operation.input.properties[name]));
  const { gathered, together } = operation;
  const gather = gathered
    ? gatherer(operation, gathered, serving)
    : together && readerOfMany(operation, together, serving);

  app.route({
    method: operation.method,
    url: operation.path,
    // Whoever is not known yet has no more than an e-mail and a password to say.
    ...(operation.access === 'public'
      ? { bodyLimit: Math.min(largestOfStrangers, app.initialConfig.bodyLimit ?? 0) }
      : {}),
    // Before the body is even read.
    onRequest: (request, reply, done) => {
      const known = letIn(request, reply, operation, serving.gate);
      if (known) known.then(() => done(), done);
      else done();
    },
    handler: (request, reply) => {
      for (const secret of secrets) refuseInAddress(secret, request.query as object);
      const body = request.body as Buffer | undefined;
      if (!body || body.length <= largeBody) return handle(request, reply, readAll(request, body));
      return readInTurn(request, body).then((sent) => handle(request, reply, sent));
    },
  });

  function readAll(request: FastifyRequest, body: Buffer | undefined) {
    const params = mergeParams(request.query, body && parseBody(body));
    return { params, ...read(params, () => gathered?.dropsInvalid?.(params) ?? false) };
  }

  /** Of a large body the reading alone is in turn: what waits for the database must not keep others from being read. */
  function readInTurn(request: FastifyRequest, body: Buffer) {
    return serving.heavy.run(accountOf(request), async () => {
      const sent = readAll(request, body);
      // Other requests are served before the next large body is read.
      await new Promise((turn) => setImmediate(turn));
      return sent;
    });
  }

  function handle(
    request: FastifyRequest,
    reply: FastifyReply,
    { params, value: input, errors }: ReturnType<typeof readAll>,
  ) {
    const ids = pathIds(request);
    const attempt = isRetryable ? idempotentRequestOf(request, params) : undefined;
    const account = request.partner
      ? addressedAccount(request.partner, input, errors, serving.keeper)
      : (ids.account_id ?? 0);
    return chain(account, (accountId) => {
      serving.accounts.add(accountId);
      const call = new RequestCall(request, { params, input, ids, accountId }, serving);
      if (gather) return gather(call, errors, reply, attempt);
      return attempt
        ? answerOnce(operation, call, errors, reply, serving, attempt)
        : answer(operation, call, errors, reply, serving);
    });
  }
}

/** The account whose turn a request has to wait for. */
function accountOf({ partner, params }: FastifyRequest): number {
  return partner?.accountId ?? (Number((params as { account_id?: string }).account_id) || 0);
}

const isSecret = (schema: unknown) => (schema as { format?: string }).format === 'password';

/** An address is written down by every proxy on the way. */
function refuseInAddress(name: string, query: object): void {
  if (name in query)
    throw new Invalid({ [name]: [`The ${name.replaceAll('_', ' ')} must be in the body, not in the address.`] });
}

/** Throws where the caller may not come in. Where there is nothing to wait for, there is no promise. */
function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Route,
  gate: RequestAuth,
): Promise<unknown> | undefined {
  const { access } = operation;
  if (access === 'admin')
    return gate.admin(request, operation.role).then(({ caller }) => mustHaveRoom(request, `admin ${caller}`));
  if (access === 'partner') {
    const known = chain(gate.partner(request), (partner) => {
      // Also what is refused for being too much is written down as theirs.
      request.partner = partner;
      mustHaveRoom(request, `account ${partner.accountId}`);
      return chain(gate.admit(partner), (rate) => {
        if (rate) reply.headers(rateHeaders(rate));
        if (operation.method !== 'GET' && partner.role === 'viewer')
          throw new Forbidden('This token belongs to a viewer, who may only read. Use the token of another user.');
      });
    });
    if (known instanceof Promise) return known;
  }
  return undefined;
}

/** One caller must not take all the room that there is for requests. */
function mustHaveRoom(request: FastifyRequest, caller: string): void {
  if (!request.load.belongsTo(caller))
    throw new TooMany('Too many requests at once. Wait for the answers before you send more.', 1);
}

const unreadAnswers = () => new TooMany('Too many answers are not read yet. Read them before you ask for more.', 1);

/** A call of its own. */
async function answer(
  operation: Route,
  call: RequestCall,
  errors: ErrorCollector,
  reply: FastifyReply,
  serving: Serving,
): Promise<FastifyReply> {
  await refuse(operation, call, errors, serving);
  const { csv } = operation;
  const onLate = (error: unknown) => serving.onLate(error, call.request.id);
  const asLink = (call.input as { format?: string }).format === 'csv';
  if (csv && (asLink || accepts(call.request, 'text/csv'))) {
    if (asLink) reply.header('content-disposition', 'attachment');
    return sendCsv(reply, csv.columns, onLate, (after) =>
      inScope(operation, call, serving, (tx) => csv.next(tx, call, after)),
    );
  }
  const work = async () => {
    const result = await run(operation, call, serving);
    for (const outcome of call.outcomes) serving.onOutcome(operation.path, outcome);
    if (operation.access === 'admin' && operation.method !== 'GET') serving.keeper.changed();
    if (call.cookie !== undefined) reply.header('set-cookie', sessionCookie(call.request, call.cookie));
    if (operation.status === 204) return undefined;
    return operation.paged ? call.paginate(result as Rows<unknown>) : result;
  };
  const inTurn = operation.isLong?.(call.input) ? () => serving.long.run(call.accountId, work) : work;
  if (!operation.isLong || !accepts(call.request, ndjson)) {
    const result = await inTurn();
    if (!(result instanceof JsonText)) return reply.code(operation.status).send(result);
    return reply.code(operation.status).type(jsonType).send(result.text);
  }
  return sendProgress(reply, operation.status, onLate, (progress) => {
    call.progress = progress;
    return inTurn();
  });
}

/** A call of its own that may come again. */
async function answerOnce(
  operation: Route,
  call: RequestCall,
  errors: ErrorCollector,
  reply: FastifyReply,
  serving: Serving,
  attempt: IdempotentRequest,
): Promise<FastifyReply> {
  await refuse(operation, call, errors, serving);
  const [answer] = await persistently(call, () =>
    inScope(operation, call, serving, (tx) =>
      serving.once(tx, call.accountId, [attempt], async () => {
        const result = await operation.handler(tx, call);
        const contactId = operation.contactOf?.(result) ?? null;
        return [{ body: JSON.stringify(result), discarded: [], contactId, outcomes: [] }];
      }),
    ),
  );
  for (const outcome of call.outcomes) serving.onOutcome(operation.path, outcome);
  return sendKept(reply, call, answer as ReplayableResponse | Error, operation.status);
}

/** The very characters that are kept, so that the second answer is the first. */
function sendKept(
  reply: FastifyReply,
  call: RequestCall,
  answer: ReplayableResponse | Error,
  status: number,
): FastifyReply {
  if (answer instanceof Error) throw answer;
  if (answer.isReplayed) reply.header('idempotent-replayed', 'true');
  nameDiscarded(reply, call, answer.discarded);
  return reply.code(status).type(jsonType).send(answer.body);
}

function nameDiscarded(reply: FastifyReply, call: RequestCall, fields: string[]): void {
  call.request.discardedFields = fields;
  if (fields.length > 0) reply.header('discarded-fields', inHeader(fields));
}

const jsonType = 'application/json; charset=utf-8';
const mostAttempts = 5;
const largestOfStrangers = 8192;

/** Most clients and proxies take a header of 8 kB. */
const longestHeader = 4000;

/** The calls of this route that come in together are written together; those that may come again, among themselves. */
function gatherer({ path, status }: Route, gathered: BatchedWrite, serving: Serving) {
  const { db, world, once, batching, accounts, onBatch, onOutcome } = serving;
  const gathering = new Batcher<unknown, unknown>({
    write: (accountId, commands) => db.tenant(accountId, (tx, last) => gathered.write(tx, accountId, commands, last)),
    quick:
      gathered.quick &&
      (async (accountId, commands) =>
        (await db.tenant(accountId, async (tx, last) => gathered.quick?.(tx, accountId, commands, last)))?.() ?? []),
    weigh: gathered.weigh,
    onBatch: (size) => onBatch(path, size),
    batching,
    accounts,
  });
  const retryable = new Batcher<Retryable, ReplayableResponse>({
    write: (accountId, members) =>
      db.tenant(accountId, (tx) =>
        once(
          tx,
          accountId,
          members.map(({ attempt }) => attempt),
          (places) =>
            writeAndAnswer(
              tx,
              accountId,
              gathered,
              places.map((place) => members[place] as Retryable),
            ),
        ),
      ),
    weigh: ({ command }) => gathered.weigh(command),
    onBatch: (size) => onBatch(path, size),
    batching,
    accounts,
  });
  return (call: RequestCall, errors: ErrorCollector, reply: FastifyReply, attempt: IdempotentRequest | undefined) =>
    chain(gathered.prepare(call as Call, errors, world), (command) => {
      // No account to write to, and so nothing to look up or to drop: what is known to be wrong is all there is to say.
      const { account_id } = errors.fields;
      if (account_id) throw new Invalid({ account_id, ...errors.fields }, errors.hasMore);
      if (attempt) {
        return retryable.submit(call.accountId, { command, call, attempt }).then((answer) => {
          for (const outcome of answer.outcomes) onOutcome(path, outcome);
          return sendKept(reply, call, answer, status);
        });
      }
      return gathering.submit(call.accountId, command).then((done) => {
        for (const outcome of gathered.outcomes?.(done) ?? []) onOutcome(path, outcome);
        nameDiscarded(reply, call, gathered.discarded?.(done) ?? []);
        return gathered.answer(done, call as Call);
      });
    });
}

/** The calls of this route that come in together are read together; what there is no room for then, and what is wrong, alone. */
function readerOfMany(operation: Route, together: BatchedRead, serving: Serving) {
  const gathering = new Batcher<RequestCall, unknown>({
    write: (accountId, calls) =>
      serving.db.tenant(accountId, (tx) => together(tx, accountId, calls as unknown as Call[])),
    weigh: () => weightOfRead,
    onBatch: (size) => serving.onBatch(operation.path, size),
    batching: serving.batching,
    accounts: serving.accounts,
  });
  return (call: RequestCall, errors: ErrorCollector, reply: FastifyReply) => {
    const alone = () => answer(operation, call, errors, reply, serving);
    if (Object.keys(errors.fields).length > 0) return alone();
    return gathering.submit(call.accountId, call).then((found) => {
      if (found !== undefined) return found;
      return serving.heavy.run(call.accountId, () => {
        // The answer would be in memory for nobody, or beside many others that its client does not read.
        if (reply.raw.destroyed) throw new Unavailable('The client has left.');
        if (!call.request.load.hasRoom) throw unreadAnswers();
        return alone();
      });
    });
  };
}

/** An answer may be long, and all of a batch's are in memory at once: some dozens of them at most. */
const weightOfRead = 40;

interface Retryable {
  command: unknown;
  call: RequestCall;
  attempt: IdempotentRequest;
}

/** Answers before the commit, so that the answer is kept with what it answers for. */
async function writeAndAnswer(
  tx: Tx,
  accountId: number,
  gathered: BatchedWrite,
  members: Retryable[],
): Promise<(StoredResponse | Error)[]> {
  const statements: Promise<unknown>[] = [];
  const commands = members.map(({ command }) => command);
  const done = await gathered.write(tx, accountId, commands, (statement) => {
    // Where the write itself fails, nobody waits for it.
    statement.catch(() => {});
    statements.push(statement);
  });
  await settled(statements);
  return done.map((one, index) => {
    if (one instanceof Error) return one;
    return {
      body: JSON.stringify(gathered.answer(one, members[index]?.call as Call)),
      discarded: gathered.discarded?.(one) ?? [],
      contactId: gathered.contactOf?.(one) ?? null,
      outcomes: gathered.outcomes?.(one) ?? [],
    };
  });
}

function inHeader(fields: string[]): string {
  const list = fields.join(', ');
  return list.length <= longestHeader ? list : `${list.slice(0, longestHeader).replace(/,[^,]*$/, '')}, and more`;
}

function run(operation: Route, call: RequestCall, serving: Serving): Promise<unknown> {
  return persistently(call, () =>
    inScope(operation, call, serving, async (tx) => {
      const result = await operation.handler(tx, call);
      if (operation.access !== 'partner' && operation.method !== 'GET')
        await serving.keeper.record(tx, deedOf(operation, call, result));
      return result;
    }),
  );
}

/** What collides with another transaction is tried again, as if it had not been. */
async function persistently<T>(call: RequestCall, work: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConflict(error)) throw error;
    if (attempt === mostAttempts) throw new Unavailable('Others were always first.');
    call.outcomes.length = 0;
    return persistently(call, work, attempt + 1);
  }
}

/** Written in the transaction of the change itself, so that there is none without it. */
function deedOf({ summary, account }: Route, call: RequestCall, result: unknown): AuditEvent {
  const { account_id, ...inPath } = call.ids;
  const ids = { ...inPath };
  for (const [name, value] of Object.entries(call.input as object))
    if (/_id$/.test(name) && Number.isInteger(value)) ids[name in inPath ? `other_${name}` : name] = value;
  const { id } = (result ?? {}) as { id?: unknown };
  return {
    accountId: account === 'in path' ? call.accountId : null,
    userId: call.userId,
    actor: call.actor,
    address: call.request.address,
    action: summary,
    subject: call.subject,
    ids: typeof id === 'number' ? { ...ids, id } : ids,
    fields: Object.keys(call.input as object),
  };
}

/** A transaction that sees what the call is about. */
async function inScope<T>(
  { account }: Route,
  { accountId }: Call,
  { db, keeper }: Serving,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (account === 'none') return db.transaction(work);
  return db.tenant(accountId, async (tx) => {
    if (account === 'in path' && !(await keeper.holdAccount(tx, accountId))) {
      throw new NotFound('There is no such account.');
    }
    return work(tx);
  });
}

/** Throws where something is wrong, and says all of it. */
async function refuse(
  { besides }: Route,
  call: Call<unknown, string>,
  errors: ErrorCollector,
  { db }: Serving,
): Promise<void> {
  if (Object.keys(errors.fields).length === 0) return;
  // Without an account there is nothing to look at.
  const more = besides && !errors.fields.account_id ? await db.tenant(call.accountId, (tx) => besides(tx, call)) : {};
  throw new Invalid({ ...more, ...errors.fields });
}

/** The account that the call is about: the one named, or else the token's own. Out of reach and not there look the same. */
function addressedAccount(
  partner: Partner,
  input: unknown,
  errors: ErrorCollector,
  keeper: AuthBackend,
): MaybePromise<number> {
  const accountId = (input as { account_id?: number }).account_id ?? partner.accountId;
  if (errors.fields.account_id) return accountId;
  return chain(keeper.mayAccess(partner, accountId), (may) => {
    if (!may) errors.add('account_id', outOfReach);
    return accountId;
  });
}
