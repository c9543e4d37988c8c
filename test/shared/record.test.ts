import { expect, it } from 'vitest';
import { isRecord, keysOf, propertiesOf, recordOf, textIn } from '../../src/shared/record.ts';

it('objects and lists have properties that can be read', () => {
  expect([{}, [], Object.create(null), new Error('failed')].every(isRecord)).toBe(true);
  expect([undefined, null, 'text', 1, true].some(isRecord)).toBe(false);
});

it('the properties of an object are those of the object itself, inherited ones too', () => {
  const object = { id: 1 };
  expect(propertiesOf(object)).toBe(object);
  expect(propertiesOf(Object.create(object)).id).toBe(1);
});

it.each([undefined, null, 'text', 1])('%j has no properties', (value) => {
  expect(propertiesOf(value)).toEqual({});
});

it('a property is read as a text only if it is one', () => {
  expect(textIn({ name: 'The Anchor' }, 'name')).toBe('The Anchor');
  expect(textIn({ name: '' }, 'name')).toBe('');
  expect(textIn({ name: 1 }, 'name')).toBeUndefined();
  expect(textIn({}, 'name')).toBeUndefined();
  expect(textIn(null, 'name')).toBeUndefined();
});

it('a record has one value per key, in the order of the keys', () => {
  const lengths = recordOf(['email', 'sms'], (key) => key.length);
  expect(lengths).toEqual({ email: 5, sms: 3 });
  expect(Object.keys(lengths)).toEqual(['email', 'sms']);
});

it('the keys of a constant are in their order', () => {
  const keys: ('email' | 'sms')[] = keysOf({ email: 1, sms: 2 });
  expect(keys).toEqual(['email', 'sms']);
});
