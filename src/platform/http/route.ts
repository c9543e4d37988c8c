import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { After, Paginate, Rows, Slice } from '../../shared/fields.ts';
import type { JsonText } from '../../shared/json-text.ts';
import type { MaybePromise } from '../../shared/maybe-promise.ts';
import type { ErrorCollector, FieldErrors } from '../../shared/problem.ts';
import type { Role } from '../../shared/roles.ts';
import type { Last, Tx } from '../db/database.ts';
import type { PasswordMatch, User } from './request-auth.ts';

/** Who may call: anybody, a partner by a personal access token, or an administrator. */
export type Access = 'public' | 'partner' | 'admin';

/** `/accounts/:account_id/units/:unit_id` takes an `account_id` and a `unit_id`; every id in a path is an integer. */
type PathId<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathId<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

/** What a route's handler is given, already read and checked. */
export interface Call<Input = unknown, Ids extends string = never> {
  input: Input;
  ids: Record<Ids, number>;
  /** The account that the call is about. */
  accountId: number;
  /** Who calls, in words, for records such as a token's creator. */
  actor: string;
  /** The user who calls; throws where it is the admin token, which is nobody. */
  user: User;
  /** The same user's id; null: the admin token. */
  userId: number | null;
  /** The session that the user called with; null: e-mail and password came along. */
  sessionId: number | null;
  /** The accounts that an administrator may see; null: all. */
  reach: number[] | null;
  /** Which rows of a list are wanted. */
  slice: Slice;
  /** Those rows as the interface's page of them, for an answer that holds more than one list. */
  paginate: Paginate;
  /** What an address in an answer starts with. */
  root: string;
  /** The token that the call came with; null: an administrator. */
  tokenId: number | null;
  receivedAt: Date;
  /** Where it came from. */
  client: { address: string | null; userAgent: string };
  /** The user with that e-mail and password. Whoever keeps guessing is slowed down. */
  userByPassword(email: string, password: string): Promise<PasswordMatch | undefined>;
  /** The session's secret that the browser sent along. */
  cookieSent: string | undefined;
  /** Has the browser keep the session's secret, or drop it (null). */
  keepCookie(secret: string | null): void;
  /** Names what a change is about, for the audit trail. */
  about(name: string): void;
  /** Has it counted, in /metrics, how something went: once the transaction is committed. */
  count(outcome: string): void;
  /** Tells a client that wants to know how far a long call is. */
  progress(done: number, of: number): void;
  /** Whether the client has left, so that nobody waits for the answer of a long call. */
  isGone(): boolean;
}

/** What handlers may ask of the world besides the database. */
export interface World {
  /** Whether an e-mail's domain takes mail. `learnt`: yes, and the write that stores the e-mail is to store that too. */
  takesMail(email: string): MaybePromise<'yes' | 'learnt' | 'no' | 'unknown'>;
}

/** How concurrent calls of a route become one set-based write. */
export interface BatchedWrite<Command = unknown, Done = unknown> {
  /** Makes a command of what was sent, on its own: it is given what could be read, and the errors in the rest to add to. */
  prepare(call: Call, errors: ErrorCollector, world: World): MaybePromise<Command>;
  /** Whether invalid data is dropped, where there is such a rule: then all of the request is read, whatever is wrong with it. */
  dropsInvalid?(sent: unknown): boolean;
  weigh(command: Command): number;
  /** All of them in one transaction; an outcome each, in order. */
  write(tx: Tx, accountId: number, commands: Command[], last: Last): Promise<(Done | Error)[]>;
  /**
   * Before that, in a transaction of its own: what can be done in one round trip for those that nothing is wrong with.
   * Asked once the commit is in, it gives their outcomes; the others (undefined) are written as above.
   */
  quick?(tx: Tx, accountId: number, commands: Command[], last: Last): Promise<() => (Done | undefined)[]>;
  answer(done: Done, call: Call): unknown;
  /** The contact that the answer tells of. */
  contactOf?(done: Done): number | null;
  /** The fields that were dropped by discard_invalid_data, where there is such a rule. */
  discarded?(done: Done): string[];
  /** What is to be counted, in /metrics, of how it went. */
  outcomes?(done: Done): string[];
}

