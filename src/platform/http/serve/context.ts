import { FairQueue } from '../../../shared/fair-queue.ts';
import type { ActiveAccounts } from '../../batching/active-accounts.ts';
import type { Database } from '../../db/database.ts';
import type { Replica } from '../../db/open/replica.ts';
import type { BatchTrace } from '../../tracing/tracer.ts';
import type { Services } from '../call.ts';
import type { RunIdempotent } from '../idempotency-key.ts';
import type { AuthBackend, RequestAuth } from '../request-auth.ts';

/** What every route is served with. */
export interface ServeContext {
  db: Database;
  replica: Replica | undefined;
  auth: RequestAuth;
  authBackend: AuthBackend;
  runIdempotent: RunIdempotent;
  publicUrl: string | undefined;
  batching: 'on' | 'off';
  now(): Date;
  services: Services;
  onBatch(name: string, size: number): void;
  onOutcome(route: string, outcome: string): void;
  /** Called for an error after the response has started. */
  onLateError(error: unknown, requestId: string): void;
  /** Long requests hold a database connection until they end. */
  longRequests: FairQueue<number>;
  /** Large bodies and responses keep the process busy for a while. */
  largeRequests: FairQueue<number>;
  activeAccounts: ActiveAccounts;
  /** Undefined: tracing is off. */
  batchTrace: BatchTrace | undefined;
}

type Write<Command, Result> = (accountId: number, commands: Command[]) => Promise<Result>;

/** The function that writes a batch, with a span for each request if tracing is on. */
export function traced<Command, Result>(
  { batchTrace }: ServeContext,
  write: Write<Command, Result>,
): Write<Command, Result> {
  if (!batchTrace) return write;
  return (accountId, commands) => batchTrace.during(commands, () => write(accountId, commands));
}

/** An account runs one long request at a time, so the requests of other accounts do not wait for all of them. */
export const longRequestQueue = () =>
  new FairQueue<number>({
    ...{ atOnce: 2, perKey: () => 1, mostWaiting: 40, mostWaitingPerKey: 20 },
    full: 'Too many long requests are waiting already.',
  });

export const largeRequestQueue = () =>
  new FairQueue<number>({
    ...{ atOnce: 2, perKey: () => 1, mostWaiting: 1000, mostWaitingPerKey: 100 },
    full: 'Too many large requests are waiting already.',
  });
