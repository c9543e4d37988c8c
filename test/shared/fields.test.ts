import { describe, expect, it } from 'vitest';
import { decimal, money } from '../../src/shared/fields.ts';

describe('an amount', () => {
  it.each([
    [0, '0.00'],
    [11.5, '11.50'],
    [1.005, '1.01'],
    [-1.005, '-1.01'],
    [2.675, '2.68'],
    [8192.005, '8192.01'],
    [99_999_999_999, '99999999999.00'],
    [-0.001, '0.00'],
    [-0.005, '-0.01'],
    [1e-7, '0.00'],
    [0.1 + 0.2, '0.30'],
  ])('%d is rounded as it was written: %s', (amount, text) => expect(money(amount)).toBe(text));
  it('is exact for every half cent', () => {
    for (let cents = 0; cents < 2_000_000; cents += 7) {
      const [pounds, rest] = [Math.floor(cents / 100), String(cents % 100).padStart(2, '0')];
      const up = String(cents + 1).padStart(3, '0');
      expect(money(Number(`${pounds}.${rest}5`))).toBe(`${up.slice(0, -2)}.${up.slice(-2)}`);
    }
  });
  it('has the requested number of decimal places', () => expect(decimal(2.00049, 3)).toBe('2.000'));
});
