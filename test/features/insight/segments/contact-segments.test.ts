import { beforeAll, describe, expect, it } from 'vitest';
import { segmentsOfContact } from '../../../../src/features/insight/segments/contact-segments.ts';
import { testApp } from '../../../support/app.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, refusal, type Shop, shop } from '../../../support/vouchers.ts';

const { admin, call, db } = await testApp();
let at = {} as Shop;
let away = {} as Shop;
let [ana, rui, zoe] = [0, 0, 0];
const inCity = (value: string) => ({ field: 'city', op: 'is', value });
beforeAll(async () => {
  [at, away] = [await shop({ admin, call }), await shop({ admin, call })];
  ana = await at.newContact({ first_name: 'Ana', city: 'Bath', allow_email: true });
  rui = await at.newContact({ first_name: 'Rui', city: 'Bath', units: [{ id: at.unit }] });
  zoe = await at.newContact({ first_name: 'Zoe', city: 'Bristol', allow_email: true });
});
const segment = async (definition: unknown): Promise<number> =>
  accepted(await admin('POST', `${at.base}/segments`, { name: fresh('Segment'), definition }), 201).id;

describe('the segments of a contact', () => {
  const of = async (contact: number, base = at.base) => admin('GET', `${base}/contacts/${contact}/segments`);
  it('are those that it is a member of', async () => {
    const bath = await segment(inCity('bath'));
    const mailed = await segment({
      all: [
        { field: 'segment', op: 'in', value: [bath] },
        { field: 'allow_email', op: 'is', value: true },
      ],
    });
    await segment({ field: 'visits', op: 'at_least', value: 1, in_last_days: 10 });
    const ids = async (contact: number) => accepted(await of(contact)).data.map((one: { id: number }) => one.id);
    expect(await ids(ana)).toEqual([bath, mailed]);
    expect(await ids(rui)).toEqual([bath]);
    expect(await ids(zoe)).toEqual([]);
    for (let n = 0; n < 30; n++) await segment({ any: [inCity('Bath'), inCity(`x${n}`), inCity('y')] });
    expect(await ids(rui)).toHaveLength(31);
    expect(accepted(await of(rui)).not_evaluated).toEqual([]);
    // A merged contact leads to its survivor.
    const twin = await at.newContact({ first_name: 'Rui' });
    accepted(await admin('POST', `${at.base}/contacts/${rui}/merge`, { contact_id: twin }));
    expect(await ids(twin)).toHaveLength(31);
    const late = await db.tenant(at.id, (tx) => segmentsOfContact(tx, at.id, rui, { now: new Date(), limitMs: 0.001 }));
    expect([late.data, late.not_evaluated.length]).toEqual([[], 33]);
  });
  it('of another account return 404', async () => {
    expect((await of(ana, away.base)).status).toBe(404);
  });
});

describe('the search of contacts', () => {
  const search = (query: Record<string, string>) =>
    admin('GET', `${at.base}/contacts/search?${new URLSearchParams(query)}`);
  const found = async (definition: unknown, more: Record<string, string> = {}) => {
    const { data, count } = accepted(await search({ definition: JSON.stringify(definition), ...more }));
    return { ids: data.map((one: { id: number }) => one.id), count };
  };
  it('filters by a definition, together with the other filters', async () => {
    expect(await found(inCity('Bristol'))).toEqual({ ids: [zoe], count: 1 });
    expect(await found({ not: inCity('Bath') }, { consent: 'email' })).toEqual({ ids: [zoe], count: 1 });
    expect((await found(inCity('Bath'), { unit_id: String(at.unit) })).ids).toEqual([rui]);
    expect(await found(inCity('Bath'), { group_id: '999999' })).toEqual({ ids: [], count: 0 });
    expect(accepted(await search({})).count).toBeNull();
  });
  it('has pages', async () => {
    const city = fresh('City');
    for (let n = 0; n < 51; n++) await at.newContact({ city });
    const page = async (number: number) =>
      accepted(await search({ definition: JSON.stringify(inCity(city)), page: String(number) }));
    expect(await page(1)).toMatchObject({ page: 1, more: true, count: 51 });
    expect(await page(2)).toMatchObject({ page: 2, more: false, count: 51 });
    expect((await page(2)).data).toHaveLength(1);
    expect((await page(3)).data).toEqual([]);
    expect((await page(500)).data).toEqual([]);
  });
  it('names the place of an error', async () => {
    expect(refusal(await search({ definition: '{' }))).toEqual(['definition']);
    const wrong = { all: [inCity('Bath'), { field: 'nothing', op: 'is', value: 1 }] };
    expect(refusal(await search({ definition: JSON.stringify(wrong) }))).toEqual(['definition.all.1.field']);
    expect(refusal(await search({ definition: JSON.stringify(wrong), page: 'x' }))).toEqual([
      'definition.all.1.field',
      'page',
    ]);
    expect(refusal(await search({ definition: JSON.stringify(inCity('a')), search: 'ana' }))).toEqual(['search']);
    expect(refusal(await search({ definition: `"${'x'.repeat(9000)}"` }))).toEqual(['definition']);
  });
});