/** Concurrent calls read in one transaction: an answer each, in order, or what is wrong; undefined: too much to be read with others. */
export type BatchedRead<C = Call, A = unknown> = (
  tx: Tx,
  accountId: number,
  calls: C[],
) => Promise<(A | Error | undefined)[]>;

/** The same list as a file, however long it is: read from end to end, some rows at a time. */
export interface Csv<C = Call<unknown, string>, Row = { id: number }> {
  columns: readonly (keyof Row & string)[];
  next(tx: Tx, call: C, after: After): Promise<Row[]>;
}

interface Description {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  access: Access;
  /** Who of the users may; unless given, viewers may read and staff may change. */
  role?: Role;
  tag: string;
  /** The name of the route in the OpenAPI document and in generated clients. */
  operationId: string;
  /** The code that the audit trail stores: `unit.create`. Every change through the admin API has one. */
  action?: string;
  summary: string;
  description?: string;
  /** Further than what every route of this access can answer. */
  notFound?: string;
  /** It takes a `page`, though its answer is more than one list. */
  takesPage?: true;
  example?: { input?: unknown; answer?: unknown };
}

/**
 * One route as data: the HTTP app, the OpenAPI document and the tests are all made from these.
 * The handler runs in one transaction (in the account's scope where there is one), committed before the answer leaves.
 */
export interface Route extends Description {
  path: string;
  role: Role;
  /** Whether `account_id` must be sent, may be left out (the token's own is meant), is in the path, or plays no part. */
  account: 'required' | 'optional' | 'in path' | 'none';
  input: TObject;
  /** Absent: 204, no body. */
  answer?: TSchema;
  /** The answer is a list of `answer`, in pages. */
  paged: boolean;
  status: number;
  handler: (tx: Tx, call: Call<unknown, string>) => Promise<unknown>;
  /** What else is wrong where the shape is: what only the database knows, so that one 422 says everything. */
  besides: ((tx: Tx, call: Call<unknown, string>) => Promise<FieldErrors>) | undefined;
  /** The contact that the answer tells of. */
  contactOf: ((answer: unknown) => number | null) | undefined;
  /** Instead of the handler. */
  gathered?: BatchedWrite;
  /** Before the handler: what can be read for many calls at once; undefined is left to it. */
  together?: BatchedRead;
  /** Where the list can also be had as a file. */
  csv?: Csv;
  /** Which calls take their time: few of those run at once, and they can tell their progress. */
  isLong: ((input: unknown) => boolean) | undefined;
}

/** Whether a client may say, by an Idempotency-Key, that it is the same request again. */
export function mayHaveIdempotencyKey({ access, method }: Route): boolean {
  return access === 'partner' && method === 'POST';
}

interface Spec<P extends string, I extends TObject> extends Description {
  path: P;
  account?: 'required' | 'optional';
  input: I;
  besides?(tx: Tx, call: Call<Partial<Static<I>>, PathId<P>>): Promise<FieldErrors>;
  isLong?(input: Static<I>): boolean;
}

type Handler<P extends string, I extends TObject, Result> = (
  tx: Tx,
  call: Call<Static<I>, PathId<P>>,
) => Promise<Result>;

function define<P extends string, I extends TObject>(
  spec: Spec<P, I>,
  rest: Pick<Route, 'paged' | 'status'> & { answer?: TSchema },
  handler: Handler<P, I, unknown>,
): Route {
  const account = spec.path.includes(':account_id')
    ? 'in path'
    : spec.access === 'partner'
      ? (spec.account ?? 'optional')
      : 'none';
  return {
    ...spec,
    ...rest,
    role: spec.role ?? (spec.method === 'GET' ? 'viewer' : 'staff'),
    account,
    input: withAccount(spec.input, account),
    handler: handler as Route['handler'],
    besides: spec.besides as Route['besides'],
    contactOf: undefined,
    isLong: spec.isLong as Route['isLong'],
  };
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
  const { title } = input as { title?: string };
  return Type.Object(
    { account_id: account === 'required' ? accountId : optionalAccountId, ...input.properties },
    title === undefined ? {} : { title },
  );
}

