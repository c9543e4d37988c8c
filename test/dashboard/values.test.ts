import { describe, expect, it } from 'vitest';
import { day, id, oneOf, parseSearch, searchOf, stringifySearch, text } from '../../dashboard/src/search.ts';
import {
  formatDay,
  formatInstant,
  formatMoney,
  formatRelative,
  formatWallClock,
  withCount,
} from '../../dashboard/src/ui/format.ts';

describe('times', () => {
  it('in the account’s time zone are shown as written, in any browser time zone', () => {
    expect(formatWallClock('2026-03-29 01:30:00')).toMatch(/29.*2026.*1:30/);
    expect(formatDay('2026-03-29')).toMatch(/29/);
    expect(formatDay('2026-12-31 23:59:59')).toMatch(/31/);
  });

  it('that are instants are shown in the account’s time zone', () => {
    expect(formatInstant('2026-07-01T23:30:00.000Z', 'Europe/London')).toMatch(/2.*12:30/);
    expect(formatInstant('2026-07-01T23:30:00.000Z', 'UTC')).toMatch(/1.*11:30/);
  });

  it('are relative in a suitable unit', () => {
    const now = Date.parse('2026-03-01T12:00:00Z');
    const ago = (seconds: number) => formatRelative(new Date(now - seconds * 1000).toISOString(), now);
    expect(ago(3)).toBe('just now');
    expect(ago(5 * 60)).toBe('5 minutes ago');
    expect(ago(26 * 3600)).toBe('yesterday');
    expect(ago(400 * 86400)).toBe('last year');
  });
});

describe('amounts', () => {
  it('have two decimal places, and nouns agree with their number', () => {
    expect(formatMoney('1204.5')).toBe('1,204.50');
    expect(withCount(1, 'guest')).toBe('1 guest');
    expect(withCount(1200, 'guest')).toBe('1,200 guests');
  });
});

describe('the query of a page', () => {
  const search = searchOf({ page: id, from: day, search: text, consent: oneOf('email', 'sms') });
  const read = (query: string) => search(parseSearch(query));

  it('contains only the expected parameters', () => {
    expect(read('?page=2&from=2026-03-01&search=ana&consent=sms&other=1')).toEqual({
      page: 2,
      from: '2026-03-01',
      search: 'ana',
      consent: 'sms',
    });
    expect(read('?page=x&from=2026-02-99&search=&consent=fax')).toEqual({});
    expect(read('?page=0')).toEqual({});
  });

  it('keeps a searched number as typed', () => {
    for (const number of ['07700900123', '447700900123', '12345678901234567890'])
      expect(read(stringifySearch({ search: number }))).toEqual({ search: number });
  });
});
