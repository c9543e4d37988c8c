import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Gathering } from '../batch/gathering.ts';
import { type Database, isCollision, type Tx } from '../db/database.ts';
import type { Few } from '../shared/few.ts';
import type { Rows } from '../shared/fields.ts';
import { type FieldErrors, Invalid, NotFound, outOfReach, Unavailable } from '../shared/problem.ts';
import { addError, reader } from '../shared/read.ts';
import type { Gate, Gatekeeper, Partner } from './gate.ts';
import type { Call, Gathered, Operation, World } from './operation.ts';
import { pageNumber, paginated, sliceOf } from './pagination.ts';
import { mergeParams } from './params.ts';
import { accepts, ndjson, sendCsv, sendProgress } from './streams.ts';

export interface Serving {
  db: Database;
  gate: Gate;
  keeper: Gatekeeper;
  publicUrl: string | undefined;
  world: World;
  onBatch(name: string, size: number): void;
  onOutcome(route: string, outcome: string): void;
  /** An error that comes when the answer has begun. */
  onLate(error: unknown, requestId: string): void;
  /** For what takes its time: a connection to the database each, and others need them too. */
  few: Few;
}

/** Puts one operation on the HTTP app: who calls, what was sent, one transaction, the answer. */
export function serve(app: FastifyInstance, operation: Operation, serving: Serving): void {
  const read = reader(operation.input);
  const gather = operation.gathered && gatherer(operation, operation.gathered, serving);

  app.route({
    method: operation.method,
    url: operation.path,
    // Before the body is even read.
    onRequest: async (request) => {
      if (operation.access === 'partner') {
        request.partner = await serving.gate.partner(request);
        serving.gate.admit(request.partner);
      }
      if (operation.access === 'admin') Object.assign(request, await serving.gate.admin(request));
    },
    handler: async (request, reply) => {
      const receivedAt = new Date();
      const params = mergeParams(request.query, request.body);
      const { value: input, errors } = read(params);
      const ids = pathIds(request);
      const accountId = request.partner
        ? await addressedAccount(request.partner, input, errors, serving.keeper)
        : (ids.account_id ?? 0);
      const page = pageNumber(params.page);
      const root = rootOf(request, serving.publicUrl);
      const outcomes: string[] = [];
      const call: Call<unknown, string> = {
        input,
        ids,
        accountId,
        actor: request.actor,
        slice: sliceOf(page),
        paginate: (rows) => paginated(rows, page, ...addressOf(request, root)),
        root,
        tokenId: request.partner?.tokenId ?? null,
        receivedAt,
        count: (outcome) => outcomes.push(outcome),
        progress: () => {},
        isGone: () => request.socket.destroyed,
      };
      if (gather) return gather(call, errors, request, reply);
      for (const _ in errors) throw new Invalid({ ...(await besides(operation, call, errors, serving)), ...errors });
      const { csv } = operation;
      const onLate = (error: unknown) => serving.onLate(error, request.id);
      if (csv && accepts(request, 'text/csv')) {
        return sendCsv(reply, csv.columns, onLate, (after) =>
          inScope(operation, call, serving, (tx) => csv.next(tx, call, after)),
        );
      }
      const work = async () => {
        const result = await run(operation, call, serving, () => outcomes.splice(0));
        for (const outcome of outcomes) serving.onOutcome(operation.path, outcome);
        if (operation.access === 'admin' && operation.method !== 'GET') serving.keeper.changed();
        if (operation.status === 204) return undefined;
        return operation.paged ? call.paginate(result as Rows<unknown>) : result;
      };
      const inTurn = operation.isLong?.(input) ? () => serving.few.run(work) : work;
      if (!operation.isLong || !accepts(request, ndjson)) return reply.code(operation.status).send(await inTurn());
      return sendProgress(reply, operation.status, onLate, (progress) => {
        call.progress = progress;
        return inTurn();
      });
    },
  });
}

const mostAttempts = 5;

/** Most clients and proxies take a header of 8 kB. */
const longestHeader = 4000;

