import { describe, expect, it } from 'vitest';
import type { Event } from '../../../../src/features/exchange/events/schema.ts';
import { noteAdded } from '../../../../src/features/guests/notes/event-schema.ts';
import { appendEvents } from '../../../../src/platform/outbox/append.ts';
import { testApp } from '../../../support/app.ts';
import { readerOf, types } from '../../../support/events.ts';
import { partner } from '../../../support/partner.ts';
import { accepted, refusal } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, db } = app;

async function open() {
  const own = await app.account();
  const { written, newEmail } = partner(app, own);
  const path = (query: string) => `/accounts/${own.id}/events?${query}`;
  const get = (query = '') => admin('GET', path(query));
  const page = async (query = ''): Promise<{ data: Event[]; next_before: string | null }> => accepted(await get(query));
  /** All pages. */
  const search = async (query = '') => {
    const found: Event[] = [];
    let before: string | null = null;
    do {
      const { data, next_before } = await page(`${query}${before === null ? '' : `&before=${before}`}`);
      expect(data.length).toBeLessThanOrEqual(100);
      found.push(...data);
      before = next_before;
    } while (before !== null);
    return found;
  };
  const append = (contact_id: number, count: number, from = 0) =>
    db.tenant(own.id, (tx) =>
      appendEvents(
        ...[tx, own.id],
        Array.from({ length: count }, (_, n) =>
          noteAdded.of({ contact_id, text: `${from + n}`, created_at: '2026-03-01 12:30:00' }),
        ),
      ),
    );
  const contact = async (more: object = {}): Promise<number> => (await written({ email: newEmail(), ...more })).id;
  return { ...own, ...readerOf(app, own), get, page, search, append, contact };
}

describe('the event log of staff', () => {
  it('has the events of the feed, newest first, on pages of 100', async () => {
    const { search, append, all, page, contact } = await open();
    const ana = await contact();
    for (const [size, from] of [
      [1, 0],
      [150, 1],
      [100, 151],
      [3, 251],
    ] as const)
      await append(ana, size, from);
    const found = await search();
    expect(found).toEqual((await all()).data.toReversed());
    expect(found).toHaveLength(255);
    expect((await page()).data).toEqual(found.slice(0, 100));
  });

  it('shows the events of one contact, also a merge into another one', async () => {
    const { id, search, append, contact } = await open();
    const [ana, rui] = [await contact(), await contact()];
    await append(rui, 120);
    await append(ana, 2);
    accepted(await admin('POST', `/accounts/${id}/contacts/${rui}/merge`, { contact_id: ana }));
    const ofAna = await search(`contact_id=${ana}`);
    expect(types(ofAna)).toEqual(['contact.merged', 'note.added', 'note.added', 'contact.created']);
    const ofRui = await search(`contact_id=${rui}`);
    expect(ofRui).toHaveLength(122);
    expect(ofRui[0]).toEqual(ofAna[0]);
    const notes = await search(`contact_id=${rui}&types[]=note.added`);
    expect(notes.map((one) => one.data.text)).toEqual(Array.from({ length: 120 }, (_, n) => `${119 - n}`));
    expect(await search('contact_id=999999999')).toEqual([]);
  });

  it('shows the wanted types, and what is newer than an event', async () => {
    const { search, append, contact } = await open();
    const ana = await contact();
    await append(ana, 5);
    const rui = await contact();
    expect((await search('types[]=contact.created')).map((one) => one.data.contact_id)).toEqual([rui, ana]);
    const all = await search();
    expect(await search(`after=${all[3]?.id}`)).toEqual(all.slice(0, 3));
    expect(await search(`after=${all[0]?.id}`)).toEqual([]);
  });

  it('refuses ids of other accounts, and is empty without events', async () => {
    const [here, there] = [await open(), await open()];
    await there.contact();
    const [one] = await there.search();
    for (const name of ['before', 'after']) {
      expect(refusal(await here.get(`${name}=${one?.id}`))).toEqual([name]);
      expect(refusal(await here.get(`${name}=x`))).toEqual([name]);
    }
    expect(await here.page()).toEqual({ data: [], next_before: null });
  });
});
