import { expect, test } from 'vitest';
import { isBusy, percentile, ratioOf, spreadOf } from '../../../tools/bench/load/statistics.ts';

test('the median of an even number of runs is the mean of the two in the middle', () => {
  expect(spreadOf([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 });
  expect(spreadOf([4, 1, 2, 10])).toEqual({ median: 3, min: 1, max: 10 });
  expect(() => spreadOf([])).toThrow();
});

test('a ratio is computed per run, not from the medians', () => {
  // The machine was slow in the second turn, for both.
  expect(ratioOf([100, 10, 120], [50, 5, 40])).toEqual({ median: 2, min: 2, max: 3 });
  expect(() => ratioOf([1, 2], [1])).toThrow('2 turns');
});

test('a percentile is the time within which that share of the responses arrived', () => {
  const hundred = Array.from({ length: 100 }, (_, place) => place + 1);
  expect(percentile(hundred, 0.5)).toBe(50);
  expect(percentile(hundred, 0.99)).toBe(99);
  expect(percentile([7], 0.99)).toBe(7);
});

test('runs that differ by more than half are reported as noise', () => {
  expect(isBusy({ median: 1, min: 1, max: 1.4 })).toBe(false);
  expect(isBusy({ median: 1.2, min: 1, max: 1.6 })).toBe(true);
});
