import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/config.ts';

describe('the settings', () => {
  it('have the documented defaults', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      databaseUrl: undefined,
      databaseReadUrl: undefined,
      readStalenessSeconds: 5,
      dataDir: resolve('./data'),
      adminToken: undefined,
      publicUrl: undefined,
      emailDomainCheck: 'dns',
      trustedProxies: [],
      webhookPrivateAddresses: 'refuse',
      rateLimitPerMinute: 6000,
      bodyLimitBytes: 1_048_576,
      batching: 'on',
      workers: 1,
      logLevel: 'info',
      startedByNpm: false,
    });
  });
  it('treat blank as unset, and drop the slash after PUBLIC_URL', () => {
    expect(readConfig({ PORT: ' ', PUBLIC_URL: 'https://guests.example.com/crm/', LOG_LEVEL: 'DEBUG' })).toMatchObject({
      port: 8080,
      publicUrl: 'https://guests.example.com/crm',
      logLevel: 'debug',
    });
  });
  it('turn traces on with the endpoint of a receiver, and read the variables of OpenTelemetry', () => {
    expect(readConfig({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER_ARG: '0.5' }).tracing).toBeUndefined();
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    const usual = { endpoint: 'http://collector:4318/', headers: {}, serviceName: 'regulars', share: 1 };
    expect(readConfig(endpoint).tracing).toEqual(usual);
    const more = { OTEL_SERVICE_NAME: 'guests', OTEL_TRACES_SAMPLER_ARG: '0.1' };
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b==, x=1' };
    expect(readConfig({ ...endpoint, ...more, ...headers }).tracing).toEqual({
      ...usual,
      ...{ headers: { 'api-key': 'a b==', x: '1' }, serviceName: 'guests', share: 0.1 },
    });
  });
  it('can have other defaults for another program', () => {
    const usual = { DATA_DIR: './demo-data', LOG_LEVEL: 'warn' };
    expect(readConfig({ DATA_DIR: '', LOG_LEVEL: 'error' }, usual)).toMatchObject({
      dataDir: resolve('./demo-data'),
      logLevel: 'error',
      port: 8080,
    });
  });
  it('are all reported at once if they are invalid, without repeating a secret', () => {
    const bad = {
      HOST: 'a b',
      PORT: '80800',
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      DATABASE_READ_URL: 'postgres://localhost',
      READ_STALENESS_SECONDS: '1',
      ADMIN_TOKEN: 'two words',
      PUBLIC_URL: 'guests.example.com',
      EMAIL_DOMAIN_CHECK: 'maybe',
      TRUSTED_PROXIES: '10.0.0.0/33',
      RATE_LIMIT_PER_MINUTE: '-1',
      BODY_LIMIT_BYTES: '1MB',
      BATCHING: 'some',
      WORKERS: '0',
      LOG_LEVEL: 'loud',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'a secret',
      OTEL_TRACES_SAMPLER_ARG: '2',
    };
    let message = '';
    try {
      readConfig(bad);
    } catch (error) {
      message = (error as Error).message;
    }
    for (const name of Object.keys(bad)) expect(message).toContain(name);
    expect(message).not.toMatch(/hunter2|two words/);
  });
  it('require an ADMIN_TOKEN of at least 16 characters', () => {
    expect(() => readConfig({ ADMIN_TOKEN: 'x'.repeat(15) })).toThrow(/ADMIN_TOKEN must have at least 16 characters/);
    expect(readConfig({ ADMIN_TOKEN: 'x'.repeat(16) }).adminToken).toBe('x'.repeat(16));
  });
  it('require a database name in DATABASE_URL', () => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://localhost:5432' })).toThrow(/must name a database/);
  });
});
