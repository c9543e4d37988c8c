import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { accountRoutes } from '../features/access/accounts/routes.ts';
import { findLiveAccount, holdAccount } from '../features/access/accounts/store.ts';
import { auditRoutes } from '../features/access/audit/routes.ts';
import { insertAudit } from '../features/access/audit/store.ts';
import { RequestRecorder } from '../features/access/requests/recorder.ts';
import { requestRoutes } from '../features/access/requests/routes.ts';
import { signInRoutes } from '../features/access/sign-in/routes.ts';
import { sessionLookUp, userByPassword } from '../features/access/sign-in/sign-in.ts';
import { Authenticator } from '../features/access/tokens/authenticate.ts';
import { tokenRoutes } from '../features/access/tokens/routes.ts';
import { userRoutes } from '../features/access/users/routes.ts';
import { bookingRoutes } from '../features/activity/bookings/routes.ts';
import { presenceRoutes } from '../features/activity/presence/routes.ts';
import { countWaitingInAllAccounts } from '../features/activity/purchases/read.ts';
import { purchaseRoutes } from '../features/activity/purchases/routes.ts';
import { stayRoutes } from '../features/activity/stays/routes.ts';
import { eventRoutes } from '../features/exchange/events/routes.ts';
import { countEvents, countWebhooks } from '../features/exchange/webhooks/count.ts';
import { webhookRoutes } from '../features/exchange/webhooks/routes.ts';
import { sumChecks, sumRepairedCounts } from '../features/figures/check-store.ts';
import { figureRoutes } from '../features/figures/routes.ts';
import { consentRoutes } from '../features/guests/consent/routes.ts';
import { contactRoutes, contactSearchRoute } from '../features/guests/contacts/routes.ts';
import type { EmailDomains } from '../features/guests/domains/check.ts';
import { domainRoutes } from '../features/guests/domains/routes.ts';
import { erasureRoutes } from '../features/guests/erasure/routes.ts';
import { feedbackRoutes } from '../features/guests/feedback/routes.ts';
import { noteRoutes } from '../features/guests/notes/routes.ts';
import { mergeRoutes } from '../features/guests/write/merge-routes.ts';
import { contactWriteRoutes } from '../features/guests/write/routes.ts';
import { activityRoutes } from '../features/insight/overview/activity-routes.ts';
import { overviewRoutes } from '../features/insight/overview/routes.ts';
import { segmentActionRoutes } from '../features/insight/segments/action-routes.ts';
import { contactSegmentRoutes, withDefinition } from '../features/insight/segments/contact-routes.ts';
import { partnerSegmentRoutes } from '../features/insight/segments/partner-routes.ts';
import { segmentRoutes } from '../features/insight/segments/routes.ts';
import { timelineRoutes } from '../features/insight/timeline/routes.ts';
import { venueRoutes } from '../features/insight/venues/routes.ts';
import { groupRoutes } from '../features/venues/groups/routes.ts';
import { lookupRoutes } from '../features/venues/lookups/routes.ts';
import { unitListingRoutes } from '../features/venues/unit-listing/routes.ts';
import { unitRoutes } from '../features/venues/units/routes.ts';
import { voucherCodeRoutes } from '../features/vouchers/code-routes.ts';
import { voucherGroupRoutes } from '../features/vouchers/group-routes.ts';
import { voucherRoutes } from '../features/vouchers/routes.ts';
import { ActiveAccounts } from '../platform/batching/active-accounts.ts';
import type { Config, TracingOptions } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import type { Replica } from '../platform/db/open/replica.ts';
import { serveDashboard } from '../platform/http/dashboard.ts';
import { serveDocs } from '../platform/http/docs.ts';
import { unavailable } from '../platform/http/errors.ts';
import { createLimits, type Limits } from '../platform/http/limits.ts';
import { collectMethods } from '../platform/http/methods.ts';
import { createMetrics, type Metrics } from '../platform/http/metrics.ts';
import { type AuthBackend, createRequestAuth } from '../platform/http/request-auth.ts';
import type { Route } from '../platform/http/route.ts';
import { largeRequestQueue, longRequestQueue, type ServeContext } from '../platform/http/serve/context.ts';
import { serve } from '../platform/http/serve/serve.ts';
import { type CompletedRequest, createServer } from '../platform/http/server.ts';
import { runIdempotent } from '../platform/idempotency/run-idempotent.ts';
import type { MetricValues } from '../platform/internals/prom-client.ts';
import { type Logger, logPlain } from '../platform/log.ts';
import { createPost } from '../platform/outgoing/post.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import { Unavailable } from '../shared/problem.ts';
import { apiDocuments } from './api-documents.ts';
import { countJobs } from './jobs/count.ts';

