import { describe, expect, it } from 'vitest';
import { setUdf } from '../../../../src/features/guests/udfs/section.ts';
import {
  attach,
  hasWithdrawn,
  inheritWithdrawal,
  newContactState,
  set,
  storeTo,
} from '../../../../src/features/guests/write/contact-state.ts';

describe('a withdrawal of consent, on a merge', () => {
  it('of the merged contact applies to the survivor', () => {
    const [from, into] = [newContactState(), newContactState()];
    from.withdrawn.add('email');
    for (const channel of ['email', 'sms'] as const) inheritWithdrawal(into, from, channel);
    expect([hasWithdrawn(into, 'email'), hasWithdrawn(into, 'sms')]).toEqual([true, false]);
  });
  it('does not apply if the merged contact gave the consent again', () => {
    const [from, into] = [newContactState(), newContactState()];
    from.withdrawn.add('email');
    from.row.allow_email = true;
    inheritWithdrawal(into, from, 'email');
    expect(hasWithdrawn(into, 'email')).toBe(false);
  });
  it('that was inherited in an earlier merge applies in the next one, even if consent was given since', () => {
    const [first, from, into] = [newContactState(), newContactState(), newContactState()];
    first.withdrawn.add('email');
    inheritWithdrawal(from, first, 'email');
    from.row.allow_email = true;
    inheritWithdrawal(into, from, 'email');
    expect([hasWithdrawn(from, 'email'), hasWithdrawn(into, 'email')]).toEqual([false, true]);
  });
});

describe('a write to the state of a contact', () => {
  it('changes the row only if a value differs', () => {
    const person = newContactState();
    person.changed = false;
    set(person, 'first_name', null);
    set(person, 'first_name', undefined);
    expect(person.changed).toBe(false);
    set(person, 'first_name', 'Ana');
    expect([person.changed, person.row.first_name]).toEqual([true, 'Ana']);
  });
  it('adds a unit, a group or a user-defined field once', () => {
    const person = newContactState();
    const group = { id: 1 } as unknown as Parameters<typeof attach>[1];
    expect([attach(person, group), attach(person, group)]).toEqual([true, false]);
    expect([storeTo(person, 7, 'The Anchor'), storeTo(person, 7, 'The Anchor')]).toEqual([true, false]);
    setUdf(person, 3, 'nuts');
    person.newUdfs.clear();
    setUdf(person, 3, 'nuts');
    expect([...person.newUdfs]).toEqual([]);
    setUdf(person, 3, 'milk');
    expect([...person.newUdfs]).toEqual([[3, 'milk']]);
  });
});
