import { beforeAll, describe, expect, it } from 'vitest';
import { assignToSegment } from '../../../../src/app/jobs/tasks.ts';
import type { SegmentAction } from '../../../../src/features/insight/segments/action-schema.ts';
import { resumeActions } from '../../../../src/features/insight/segments/actions.ts';
import { type AssignCodes, runAction } from '../../../../src/features/insight/segments/run-action.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { violations } from '../../../support/invariants.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, refusal, type Shop, shop } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, call, database, db } = app;
const sql = await superuser(database);
let at = {} as Shop;
let away = {} as Shop;
beforeAll(async () => {
  [at, away] = [await shop({ admin, call }), await shop({ admin, call })];
});

const inCity = (value: string) => ({ field: 'city', op: 'is', value });
/** A segment with this number of members, and a voucher group with this number of free codes. */
async function scene(members: number, codes: number) {
  const city = fresh('City');
  const ids: number[] = [];
  for (let n = 0; n < members; n++) ids.push(await at.newContact({ city }));
  const segment: number = accepted(
    await admin('POST', `${at.base}/segments`, { name: fresh('Segment'), definition: inCity(city) }),
    201,
  ).id;
  const group = await at.newGroup();
  if (codes > 0) await at.add(group, ...Array.from({ length: codes }, () => fresh('CODE')));
  return { city, ids, segment, group };
}
const assign = (segment: number, unique_code_group_id: unknown) =>
  admin('POST', `${at.base}/segments/${segment}/assign_codes`, { unique_code_group_id });
const add = (segment: number, group_id: unknown) =>
  admin('POST', `${at.base}/segments/${segment}/add_to_group`, { group_id });
const started = async (segment: number, group: number): Promise<SegmentAction> =>
  accepted(await assign(segment, group), 202);
const shown = async (id: number): Promise<SegmentAction> =>
  accepted(await admin('GET', `${at.base}/segment_actions/${id}`));
interface Running {
  assignCodes?: AssignCodes;
  onBatch?: () => void | Promise<void>;
  signal?: AbortSignal;
  longestMs?: number;
}
const run = (action_id: number, { signal, ...options }: Running = {}) =>
  runAction(
    db,
    { account_id: at.id, action_id },
    {
      ...{ assignCodes: assignToSegment, batch: 2, gently: false },
      ...{ signal: signal ?? new AbortController().signal, ...options },
    },
  );
/** The contacts that have a code of the group, one entry for each code. */
const holders = async (group: number): Promise<number[]> => {
  const rows = await sql<{ id: number }>`
    select contact_id as id from unique_codes where account_id = ${at.id} and group_id = ${group} and contact_id is not null order by 1`;
  return rows.map(({ id }) => id);
};
const jobsOf = async (id: number) =>
  (await sql`select from graphile_worker.jobs where key = ${`run_segment_action ${at.id} ${id}`}`).length;

