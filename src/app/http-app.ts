import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { accountRoutes } from '../features/access/accounts/routes.ts';
import { holdAccount } from '../features/access/accounts/store.ts';
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
import { howManyWaitEverywhere } from '../features/activity/purchases/read.ts';
import { purchaseRoutes } from '../features/activity/purchases/routes.ts';
import { stayRoutes } from '../features/activity/stays/routes.ts';
import { consentRoutes } from '../features/guests/consent/routes.ts';
import { contactRoutes } from '../features/guests/contacts/routes.ts';
import type { EmailDomains } from '../features/guests/domains/check.ts';
import { domainRoutes } from '../features/guests/domains/routes.ts';
import { erasureRoutes } from '../features/guests/erasure/routes.ts';
import { feedbackRoutes } from '../features/guests/feedback/routes.ts';
import { noteRoutes } from '../features/guests/notes/routes.ts';
import { mergeRoutes } from '../features/guests/write/merge-routes.ts';
import { contactWriteRoutes } from '../features/guests/write/routes.ts';
import { overviewRoutes } from '../features/insight/overview/routes.ts';
import { timelineRoutes } from '../features/insight/timeline/routes.ts';
import { venueRoutes } from '../features/insight/venues/routes.ts';
import { groupRoutes } from '../features/venues/groups/routes.ts';
import { lookupRoutes } from '../features/venues/lookups/routes.ts';
import { unitListingRoutes } from '../features/venues/unit-listing/routes.ts';
import { unitRoutes } from '../features/venues/units/routes.ts';
import { voucherRoutes } from '../features/vouchers/routes.ts';
import { ActiveAccounts } from '../platform/batching/active-accounts.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import { serveDashboard } from '../platform/http/dashboard.ts';
import { serveDocs } from '../platform/http/docs.ts';
import { unavailable } from '../platform/http/errors.ts';
import { createLimits, type Limits } from '../platform/http/limits.ts';
import { collectMethods } from '../platform/http/methods.ts';
import type { MetricValues } from '../platform/http/metric-values.ts';
import { createMetrics, type Metrics } from '../platform/http/metrics.ts';
import { type AuthBackend, createRequestAuth } from '../platform/http/request-auth.ts';
import type { Route } from '../platform/http/route.ts';
import { heavyCalls, longCalls, type Serving, serve } from '../platform/http/serve.ts';
import { type Answered, createServer } from '../platform/http/server.ts';
import { runIdempotent } from '../platform/idempotency/run-idempotent.ts';
import { type Logger, logPlain } from '../platform/log.ts';
import { Unavailable } from '../shared/problem.ts';
import { apiDocuments } from './api-documents.ts';

/** Every route of the API, partners' and admin's, in the order of the reference. */
export const routes: readonly Route[] = [
  ...contactWriteRoutes,
  ...contactRoutes,
  ...erasureRoutes,
  ...mergeRoutes,
  ...feedbackRoutes,
  ...noteRoutes,
  ...consentRoutes,
  ...timelineRoutes,
  ...stayRoutes,
  ...purchaseRoutes,
  ...bookingRoutes,
  ...presenceRoutes,
  ...voucherRoutes,
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
  ...domainRoutes,
  ...auditRoutes,
];

export interface AppParts {
  config: Config;
  db: Database;
  domains: EmailDomains;
  log: Logger;
  /** What the time is taken to be, as the database's `now` where that has one. */
  now?: () => Date;
  /** What else has to be done before the service may call itself healthy. */
  isReady?: () => boolean;
  /** Those who answer behind the same port. */
  others?: Others;
}

export interface Others {
  /** Counted for all of them together. */
  limits: Limits;
  /** Tells them that an administrator changed something. */
  changed(): void;
  /** What all say of themselves, this one among them. */
  figures(): Promise<MetricValues[]>;
  /** Hands over what they ask of this one. */
  attend(ours: { changed(): void; figures(): Promise<MetricValues[]> }): void;
}