/** Every route of the partner API and the admin API, in the order of the reference. */
export const routes: readonly Route[] = [
  ...contactWriteRoutes,
  withDefinition(contactSearchRoute),
  ...contactRoutes,
  ...erasureRoutes,
  ...mergeRoutes,
  ...feedbackRoutes,
  ...noteRoutes,
  ...consentRoutes,
  ...timelineRoutes,
  ...figureRoutes,
  ...partnerSegmentRoutes,
  ...segmentRoutes,
  ...segmentActionRoutes,
  ...contactSegmentRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...stayRoutes,
  ...purchaseRoutes,
  ...bookingRoutes,
  ...presenceRoutes,
  ...voucherRoutes,
  ...voucherGroupRoutes,
  ...voucherCodeRoutes,
  ...unitListingRoutes,
  ...unitRoutes,
  ...lookupRoutes,
  ...signInRoutes,
  ...accountRoutes,
  ...userRoutes,
  ...tokenRoutes,
  ...requestRoutes,
  ...groupRoutes,
  ...venueRoutes,
  ...overviewRoutes,
  ...activityRoutes,
  ...domainRoutes,
  ...auditRoutes,
];

export interface AppParts {
  config: Config;
  db: Database;
  /** For reads that may be a little stale. */
  replica?: Replica | undefined;
  domains: EmailDomains;
  log: Logger;
  /** The clock. If the database was opened with `now`, this must be the same clock. */
  now?: () => Date;
  /** Whether the start is complete. Before that /health responds 503. */
  isReady?: () => boolean;
  /** Default: new ones. */
  limits?: Limits;
  /** The other processes behind the same port. */
  others?: OtherProcesses;
  /** The metrics of other threads. */
  furtherMetrics?: () => Promise<MetricValues[]>;
}

export interface OtherProcesses {
  /** Counted for all processes. */
  limits: Limits;
  /** Tells the others that an administrator changed something. */
  adminChanged(): void;
  /** The summed metrics of all processes, including this one. */
  metrics(): Promise<MetricValues[]>;
  /** Registers the functions that the others call in this process. */
  register(own: { adminChanged(): void; metrics(): Promise<MetricValues[]> }): void;
}

/** Builds the HTTP app over an open database. The caller listens, and closes the database after the app. */
export async function buildApp({
  config,
  db,
  replica,
  domains,
  log,
  now = () => new Date(),
  isReady = () => true,
  others,
  furtherMetrics,
  limits = others?.limits ?? createLimits(config.rateLimitPerMinute),
}: AppParts): Promise<FastifyInstance> {
  const metrics = createMetrics(db, {
    dataDir: config.databaseUrl === undefined ? config.dataDir : undefined,
    sampled: [
      {
        name: 'regulars_purchases_waiting',
        help: 'Purchases not matched to a contact yet, by the key that they wait for.',
        label: 'key',
        read: () => countWaitingInAllAccounts(db),
      },
      {
        name: 'regulars_jobs',
        help: 'Background jobs in the queue, by state.',
        label: 'state',
        read: () => db.transaction(countJobs),
      },
      {
        name: 'regulars_figures_contacts',
        help: 'Contacts whose figures the nightly check compared with their activity, and those that it repaired.',
        label: 'result',
        read: () => db.transaction(sumChecks),
      },
      {
        name: 'regulars_figures_counts',
        help: 'Kept counts of Home, Venues and vouchers that the check repaired.',
        label: 'result',
        read: () => db.transaction(sumRepairedCounts),
      },
      {
        name: 'regulars_webhooks',
        help: 'Webhooks by state. Failing ones are active too.',
        label: 'state',
        read: () => countWebhooks(db),
      },
      {
        name: 'regulars_outbox',
        help: 'Events that wait, of accounts with webhooks: rows without a position, events behind the slowest webhook, deliveries that are tried again, and the age of the oldest in seconds.',
        label: 'what',
        read: () => countEvents(db),
      },
    ],
    ...(furtherMetrics && { further: furtherMetrics }),
  });
  const recorder = new RequestRecorder(db, {
    batch: (size) => metrics.batch('request_log', size),
    dropped: (count) => metrics.dropped('request_log', count),
    failed: (err) => log.warn({ err }, 'writing the request log failed'),
  });
  const tracing = config.tracing && (await startTracing(config.tracing, log, metrics));
  const app = createServer({
    bodyLimitBytes: config.bodyLimitBytes,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    processes: others ? config.workers : 1,
    log,
    onCompleted: (request) => recordRequest(request, now(), log, metrics, recorder),
    onFailed: metrics.failed,
    tracer: tracing?.tracer,
  });
  const methodsAt = collectMethods(app);
  const authenticator = new Authenticator(db);
  const forget = () => {
    authenticator.forget();
    domains.forget();
  };
  others?.register({ adminChanged: forget, metrics: metrics.own });
  const authBackend = createAuthBackend(config, db, authenticator, () => {
    forget();
    others?.adminChanged();
  });
  const allowPrivate = config.webhookPrivateAddresses === 'allow';
  const post = createPost({ allowPrivate, dnsServers: config.dnsServers });
  const auth = createRequestAuth(authBackend, limits, config.publicUrl);
  const context: ServeContext = {
    db,
    replica,
    auth,
    authBackend,
    runIdempotent,
    publicUrl: config.publicUrl,
    batching: config.batching,
    now,
    services: { takesMail: (email) => domains.takesMail(email), post, allowPrivate },
    onBatch: metrics.batch,
    onOutcome: metrics.outcome,
    onLateError: (err, requestId) => {
      const cause = err instanceof Unavailable ? { reason: err.message } : { err };
      log.warn({ request_id: requestId, ...cause }, 'response interrupted');
    },
    longRequests: longRequestQueue(),
    largeRequests: largeRequestQueue(),
    activeAccounts: new ActiveAccounts(),
    batchTrace: tracing?.batchTrace,
  };
  for (const route of routes) serve(app, route, context);

  serveDocs(app, apiDocuments(routes));
  await serveDashboard(app, {
    methodsAt,
    identify: async (request) => {
      // A mistyped path is in the request log of the token. The response is a 404 for every caller.
      request.partner = await Promise.resolve()
        .then(() => auth.partner(request))
        .catch(() => undefined);
    },
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text(await others?.metrics())),
  );
  app.get('/health', async (_request, reply) => {
    const healthy =
      isReady() &&
      (await db.ping().then(
        () => true,
        () => false,
      ));
    if (healthy) return { status: 'ok' };
    return reply.code(unavailable.status).headers(unavailable.headers).send(unavailable.body);
  });
  app.addHook('onClose', async () => {
    post.close();
    await recorder.close();
    await tracing?.close();
  });
  await app.ready();
  return app;
}

