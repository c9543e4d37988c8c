import { beforeAll, describe, expect, it } from 'vitest';
import { fillNext, followChanges, turnSegments } from '../../../../src/features/insight/segments/keep.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { readerOf, type Told, types } from '../../../support/events.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, type Shop, shop } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, database, db } = app;
const sql = await superuser(database);
let at = {} as Shop;
let made = {} as ReturnType<typeof readerOf>['made'];
beforeAll(async () => {
  at = await shop(app);
  const { token } = accepted(await admin('POST', `${at.base}/tokens`, { name: 'events' }), 201);
  ({ made } = readerOf(app, { id: at.id, token }));
});

/** Does what the background process does, until nothing is left. */
async function keep(): Promise<void> {
  while (await followChanges(db, at.id));
  while (await fillNext(db, at.id));
  while (await followChanges(db, at.id));
}
const create = async (name: string, definition: object): Promise<number> =>
  accepted(await admin('POST', `${at.base}/segments`, { name, definition }), 201).id;
const city = (value: string) => ({ field: 'city', op: 'is', value });
const tells = (change: 'entered' | 'left', contact_id: number, segment_id: number, segment_name: string) => ({
  ...{ type: `segment.${change}`, contact_id, segment_id, segment_name },
});
const move = (email: string, place: string) => at.newContact({ email, city: place });

describe('a segment', () => {
  it('makes an event for each contact that enters or leaves, with the name of the segment', async () => {
    const [bath, york, name] = [fresh('Bath'), fresh('York'), fresh('Guests of Bath')];
    const segment = await create(name, city(bath));
    await keep();
    const email = `${fresh('moves')}@gmail.com`;
    const ana = await move(email, bath);
    expect(await made(keep)).toEqual([tells('entered', ana, segment, name)]);
    expect(await made(keep)).toEqual([]);
    // A change that leaves the contact in the segment.
    await at.newContact({ email, first_name: 'Ana', allow_email: true });
    expect(await made(keep)).toEqual([]);
    const renamed = fresh('Renamed');
    accepted(await admin('PATCH', `${at.base}/segments/${segment}`, { name: renamed, definition: city(bath) }));
    await move(email, york);
    expect(await made(keep)).toEqual([tells('left', ana, segment, renamed)]);
  });

  it('makes none for its first members, and none for a new definition', async () => {
    const [bath, york] = [fresh('Bath'), fresh('York')];
    const [ana, rui] = [await at.newContact({ city: bath }), await at.newContact({ city: york })];
    expect(ana).not.toBe(rui);
    const name = fresh('Segment');
    const segment = await create(name, city(bath));
    expect(await made(keep)).toEqual([]);
    accepted(await admin('PATCH', `${at.base}/segments/${segment}`, { definition: city(york) }));
    expect(await made(keep)).toEqual([]);
    const mo = await at.newContact({ city: york });
    expect(await made(keep)).toEqual([tells('entered', mo, segment, name)]);
  });

  it('makes an event for each contact of a merge', async () => {
    const [place, name] = [fresh('Bath'), fresh('Segment')];
    const segment = await create(name, city(place));
    await keep();
    const [goes, stays] = [await at.newContact({ city: place }), await at.newContact()];
    await keep();
    await at.merge(goes, stays);
    const events = await made(keep);
    expect(events).toHaveLength(2);
    expect(events).toContainEqual(tells('entered', stays, segment, name));
    expect(events).toContainEqual(tells('left', goes, segment, name));
  });

  it('makes none for an erased contact, so nothing about it follows its erasure', async () => {
    const place = fresh('Bath');
    await create(fresh('Segment'), city(place));
    const ana = await at.newContact({ city: place });
    await keep();
    const events = await made(async () => {
      accepted(await admin('DELETE', `${at.base}/contacts/${ana}`), 204);
      await keep();
    });
    expect(types(events)).toEqual(['contact.erased']);
  });

  it('makes an event for a contact that enters or leaves at midnight', async () => {
    const name = fresh('Not yet forgotten');
    const ana = await at.newContact();
    const segment = await create(name, { field: 'created_at', op: 'in_last_days', value: 1 });
    await keep();
    const setBack = async (days: number) => {
      await sql`update contacts set created_at = now() - make_interval(days => ${days}) where account_id = ${at.id} and id = ${ana}`;
      await sql`update segments set evaluated_day = current_date - 1 where account_id = ${at.id} and id = ${segment}`;
    };
    const ofAna = async () =>
      (
        await made(async () => {
          await turnSegments(db, at.id);
          await keep();
        })
      ).filter((one) => one.contact_id === ana);
    await setBack(2);
    expect(await ofAna()).toEqual([tells('left', ana, segment, name)]);
    expect(await ofAna()).toEqual([]);
  });

  it('makes each event once, although several processes keep it', async () => {
    const [place, name] = [fresh('Bath'), fresh('Segment')];
    const segment = await create(name, city(place));
    await keep();
    const guests = await Promise.all(Array.from({ length: 12 }, () => at.newContact({ city: place })));
    const events = await made(async () => {
      await Promise.all(Array.from({ length: 4 }, () => followChanges(db, at.id)));
      await keep();
    });
    const entered = events.filter((one) => one.segment_id === segment);
    const byId = (one: Told, other: Told) => Number(one.contact_id) - Number(other.contact_id);
    const expected = guests.map((id) => tells('entered', id, segment, name));
    expect(entered.sort(byId)).toEqual(expected.sort(byId));
  });
});