/** The calls of this route that come in together are written together. */
function gatherer({ path }: Operation, gathered: Gathered, { db, world, onBatch, onOutcome }: Serving) {
  const gathering = new Gathering<unknown, unknown>({
    write: (accountId, commands) => db.tenant(accountId, (tx, last) => gathered.write(tx, accountId, commands, last)),
    quick:
      gathered.quick &&
      (async (accountId, commands) =>
        (await db.tenant(accountId, async (tx, last) => gathered.quick?.(tx, accountId, commands, last)))?.() ?? []),
    weigh: gathered.weigh,
    onBatch: (size) => onBatch(path, size),
  });
  return async (call: Call, errors: FieldErrors, request: FastifyRequest, reply: FastifyReply) => {
    const command = await gathered.prepare(call, errors, world);
    // No account to write to, and so nothing to look up or to drop: what is known to be wrong is all there is to say.
    if (errors.account_id) throw new Invalid({ ...errors });
    const done = await gathering.submit(call.accountId, command);
    for (const outcome of gathered.outcomes?.(done) ?? []) onOutcome(path, outcome);
    request.discardedFields = gathered.discarded?.(done) ?? [];
    if (request.discardedFields.length > 0) reply.header('discarded-fields', inHeader(request.discardedFields));
    return reply.send(gathered.answer(done, call));
  };
}

function inHeader(fields: string[]): string {
  const list = fields.join(', ');
  return list.length <= longestHeader ? list : `${list.slice(0, longestHeader).replace(/,[^,]*$/, '')}, and more`;
}

/** What collides with another transaction is tried again, as if it had not been. */
async function run(
  operation: Operation,
  call: Call<unknown, string>,
  serving: Serving,
  forget: () => void,
  attempt = 1,
): Promise<unknown> {
  try {
    return await inScope(operation, call, serving, (tx) => operation.handler(tx, call));
  } catch (error) {
    if (!isCollision(error)) throw error;
    if (attempt === mostAttempts) throw new Unavailable('Others were always first.');
    forget();
    return run(operation, call, serving, forget, attempt + 1);
  }
}

/** A transaction that sees what the call is about. */
async function inScope<T>(
  { account }: Operation,
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

async function besides(
  operation: Operation,
  call: Call<unknown, string>,
  errors: FieldErrors,
  { db }: Serving,
): Promise<FieldErrors> {
  // Without an account there is nothing to look at.
  if (!operation.besides || errors.account_id) return {};
  const { besides } = operation;
  return db.tenant(call.accountId, (tx) => besides(tx, call));
}

/** The address that was asked for, without its query, and the query. */
function addressOf(request: FastifyRequest, root: string): [path: string, query: string] {
  // A request may name its whole address (a proxy's does); the path is what counts.
  const address = (request.raw.url ?? '').replace(/^https?:\/\/[^/?]*/i, '');
  const [path = '', ...rest] = address.split('?');
  return [`${root}${path}`, rest.join('?')];
}

function rootOf(request: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  const { localAddress, localPort } = request.socket;
  return `${request.protocol}://${request.host || `${localAddress}:${localPort}`}`;
}

/** An id in a path that is no integer names nothing. */
function pathIds(request: FastifyRequest): Record<string, number> {
  const ids: Record<string, number> = {};
  for (const [name, text] of Object.entries(request.params as Record<string, string>)) {
    if (!/^\d{1,15}$/.test(text))
      throw new NotFound(`There is no such ${name.replace(/_id$/, '').replaceAll('_', ' ')}.`);
    ids[name] = Number(text);
  }
  return ids;
}

/** The account that the call is about: the one named, or else the token's own. Out of reach and not there look the same. */
async function addressedAccount(
  partner: Partner,
  input: unknown,
  errors: FieldErrors,
  keeper: Gatekeeper,
): Promise<number> {
  const accountId = (input as { account_id?: number }).account_id ?? partner.accountId;
  if (!errors.account_id && !(await keeper.mayAccess(partner, accountId))) {
    addError(errors, 'account_id', outOfReach);
  }
  return accountId;
}