/** Imports the code for traces only if they are on. */
async function startTracing(options: TracingOptions, log: Logger, metrics: Metrics): Promise<Tracing> {
  const { createTracing } = await import('../platform/tracing/tracing.ts');
  return createTracing(options, log, (count) => metrics.dropped('traces', count));
}

/** Counts and logs a request. A request with a token also goes to the request log. */
function recordRequest(
  request: CompletedRequest,
  now: Date,
  log: Logger,
  metrics: Metrics,
  recorder: RequestRecorder,
): void {
  const { requestId, ownRequestId, method, route, status, durationMs } = request;
  const { partner, caller, accountId, errorFields: error_fields, discardedFields: discarded_fields } = request;
  metrics.request(method, route, status, durationMs / 1000);
  const duration_ms = Math.round(durationMs * 100) / 100;
  // Monitoring sends these every few seconds.
  const level = route === '/health' || route === '/metrics' ? 'debug' : 'info';
  if (ownRequestId && error_fields.length === 0) {
    const ids = `${accountId > 0 ? `,"account_id":${accountId}` : ''}${partner ? `,"token_id":${partner.tokenId}` : ''}`;
    const fields = `"request_id":"${requestId}","method":"${method}","route":"${route}","status":${status},"duration_ms":${duration_ms}${ids}`;
    logPlain(log, level, caller === undefined ? fields : `${fields},"caller":"${caller}"`, 'request');
  } else {
    // The request id of a client and the names of its fields can contain anything, so pino formats the line.
    const line = { request_id: requestId, method, route, status, duration_ms };
    const account_id = accountId > 0 ? accountId : undefined;
    log[level]({ ...line, account_id, token_id: partner?.tokenId, caller, error_fields }, 'request');
  }
  if (!partner) return;
  recorder.record(partner.accountId, {
    request_id: requestId,
    address: request.address,
    method,
    route,
    status,
    duration_ms,
    token_id: partner.tokenId,
    at: new Date(now.getTime() - durationMs),
    error_fields,
    discarded_fields,
  });
}

function createAuthBackend(
  config: Config,
  db: Database,
  authenticator: Authenticator,
  onAdminChange: () => void,
): AuthBackend {
  return {
    partner: (secret) => authenticator.token(secret),
    mayAccess: (partner, accountId) => authenticator.mayAccess(partner, accountId),
    isAdminToken: adminTokenCheck(config.adminToken),
    userByPassword: (email, password, client) => userByPassword(db, email, password, client),
    userBySession: sessionLookUp(db),
    recordAuditEvent: insertAudit,
    hasAccount: async (tx, accountId) => (await findLiveAccount(tx, accountId)) !== undefined,
    holdAccount: async (tx, accountId) => (await holdAccount(tx, accountId)) !== undefined,
    onAdminChange,
  };
}

function adminTokenCheck(adminToken: string | undefined): (secret: string) => boolean {
  if (adminToken === undefined) return () => false;
  // Hashes have one length, so the time of the comparison does not depend on the token.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(adminToken);
  return (secret) => timingSafeEqual(digest(secret), expected);
}
