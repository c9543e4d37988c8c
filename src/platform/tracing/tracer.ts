import { randomBytes } from 'node:crypto';
import { isUuid } from '../../shared/uuid.ts';
import type { OtlpSpan } from './exporter.ts';

type Attributes = Record<string, string | number | undefined>;

/** The kinds of spans in OTLP. */
const [internal, server, client] = [1, 2, 3];
const errorStatus = 2;

/** The version, trace id, parent id and flags, by W3C Trace Context. Version ff is invalid. */
const traceparentPattern = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;

/** Starts the span of each recorded request. Exists only if tracing is on. */
export class Tracer {
  readonly #share: number;
  readonly #add: (span: OtlpSpan) => void;

  constructor(share: number, add: (span: OtlpSpan) => void) {
    this.#share = share;
    this.#add = add;
  }

  /** Undefined: the request is not recorded. */
  start(traceparent: unknown): RequestSpan | undefined {
    const [, traceId, parentId, flags = ''] =
      (typeof traceparent === 'string' && traceparentPattern.exec(traceparent)) || [];
    const isRecorded = traceId === undefined ? Math.random() < this.#share : (Number.parseInt(flags, 16) & 1) === 1;
    return isRecorded ? new RequestSpan(this.#add, traceId ?? randomId(16), parentId) : undefined;
  }
}

/** The span of a request. Its attributes contain no data of guests. */
export class RequestSpan {
  readonly #add: (span: OtlpSpan) => void;
  readonly #traceId: string;
  readonly #parentId: string | undefined;
  readonly #id = randomId(8);
  readonly #began = now();

  constructor(add: (span: OtlpSpan) => void, traceId: string, parentId: string | undefined) {
    this.#add = add;
    this.#traceId = traceId;
    this.#parentId = parentId;
  }

  /** Records work in a transaction as a child span. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const began = now();
    let isDone = false;
    try {
      const result = await work();
      isDone = true;
      return result;
    } finally {
      this.endTransaction(began, isDone);
    }
  }

  endTransaction(began: number, isDone: boolean, attributes: Attributes = {}): void {
    const all = { 'db.system.name': 'postgresql', ...attributes };
    this.#record(randomId(8), this.#id, 'database transaction', client, began, all, isDone);
  }

  endBatchWait(began: number): void {
    this.#record(randomId(8), this.#id, 'batch wait', internal, began, {}, true);
  }

  end({ method, route, status, accountId, requestId, ownRequestId }: EndOfRequest): void {
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'regulars.account_id': accountId > 0 ? accountId : undefined,
      'regulars.request_id': ownRequestId ? requestId : undefined,
      'regulars.client_request_id': !ownRequestId && isUuid(requestId) ? requestId : undefined,
    };
    this.#record(this.#id, this.#parentId, `${method} ${route}`, server, this.#began, attributes, status < 500);
  }

  #record(
    spanId: string,
    parentSpanId: string | undefined,
    name: string,
    kind: number,
    began: number,
    attributes: Attributes,
    isDone: boolean,
  ): void {
    this.#add({
      traceId: this.#traceId,
      spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      name,
      kind,
      startTimeUnixNano: nanoseconds(began),
      endTimeUnixNano: nanoseconds(now()),
      attributes: Object.entries(attributes).flatMap(([key, value]) => {
        if (value === undefined) return [];
        return { key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } };
      }),
      status: isDone ? {} : { code: errorStatus },
    });
  }
}

interface EndOfRequest {
  method: string;
  route: string;
  status: number;
  accountId: number;
  requestId: string;
  /** Whether the service made the request id. One of a client can contain a name, so a span has it only if it is a UUID. */
  ownRequestId: boolean;
}

interface Waiting {
  span: RequestSpan;
  since: number;
  hasStarted: boolean;
}

/** Records for each request of a batch how long it waited, and the transactions of the batch. */
export class BatchTrace {
  readonly #waiting = new WeakMap<object, Waiting>();

  enqueue(command: unknown, span: RequestSpan | undefined): void {
    if (span && typeof command === 'object' && command !== null)
      this.#waiting.set(command, { span, since: now(), hasStarted: false });
  }

  async during<T>(commands: readonly unknown[], write: () => Promise<T>): Promise<T> {
    const members = commands.flatMap((command) => this.#waiting.get(command as object) ?? []);
    for (const member of members) {
      // A batch that is retried or halved waits only once.
      if (!member.hasStarted) member.span.endBatchWait(member.since);
      member.hasStarted = true;
    }
    const began = now();
    let isDone = false;
    try {
      const outcomes = await write();
      isDone = true;
      return outcomes;
    } finally {
      const attributes = { 'regulars.batch_size': commands.length };
      for (const { span } of members) span.endTransaction(began, isDone, attributes);
    }
  }
}

/** Milliseconds since 1970, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** A number has no room for nanoseconds since 1970, so the text ends with zeros. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}

function randomId(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