/** The HTTP app over an open database; listening, and closing the database after it, are the caller's. */
export async function buildApp({
  config,
  db,
  domains,
  log,
  now = () => new Date(),
  isReady = () => true,
  others,
}: AppParts): Promise<FastifyInstance> {
  const metrics = createMetrics(db, [
    {
      name: 'regulars_purchases_waiting',
      help: 'Purchases not matched to a contact yet, by the key that they wait for.',
      label: 'key',
      read: () => howManyWaitEverywhere(db),
    },
  ]);
  const recorder = new RequestRecorder(db, {
    batch: (size) => metrics.batch('request_log', size),
    dropped: (count) => metrics.dropped('request_log', count),
    failed: (err) => log.warn({ err }, 'the request log could not be written'),
  });
  const app = createServer({
    bodyLimitBytes: config.bodyLimitBytes,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    processes: others ? config.workers : 1,
    log,
    onAnswered: (answered) => keepRecord(answered, now(), log, metrics, recorder),
  });
  const methodsAt = collectMethods(app);
  const authenticator = new Authenticator(db);
  const forget = () => {
    authenticator.forget();
    domains.forget();
  };
  others?.attend({ changed: forget, figures: metrics.own });
  const keeper = createKeeper(config, db, authenticator, () => {
    forget();
    others?.changed();
  });
  const gate = createRequestAuth(keeper, others?.limits ?? createLimits(config.rateLimitPerMinute), config.publicUrl);
  const serving: Serving = {
    db,
    gate,
    keeper,
    once: runIdempotent,
    publicUrl: config.publicUrl,
    batching: config.batching,
    now,
    world: { takesMail: (email) => domains.takesMail(email) },
    onBatch: metrics.batch,
    onOutcome: metrics.outcome,
    onLate: (err, requestId) => {
      const why = err instanceof Unavailable ? { reason: err.message } : { err };
      log.warn({ request_id: requestId, ...why }, 'an answer broke off');
    },
    long: longCalls(),
    heavy: heavyCalls(),
    accounts: new ActiveAccounts(),
  };
  for (const operation of routes) serve(app, operation, serving);

  serveDocs(app, apiDocuments(routes));
  await serveDashboard(app, {
    methodsAt,
    identify: async (request) => {
      // Whoever looks for a mistyped address finds it in the token's log. It is a 404 for everybody else too.
      request.partner = await Promise.resolve()
        .then(() => gate.partner(request))
        .catch(() => undefined);
    },
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text(await others?.figures())),
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
  app.addHook('onClose', () => recorder.close());
  await app.ready();
  return app;
}

/** Every answer is counted and logged; a token's is also kept for staff to read. */
function keepRecord(answered: Answered, now: Date, log: Logger, metrics: Metrics, recorder: RequestRecorder): void {
  const { requestId, ownRequestId, method, route, status, durationMs } = answered;
  const { partner, caller, accountId, errorFields: error_fields, discardedFields: discarded_fields } = answered;
  metrics.request(method, route, status, durationMs / 1000);
  const duration_ms = Math.round(durationMs * 100) / 100;
  // Whoever watches us asks every few seconds; that is no news.
  const level = route === '/health' || route === '/metrics' ? 'debug' : 'info';
  if (ownRequestId && error_fields.length === 0) {
    const who = `${accountId > 0 ? `,"account_id":${accountId}` : ''}${partner ? `,"token_id":${partner.tokenId}` : ''}`;
    const fields = `"request_id":"${requestId}","method":"${method}","route":"${route}","status":${status},"duration_ms":${duration_ms}${who}`;
    logPlain(log, level, caller === undefined ? fields : `${fields},"caller":"${caller}"`, 'request');
  } else {
    // A client's own request id may be anything, and so may what it calls its fields.
    const line = { request_id: requestId, method, route, status, duration_ms };
    const account_id = accountId > 0 ? accountId : undefined;
    log[level]({ ...line, account_id, token_id: partner?.tokenId, caller, error_fields }, 'request');
  }
  if (!partner) return;
  recorder.record(partner.accountId, {
    request_id: requestId,
    address: answered.address,
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

function createKeeper(config: Config, db: Database, authenticator: Authenticator, changed: () => void): AuthBackend {
  return {
    partner: (secret) => authenticator.token(secret),
    mayAccess: (partner, accountId) => authenticator.mayAccess(partner, accountId),
    isAdminToken: adminTokenCheck(config.adminToken),
    userByPassword: (email, password, client) => userByPassword(db, email, password, client),
    userBySession: sessionLookUp(db),
    record: insertAudit,
    holdAccount: async (tx, accountId) => (await holdAccount(tx, accountId)) !== undefined,
    changed,
  };
}

function adminTokenCheck(adminToken: string | undefined): (secret: string) => boolean {
  if (adminToken === undefined) return () => false;
  // Hashes are of one length, so the comparison's time says nothing about the token.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(adminToken);
  return (secret) => timingSafeEqual(digest(secret), expected);
}
