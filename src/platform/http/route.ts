import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { CsvPart } from '../../shared/csv.ts';
import type { After, Rows } from '../../shared/fields.ts';
import type { JsonText } from '../../shared/json-text.ts';
import type { MaybePromise } from '../../shared/maybe-promise.ts';
import { present } from '../../shared/present.ts';
import type { FieldErrors } from '../../shared/problem.ts';
import type { PartialInput, ReadResult } from '../../shared/read.ts';
import { textIn } from '../../shared/record.ts';
import type { Role } from '../../shared/roles.ts';
import type { Last, Tx } from '../db/database.ts';
import type { Call, Services } from './call.ts';

/** Who may send the request: anyone, a partner with a token, or an administrator. */
export type Access = 'public' | 'partner' | 'admin';

/** The names of the ids in a path: `/accounts/:account_id/units/:unit_id` has `account_id` and `unit_id`. Each is an integer. */
type PathId<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathId<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

/** Writes the concurrent requests of a route as one batch. */
export interface BatchedWrite<Command = unknown, Done = unknown, Input = unknown> {
  /** Makes the command of one request. It may add errors to the input. */
  prepare(read: ReadResult<Input>, call: Call, services: Services): MaybePromise<Command>;
  /** Whether the request has the rule that drops invalid data. Such a request is read to its end, with any number of errors. */
  dropsInvalid?(sent: unknown): boolean;
  weigh(command: Command): number;
  /** Writes all commands in one transaction. Returns one outcome per command, in order. */
  write(tx: Tx, accountId: number, commands: Command[], last: Last): Promise<(Done | Error)[]>;
  /**
   * A first attempt in its own transaction, with one round trip, for commands without errors. The returned function is
   * called after the commit and gives the outcomes. Commands without an outcome (undefined) go to `write`.
   */
  quick?(tx: Tx, accountId: number, commands: Command[], last: Last): Promise<() => (Done | undefined)[]>;
  response(done: Done, call: Call): unknown;
  /** The contact that the response contains. */
  contactOf?(done: Done): number | null;
  /** The fields that the rule discard_invalid_data dropped. */
  discarded?(done: Done): string[];
  /** The outcomes to count in /metrics. */
  outcomes?(done: Done): string[];
}

/**
 * Reads the data of concurrent requests in one transaction. Returns one response or error per request, in order.
 * undefined: the response is too large for the batch, so the handler reads it alone.
 */
export type BatchedRead<C = Call, R = unknown> = (
  tx: Tx,
  accountId: number,
  calls: C[],
) => Promise<(R | Error | undefined)[]>;

/** The list as a CSV file of any length, read some rows at a time. */
export interface Csv<C = Call<unknown, string>> {
  columns: readonly string[];
  /** Undefined: the list ends. */
  next(tx: Tx, call: C, after: After): Promise<CsvPart | undefined>;
}

interface Description {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  access: Access;
  /** The least role that a user needs. Default: viewer to read, staff to change. */
  role?: Role;
  tag: string;
  /** The name of the route in the OpenAPI document and in generated clients. */
  operationId: string;
  /** The code that the audit trail stores: `unit.create`. Every change through the admin API has one. */
  action?: string;
  summary: string;
  description?: string;
  /** The message of the 404, for routes whose path has no id and that can respond 404. */
  notFound?: string;
  /** A POST that changes nothing, because its input is too large for a query. It is a read: no audit event, open to viewers. */
  readsOnly?: true;
  /** The response may be some seconds old, so it can come from a replica. Lists of an account always may. */
  mayBeStale?: true;
  /** The route accepts `page`, but its response is not a plain list. */
  takesPage?: true;
  example?: { input?: unknown; response?: unknown };
}

/**
 * One route as data. The HTTP app, the OpenAPI document and the tests use it. The handler runs in one transaction, scoped
 * to the account if the route has one. The transaction commits before the response is sent.
 */
