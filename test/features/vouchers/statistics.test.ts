import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { fresh } from '../../support/till.ts';
import { accepted, refusal, type Shop, shop } from '../../support/vouchers.ts';

const { admin, call } = await testApp();
const home = await shop({ admin, call });
const ask = (at: Shop, group: number | string, query = '') =>
  admin('GET', `${at.base}/unique_code_groups/${group}/statistics${query}`);
const statisticsOf = async (at: Shop, group: number, query = '') => accepted(await ask(at, group, query));
const march = '?start_date=2025-03-01&end_date=2025-03-31';
const today = (timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format();

describe('the statistics of a group’s codes', () => {
  it('are zeros for an empty group', async () => {
    const nothing = { made: 0, assigned: 0, redeemed: 0, by_unit: [], by_day: [] };
    expect(await statisticsOf(home, await home.newGroup())).toEqual(nothing);
  });
  it('count the codes created, assigned and redeemed, and the units', async () => {
    const [group, bell] = [await home.newGroup(), await home.newUnit('The Bell')];
    const codes = Array.from({ length: 7 }, () => fresh('CODE'));
    await home.add(group, ...codes);
    await home.newCode(fresh('OTHER'), await home.newContact());
    for (const code of codes.slice(0, 3)) await home.assigned(group, code, await home.newContact());
    const at = (unique_code: string | undefined, unit_id: number, day: string) =>
      home.redeemed({ unique_code, unit_id, redemption_date: `${day} 12:30:00` });
    await at(codes[0], home.unit, '2025-03-01');
    await at(codes[3], bell, '2025-03-01');
    await at(codes[4], bell, '2025-03-31');
    const all = await statisticsOf(home, group, march);
    expect(all).toEqual({
      ...{ made: 7, assigned: 3, redeemed: 3 },
      by_unit: [
        { unit_id: bell, unit_name: 'The Bell', redeemed: 2 },
        { unit_id: home.unit, unit_name: 'The Anchor', redeemed: 1 },
      ],
      by_day: [
        { date: '2025-03-01', made: 0, assigned: 0, redeemed: 2, by_unit: expect.any(Array) },
        { date: '2025-03-31', made: 0, assigned: 0, redeemed: 1, by_unit: [{ unit_id: bell, redeemed: 1 }] },
      ],
    });
    expect(all.by_day[0].by_unit.toSorted((a: { unit_id: number }, b: typeof a) => a.unit_id - b.unit_id)).toEqual([
      { unit_id: home.unit, redeemed: 1 },
      { unit_id: bell, redeemed: 1 },
    ]);
    // Both days of the range are in it, and no other.
    const middle = await statisticsOf(home, group, '?start_date=2025-03-02&end_date=2025-03-30');
    expect(middle).toEqual({ ...all, by_day: [] });
    const last = await statisticsOf(home, group, '?start_date=2025-03-31&end_date=2025-03-31');
    expect(last.by_day).toEqual([all.by_day[1]]);
  });
  it('no longer count unassigned codes', async () => {
    const { group, unique_code } = await home.newCode(fresh('CODE'), await home.newContact());
    expect((await statisticsOf(home, group)).assigned).toBe(1);
    accepted(await home.unassign(group, unique_code));
    const { assigned, by_day } = await statisticsOf(home, group);
    expect([assigned, by_day.map((day: { assigned: number }) => day.assigned)]).toEqual([0, [0]]);
  });
  it('include a unit that was deleted since', async () => {
    const [{ group, unique_code }, unit_id] = [await home.newCode(), await home.newUnit('The Sunk')];
    await home.redeemed({ unique_code, unit_id });
    await home.removeUnit(unit_id);
    expect((await statisticsOf(home, group)).by_unit).toEqual([{ unit_id, unit_name: 'The Sunk', redeemed: 1 }]);
  });
});

describe('a day of the statistics', () => {
  it.each([
    ['Europe/London', '2025-07-01 00:30:00', '2025-07-01'],
    ['Europe/London', '2025-06-30 23:59:59', '2025-06-30'],
    ['Europe/London', '2025-06-30T23:30:00Z', '2025-07-01'],
    ['America/New_York', '2025-06-30 23:30:00', '2025-06-30'],
    ['America/New_York', '2025-07-01T03:30:00Z', '2025-06-30'],
    ['America/New_York', '2025-07-01 00:00:00', '2025-07-01'],
  ])('is a day in the account’s time zone: in %s, %s is on %s', async (zone, redemption_date, date) => {
    const there = await shop({ admin, call }, zone);
    const { group, unique_code } = await there.newCode();
    await there.redeemed({ unique_code, redemption_date });
    const by_unit = [{ unit_id: there.unit, redeemed: 1 }];
    const day = { date, made: 0, assigned: 0, redeemed: 1, by_unit };
    expect((await statisticsOf(there, group, '?start_date=2025-06-01&end_date=2025-07-31')).by_day).toEqual([day]);
    expect((await statisticsOf(there, group, `?start_date=${date}&end_date=${date}`)).by_day).toEqual([day]);
  });
  // At any moment these two have different dates.
  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'applies to creation, assignment and redemption: %s',
    async (zone) => {
      const there = await shop({ admin, call }, zone);
      const before = today(zone);
      const { group, unique_code } = await there.newCode(fresh('CODE'), await there.newContact());
      await there.redeemed({ unique_code });
      const { by_day } = await statisticsOf(there, group);
      expect([[before], [today(zone)], [before, today(zone)]]).toContainEqual(
        by_day.map((day: { date: string }) => day.date),
      );
      for (const what of ['made', 'assigned', 'redeemed'])
        expect(by_day.reduce((sum: number, day: Record<string, number>) => sum + (day[what] as number), 0)).toBe(1);
    },
  );
});

