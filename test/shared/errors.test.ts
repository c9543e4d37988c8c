import { expect, it } from 'vitest';
import { asError, codeOf, messageOf } from '../../src/shared/errors.ts';

it.each([
  ['an error', new Error('failed'), 'failed'],
  ['an error without a message', new AggregateError([]), ''],
  ['an object with a message', { message: 'failed' }, 'failed'],
  ['a text', 'failed', 'failed'],
  ['nothing', undefined, 'undefined'],
])('the message of %s', (_, error, message) => {
  expect(messageOf(error)).toBe(message);
});

it.each([
  ['of Node', Object.assign(new Error('failed'), { code: 'ENOENT' }), 'ENOENT'],
  ['that is a number', Object.assign(new Error('failed'), { code: 23 }), undefined],
  ['of an error without one', new Error('failed'), undefined],
  ['of nothing', null, undefined],
])('the code %s', (_, error, code) => {
  expect(codeOf(error)).toBe(code);
});

it('an error stays the same error, and any other value becomes one', () => {
  const error = new TypeError('failed');
  expect(asError(error)).toBe(error);
  expect(asError('failed')).toEqual(new Error('failed'));
});
