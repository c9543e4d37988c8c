import { describe, expect, it } from 'vitest';
import { deedInWords } from '../../dashboard/src/settings/deed.ts';
import { routes } from '../../src/app/http-app.ts';

describe('the audit trail in words', () => {
  it('tells every change that the admin API can make as something that was done', () => {
    const changes = routes.filter(({ access, method }) => access !== 'partner' && method !== 'GET');
    expect(changes.length).toBeGreaterThan(40);
    for (const { summary } of changes)
      expect(deedInWords({ action: summary, subject: null }), summary).toMatch(/^(\w+ed|Gave|Said|Undid) /);
  });

  it('names what it was done to', () => {
    expect(deedInWords({ action: 'Create a unit', subject: 'The Anchor' })).toBe('Created the unit The Anchor');
    expect(deedInWords({ action: 'Delete an account', subject: 'Inns' })).toBe('Deleted the account Inns');
    expect(deedInWords({ action: 'Generate or import voucher codes', subject: '500 in Summer' })).toBe(
      'Generated or imported voucher codes: 500 in Summer',
    );
    expect(deedInWords({ action: 'Wrong password', subject: null })).toBe('Gave a wrong password');
    expect(deedInWords({ action: 'Add a note to a contact', subject: null })).toBe('Added a note to a contact');
    expect(deedInWords({ action: 'Something new', subject: null })).toBe('Something new');
  });
});
