import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { oneOf } from '../shared/phrases.ts';
import { SetupProblem } from '../shared/problem.ts';

/** All settings of an operator. Only this file reads the environment. */
export interface Config {
  host: string;
  port: number;
  /** Unset: the embedded server in `dataDir`. */
  databaseUrl: string | undefined;
  /** A streaming replica for reads that may be a little stale. */
  databaseReadUrl: string | undefined;
  readStalenessSeconds: number;
  dataDir: string;
  adminToken: string | undefined;
  /** Without a trailing slash. Unset: the scheme and host of the request. */
  publicUrl: string | undefined;
  emailDomainCheck: (typeof emailDomainChecks)[number];
  /** The DNS servers for e-mail domains. Unset: those of the system. */
  dnsServers: string[] | undefined;
  /** Addresses, networks, or names for the networks of this machine. */
  trustedProxies: string[];
  /** Whether webhooks may lead to private networks. */
  webhookPrivateAddresses: (typeof privateAddresses)[number];
  rateLimitPerMinute: number;
  bodyLimitBytes: number;
  batching: (typeof batchings)[number];
  workers: number;
  logLevel: (typeof logLevels)[number];
  /** Unset: no traces. */
  tracing: TracingOptions | undefined;
  /** Whether npm started the process. npm sets a variable for its scripts. */
  startedByNpm: boolean;
}

/** Where and how traces are sent. */
export interface TracingOptions {
  /** The base URL of an OTLP receiver. */
  endpoint: string;
  headers: Record<string, string>;
  serviceName: string;
  /** The share of the requests to record, from 0 to 1. The caller's own choice in `traceparent` is followed instead. */
  share: number;
}

const emailDomainChecks = ['dns', 'list', 'off'] as const;
const batchings = ['on', 'off'] as const;
const privateAddresses = ['refuse', 'allow'] as const;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

type Environment = Record<string, string | undefined>;

/** `defaults` replaces the documented defaults. */
export function readConfig(env: Environment = process.env, defaults: Environment = {}): Config {
  const problems: string[] = [];

  function text(name: string): string | undefined {
    const value = env[name]?.trim();
    return value === '' || value === undefined ? defaults[name] : value;
  }
  function integer(name: string, fallback: number, min: number, max: number): number {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    problems.push(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
    return fallback;
  }
  function choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = text(name)?.toLowerCase();
    if (value === undefined) return fallback;
    const found = choices.find((one) => one === value);
    if (found === undefined) problems.push(`${name} must be ${oneOf(choices)}, not "${value}".`);
    return found ?? fallback;
  }
  function url(name: string, protocols: readonly string[], example: string): URL | undefined {
    const value = text(name);
    if (value === undefined) return undefined;
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    if (parsed && protocols.includes(parsed.protocol)) return parsed;
    // The value can contain a password, so it is not repeated.
    problems.push(`${name} must look like ${example}.`);
    return undefined;
  }

  const adminToken = text('ADMIN_TOKEN');
  if (adminToken !== undefined && !/^[\x21-\x7e]+$/.test(adminToken)) {
    problems.push(
      'ADMIN_TOKEN must be plain characters without spaces, as it travels in a header. Try `openssl rand -hex 32`.',
    );
  }
  if (adminToken !== undefined && adminToken.length < 16) {
    problems.push('ADMIN_TOKEN must have at least 16 characters, as it has every right. Try `openssl rand -hex 32`.');
  }
  function database(name: string): string | undefined {
    const example = 'postgres://user:password@host:5432/database';
    const value = url(name, ['postgres:', 'postgresql:'], example);
    if (value && value.pathname.length < 2) problems.push(`${name} must name a database: ${example}.`);
    return value?.href;
  }
  const databaseUrl = database('DATABASE_URL');
  const databaseReadUrl = database('DATABASE_READ_URL');
  if (databaseReadUrl !== undefined && text('DATABASE_URL') === undefined) {
    problems.push('DATABASE_READ_URL must be a replica of the server in DATABASE_URL, which is not set.');
  }
  const host = text('HOST') ?? '127.0.0.1';
  if (/[\s/]/.test(host)) problems.push(`HOST must be an address or a host name, not "${host}".`);

  const dnsServers = text('DNS_SERVERS')?.split(/[\s,]+/);
  for (const server of dnsServers ?? []) {
    if (!/^(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:]+\])(:\d+)?$|^[\da-f:]+$/i.test(server)) {
      problems.push(`DNS_SERVERS must be addresses such as 192.0.2.1 or 192.0.2.1:53, not "${server}".`);
    }
  }

  const trustedProxies = text('TRUSTED_PROXIES')?.split(/[\s,]+/) ?? [];
  for (const proxy of trustedProxies) {
    if (!isNetwork(proxy))
      problems.push(`TRUSTED_PROXIES must be addresses, networks such as 10.0.0.0/8, or loopback, not "${proxy}".`);
  }

  const share = Number(text('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (!(share >= 0 && share <= 1)) problems.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
  const headers: Record<string, string> = {};
  for (const pair of text('OTEL_EXPORTER_OTLP_HEADERS')?.split(',') ?? []) {
    const [, name, value] = /^\s*([\w-]+)=([\x21-\x7e]*)\s*$/.exec(pair) ?? [];
    // A value is often a secret, so it is not repeated.
    if (name === undefined || value === undefined || !isDecodable(value))
      problems.push('OTEL_EXPORTER_OTLP_HEADERS must look like name=value,name=value.');
    else headers[name] = decodeURIComponent(value);
  }
  const endpoint = url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'], 'http://127.0.0.1:4318')?.href;
  const serviceName = text('OTEL_SERVICE_NAME') ?? 'regulars';

  const config: Config = {
    host,
    port: integer('PORT', 8080, 0, 65_535),
    databaseUrl,
    databaseReadUrl,
    readStalenessSeconds: integer('READ_STALENESS_SECONDS', 5, 2, 3600),
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    adminToken,
    publicUrl: url('PUBLIC_URL', ['http:', 'https:'], 'https://guests.example.com')?.href.replace(/\/+$/, ''),
    emailDomainCheck: choice('EMAIL_DOMAIN_CHECK', emailDomainChecks, 'dns'),
    dnsServers,
    trustedProxies,
    webhookPrivateAddresses: choice('WEBHOOK_PRIVATE_ADDRESSES', privateAddresses, 'refuse'),
    rateLimitPerMinute: integer('RATE_LIMIT_PER_MINUTE', 6000, 0, 1_000_000_000),
    bodyLimitBytes: integer('BODY_LIMIT_BYTES', 1_048_576, 1, 1_073_741_824),
    batching: choice('BATCHING', batchings, 'on'),
    workers: integer('WORKERS', 1, 1, 256),
    logLevel: choice('LOG_LEVEL', logLevels, 'info'),
    tracing: endpoint === undefined ? undefined : { endpoint, headers, serviceName, share },
    startedByNpm: env.npm_lifecycle_event !== undefined,
  };
  if (problems.length > 0) throw new SetupProblem(['The settings are not right:', ...problems].join('\n  - '));
  return config;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
}
