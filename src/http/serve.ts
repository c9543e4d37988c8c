import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Tx } from '../db/database.ts';
import type { Rows } from '../shared/fields.ts';
import { type FieldErrors, Invalid, NotFound } from '../shared/problem.ts';
import { addError, reader } from '../shared/read.ts';
import type { Gate, Gatekeeper, Partner } from './gate.ts';
import type { Call, Operation } from './operation.ts';
import { pageNumber, paginated, sliceOf } from './pagination.ts';
import { mergeParams } from './params.ts';

export interface Serving {
  db: Database;
  gate: Gate;
  keeper: Gatekeeper;
  publicUrl: string | undefined;
}

/** Puts one operation on the HTTP app: who calls, what was sent, one transaction, the answer. */
export function serve(app: FastifyInstance, operation: Operation, serving: Serving): void {
  const read = reader(operation.input);

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
      const params = mergeParams(request.query, request.body);
      const { value: input, errors } = read(params);
      const ids = pathIds(request);
      const accountId = request.partner
        ? await addressedAccount(request.partner, input, errors, serving.keeper)
        : (ids.account_id ?? 0);
      for (const _ in errors) throw new Invalid({ ...errors });
      const page = pageNumber(params.page);
      const call = { input, ids, accountId, actor: request.actor, slice: sliceOf(page) };
      const result = await run(operation, call, serving);
      if (operation.access === 'admin' && operation.method !== 'GET') serving.keeper.changed();
      return send(operation, result, page, request, reply, serving.publicUrl);
    },
  });
}

async function run(operation: Operation, call: Call<unknown, string>, { db, keeper }: Serving): Promise<unknown> {
  if (operation.account === 'none') return db.transaction((tx) => operation.handler(tx, call));
  return db.tenant(call.accountId, async (tx: Tx) => {
    if (operation.account === 'in path' && !(await keeper.holdAccount(tx, call.accountId))) {
      throw new NotFound('There is no such account.');
    }
    return operation.handler(tx, call);
  });
}

function send(
  operation: Operation,
  result: unknown,
  page: number,
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl?: string,
) {
  if (operation.status === 204) return reply.code(204).send();
  if (!operation.paged) return reply.code(operation.status).send(result);
  // A request may name its whole address (a proxy's does); the path is what counts.
  const address = (request.raw.url ?? '').replace(/^https?:\/\/[^/?]*/i, '');
  const [path = '', ...rest] = address.split('?');
  const query = rest.join('?');
  const { localAddress, localPort } = request.socket;
  const root = publicUrl ?? `${request.protocol}://${request.host || `${localAddress}:${localPort}`}`;
  return reply.send(paginated(result as Rows<unknown>, page, `${root}${path}`, query));
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
    addError(errors, 'account_id', 'The account id is not one that you can access.');
  }
  return accountId;
}
