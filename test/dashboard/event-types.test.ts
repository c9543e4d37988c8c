import { describe, expect, it } from 'vitest';
import { eventGroups, eventName, knownTypes } from '../../dashboard/src/screens/developers/events/event-types.ts';
import { eventTypes } from '../../src/features/exchange/events/schema.ts';

describe('the words of the dashboard', () => {
  it('exist for each type of event of the service, and for no other', () => {
    expect([...knownTypes].sort()).toEqual([...eventTypes].sort());
  });

  it('differ for each type', () => {
    expect(new Set(knownTypes.map(eventName)).size).toBe(eventTypes.length);
    for (const { name } of eventGroups) expect(name).toMatch(/^[A-Z]/);
  });
});
