import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { expect } from 'vitest';
import { type Event, eventKinds, eventOf } from '../../src/features/exchange/events/schema.ts';
import type { ContactChanges } from '../../src/features/guests/contacts/event-schema.ts';
import { exactly } from '../../tools/prove/input/document.ts';
import type { TestApp } from './app.ts';
import { accepted } from './vouchers.ts';

/** The whole event of each type, without room for other keys. */
const schemas = new Map(eventKinds.map((kind) => [kind.type, exactly(eventOf(kind).schema) as TSchema]));

const wallClock = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
/** The fields of events with a time in the time zone of the account. */
const wallClocks = new Set(['created_at', 'party_enquirytime', 'party_datetime', 'enquiry_date', 'checkin_date']);

/** Expects that an event has exactly the keys and types that the reference describes. */
export function expectEvent(event: Event): void {
  const schema = schemas.get(event.type);
  const problems = schema
    ? [...Value.Errors(schema, event)].map((error) => `${error.instancePath}: ${error.message}`)
    : ['no such type'];
  expect(problems, JSON.stringify(event)).toEqual([]);
  expect(new Date(event.timestamp).toISOString()).toBe(event.timestamp);
  for (const [name, value] of Object.entries(event.data)) {
    if (wallClocks.has(name) && value !== null) expect(value, name).toMatch(wallClock);
  }
}

/** The data of an event, with its type. */
export type Told = Record<string, unknown> & { type: string };
export const told = ({ type, data }: Event): Told => ({ type, ...data });

export type Reader = ReturnType<typeof readerOf>;

/** Reads the events of an account as a partner does. */
export function readerOf({ call }: Pick<TestApp, 'call'>, { id, token }: { id: number; token: string }) {
  const path = '/v1/events';
  const get = (query: Record<string, string> | string = {}) =>
    typeof query === 'string'
      ? call('GET', path, { token, query: `account_id=${id}&${query}` })
      : call('GET', path, { token, query: { account_id: `${id}`, ...query } });
  const feed = async (query: Record<string, string> | string = {}): Promise<{ data: Event[]; next: string }> =>
    accepted(await get(query));
  /** All events after this one, page by page. */
  const all = async (after?: string, limit = 1000): Promise<{ data: Event[]; next: string }> => {
    const data: Event[] = [];
    let next = after;
    for (;;) {
      const page = await feed({ limit: `${limit}`, ...(next === undefined ? {} : { after: next }) });
      data.push(...page.data);
      next = page.next;
      if (page.data.length === 0) return { data, next };
    }
  };
  let after: string | undefined;
  /** The events since the last call, which must conform to the reference. */
  const since = async (): Promise<Event[]> => {
    const { data, next } = await all(after);
    after = next;
    for (const event of data) {
      expectEvent(event);
      expect(event.account_id).toBe(id);
    }
    return data;
  };
  /** What the events of this work tell. */
  const made = async (work: () => Promise<unknown>): Promise<Told[]> => {
    await since();
    await work();
    return (await since()).map(told);
  };
  return { get, feed, all, since, made };
}

export const types = (events: { type: string }[]): string[] => events.map(({ type }) => type);

/** The data of `contact.created` or `contact.updated`. */
export const changed = (contact_id: number, more: Partial<ContactChanges>): ContactChanges => ({
  ...{ contact_id, changes: {}, added_unit_ids: [], removed_unit_ids: [], added_group_ids: [], removed_group_ids: [] },
  ...more,
});
/** A field that had no value before. */
export const set = (to: string) => ({ from: null, to });