describe('assigning codes to a segment', () => {
  it('gives each member one code, and reports its progress', async () => {
    const { ids, segment, group } = await scene(5, 6);
    const action = await started(segment, group);
    expect(action).toEqual({
      ...{ id: expect.any(Number), kind: 'assign_codes', segment_id: segment, unique_code_group_id: group },
      ...{ group_id: null, target_name: expect.any(String), state: 'waiting', total: 5, done: 0, skipped: 0, left: 5 },
      ...{ error: null, created_at: expect.any(String), finished_at: null },
    });
    expect(await jobsOf(action.id)).toBe(1);
    const seen: string[] = [];
    const onBatch = async () => {
      const { state, done, left } = await shown(action.id);
      seen.push(`${state} ${done} ${left}`);
    };
    expect(await run(action.id, { onBatch })).toBe(true);
    expect(seen).toEqual(['running 2 3', 'running 4 1', 'running 5 0']);
    expect(await holders(group)).toEqual(ids);
    expect(await shown(action.id)).toMatchObject({ state: 'done', total: 5, done: 5, skipped: 0, left: 0 });
    // Again: each has a code.
    const again = await started(segment, group);
    expect(again.id).not.toBe(action.id);
    await run(again.id);
    expect(await shown(again.id)).toMatchObject({ state: 'done', total: 5, done: 0, skipped: 5 });
    expect(await holders(group)).toEqual(ids);
    const { data } = accepted(await admin('GET', `${at.base}/segment_actions?segment_id=${segment}`));
    expect(data.map(({ id }: SegmentAction) => id)).toEqual([again.id, action.id]);
  });

  it('continues after a crash, and gives nobody a second code', async () => {
    const { ids, segment, group } = await scene(7, 7);
    const { id } = await started(segment, group);
    const crash = () => {
      throw new Error('crashed');
    };
    // Between two batches.
    await expect(run(id, { onBatch: crash })).rejects.toThrow('crashed');
    expect(await shown(id)).toMatchObject({ state: 'running', done: 2 });
    // In a batch, after its codes were assigned and before the commit.
    const assignCodes: AssignCodes = async (...call) => {
      await assignToSegment(...call);
      return crash();
    };
    await expect(run(id, { assignCodes })).rejects.toThrow('crashed');
    expect(await holders(group)).toEqual(ids.slice(0, 2));
    await sql`delete from graphile_worker._private_jobs`;
    await db.tenant(at.id, (tx) => resumeActions(tx, at.id));
    expect(await jobsOf(id)).toBe(1);
    expect(await run(id)).toBe(true);
    expect(await holders(group)).toEqual(ids);
    expect(await shown(id)).toMatchObject({ state: 'done', done: 7, skipped: 0 });
  });

  it('gives each member one code if two processes run the same action', async () => {
    const { ids, segment, group } = await scene(9, 9);
    const { id } = await started(segment, group);
    expect(await Promise.all([run(id), run(id), run(id)])).toEqual([true, true, true]);
    expect(await holders(group)).toEqual(ids);
    expect(await shown(id)).toMatchObject({ state: 'done', done: 9, skipped: 0 });
  });

  it('stops with the process, and after some time, and is enqueued again', async () => {
    const { segment, group } = await scene(3, 3);
    const { id } = await started(segment, group);
    await sql`delete from graphile_worker._private_jobs`;
    const stopping = new AbortController();
    expect(await run(id, { signal: stopping.signal, onBatch: () => stopping.abort() })).toBe(false);
    expect(await jobsOf(id)).toBe(1);
    expect(await run(id, { longestMs: 0 })).toBe(false);
    expect(await shown(id)).toMatchObject({ state: 'running', done: 2, left: 1 });
    expect(await run(id)).toBe(true);
  });

  it('returns the unfinished action instead of a second one', async () => {
    const { segment, group } = await scene(2, 2);
    const [one, other] = await Promise.all([started(segment, group), started(segment, group)]);
    expect(other.id).toBe(one.id);
    expect((await started(segment, group)).id).toBe(one.id);
    await run(one.id);
  });

  it('is refused if there are too few codes, with their number', async () => {
    const { ids, segment, group } = await scene(3, 2);
    const answer = await assign(segment, group);
    expect(refusal(answer)).toEqual(['unique_code_group_id']);
    expect(answer.body.errors.unique_code_group_id).toEqual([
      'The members without a code are 3, and the unique code group has only 2 free. Generate 1 more first.',
    ]);
    // A member with a code needs none.
    accepted(await at.give(group, [ids[1]]));
    await at.add(group, fresh('CODE'));
    const { id } = await started(segment, group);
    await run(id);
    expect(await shown(id)).toMatchObject({ state: 'done', done: 2, skipped: 1, total: 3 });
    expect(await holders(group)).toEqual(ids);
  });

  it('fails if the codes run out meanwhile, and keeps what was assigned', async () => {
    const { ids, segment, group, city } = await scene(3, 3);
    const { id } = await started(segment, group);
    const late = await at.newContact({ city });
    await run(id);
    const failed = await shown(id);
    expect(failed).toMatchObject({ state: 'failed', done: 3, error: expect.stringMatching(/no more free codes/) });
    expect(failed.finished_at).not.toBeNull();
    expect(await holders(group)).toEqual(ids);
    await at.add(group, fresh('CODE'));
    await run((await started(segment, group)).id);
    expect(await holders(group)).toEqual([...ids, late]);
  });

  it('skips contacts that were merged or erased meanwhile', async () => {
    const { ids, segment, group } = await scene(6, 6);
    const { id } = await started(segment, group);
    const [one, two, three, four, five, six] = ids as [number, number, number, number, number, number];
    let batches = 0;
    const assignCodes: AssignCodes = async (tx, accountId, groupId, batch) => {
      // The ids are read. The last batch has one of each.
      if (++batches === 2) {
        accepted(await admin('POST', `${at.base}/contacts/${five}/merge`, { contact_id: three }));
        accepted(await admin('DELETE', `${at.base}/contacts/${six}`), 204);
      }
      return assignToSegment(tx, accountId, groupId, batch);
    };
    await run(id, { assignCodes });
    const held = await holders(group);
    expect(held.filter((contact) => contact === one || contact === two)).toEqual([one, two]);
    expect(held).toContain(four);
    expect(new Set(held).size).toBe(held.length);
    expect(held).not.toContain(six);
    const persons = await sql<{ id: number; n: number }>`
      select coalesce(c.merged_into, c.id) as id, count(*)::int as n from unique_codes u
      join contacts c on c.account_id = u.account_id and c.id = u.contact_id
      where u.account_id = ${at.id} and u.group_id = ${group} group by 1`;
    expect(persons.map(({ n }) => n)).toEqual([1, 1, 1, 1]);
    expect(await shown(id)).toMatchObject({ state: 'done', done: 4 });
  });

  it('matches purchases that wait for a code', async () => {
    const { ids, segment, group } = await scene(1, 0);
    const code = fresh('CODE');
    await at.add(group, code);
    const body = {
      ...{ account_id: at.id, unique_code: code },
      purchases: [
        { transaction_reference: fresh('T'), unit_id: at.unit, items: [{ name: 'Tea', quantity: 1, value: 3 }] },
      ],
    };
    const bought = accepted(await call('POST', '/v1/purchases', { token: at.token, body }));
    expect(bought.purchases[0].contact_id).toBeNull();
    await run((await started(segment, group)).id);
    const figures = accepted(await admin('GET', `${at.base}/contacts/${ids[0]}/figures`));
    expect(figures).toMatchObject({ purchases: 1, visits: 1 });
  });

  it('fails if the segment or the voucher group is deleted', async () => {
    const first = await scene(2, 2);
    const { id } = await started(first.segment, first.group);
    accepted(await admin('DELETE', `${at.base}/segments/${first.segment}`), 204);
    await run(id);
    expect(await shown(id)).toMatchObject({ state: 'failed', error: 'The segment was deleted.' });
    const second = await scene(2, 2);
    const other = await started(second.segment, second.group);
    accepted(await admin('DELETE', `${at.base}/unique_code_groups/${second.group}`), 204);
    await run(other.id);
    expect(await shown(other.id)).toMatchObject({
      ...{ state: 'failed', error: 'The group of codes was deleted.', target_name: null },
    });
  });

  it('fails if the definition of the segment is changed, and gives others nothing', async () => {
    const { ids, segment, group } = await scene(4, 20);
    const other = await scene(3, 0);
    const { id } = await started(segment, group);
    const onBatch = async () =>
      void accepted(await admin('PATCH', `${at.base}/segments/${segment}`, { definition: inCity(other.city) }));
    expect(await run(id, { onBatch })).toBe(true);
    expect(await shown(id)).toMatchObject({ state: 'failed', done: 2, error: expect.stringContaining('was changed') });
    expect(await holders(group)).toEqual(ids.slice(0, 2));
  });

  it('can be cancelled', async () => {
    const { ids, segment, group } = await scene(4, 4);
    const { id } = await started(segment, group);
    await run(id, { longestMs: 0 });
    const cancel = async () => accepted(await admin('POST', `${at.base}/segment_actions/${id}/cancel`));
    expect(await cancel()).toMatchObject({ state: 'cancelled', done: 0 });
    expect(await run(id)).toBe(true);
    expect(await cancel()).toMatchObject({ state: 'cancelled', done: 0, left: 4 });
    expect(await holders(group)).toEqual([]);
    await run((await started(segment, group)).id);
    expect(await holders(group)).toEqual(ids);
  });

  it('does not take ids of other accounts', async () => {
    const { segment, group } = await scene(1, 1);
    const theirs = await away.newGroup();
    expect(refusal(await assign(segment, theirs))).toEqual(['unique_code_group_id']);
    expect(refusal(await assign(segment, 'x'))).toEqual(['unique_code_group_id']);
    expect(refusal(await add(segment, 999_999_999))).toEqual(['group_id']);
    const { id } = await started(segment, group);
    for (const path of [`segments/${segment}/assign_codes`, `segment_actions/${id}/cancel`])
      expect((await admin('POST', `${away.base}/${path}`, { unique_code_group_id: theirs })).status).toBe(404);
    expect((await admin('GET', `${away.base}/segment_actions/${id}`)).status).toBe(404);
    expect(accepted(await admin('GET', `${away.base}/segment_actions`)).data).toEqual([]);
    await run(id);
  });
});

