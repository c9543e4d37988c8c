import { expect, test } from 'vitest';
import type { CitusRow } from '../../../tools/bench/citus/measure.ts';
import { summaryOf } from '../../../tools/bench/citus/summary.ts';

const spread = { median: 0, min: 0, max: 0 };
const rates = { perSecond: spread, p50: spread, service: 0 };
const node = (kind: 'single server' | 'coordinator' | 'worker', ...turns: number[]) => ({ kind, turns });

/** Two turns. In the second one everything takes twice as long, as on a busy machine. */
const row: CitusRow = {
  row: 'redeem',
  name: 'redeem a voucher',
  systems: [
    { ...rates, workers: 0, nodes: [node('single server', 1000, 2000)] },
    { ...rates, workers: 1, nodes: [node('coordinator', 500, 1000), node('worker', 1000, 2000)] },
    {
      ...{ ...rates, workers: 2 },
      nodes: [node('coordinator', 500, 1000), node('worker', 480, 960), node('worker', 560, 1120)],
    },
    {
      ...{ ...rates, workers: 4 },
      nodes: [
        node('coordinator', 400, 800),
        ...[node('worker', 200, 400), node('worker', 300, 600), node('worker', 250, 500), node('worker', 250, 500)],
      ],
    },
  ],
};

test('the busiest worker is compared with its share of an only worker, turn by turn', () => {
  const [single, one, two, four] = summaryOf(row).systems;
  expect(single?.busiest).toBeUndefined();
  expect(one?.busiest).toMatchObject({ place: 0, ofShare: { median: 1, min: 1, max: 1 }, isReached: true });
  expect(two?.busiest).toMatchObject({ place: 1, ofShare: { median: 1.12 }, isReached: true });
  expect(four?.busiest).toMatchObject({ place: 1, ofShare: { median: 1.2, min: 1.2, max: 1.2 }, isReached: false });
});

test('a worker that does much less than its share misses the goal too', () => {
  const systems = row.systems.map((system) =>
    system.workers === 2
      ? { ...system, nodes: [node('coordinator', 1, 1), node('worker', 400, 800), node('worker', 10, 20)] }
      : system,
  );
  expect(summaryOf({ ...row, systems }).systems[2]?.busiest).toMatchObject({
    ofShare: { median: 0.8 },
    isReached: false,
  });
});

test('the coordinator of the largest cluster limits the number of workers', () => {
  const { perCoordinatorCore, saturation, systems } = summaryOf(row);
  expect(systems[3]).toMatchObject({ first: { median: 600 }, workersCost: 1500 });
  expect(saturation).toBeCloseTo(1500 / 600);
  expect(perCoordinatorCore).toBeCloseTo(1e6 / 600);
});

test('all servers together are compared with the single server', () => {
  const ratios = summaryOf(row).systems.map(({ overSingle }) => overSingle.median);
  expect(ratios).toEqual([1, 1.5, 1.54, 1.4]);
});
