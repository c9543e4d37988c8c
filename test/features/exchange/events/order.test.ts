import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { noteAdded } from '../../../../src/features/guests/notes/event-schema.ts';
import { type Database, openPool } from '../../../../src/platform/db/database.ts';
import { appendEvents } from '../../../../src/platform/outbox/append.ts';
import { givePositions } from '../../../../src/platform/outbox/feed.ts';
import { appOver, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { type Reader, readerOf } from '../../../support/events.ts';
import { latch } from '../../../support/latch.ts';
import { partner } from '../../../support/partner.ts';

const app = await testApp();
const { database } = app;
const sql = await superuser(database);
const pools = [1, 2].map(() => openPool({ url: database.url, connections: 16 })) as [Database, Database];
for (const pool of pools) afterAll(() => pool.close());
const second = await appOver(pools[1], database);

const note = (contact_id: number, text: string) =>
  noteAdded.of({ contact_id, text, created_at: '2026-03-01 12:30:00' });
const textsOf = (events: { data: Record<string, unknown> }[]) => events.map((one) => String(one.data.text));

/** A transaction with events that waits until it may end. */
function writer(accountId: number, ...texts: string[]) {
  const [appended, ending] = [latch(), latch()];
  let fails = false;
  const done = pools[0]
    .tenant(accountId, async (tx) => {
      const events = texts.map((text) => note(1, text));
      await appendEvents(tx, accountId, events);
      appended.open();
      await ending.opened;
      if (fails) throw new Error('rolled back');
    })
    .catch((error) => {
      if (!fails) throw error;
    });
  const end = async () => {
    ending.open();
    await done;
  };
  const rollBack = () => {
    fails = true;
    return end();
  };
  return { appended: appended.opened, commit: end, rollBack };
}
const idsOf = async (accountId: number) => {
  const rows = await sql<{ text: string }>`
    select entries -> 0 -> 'data' ->> 'text' as text from events where account_id = ${accountId} order by id`;
  return rows.map(({ text }) => text);
};

describe('a reader that follows the feed', () => {
  it('misses no event of a transaction that began first and commits last', async () => {
    const own = await app.account();
    const { feed, all } = readerOf(app, own);
    const [slow, fast] = [writer(own.id, 'slow'), writer(own.id, 'fast')];
    await slow.appended;
    await fast.appended;
    await fast.commit();
    const first = await feed();
    expect(textsOf(first.data)).toEqual(['fast']);
    const again = await feed({ after: first.next });
    expect(again.data).toEqual([]);
    await slow.commit();
    const last = await feed({ after: again.next });
    expect(textsOf(last.data)).toEqual(['slow']);
    expect((await feed({ after: last.next })).data).toEqual([]);
    // The order never changes again, and it is not that of the rows.
    expect(textsOf((await all()).data)).toEqual(['fast', 'slow']);
    expect([
      ['slow', 'fast'],
      ['fast', 'slow'],
    ]).toContainEqual(await idsOf(own.id));
  });

  it('sees the rows in order of their ids, if they were committed before it looks', async () => {
    const own = await app.account();
    const { all } = readerOf(app, own);
    const slow = writer(own.id, 'slow', 'slow too');
    await slow.appended;
    const fast = writer(own.id, 'fast');
    await fast.appended;
    await fast.commit();
    await slow.commit();
    expect(textsOf((await all()).data)).toEqual(['slow', 'slow too', 'fast']);
  });

  it('never sees an event that was rolled back, and misses none after it', async () => {
    const own = await app.account();
    const { feed } = readerOf(app, own);
    const [lost, kept] = [writer(own.id, 'lost'), writer(own.id, 'kept')];
    await lost.appended;
    await kept.appended;
    await kept.commit();
    const { data, next } = await feed();
    expect(textsOf(data)).toEqual(['kept']);
    await lost.rollBack();
    expect((await feed({ after: next })).data).toEqual([]);
    const last = writer(own.id, 'last');
    await last.commit();
    expect(textsOf((await feed({ after: next })).data)).toEqual(['last']);
  });

  it('waits for a reader that gives the positions at the same time', async () => {
    const own = await app.account();
    const { feed } = readerOf(app, own);
    await writer(own.id, 'one').commit();
    const [given, ending] = [latch(), latch()];
    const giving = pools[0].tenant(own.id, async (tx) => {
      await givePositions(tx, own.id);
      given.open();
      await ending.opened;
    });
    await given.opened;
    await writer(own.id, 'two').commit();
    const reads = Array.from({ length: 2 }, () => feed());
    await pause(200);
    ending.open();
    await giving;
    for (const { data } of await Promise.all(reads)) expect(textsOf(data)).toEqual(['one', 'two']);
  });

  it('sees what the other readers see, also if all of them are the first', async () => {
    const own = await app.account();
    for (const text of ['one', 'two', 'three']) await writer(own.id, text).commit();
    const readers = [app, second, app, second].map((through) => readerOf(through, own));
    const [first, ...others] = await Promise.all(readers.map(({ feed }) => feed()));
    expect(textsOf(first?.data ?? [])).toEqual(['one', 'two', 'three']);
    for (const one of others) expect(one).toEqual(first);
  });

  it('reads more rows than get a position at once', async () => {
    const own = await app.account();
    const { all } = readerOf(app, own);
    await sql`
      insert into events (account_id, at, contact_ids, entries, size, bytes)
      select ${own.id}, now(), '{1}', json_build_array(json_build_object('type', 'note.added', 'data', json_build_object('contact_id', 1, 'text', n::text))), 1, 50
      from generate_series(1, 2300) as n order by n`;
    const { data } = await all();
    expect(textsOf(data)).toEqual(Array.from({ length: 2300 }, (_, n) => `${n + 1}`));
  });
});

describe('readers of many writers in two processes', () => {
  const random = (below: number) => Math.floor(Math.random() * below);
  const [writers, rounds] = [8, 15];

  it('each get every committed event once, those of a contact in the order of their commits', async () => {
    const own = await app.account();
    const { written, newEmail } = partner(app, own);
    const contacts: number[] = [];
    for (let n = 0; n < 5; n++) contacts.push((await written({ email: newEmail() })).id);
    const start = (await readerOf(app, own).all()).next;
    /** The committed events of each contact, in the order in which their writers had its lock. */
    const committed = new Map<number, { place: number; text: string }[]>(contacts.map((id) => [id, []]));
    let [place, undone] = [0, 0];

    async function write(n: number) {
      const pool = pools[n % 2] as Database;
      for (let round = 0; round < rounds; round++) {
        const about = contacts.filter(() => random(3) === 0);
        const texts = about.flatMap((id) =>
          Array.from({ length: 1 + random(3) }, (_, k) => ({ id, text: `${n}.${round}.${id}.${k}` })),
        );
        const fails = random(5) === 0;
        const told: { id: number; place: number; text: string }[] = [];
        const work = pool.tenant(own.id, async (tx) => {
          await tx`select from contacts where account_id = ${own.id} and id = any(${about}) order by id for no key update`;
          const events = texts.map(({ id, text }) => note(id, text));
          await appendEvents(tx, own.id, events);
          // No other writer of these contacts runs until the commit.
          for (const one of texts) told.push({ ...one, place: ++place });
          await pause(random(12));
          if (fails) throw new Error('rolled back');
        });
        if (fails) {
          await expect(work).rejects.toThrow('rolled back');
          undone += texts.length;
          continue;
        }
        await work;
        for (const { id, ...one } of told) committed.get(id)?.push(one);
      }
    }

    let isOver = false;
    async function follow({ feed }: Reader): Promise<{ id: string; contact: number; text: string }[]> {
      const seen: { id: string; contact: number; text: string }[] = [];
      let after = start;
      for (;;) {
        const wasOver = isOver;
        const { data, next } = await feed({ after, limit: `${1 + random(9)}` });
        for (const one of data)
          seen.push({ id: one.id, contact: Number(one.data.contact_id), text: String(one.data.text) });
        after = next;
        if (wasOver && data.length === 0) return seen;
        await pause(random(8));
      }
    }

    const reading = [app, second, app].map((through) => follow(readerOf(through, own)));
    await Promise.all(Array.from({ length: writers }, (_, n) => write(n)));
    isOver = true;
    const all = await Promise.all(reading);
    expect(undone).toBeGreaterThan(0);
    for (const seen of all) {
      expect(seen).toEqual(all[0]);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      for (const [id, events] of committed) {
        const expected = events.sort((one, other) => one.place - other.place).map(({ text }) => text);
        expect(expected.length).toBeGreaterThan(0);
        expect(seen.filter(({ contact }) => contact === id).map(({ text }) => text)).toEqual(expected);
      }
    }
    expect(all[0]?.length).toBe([...committed.values()].flat().length);
  });
});
