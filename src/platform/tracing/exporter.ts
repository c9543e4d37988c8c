import { messageOf } from '../../shared/errors.ts';
import type { TracingOptions } from '../config.ts';

/** A span in the JSON encoding of OTLP. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue: string } | { intValue: string } }[];
  status: { code?: number };
}

interface Events {
  /** Spans were dropped: the queue was full, or the receiver did not accept them. */
  dropped(count: number): void;
  /** Called for the first failure after a success, so that an unavailable receiver does not fill the log. */
  failed(reason: string): void;
}

const mostQueued = 8192;
const mostPerRequest = 2048;
const sendEveryMs = 1000;
const timeoutMs = 5000;
/** At the shutdown, all queued spans together have this time. */
const closeTimeoutMs = 5000;

/** Sends spans over OTLP/HTTP as JSON, one request at a time. It never delays a request: a full queue drops spans. */
export class SpanExporter {
  readonly #url: string;
  readonly #options: TracingOptions;
  readonly #events: Events;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #queue: OtlpSpan[] = [];
  #sending: Promise<void> | undefined;
  #isFailing = false;

  constructor(options: TracingOptions, events: Events) {
    this.#url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
    this.#options = options;
    this.#events = events;
    this.#timer = setInterval(() => void this.#send(), sendEveryMs).unref();
  }

  add(span: OtlpSpan): void {
    if (this.#queue.length >= mostQueued) this.#events.dropped(1);
    else if (this.#queue.push(span) >= mostPerRequest) void this.#send();
  }

  /** Sends the queued spans, and drops what the receiver has not taken in time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const timer = setTimeout(() => this.#closing.abort(new Error('the service stops')), closeTimeoutMs);
    do await this.#send();
    while (this.#queue.length > 0 && !this.#closing.signal.aborted);
    clearTimeout(timer);
    if (this.#queue.length > 0) this.#events.dropped(this.#queue.length);
    this.#queue = [];
  }

  #send(): Promise<void> {
    if (this.#queue.length > 0)
      this.#sending ??= this.#post(this.#queue.splice(0, mostPerRequest)).finally(() => {
        this.#sending = undefined;
      });
    return this.#sending ?? Promise.resolve();
  }

  async #post(spans: OtlpSpan[]): Promise<void> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { ...this.#options.headers, 'content-type': 'application/json' },
        body: JSON.stringify(tracesOf(this.#options.serviceName, spans)),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closing.signal]),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`status ${response.status}`);
      this.#isFailing = false;
    } catch (error) {
      // Not sent again: traces are samples, and a queue for retries would need more memory.
      this.#events.dropped(spans.length);
      if (!this.#isFailing) this.#events.failed(messageOf(error));
      this.#isFailing = true;
    }
  }
}

function tracesOf(serviceName: string, spans: OtlpSpan[]) {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: serviceName } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'regulars' }, spans }] }] };
}