describe('adding a segment to a group', () => {
  const newGroup = async (): Promise<number> =>
    accepted(await admin('POST', `${at.base}/groups`, { unit_id: at.unit, name: fresh('News') }), 201).id;
  const groupsOf = async (contact: number) => {
    const { units } = accepted(await admin('GET', `${at.base}/contacts/${contact}`));
    return units
      .filter((one: { id: number }) => one.id !== at.root)
      .map((one: { id: number; groups: { id: number }[] }) => [one.id, one.groups.map(({ id }) => id)]);
  };

  it('adds each member and its unit, and skips those that are in it', async () => {
    const { ids, segment } = await scene(5, 0);
    const group = await newGroup();
    const action = accepted(await add(segment, group), 202);
    expect(action).toMatchObject({ kind: 'add_to_group', group_id: group, unique_code_group_id: null, total: 5 });
    await expect(
      run(action.id, {
        onBatch: () => {
          throw new Error('crashed');
        },
      }),
    ).rejects.toThrow();
    await run(action.id);
    for (const id of ids) expect(await groupsOf(id)).toEqual([[at.unit, [group]]]);
    expect(await shown(action.id)).toMatchObject({ state: 'done', done: 5, skipped: 0 });
    const again = accepted(await add(segment, group), 202);
    await run(again.id);
    expect(await shown(again.id)).toMatchObject({ state: 'done', done: 0, skipped: 5 });
  });

  it('ends, although the definition excludes those who are in the group', async () => {
    const group = await newGroup();
    const city = fresh('City');
    const ids = [await at.newContact({ city }), await at.newContact({ city }), await at.newContact({ city })];
    const definition = { all: [inCity(city), { field: 'group', op: 'not_in', value: [group] }] };
    const segment = accepted(await admin('POST', `${at.base}/segments`, { name: fresh('Segment'), definition }), 201);
    const { id } = accepted(await add(segment.id, group), 202);
    await run(id);
    expect(await shown(id)).toMatchObject({ state: 'done', done: 3, total: 3 });
    for (const contact of ids) expect(await groupsOf(contact)).toEqual([[at.unit, [group]]]);
  });

  it('fails if the group is deleted', async () => {
    const { segment } = await scene(1, 0);
    const group = await newGroup();
    const { id } = accepted(await add(segment, group), 202);
    accepted(await admin('DELETE', `${at.base}/groups/${group}`), 204);
    await run(id);
    expect(await shown(id)).toMatchObject({ state: 'failed', error: 'The group was deleted.' });
  });
});

it('an account has a limited number of unfinished actions', async () => {
  const { segment } = await scene(1, 0);
  const groups: number[] = [];
  for (let n = 0; n < 11; n++)
    groups.push(accepted(await admin('POST', `${at.base}/groups`, { unit_id: at.unit, name: fresh('News') }), 201).id);
  const ids: number[] = [];
  for (const group of groups.slice(0, 10)) ids.push(accepted(await add(segment, group), 202).id);
  expect(refusal(await add(segment, groups[10]))).toEqual(['segment_id']);
  for (const id of ids) await run(id);
  accepted(await add(segment, groups[10]), 202);
});

it('all invariants hold', async () => {
  expect(await violations(sql)).toEqual({});
});
