import type { TracingOptions } from '../config.ts';
import type { Logger } from '../log.ts';
import { SpanExporter } from './exporter.ts';
import { BatchTrace, Tracer } from './tracer.ts';

export interface Tracing {
  tracer: Tracer;
  batchTrace: BatchTrace;
  /** Sends the last spans. */
  close(): Promise<void>;
}

/** Turns tracing on. Imported only then. */
export function createTracing(options: TracingOptions, log: Logger, onDropped: (count: number) => void): Tracing {
  const exporter = new SpanExporter(options, {
    dropped: onDropped,
    failed: (reason) => log.warn({ reason }, 'sending traces failed'),
  });
  return {
    tracer: new Tracer(options.share, (span) => exporter.add(span)),
    batchTrace: new BatchTrace(),
    close: () => exporter.close(),
  };
}
