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

describe('on a merge, a withdrawal', () => {
  it('of the other contact stands on the surviving one', () => {
    const [from, into] = [newContactState(), newContactState()];
    from.withdrawn.add('email');
    for (const channel of ['email', 'sms'] as const) inheritWithdrawal(into, from, channel);
    expect([hasWithdrawn(into, 'email'), hasWithdrawn(into, 'sms')]).toEqual([true, false]);
  });
  it('that the other took back by giving the consent again does not', () => {
    const [from, into] = [newContactState(), newContactState()];
    from.withdrawn.add('email');
    from.row.allow_email = true;
    inheritWithdrawal(into, from, 'email');
    expect(hasWithdrawn(into, 'email')).toBe(false);
  });
  it('that the other inherited itself goes on to the next, also where the other gave that consent since', () => {
    const [first, from, into] = [newContactState(), newContactState(), newContactState()];
    first.withdrawn.add('email');
    inheritWithdrawal(from, first, 'email');
    from.row.allow_email = true;
    inheritWithdrawal(into, from, 'email');
    expect([hasWithdrawn(from, 'email'), hasWithdrawn(into, 'email')]).toEqual([false, true]);
  });
});

describe('what is written on a contact', () => {
  it('changes the row only where it differs', () => {
    const person = newContactState();
    person.changed = false;
    set(person, 'first_name', null);
    set(person, 'first_name', undefined);
    expect(person.changed).toBe(false);
    set(person, 'first_name', 'Ana');
    expect([person.changed, person.row.first_name]).toEqual([true, 'Ana']);
  });
  it('is news once: a unit, a group, a user-defined field', () => {
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