describe('the range of the statistics', () => {
  it('ends today and includes the 90 days before by default', async () => {
    const group = await home.newGroup();
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const codes = [fresh('CODE'), fresh('CODE'), fresh('CODE')];
    await home.add(group, ...codes);
    for (const [place, days] of [80, 89, 100].entries())
      await home.redeemed({ unique_code: codes[place], redemption_date: `${ago(days)} 12:00:00` });
    const days = (await statisticsOf(home, group)).by_day.map(({ date }: { date: string }) => date);
    expect(days).toEqual([ago(89), ago(80), expect.any(String)]);
  });
  it.each([
    ['end before start', '?start_date=2025-03-02&end_date=2025-03-01', ['end_date']],
    ['an invalid start', '?start_date=x', ['start_date']],
    ['an invalid end', '?end_date=2025-02-30', ['end_date']],
    ['neither of them one', '?start_date=x&end_date=y', ['end_date', 'start_date']],
  ])('is rejected: %s', async (_, query, fields) => {
    expect(refusal(await ask(home, await home.newGroup(), query))).toEqual(fields);
  });
  it('of an unknown group is a 404', async () => {
    const there = await shop({ admin, call });
    for (const group of [999_999_999, await there.newGroup(), 'x']) {
      expect((await ask(home, group)).status).toBe(404);
      expect((await ask(home, group, march)).status).toBe(404);
    }
  });
});

describe('the statistics of all groups', () => {
  const list = async (at: Shop, query = '') =>
    accepted(await admin('GET', `${at.base}/unique_code_groups/statistics${query}`));

  it('list the groups, newest first, with counts and the name of the unit', async () => {
    const at = await shop({ admin, call });
    await home.newCode();
    const [used, empty] = [await at.newGroup('Summer', at.unit), await at.newGroup('Winter')];
    const codes = Array.from({ length: 4 }, () => fresh('CODE'));
    await at.add(used, ...codes);
    for (const code of codes.slice(0, 2)) await at.assigned(used, code, await at.newContact());
    await at.redeemed({ unique_code: codes[3] });
    const { data, total } = await list(at);
    expect([total, data]).toEqual([
      2,
      [
        expect.objectContaining({ id: empty, name: 'Winter', made: 0, assigned: 0, redeemed: 0 }),
        expect.objectContaining({ id: used, unit_name: 'The Anchor', made: 4, assigned: 2, redeemed: 1 }),
      ],
    ]);
    expect((await list(at, `?unit_id=${at.unit}`)).data).toEqual([data[1]]);
  });
  it('have 100 groups per page', async () => {
    const at = await shop({ admin, call });
    for (let number = 1; number <= 101; number++) await at.newGroup(`Group ${number}`);
    const pages = [await list(at), await list(at, '?page=2')];
    expect(pages.map(({ data }) => data.length)).toEqual([100, 1]);
    expect([pages[0].data[0].name, pages[1].data[0].name]).toEqual(['Group 101', 'Group 1']);
  });
});