export interface Route extends Description {
  path: string;
  role: Role;
  /** Whether `account_id` is required, optional (default: the account of the token), in the path, or not used. */
  account: 'required' | 'optional' | 'in path' | 'none';
  input: TObject;
  /** Absent: 204, no body. */
  response?: TSchema;
  /** The response is a page of a list. `response` is the schema of one entry. */
  paged: boolean;
  status: number;
  handler: (tx: Tx, call: Call<unknown, string>) => Promise<unknown>;
  /** Errors that only the database can find. Runs if the input has errors, so that one 422 lists all of them. */
  alsoCheck: ((tx: Tx, call: Call<unknown, string>) => Promise<FieldErrors>) | undefined;
  /** The contact that the response contains. */
  contactOf: ((response: unknown) => number | null) | undefined;
  /** Makes the response from the result of the handler, without a transaction. `again` runs the handler again. */
  respond?: (result: unknown, call: Call<unknown, string>, again: () => Promise<unknown>) => Promise<unknown>;
  /** Replaces the handler. */
  batchedWrite?: BatchedWrite;
  /** Runs before the handler. Requests for which it returns undefined go to the handler. */
  batchedRead?: BatchedRead;
  /** Set if the list is also available as a CSV file. */
  csv?: Csv;
  /** Whether a request is long. Few long requests run at a time, and they can report progress. */
  isLong: ((input: unknown) => boolean) | undefined;
}

/** Whether the route accepts an Idempotency-Key. */
export function mayHaveIdempotencyKey({ access, method }: Route): boolean {
  return access === 'partner' && method === 'POST';
}

interface Spec<P extends string, I extends TObject> extends Description {
  path: P;
  account?: 'required' | 'optional';
  input: I;
  alsoCheck?(tx: Tx, call: Call<PartialInput<Static<I>>, PathId<P>>): Promise<FieldErrors>;
  isLong?(input: Static<I>): boolean;
}

type Handler<P extends string, I extends TObject, Result> = (
  tx: Tx,
  call: Call<Static<I>, PathId<P>>,
) => Promise<Result>;

function define<P extends string, I extends TObject>(
  spec: Spec<P, I>,
  rest: Pick<Route, 'paged' | 'status'> & { response?: TSchema },
  handler: Handler<P, I, unknown>,
): Route {
  mustHaveAction(spec);
  const account = spec.path.includes(':account_id')
    ? 'in path'
    : spec.access === 'partner'
      ? (spec.account ?? 'optional')
      : 'none';
  return {
    ...spec,
    ...rest,
    role: spec.role ?? (spec.method === 'GET' || spec.readsOnly ? 'viewer' : 'staff'),
    account,
    input: withAccount(spec.input, account),
    handler: handler as Route['handler'],
    alsoCheck: spec.alsoCheck as Route['alsoCheck'],
    contactOf: undefined,
    isLong: spec.isLong as Route['isLong'],
  };
}

/** Whether a replica may serve the route: lists, exports and figures of an account in the dashboard. */
export function mayReadReplica({ access, method, account, paged, mayBeStale }: Route): boolean {
  return access === 'admin' && method === 'GET' && account === 'in path' && (paged || mayBeStale === true);
}

/** Whether the requests of a route are changes that the audit trail records. */
export function isAudited({ access, method, readsOnly }: Pick<Route, 'access' | 'method' | 'readsOnly'>): boolean {
  return access !== 'partner' && method !== 'GET' && !readsOnly;
}

/** The audit trail stores the action, so a route without one must not start. */
function mustHaveAction(route: Description & { path: string }): void {
  const { method, path, action = '' } = route;
  if (isAudited(route) && !/^[a-z_]+\.[a-z_]+$/.test(action))
    throw new Error(`${method} ${path} needs an action of the form noun.verb, not "${action}".`);
}

const accountId = Type.Integer({
  description: 'An account that the token can access.',
  format: 'int64',
  examples: [1],
});
const optionalAccountId = Type.Optional({
  ...accountId,
  description: 'An account that the token can access. The default is the token’s own account.',
});

function withAccount(input: TObject, account: Route['account']): TObject {
  if (account !== 'required' && account !== 'optional') return input;
  const title = textIn(input, 'title');
  return Type.Object(
    { account_id: account === 'required' ? accountId : optionalAccountId, ...input.properties },
    title === undefined ? {} : { title },
  );
}

