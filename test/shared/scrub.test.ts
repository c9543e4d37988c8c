import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { scrub } from '../../src/shared/scrub.ts';

describe('scrubbing a log line', () => {
  it.each([
    ['token regulars_pat_12_0ZaFMWvMwUf74gshNR_e1QFiL9IAmmPNYhzIdL9nT0c.', 'token [token].'],
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer [secret]'],
    ['Basic YWRtaW46c2VjcmV0', 'Basic [secret]'],
    ['postgres://regulars:s3cr3t-x@127.0.0.1:5432/db', 'postgres://regulars:[secret]@127.0.0.1:5432/db'],
    ["Key (email)=(anna.o'neil+x@mail.example.co.uk) already exists", 'Key (email)=([email]) already exists'],
    ['mobile 447700900123, +44 7700 900 123 and 07700-900123', 'mobile [number], [number] and [number]'],
  ])('%s', (line, expected) => expect(scrub(line)).toBe(expected));

  it.each([
    '{"time":"2026-11-15T02:15:15.698Z","pid":4750,"duration_ms":20.87,"account_id":12}',
    '"request_id":"3609c2f9-c5c6-4746-947d-dcc635db6dee"',
    '{"account_id":123456789,"token_id":12345678901}',
    '"request_id":"447700900123"',
    '"request_id":"12345678-1234-4123-8123-123456789012"',
  ])('keeps harmless text: %s', (line) => expect(scrub(line)).toBe(line));

  it('takes linear time for a long line', () => {
    expect(scrub('a'.repeat(1_000_000))).toHaveLength(1_000_000);
    expect(scrub('1'.repeat(1_000_000))).toHaveLength(1_000_000);
  });

  it('is applied to every line of the log, and removes quoted data from errors', () => {
    const lines: string[] = [];
    const log = createLog('trace', { write: (line) => void lines.push(line) });
    log.info({ note: 'mail anna@example.com', secret: 'Bearer abcdef' }, 'call 07700 900123');
    log.error({
      err: Object.assign(new Error('duplicate key'), {
        detail: 'Key (name)=(Anna Smith)',
        parameters: ['Anna Smith'],
        code: '23505',
        table: 'contacts',
        constraint: 'contacts_pkey',
      }),
    });
    const text = lines.join('');
    expect(lines).toHaveLength(2);
    expect(text).not.toMatch(/anna@|abcdef|07700|Anna Smith/);
    for (const part of ['"code":"23505"', '"table":"contacts"', '"constraint":"contacts_pkey"'])
      expect(text).toContain(part);
  });
});