/** A route that answers one object. */
export function jsonRoute<P extends string, I extends TObject, A extends TSchema>(
  { contactOf, ...spec }: Spec<P, I> & { answer: A; status?: 200 | 201; contactOf?(answer: Static<A>): number | null },
  handler: Handler<P, I, Static<A>>,
): Route {
  const operation = define(spec, { answer: spec.answer, paged: false, status: spec.status ?? 200 }, handler);
  return { ...operation, contactOf: contactOf as Route['contactOf'] };
}

/** A route that answers one object, whose concurrent calls are read together; what would be too much there, alone. */
export function batchedRead<P extends string, I extends TObject, A extends TSchema>(
  spec: Spec<P, I> & { answer: A },
  together: BatchedRead<Call<Static<I>, PathId<P>>, Static<A>>,
  alone: Handler<P, I, Static<A> | JsonText> = async (tx, call) => {
    const [found] = await together(tx, call.accountId, [call]);
    if (found instanceof Error) throw found;
    return found as Static<A>;
  },
): Route {
  return { ...jsonRoute(spec, alone as Handler<P, I, Static<A>>), together: together as BatchedRead };
}

const format = Type.Optional(
  Type.Enum(['csv'], { description: '`csv` returns the whole list as one CSV file, for links in a browser.' }),
);

/** A route that answers a list, in pages; or all of it as CSV, where it says how. */
export function listRoute<P extends string, I extends TObject, A extends TSchema>(
  { csv, ...spec }: Spec<P, I> & { answer: A; csv?: Csv<Call<Static<I>, PathId<P>>, Static<A> & { id: number }> },
  handler: Handler<P, I, Rows<Static<A>>>,
): Route {
  const input = csv ? (Type.Object({ ...spec.input.properties, format }) as unknown as I) : spec.input;
  const operation = define({ ...spec, input }, { answer: spec.answer, paged: true, status: 200 }, handler);
  return csv ? { ...operation, csv: csv as unknown as Csv } : operation;
}

/** The same list; of concurrent calls, those that ask for the same share one reading. Its handler goes by the input and the slice alone. */
export function shareConcurrentReads(list: Route): Route {
  const together: BatchedRead = (tx, _, calls) => {
    const readings = new Map<string, Promise<unknown>>();
    return Promise.all(
      calls.map(async (call) => {
        const wanted = JSON.stringify([call.input, call.slice]);
        const reading = readings.get(wanted) ?? list.handler(tx, call);
        readings.set(wanted, reading);
        return call.paginate((await reading) as Rows<unknown>);
      }),
    );
  };
  return { ...list, together };
}

/** A route that answers 204 and no body. */
export function noContentRoute<P extends string, I extends TObject>(
  spec: Spec<P, I>,
  handler: Handler<P, I, void>,
): Route {
  return define(spec, { paged: false, status: 204 }, handler);
}

/** A route whose concurrent calls are written together, each answered after the commit by its own outcome. */
export function batchedWrite<P extends string, I extends TObject, A extends TSchema, Command, Done>(
  spec: Spec<P, I> & { answer: A },
  gathered: Omit<BatchedWrite<Command, Done>, 'prepare' | 'answer'> & {
    prepare(call: Call<Static<I>>, errors: ErrorCollector, world: World): MaybePromise<Command>;
    answer(done: Done, call: Call<Static<I>>): Static<A>;
  },
): Route {
  const operation = define(spec, { answer: spec.answer, paged: false, status: 200 }, () => {
    throw new Error('It is gathered.');
  });
  return { ...operation, gathered: gathered as BatchedWrite };
}
