import { expect, it } from 'vitest';
import { present } from '../../src/shared/present.ts';

it.each([0, '', false, 'text'])('the value %j is present', (value) => {
  expect(present(value)).toBe(value);
});

it.each([undefined, null])('%s throws, and the message names what is missing', (value) => {
  expect(() => present(value)).toThrow('A value is missing.');
  expect(() => present(value, 'booking')).toThrow('A booking is missing.');
});
