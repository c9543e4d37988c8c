import { expect, test } from 'vitest';
import { rateIn } from '../../../tools/bench/load/limit.ts';
import { bars, lines, short, ticksTo } from '../../../tools/bench/report/chart.ts';
import { replaceBetween } from '../../../tools/bench/report/document.ts';
import { goalOf, isReached } from '../../../tools/bench/report/goals.ts';

test('the axis has round steps and ends above the maximum', () => {
  expect(ticksTo(9.4)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(ticksTo(10)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(ticksTo(12_345)).toEqual([0, 2500, 5000, 7500, 10_000, 12_500]);
  expect(short(12_500)).toBe('12.5k');
});

test('bars are as long as their values, and missing values have none', () => {
  const svg = bars({
    ...{ title: 'Rates', unit: 'a second', series: ['ours', 'theirs'] },
    groups: [
      { name: 'a < b', values: [10, 5] },
      { name: 'c', values: [undefined, 10] },
    ],
  });
  const widths = [...svg.matchAll(/<rect x="250" y="[\d.]+" width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(widths).toHaveLength(3);
  expect(widths[1]).toBeCloseTo((widths[0] ?? 0) / 2, 0);
  expect(widths[2]).toBe(widths[0]);
  expect(svg).toContain('a &lt; b');
  expect(svg).toContain('prefers-color-scheme: dark');
});

test('a higher value is higher in the chart, and a goal is a horizontal line', () => {
  const svg = lines({
    ...{ title: 'Growth', unit: 'times', along: 'contacts', points: ['1', '10'], goal: 1.5 },
    series: [{ name: 'redeem', values: [1, 2] }],
  });
  const [[, low], [, high]] = [...svg.matchAll(/cy="([\d.]+)"/g)] as unknown as [[string, string], [string, string]];
  expect(Number(high)).toBeLessThan(Number(low));
  expect(svg).toContain('class="goal" d="M');
});

test('only the text between the markers is rewritten, and a page without them is an error', () => {
  const page = 'before\n<!-- results: written by npm run bench -->\nold\n<!-- end of results -->\nafter';
  const now = replaceBetween(page, 'results', 'new');
  expect(now).toMatch(/^before\n.*new.*\nafter$/s);
  expect(now).not.toContain('old');
  expect(replaceBetween(now, 'results', 'new')).toBe(now);
  expect(() => replaceBetween('nothing', 'results', 'new')).toThrow('markers');
});

test('a goal is compared with the median', () => {
  const goal = goalOf('contact-new', 64, 'sql');
  expect(goal?.atLeast).toBe(2);
  if (!goal) return;
  expect(isReached(goal, { median: 2, min: 1, max: 3 })).toBe(true);
  expect(isReached(goal, { median: 1.99, min: 1, max: 9 })).toBe(false);
  expect(isReached({ ...goal, atLeast: 0, below: 5 }, { median: 5, min: 1, max: 9 })).toBe(false);
  expect(goalOf('contact-new', 16, 'sql')).toBeUndefined();
});

test('the warm-up of pgbench does not count', () => {
  const output = `progress: 1.0 s, 100.0 tps, lat 3.1 ms stddev 0.1, 0 failed
progress: 2.0 s, 300.0 tps, lat 3.1 ms stddev 0.1, 0 failed
progress: 3.0 s, 1400.0 tps, lat 3.1 ms stddev 0.1, 0 failed
number of transactions actually processed: 2400
tps = 600.000000 (without initial connection time)`;
  expect(rateIn(output, 2)).toBe(1400);
  expect(rateIn(output, 0)).toBe(600);
  expect(() => rateIn('nothing', 0)).toThrow('not understood');
});