/** A route whose response is one object. */
export function jsonRoute<P extends string, I extends TObject, R extends TSchema>(
  {
    contactOf,
    ...spec
  }: Spec<P, I> & { response: R; status?: 200 | 201 | 202; contactOf?(response: Static<R>): number | null },
  handler: Handler<P, I, Static<R>>,
): Route {
  const route = define(spec, { response: spec.response, paged: false, status: spec.status ?? 200 }, handler);
  return { ...route, contactOf: contactOf as Route['contactOf'] };
}

/**
 * A route whose response is made after the transaction of its handler, because that takes long: it waits for something,
 * or asks another server. No connection to the database is held meanwhile.
 */
export function respondingRoute<P extends string, I extends TObject, R extends TSchema, Result>(
  spec: Spec<P, I> & { response: R },
  handler: Handler<P, I, Result>,
  respond: (result: Result, call: Call<Static<I>, PathId<P>>, again: () => Promise<Result>) => Promise<Static<R>>,
): Route {
  const route = define(spec, { response: spec.response, paged: false, status: 200 }, handler);
  return { ...route, respond: respond as NonNullable<Route['respond']> };
}

/** A route whose response is one object, and whose concurrent requests are read in batches. `alone` reads what is too large for a batch. */
export function batchedRead<P extends string, I extends TObject, R extends TSchema>(
  spec: Spec<P, I> & { response: R },
  readBatch: BatchedRead<Call<Static<I>, PathId<P>>, Static<R>>,
  alone: Handler<P, I, Static<R> | JsonText> = async (tx, call) => {
    const [found] = await readBatch(tx, call.accountId, [call]);
    if (found instanceof Error) throw found;
    return present(found, 'response');
  },
): Route {
  const route = define(spec, { response: spec.response, paged: false, status: 200 }, alone);
  return { ...route, batchedRead: readBatch as BatchedRead };
}

const format = Type.Optional(
  Type.Enum(['csv'], { description: '`csv` returns the whole list as one CSV file, for links in a browser.' }),
);

/** A route whose response is a page of a list, or the whole list as CSV if `csv` is given. */
export function listRoute<P extends string, I extends TObject, R extends TSchema>(
  { csv, ...spec }: Spec<P, I> & { response: R; csv?: Csv<Call<Static<I>, PathId<P>>> },
  handler: Handler<P, I, Rows<Static<R>>>,
): Route {
  const input = csv ? (Type.Object({ ...spec.input.properties, format }) as unknown as I) : spec.input;
  const route = define({ ...spec, input }, { response: spec.response, paged: true, status: 200 }, handler);
  return csv ? { ...route, csv: csv as unknown as Csv } : route;
}

/** Concurrent requests with the same input and slice share one run of the handler. The handler must depend on nothing else. */
export function shareConcurrentReads(list: Route): Route {
  const batchedRead: BatchedRead = (tx, _, calls) => {
    const runs = new Map<string, Promise<unknown>>();
    return tx.each(calls, async (call) => {
      const key = JSON.stringify([call.input, call.slice]);
      const run = runs.get(key) ?? list.handler(tx, call);
      runs.set(key, run);
      return call.paginate((await run) as Rows<unknown>);
    });
  };
  return { ...list, batchedRead };
}

/** A route whose response is 204 without a body. */
export function noContentRoute<P extends string, I extends TObject>(
  spec: Spec<P, I>,
  handler: Handler<P, I, void>,
): Route {
  return define(spec, { paged: false, status: 204 }, handler);
}

/** A route whose concurrent requests are written in batches. Each request gets its own response after the commit. */
export function batchedWrite<P extends string, I extends TObject, R extends TSchema, Command, Done>(
  spec: Spec<P, I> & { response: R },
  batch: BatchedWrite<Command, Done, Static<I>> & { response(done: Done, call: Call): Static<R> },
): Route {
  const route = define(spec, { response: spec.response, paged: false, status: 200 }, () => {
    throw new Error('A batched write has no handler.');
  });
  return { ...route, batchedWrite: batch as BatchedWrite };
}
